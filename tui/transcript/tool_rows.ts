import type { Glyph, Role } from "../theme/theme.ts";
import { blockRows } from "../blocks/block_rows.ts";
import { moreRows } from "../blocks/block_facts.ts";
import { diffLineRows } from "../blocks/diff_rows.ts";
import { formatDuration } from "../text/format_duration.ts";
import { safeLine, safeOutput } from "../text/safe_text.ts";
import { cellsOf } from "../text/cells.ts";
import { type Line, lineOf, span } from "../text/span.ts";
import { clipLine, wrapAnywhere, wrapWords } from "../text/wrap.ts";
import { groupTitle } from "./call_kind.ts";
import { imageMark } from "./call_result.ts";
import { callArgument } from "./call_argument.ts";
import { changeLines } from "./change_lines.ts";
import { type Call, type CallStatus, type ImageFacts, isOpen, type ToolEntry } from "./entry.ts";
import {
  behindGutter,
  type EntryLook,
  type EntryRows,
  innerLook,
  toggleSign,
} from "./entry_look.ts";
import { titleRow } from "./title_row.ts";
import { humaniseToolName } from "./tool_name.ts";

/** Lines of a result that are shown while it is closed. */
const CLOSED_LINES = 3;
const CLOSED_ERROR_LINES = 6;
/** Rows of a result that are shown while it is open. */
const OPEN_ROWS = 400;
const MAX_DIFF_LINES = 200;
const MAX_GROUP_CALLS = 200;
/** A model may call a tool that there is not by a name of any length. */
const MAX_NAME_CHARS = 120;
/** After this, a call that runs says for how long. */
const QUIET_MS = 1_000;
const FRAME_MS = 120;

const FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const ASCII_FRAMES = "|/-\\";

/** Tools that end with an exit code which says something to a person. */
const COMMAND_TOOLS: ReadonlySet<string> = new Set(["run_process", "shell", "search_text"]);

/** Tools that run a program, which says at its end how it went. */
const PROGRAM_TOOLS: ReadonlySet<string> = new Set(["run_process", "shell"]);

interface StatusLook {
  readonly glyph: Glyph;
  readonly role: Role;
  /** What it says beside the name. */
  readonly words?: string;
}

const LOOKS: Readonly<Record<CallStatus, StatusLook>> = {
  running: { glyph: "running", role: "accent" },
  waiting: { glyph: "waiting", role: "question", words: "waiting for your approval" },
  done: { glyph: "ok", role: "success" },
  failed: { glyph: "failed", role: "error" },
  denied: { glyph: "skipped", role: "warning", words: "not allowed" },
  cancelled: { glyph: "pending", role: "warning", words: "stopped" },
  answered: { glyph: "skipped", role: "accent", words: "not run, answered in its place" },
};

/**
 * Rows of calls: what was called, how it goes, and what it was answered.
 *
 * @param entry The calls.
 * @param look What they are drawn with.
 */
export function toolRows(entry: ToolEntry, look: EntryLook): EntryRows {
  if (entry.calls[0].parentId === undefined) return ownRows(entry, look);
  // What a call made stands below it, right of its sign.
  const { rows, toggles } = ownRows(entry, innerLook(look));
  return { rows: behindGutter(rows, look.width), toggles };
}

function ownRows(entry: ToolEntry, look: EntryLook): EntryRows {
  const [call, ...others] = entry.calls;
  if (others.length > 0) return groupRows(entry, look);
  const body = callBody(call, innerLook(look));
  const mark = body.canToggle ? toggleSign(look) : undefined;
  const header = headerRow(call, {
    look,
    startedAt: entry.startedAt,
    ...(mark === undefined ? {} : { mark }),
  });
  return {
    rows: [header, ...behindGutter(body.rows, look.width)],
    toggles: body.canToggle ? [0, ...body.toggles.map((row) => row + 1)] : [],
  };
}

function headerRow(
  call: Call,
  { look, startedAt, mark }: {
    readonly look: EntryLook;
    readonly startedAt: number;
    readonly mark?: string;
  },
): Line {
  const { role, words } = LOOKS[shownStatus(call)];
  const time = timeOf(call, look.now - startedAt);
  return titleRow({
    sign: span(signOf(call, look), role),
    name: safeLine(humaniseToolName(call.name.slice(0, MAX_NAME_CHARS))),
    about: callArgument(call.arguments, look.cwd),
    end: { words: said(words), time: said(time), mark: mark && ` ${mark}` },
    endRole: words === undefined ? "dim" : role,
  }, look.width);
}

function groupRows(entry: ToolEntry, look: EntryLook): EntryRows {
  const { calls } = entry;
  const failed = calls.filter((call) => shownStatus(call) === "failed").length;
  const { glyph, role } = LOOKS[failed > 0 ? "failed" : "done"];
  const { name, count } = groupTitle(calls);
  const total = calls.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0);
  const time = calls.some(({ durationMs }) => durationMs !== undefined)
    ? ` · ${formatDuration(total)}`
    : "";
  const title = titleRow({
    sign: span(look.theme.glyph(glyph), role),
    name: safeLine(name),
    about: "",
    end: {
      words: ` — ${count}${failed > 0 ? `, ${failed} failed` : ""}`,
      time,
      mark: ` ${toggleSign(look)}`,
    },
    endRole: "dim",
  }, look.width);
  const inner = innerLook(look);
  const rows = calls.slice(0, MAX_GROUP_CALLS).flatMap((call) => groupedCall(call, inner));
  const left = moreRows(calls.length - MAX_GROUP_CALLS, "calls", look);
  return { rows: [title, ...behindGutter([...rows, ...left], look.width)], toggles: [0] };
}

