import { join } from "../paths/path.ts";
import { printableName } from "../process/visible_text.ts";
import { MAX_SKILL_DEPTH, SKILL_FILE } from "./find_skill_files.ts";

/** Files that are named. */
const MAX_FILES = 200;

/** Entries that are looked at. */
const MAX_ENTRIES = 2_000;

/**
 * The files that come with a skill beside its own. Never throws: what cannot be listed is left out.
 *
 * @param folder Real path of its folder.
 * @returns The first, sorted, relative to the folder and with slashes. Links are not followed.
 */
export async function listSkillFiles(folder: string): Promise<readonly string[]> {
  const files: string[] = [];
  const left = { entries: MAX_ENTRIES };
  let level: readonly string[] = [""];
  for (let depth = 0; depth <= MAX_SKILL_DEPTH && level.length > 0; depth++) {
    const deeper: string[] = [];
    for (const below of level) deeper.push(...await listOne(folder, below, files, left));
    level = deeper;
  }
  return files.filter((file) => file !== SKILL_FILE).sort().slice(0, MAX_FILES).map(printableName);
}

async function listOne(
  folder: string,
  below: string,
  files: string[],
  left: { entries: number },
): Promise<readonly string[]> {
  const folders: string[] = [];
  try {
    for await (const { name, isDirectory, isFile } of Deno.readDir(join(folder, below))) {
      if (left.entries-- <= 0) break;
      const path = below === "" ? name : `${below}/${name}`;
      if (isFile) files.push(path);
      else if (isDirectory && name !== ".git" && name !== "node_modules") folders.push(path);
    }
  } catch {
    // A folder that may not be read has no files to name.
  }
  return folders.sort();
}
