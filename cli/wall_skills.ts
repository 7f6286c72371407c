import { isInside } from "../core/paths/is_inside.ts";
import { join } from "../core/paths/path.ts";
import { MAX_SKILL_FOLDERS } from "../core/skills/find_skill_files.ts";
import type { SkillRoot } from "../core/skills/skill_roots.ts";

/**
 * What a run reads to find skills and agents: the folders themselves, and what links in them lead to, because
 * skills of several programs are often one set of files.
 *
 * @param roots The folders.
 * @returns Paths as they are named, and real ones.
 */
export async function readForSkills(
  roots: readonly Pick<SkillRoot, "path" | "within">[],
): Promise<readonly string[]> {
  const paths = await Promise.all(roots.map(async ({ path, within }) => {
    const isAllowed = (real: string) => within === undefined || isInside(real, within);
    return [
      path,
      ...(await Promise.all([path, ...linksIn(path)].map(realPath)))
        .flatMap((real) => real !== null && isAllowed(real) ? [real] : []),
    ];
  }));
  return [...new Set(paths.flat())];
}

function linksIn(folder: string): readonly string[] {
  try {
    return [...Deno.readDirSync(folder)].slice(0, MAX_SKILL_FOLDERS)
      .filter(({ isSymlink }) => isSymlink).map(({ name }) => join(folder, name));
  } catch {
    // Looking for skills says what is wrong with it.
    return [];
  }
}

async function realPath(path: string): Promise<string | null> {
  return await Deno.realPath(path).catch(() => null);
}
