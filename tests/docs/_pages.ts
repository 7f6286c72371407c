import { ROOT } from "../support/paths.ts";

/**
 * Reads a page.
 *
 * @param name Relative to the repository root.
 */
export async function readPage(name: string): Promise<string> {
  return await Deno.readTextFile(`${ROOT}/${name}`);
}
