import type { DiffBlock, UiPart } from "@alisio/sdk";

/** A change to a file, as text for the eye. */
export interface FileChange {
  /** The path to show. */
  readonly path: string;
  /** The text before; null for a new file. */
  readonly before: string | null;
  /** The text after. */
  readonly after: string;
}

/** Options of {@linkcode createDiffPart}. */
export interface DiffOptions {
  /**
   * Where a patch is cut, at the end of a line.
   *
   * @default 204800
   */
  readonly maxBytes?: number;
  /**
   * Removed and added lines up to which the smallest difference is looked for.
   *
   * @default 2000
   */
  readonly maxEditLength?: number;
}

const CONTEXT_LINES = 3;

/** Backstop where lines are slow to compare. */
const TIMEOUT_MS = 500;

const LINE_FEED = 0x0a;
const NO_FINAL_NEWLINE = "\\ No newline at end of file";

/**
 * Describes a change as a unified patch in a display block. A patch that is too long is cut at the
 * end of a line, and parts that have too little in common are shown as removed and added whole;
 * the caption says either.
 *
 * @param change What changed.
 * @param options Bounds.
 */
export async function createDiffPart(
  change: FileChange,
  options: DiffOptions = {},
): Promise<UiPart> {
  const { path, before, after } = change;
  const { structuredPatch, formatPatch } = await import("diff");
  const changed = findChangedLines(splitLines(before ?? ""), splitLines(after));
  const smallest = structuredPatch(
    "",
    "",
    changed.old.join(""),
    changed.new.join(""),
    undefined,
    undefined,
    {
      context: CONTEXT_LINES,
      maxEditLength: options.maxEditLength ?? 2_000,
      timeout: TIMEOUT_MS,
    },
  );
  const hunks = smallest?.hunks ?? [replaceWhole(changed)];
  const formatted = formatPatch({
    oldFileName: before === null ? "/dev/null" : quoteName(`a/${path}`),
    newFileName: quoteName(`b/${path}`),
    oldHeader: undefined,
    newHeader: undefined,
    hunks: hunks.map((hunk) => moveDown(hunk, changed.start)),
  });
  // The package puts a line of its own before the header.
  const patch = clip(formatted.slice(formatted.indexOf("--- ")), options.maxBytes ?? 204_800);
  const captions: string[] = [];
  if (smallest === undefined && isReplacement(changed)) {
    captions.push("Too different to compare: shown as replaced whole");
  }
  if (patch.clipped) captions.push("Cut: the change is longer than what is shown");
  const lang = /[^/\\]\.([^./\\]+)$/.exec(path)?.[1];
  const block: DiffBlock = {
    kind: "diff",
    patch: patch.text,
    path,
    ...(lang === undefined ? {} : { lang }),
    ...(captions.length === 0 ? {} : { caption: captions.join(". ") }),
  };
  return { type: "ui", block };
}

interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: string[];
}

/** The part of two texts that differs, with some lines around it. */
interface ChangedLines {
  /** Lines before the part. */
  readonly start: number;
  /** Lines that both parts begin with. */
  readonly prefix: number;
  /** Lines that both parts end with. */
  readonly suffix: number;
  readonly old: readonly string[];
  readonly new: readonly string[];
}

/** Lines with their ends. */
function splitLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

/** Leaves the package only what it has to compare, however long the rest is. */
function findChangedLines(before: readonly string[], after: readonly string[]): ChangedLines {
  const shorter = Math.min(before.length, after.length);
  let same = 0;
  while (same < shorter && before[same] === after[same]) same++;
  let sameAtEnd = 0;
  while (sameAtEnd < shorter - same && before.at(-1 - sameAtEnd) === after.at(-1 - sameAtEnd)) {
    sameAtEnd++;
  }
  const prefix = Math.min(same, CONTEXT_LINES);
  const suffix = Math.min(sameAtEnd, CONTEXT_LINES);
  const start = same - prefix;
  const cut = sameAtEnd - suffix;
  return {
    start,
    prefix,
    suffix,
    old: before.slice(start, before.length - cut),
    new: after.slice(start, after.length - cut),
  };
}

function isReplacement(changed: ChangedLines): boolean {
  const context = changed.prefix + changed.suffix;
  return changed.old.length > context && changed.new.length > context;
}

function replaceWhole({ prefix, suffix, old, new: added }: ChangedLines): Hunk {
  return {
    oldStart: 1,
    oldLines: old.length,
    newStart: 1,
    newLines: added.length,
    lines: [
      ...markLines(" ", old.slice(0, prefix)),
      ...markLines("-", old.slice(prefix, old.length - suffix)),
      ...markLines("+", added.slice(prefix, added.length - suffix)),
      ...markLines(" ", old.slice(old.length - suffix)),
    ],
  };
}

function markLines(sign: " " | "-" | "+", lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) =>
    line.endsWith("\n") ? [sign + line.slice(0, -1)] : [sign + line, NO_FINAL_NEWLINE]
  );
}

function moveDown(hunk: Hunk, lines: number): Hunk {
  return { ...hunk, oldStart: hunk.oldStart + lines, newStart: hunk.newStart + lines };
}

/** Names that would break the header are written as a string literal. */
function quoteName(name: string): string {
  const literal = JSON.stringify(name);
  return literal === `"${name}"` ? name : literal;
}

function clip(
  patch: string,
  maxBytes: number,
): { readonly text: string; readonly clipped: boolean } {
  const bytes = new TextEncoder().encode(patch);
  if (bytes.length <= maxBytes) return { text: patch, clipped: false };
  const end = bytes.lastIndexOf(LINE_FEED, maxBytes - 1) + 1;
  return { text: new TextDecoder().decode(bytes.subarray(0, end)), clipped: true };
}
