/**
 * Prints the notes of the release that this commit would be: what changed since the last tag such as
 * `v1.2.3`, or since the commit or tag that is named.
 *
 * @module
 */
import { VERSION } from "../../core/version.ts";
import { ROOT } from "../support/paths.ts";
import { formatNotes } from "./format_notes.ts";
import { readSubjects } from "./read_subjects.ts";

const [since] = Deno.args;
const { subjects } = await readSubjects(ROOT, since);
Deno.stdout.writeSync(new TextEncoder().encode(formatNotes(VERSION, subjects)));
