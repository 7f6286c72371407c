import type { Role } from "../theme/theme.ts";
import { safeText } from "../text/safe_text.ts";
import { type Line, lineOf, span } from "../text/span.ts";
import { wrapAnywhere } from "../text/wrap.ts";
import {
  type BlockLook,
  captionRows,
  type Facts,
  labelOf,
  MalformedBlockError,
  MAX_BLOCK_CHARS,
  moreRows,
  optionalLabel,
  textOf,
} from "./block_facts.ts";

/** A line of a change. */
export interface DiffLine {
  /** What became of it; `hunk` says where the lines after it stand, `note` is about them. */
  readonly kind: "added" | "removed" | "kept" | "hunk" | "note";
  /** Its text, safe, without a sign before it. */
  readonly text: string;
  /** Its number in the file: the new one, or the old one of a line that is gone. */
  readonly number?: number;
}

const HUNK_REGEXP = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;
const HEADER_REGEXP = /^(?:---|\+\+\+|diff |index |=====|Index: )/;

const SIGNS = { added: "+", removed: "-", kept: " " } as const;
const ROLES: Readonly<Record<DiffLine["kind"], Role | undefined>> = {
  added: "added",
  removed: "removed",
  kept: undefined,
  hunk: "hunk",
  note: "dim",
};

/**
 * Rows of a `diff` block: its patch, or what was there before and after.
 *
 * @param block The block.
 * @param look What it is drawn with.
 * @param maxLines How many lines of it are shown.
 * @throws {MalformedBlockError} If it is none.
 */
export function diffBlockRows(block: Facts, look: BlockLook, maxLines: number): readonly Line[] {
  const path = optionalLabel(block.path);
  const title = path === undefined ? [] : wrapAnywhere(lineOf(path, "heading"), look.width);
  return [
    ...title,
    ...diffBody(block, look, maxLines),
    ...captionRows(block.caption, look.width),
  ];
}

/**
 * Rows of a change, with numbers and signs before the lines.
 *
 * @param lines The lines.
 * @param look What they are drawn with.
 * @param maxLines How many of them are shown.
 */
export function diffLineRows(
  lines: readonly DiffLine[],
  look: BlockLook,
  maxLines: number,
): readonly Line[] {
  const shown = lines.slice(0, maxLines);
  const digits = Math.max(0, ...shown.map(({ number }) => String(number ?? "").length));
  return [
    ...shown.flatMap((line) => numbered(line, digits, look.width)),
    ...moreRows(lines.length - shown.length, "lines", look),
  ];
}

/**
 * Reads a unified patch.
 *
 * @param patch Its text.
 */
export function parsePatch(patch: string): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let before = 0;
  let after = 0;
  let isInHunk = false;
  for (const line of patch.replace(/\n$/, "").split("\n")) {
    const hunk = HUNK_REGEXP.exec(line);
    if (hunk !== null) {
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      isInHunk = true;
      lines.push({ kind: "hunk", text: line });
    } else if (!isInHunk && (HEADER_REGEXP.test(line) || line === "")) continue;
    else if (line.startsWith("+")) {
      lines.push({ kind: "added", text: line.slice(1), number: after++ });
    } else if (line.startsWith("-")) {
      lines.push({ kind: "removed", text: line.slice(1), number: before++ });
    } else if (line.startsWith(" ") || line === "") {
      lines.push({ kind: "kept", text: line.slice(1), number: after++ });
      before++;
    } else lines.push({ kind: "note", text: line });
  }
  return lines;
}

function diffBody(block: Facts, look: BlockLook, maxLines: number): readonly Line[] {
  const { patch, before, after } = block;
  if (typeof patch === "string") return diffLineRows(parsePatch(textOf(patch)), look, maxLines);
  if (before === undefined && after === undefined) {
    throw new MalformedBlockError("Cannot read block: it has neither a patch nor texts");
  }
  const side = (label: string, value: unknown, kind: "removed" | "added"): readonly Line[] => {
    if (value === undefined) return [];
    const lines = textOf(value).replace(/\n$/, "").split("\n");
    const numberedLines = lines.map((text, index) => ({ kind, text, number: index + 1 }));
    return [lineOf(labelOf(label), "dim"), ...diffLineRows(numberedLines, look, maxLines)];
  };
  return [...side("before", before, "removed"), ...side("after", after, "added")];
}

function numbered(line: DiffLine, digits: number, width: number): readonly Line[] {
  const role = ROLES[line.kind];
  if (line.kind === "hunk" || line.kind === "note") {
    return wrapAnywhere(lineOf(line.text, role), width);
  }
  const sign = `${SIGNS[line.kind]} `;
  // Numbers are the first thing that a narrow window has no room for.
  const number = width < digits + 16 ? "" : `${String(line.number ?? "").padStart(digits)} `;
  const taken = number.length + sign.length;
  const rows = wrapAnywhere(lineOf(line.text, role), Math.max(1, width - taken));
  return rows.map((row, index) => [
    ...(number === "" ? [] : [span(index === 0 ? number : " ".repeat(number.length), "dim")]),
    span(index === 0 ? sign : "  ", role),
    ...row,
  ]);
}

/**
 * Lines of a text that is all of one kind, such as a file that is new.
 *
 * @param text Any text.
 * @param kind What became of it.
 */
export function wholeText(text: string, kind: "added" | "removed"): readonly DiffLine[] {
  if (text === "") return [];
  const lines = safeText(text.slice(0, MAX_BLOCK_CHARS)).replace(/\n$/, "").split("\n");
  return lines.map((line, index) => ({ kind, text: line, number: index + 1 }));
}
