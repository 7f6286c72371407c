import { type DiffLine, parsePatch, wholeText } from "../blocks/diff_rows.ts";
import { safeText } from "../text/safe_text.ts";
import { parseInput } from "./call_argument.ts";
import type { Call } from "./entry.ts";

/** Equal lines that are shown around a change. */
const CONTEXT_LINES = 3;

/**
 * Lines of the change that a call makes. Its result knows them best; before there is one, they come
 * from the arguments, and count from the start of the text that is replaced.
 *
 * @param call The call.
 * @returns Undefined for a call that changes no file.
 */
export function changeLines(call: Call): readonly DiffLine[] | undefined {
  if (call.name !== "edit_file" && call.name !== "write_file") return undefined;
  const patch = call.result?.patch;
  if (patch !== undefined) return parsePatch(safeText(patch));
  const input = parseInput(call.arguments);
  if (input === undefined) return undefined;
  const { oldText, newText, content } = input;
  if (typeof content === "string") return wholeText(content, "added");
  if (typeof oldText !== "string" || typeof newText !== "string") return undefined;
  return replacedLines(wholeText(oldText, "removed"), wholeText(newText, "added"));
}

/** What two texts have in common at their starts and ends stays; the rest is gone and new. */
function replacedLines(
  before: readonly DiffLine[],
  after: readonly DiffLine[],
): readonly DiffLine[] {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start]?.text === after[start]?.text) start++;
  let end = 0;
  while (end < most - start && before.at(-1 - end)?.text === after.at(-1 - end)?.text) end++;
  const kept = (lines: readonly DiffLine[]) =>
    lines.map((line) => ({ ...line, kind: "kept" as const }));
  return [
    ...kept(after.slice(Math.max(0, start - CONTEXT_LINES), start)),
    ...before.slice(start, before.length - end),
    ...after.slice(start, after.length - end),
    ...kept(after.slice(after.length - end).slice(0, CONTEXT_LINES)),
  ];
}