/** A change is shown in any case; the rest of a group only while it is open. */
function groupedCall(call: Call, look: EntryLook): readonly Line[] {
  const diff = changeRows(call, look);
  if (!look.isExpanded && diff.length === 0) return [];
  const { glyph, role } = LOOKS[shownStatus(call)];
  const time = call.durationMs === undefined ? "" : ` · ${formatDuration(call.durationMs)}`;
  const title = titleRow({
    sign: span(look.theme.glyph(glyph), role),
    name: safeLine(call.name.slice(0, MAX_NAME_CHARS)),
    about: callArgument(call.arguments, look.cwd),
    end: { time },
    endRole: "dim",
  }, look.width);
  const closed = { ...look, isExpanded: false };
  const text = look.isExpanded ? resultRows(call, innerLook(closed)).rows : [];
  return [title, ...diff, ...behindGutter(text, look.width)];
}

function callBody(
  call: Call,
  look: EntryLook,
): { readonly rows: readonly Line[]; readonly toggles: readonly number[]; canToggle: boolean } {
  const diff = call.status === "denied" || call.status === "cancelled"
    ? []
    : changeRows(call, look);
  const progress = call.progress === undefined || !isOpen(call)
    ? []
    : [clipLine(lineOf(call.progress, "dim"), look.width, "…")];
  const refusal = call.refusal === undefined || call.status === "answered"
    ? []
    : wrapWords(lineOf(safeLine(call.refusal), "dim"), look.width);
  const before = [...diff, ...progress, ...refusal];
  const { rows, foldRow, canToggle } = resultRows(call, look);
  return {
    rows: [...before, ...rows, ...exitRows(call), ...nativeRows(call, look)],
    toggles: foldRow === undefined ? [] : [before.length + foldRow],
    canToggle,
  };
}

function changeRows(call: Call, look: EntryLook): readonly Line[] {
  if (call.status === "failed") return [];
  const lines = changeLines(call);
  return lines === undefined ? [] : diffLineRows(lines, look, MAX_DIFF_LINES);
}

/** For a person, a program that ends with an error has failed; the model judges by itself. */
function shownStatus({ name, status, result }: Call): CallStatus {
  const code = result?.exitCode ?? 0;
  return status === "done" && PROGRAM_TOOLS.has(name) && code !== 0 ? "failed" : status;
}

/**
 * The text of a result: its first lines, the last ones of what a program printed, or as much of it
 * as one can read.
 */
function resultRows(
  call: Call,
  look: EntryLook,
): { readonly rows: readonly Line[]; readonly foldRow?: number; readonly canToggle: boolean } {
  const { result } = call;
  const text = result === undefined ? "" : safeOutput(result.text).replace(/^\n+|\s+$/g, "");
  if (result === undefined || text === "") {
    return { rows: [], canToggle: false };
  }
  const lines = text.split("\n");
  const role: Role = call.status === "failed" ? "error" : "dim";
  const limit = shownStatus(call) === "failed" ? CLOSED_ERROR_LINES : CLOSED_LINES;
  if (look.isExpanded) {
    const rows = lines.flatMap((line) => wrapAnywhere(lineOf(line, role), look.width));
    const shown = rows.slice(0, OPEN_ROWS);
    return {
      rows: [...shown, ...moreRows(rows.length - shown.length, "lines", look)],
      canToggle: true,
    };
  }
  const isEnd = PROGRAM_TOOLS.has(call.name);
  const shown = isEnd ? lines.slice(-limit) : lines.slice(0, limit);
  const rows = shown.map((line) => clipLine(lineOf(line, role), look.width, "…"));
  const left = lines.length - shown.length;
  const more = moreRows(left, isEnd ? "lines before" : "lines", look);
  const isCut = shown.some((line) => cellsOf(line.slice(0, look.width * 2)) > look.width);
  return {
    rows: isEnd ? [...more, ...rows] : [...rows, ...more],
    ...(left > 0 ? { foldRow: isEnd ? 0 : rows.length } : {}),
    canToggle: left > 0 || isCut,
  };
}

function exitRows({ name, result }: Call): readonly Line[] {
  const code = result?.exitCode;
  if (code === undefined || !COMMAND_TOOLS.has(name)) return [];
  return [lineOf(`Command exited with code ${code}.`, code === 0 ? "success" : "error")];
}

/** Blocks and images, which are never folded. */
function nativeRows({ result }: Call, look: EntryLook): readonly Line[] {
  if (result === undefined) return [];
  return [
    ...result.blocks.flatMap((block) => blockRows(block, look)),
    ...result.images.map((image) => clipLine(lineOf(imageLabel(image), "accent"), look.width)),
  ];
}

/**
 * What stands for an image: `[image: image/png 640x480]`.
 *
 * @param image Facts about it.
 */
export function imageLabel(image: ImageFacts): string {
  return safeLine(imageMark({ ...image, mimeType: image.mimeType.slice(0, 60) }));
}

function said(fact: string | undefined): string | undefined {
  return fact === undefined ? undefined : ` · ${fact}`;
}

function signOf(call: Call, look: EntryLook): string {
  const { glyph } = LOOKS[shownStatus(call)];
  if (call.status !== "running") return look.theme.glyph(glyph);
  const frames = look.theme.look.unicode ? FRAMES : ASCII_FRAMES;
  return frames.charAt(Math.floor(look.now / FRAME_MS) % frames.length);
}

function timeOf(call: Call, runningMs: number): string | undefined {
  const hasRun = call.status === "done" || call.status === "failed";
  if (hasRun && call.durationMs !== undefined) return formatDuration(call.durationMs);
  if (call.status !== "running" || runningMs < QUIET_MS) return undefined;
  return `${Math.floor(runningMs / 1_000)}s`;
}
