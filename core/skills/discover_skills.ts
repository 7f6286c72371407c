import type { YamlParser } from "../frontmatter/frontmatter.ts";
import { isInside } from "../paths/is_inside.ts";
import { findSkillFiles } from "./find_skill_files.ts";
import { readSkill, type SkillFile } from "./read_skill.ts";
import type { Skill, SkillDiagnostic, SkillListing } from "./skill.ts";
import type { SkillRoot } from "./skill_roots.ts";

/** What skills are discovered with. */
export interface SkillDiscovery {
  /** Folders, the first with precedence. */
  readonly roots: readonly SkillRoot[];
  /** Reads YAML. */
  readonly parse: YamlParser;
  /** Whether a real path stays closed, whoever names it. */
  readonly isClosed?: (real: string) => boolean;
  /** Whether the person has switched the skill of that name off. */
  readonly isDisabled: (name: string) => boolean;
}

/** Files that are read at the same time. */
const PARALLEL_READS = 16;

/**
 * Finds and checks every skill. A file that cannot be used becomes a diagnostic; never throws.
 *
 * @param discovery What they are discovered with.
 */
export async function discoverSkills(discovery: SkillDiscovery): Promise<SkillListing> {
  const found = await Promise.all(discovery.roots.map(async (root) => ({
    root,
    ...await findSkillFiles(root),
  })));
  const files = found.flatMap(({ root, files }) => files.map((path) => ({ root, path })));
  const read: Read[] = [];
  for (let at = 0; at < files.length; at += PARALLEL_READS) {
    read.push(
      ...await Promise.all(
        files.slice(at, at + PARALLEL_READS).map(({ root, path }) =>
          readOne(root, path, discovery)
        ),
      ),
    );
  }
  return {
    skills: named(read, discovery),
    diagnostics: [
      ...found.flatMap(({ diagnostics }) => diagnostics),
      ...read.flatMap(({ diagnostics }) => diagnostics),
    ],
  };
}

interface Read {
  readonly root: SkillRoot;
  readonly path: string;
  readonly skill: SkillFile | null;
  readonly diagnostics: readonly SkillDiagnostic[];
}

async function readOne(
  root: SkillRoot,
  path: string,
  { parse, isClosed }: SkillDiscovery,
): Promise<Read> {
  const bounds = {
    ...root.within === undefined ? {} : { within: root.within },
    ...isClosed === undefined ? {} : { isClosed },
  };
  return { root, path, ...await readSkill(path, bounds, parse) };
}

/** Gives each name to the first that has it. One file under two paths is one skill. */
function named(read: readonly Read[], { isDisabled }: SkillDiscovery): readonly Skill[] {
  const owners = new Map<string, string>();
  const seen = new Set<string>();
  return read.flatMap(({ root, path, skill }) => {
    if (skill === null || seen.has(skill.real)) return [];
    seen.add(skill.real);
    const { name, description, folder, bytes } = skill;
    const owner = owners.get(name);
    if (owner === undefined) owners.set(name, path);
    const locked = root.scope === "plugin";
    return [{
      name,
      description,
      scope: root.scope,
      ...root.plugin === undefined ? {} : { plugin: root.plugin },
      folder,
      path,
      bytes,
      tokens: Math.ceil(bytes / 4),
      enabled: locked || !isDisabled(name),
      locked,
      ...owner === undefined ? {} : { shadowedBy: owner },
    }];
  });
}

/**
 * The root that the file of a skill was found below.
 *
 * @param roots The folders.
 * @param skill The skill.
 */
export function rootOf(roots: readonly SkillRoot[], skill: Skill): SkillRoot | undefined {
  return roots.find(({ path, scope }) => scope === skill.scope && isInside(skill.path, path));
}
