import { nearestName } from "../config/nearest_name.ts";
import { quoted } from "../config/quoted.ts";
import type { YamlParser } from "../frontmatter/frontmatter.ts";
import { readTextFile } from "../frontmatter/read_text_file.ts";
import { isInside } from "../paths/is_inside.ts";
import { isAbsolute, relative, resolve, sep } from "../paths/path.ts";
import { discoverSkills, rootOf } from "./discover_skills.ts";
import { listSkillFiles } from "./list_skill_files.ts";
import { readSkill } from "./read_skill.ts";
import { isUsable, type Skill, type SkillListing } from "./skill.ts";
import type { SkillRoot } from "./skill_roots.ts";

/** A skill that was loaded. */
export interface LoadedSkill {
  readonly skill: Skill;
  /** Its instructions. */
  readonly body: string;
  /** Its other files, relative to its folder and with slashes; the first of them. */
  readonly files: readonly string[];
}

/** What a model or a person does with skills. */
export interface SkillReader {
  /** Skills that may be used. */
  usable(): readonly Skill[];
  /**
   * Loads a skill.
   *
   * @throws {TypeError} If there is none of that name, or it cannot be used.
   */
  load(name: string): Promise<LoadedSkill>;
  /**
   * Reads a file of a skill.
   *
   * @param name The skill.
   * @param path Relative to its folder.
   * @throws {TypeError} If there is none, or it cannot be used.
   */
  resource(name: string, path: string): Promise<string>;
}

/** What skills are looked up with. */
export interface SkillCatalogPorts {
  /** Folders, the first with precedence; asked for at each look. */
  readonly roots: () => readonly SkillRoot[];
  readonly parse: YamlParser;
  readonly isClosed?: (real: string) => boolean;
  readonly isDisabled: (name: string) => boolean;
}

/** Largest file of a skill that is shown. */
const MAX_RESOURCE_BYTES = 1_048_576;

/** The skills of an application. */
export class SkillCatalog implements SkillReader {
  readonly #ports: SkillCatalogPorts;
  #listing: SkillListing = { skills: [], diagnostics: [] };

  /** @param ports What skills are looked up with. */
  constructor(ports: SkillCatalogPorts) {
    this.#ports = ports;
  }

  /** Looks at all folders again. */
  async refresh(): Promise<SkillListing> {
    const { roots, ...ports } = this.#ports;
    this.#listing = await discoverSkills({ ...ports, roots: roots() });
    return this.#listing;
  }

  /** What the last look found, with what is switched off at this moment. */
  get listing(): SkillListing {
    const { skills, diagnostics } = this.#listing;
    return {
      skills: skills.map((skill) => ({
        ...skill,
        enabled: skill.locked || !this.#ports.isDisabled(skill.name),
      })),
      diagnostics,
    };
  }

  usable(): readonly Skill[] {
    return this.listing.skills.filter(isUsable);
  }

  async load(name: string): Promise<LoadedSkill> {
    const found = this.#find(name);
    const { skill, diagnostics } = await readSkill(
      found.path,
      this.#bounds(found),
      this.#ports.parse,
    );
    if (skill === null) {
      const reasons = diagnostics.map(({ message }) => message).join("; ");
      throw new TypeError(`Cannot load skill ${quoted(name)}: ${reasons}`);
    }
    return { skill: found, body: skill.body, files: await listSkillFiles(skill.folder) };
  }

  async resource(name: string, path: string): Promise<string> {
    const skill = this.#find(name);
    const target = resolve(skill.folder, path);
    if (isAbsolute(path) || !isInside(target, skill.folder)) {
      throw new TypeError(
        `Cannot read ${quoted(path, 300)} of skill ${quoted(name)}: the path must be relative to ` +
          "the folder of the skill, and stay in it",
      );
    }
    const { isClosed } = this.#ports;
    const file = await readTextFile(target, {
      within: skill.folder,
      ...isClosed === undefined ? {} : { isClosed },
      maxBytes: MAX_RESOURCE_BYTES,
    });
    if (file.status === "read") return file.text;
    const files = await listSkillFiles(skill.folder);
    const given = relative(skill.folder, target).split(sep).join("/");
    const nearest = nearestName(given, files);
    const advice = nearest === given
      ? ""
      : nearest !== undefined
      ? `; did you mean "${nearest}"?`
      : files.length === 0
      ? "; it has no other files"
      : `; its files are ${files.slice(0, 20).map((each) => quoted(each, 200)).join(", ")}`;
    throw new TypeError(
      `Cannot read ${quoted(path, 300)} of skill ${quoted(name)}: ${file.reason}${advice}`,
    );
  }

  #find(name: string): Skill {
    const { skills } = this.listing;
    const found = skills.find((skill) => skill.name === name && skill.shadowedBy === undefined);
    if (found === undefined) {
      const names = this.usable().map((skill) => skill.name);
      const nearest = nearestName(name, names);
      const advice = nearest !== undefined
        ? `did you mean "${nearest}"?`
        : names.length === 0
        ? "there are none"
        : `the skills are ${names.slice(0, 30).join(", ")}`;
      throw new TypeError(`There is no skill ${quoted(name)}: ${advice}`);
    }
    if (found.enabled) return found;
    throw new TypeError(`Skill ${quoted(name)} is switched off by the person`);
  }

  #bounds(
    skill: Skill,
  ): { readonly within?: string; readonly isClosed?: (real: string) => boolean } {
    const { roots, isClosed } = this.#ports;
    const within = rootOf(roots(), skill)?.within;
    return {
      ...within === undefined ? {} : { within },
      ...isClosed === undefined ? {} : { isClosed },
    };
  }
}
