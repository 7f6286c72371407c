/**
 * Writes the generated blocks of the README and of `docs/` anew.
 *
 * @module
 */
import { generatePages } from "./support/generated_pages.ts";
import { ROOT } from "./support/paths.ts";

for (const { path, current, wanted } of await generatePages()) {
  if (current !== wanted) await Deno.writeTextFile(`${ROOT}/${path}`, wanted);
}
