/**
 * Puts what changed since the last release into the list of changes that the program shows, as the
 * entry of the version in `core/version.ts`. To be run, and read over, before a release is tagged.
 *
 * @module
 */
import { CHANGELOG } from "../../core/changelog/entries.ts";
import { VERSION } from "../../core/version.ts";
import { DENO, ROOT } from "../support/paths.ts";
import { formatNotes } from "./format_notes.ts";
import { readSubjects } from "./read_subjects.ts";
import { withEntry } from "./with_entry.ts";

const FILE = `${ROOT}/core/changelog/entries.ts`;

if (CHANGELOG.some(({ version }) => version === VERSION)) {
  throw new Error(`Cannot add ${VERSION}: it is in the list of changes; raise the version first`);
}
const { subjects } = await readSubjects(ROOT);
const notes = formatNotes(VERSION, subjects).replace(/^# .*\n\n/, "");
await Deno.writeTextFile(
  FILE,
  withEntry(await Deno.readTextFile(FILE), { version: VERSION, notes }),
);
await new Deno.Command(DENO, { args: ["fmt", "--quiet", FILE] }).output();
