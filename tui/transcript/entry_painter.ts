import type { ToolResultPart } from "@alisio/sdk";
import { truncateToWidth } from "@earendil-works/pi-tui/dist/utils.js";
import { errorMessage } from "../../core/errors.ts";
import { boundText } from "../../core/text/bound_text.ts";
import { Highlighter } from "../markdown/highlighter.ts";
import { MarkdownBody } from "../markdown/markdown_body.ts";
import { MarkdownParser } from "../markdown/markdown_parser.ts";
import { paintLine } from "../text/paint.ts";
import type { Line } from "../text/span.ts";
import type { Theme } from "../theme/theme.ts";
import { kindOfCall } from "./call_kind.ts";
import { callResult } from "./call_result.ts";
import { type AnswerEntry, type Call, type Entry, isLive, type ToolEntry } from "./entry.ts";
import { behindGutter, type EntryLook, type EntryRows, innerLook } from "./entry_look.ts";
import { copyHint, noticeRows, promptRows, thoughtRows } from "./entry_rows.ts";
import { toolRows } from "./tool_rows.ts";

/** What entries are painted with. */
export interface PainterPorts {
  /** The colours; asked for at each painting. */
  readonly theme: () => Theme;
  /** The directory that paths are shown in relation to. */
  readonly cwd: string;
  /** Milliseconds of a clock that only goes on. */
  readonly now: () => number;
  /** Called when something that was painted looks otherwise now. */
  readonly onChanged: () => void;
  /** What a call of a stored session was answered. */
  readonly result: (sessionId: string, callId: string) => readonly ToolResultPart[] | undefined;
}

/** An entry as it is on the screen. */
export interface PaintedEntry {
  /** Its rows, coloured. */
  readonly rows: readonly string[];
  /** Rows, counted from 0, that open or close it. */
  readonly toggles: readonly number[];
}

interface Kept extends PaintedEntry {
  readonly entry: Entry;
  readonly isExpanded: boolean;
  readonly fromPart: number;
}

/** Entries whose rows are kept; older ones are painted again when somebody scrolls there. */
const MAX_KEPT = 240;
const MAX_ANSWER_CHARS = 400_000;

/** Paints entries, and keeps the rows of those that were painted last. */
export class EntryPainter {
  readonly #ports: PainterPorts;
  readonly #highlighter: Highlighter;
  readonly #parser: MarkdownParser;
  readonly #kept = new Map<number, Kept>();
  readonly #bodies = new Map<number, MarkdownBody<string>>();
  #width = 0;

  /** @param ports What entries are painted with. */
  constructor(ports: PainterPorts) {
    this.#ports = ports;
    const changed = () => {
      this.invalidate();
      ports.onChanged();
    };
    this.#highlighter = new Highlighter(changed);
    this.#parser = new MarkdownParser(changed);
  }

  /**
   * Paints an entry, or finds how it was painted.
   *
   * @param entry The entry.
   * @param options Columns, whether it is open, and how many parts of an answer are elsewhere.
   */
  paint(
    entry: Entry,
    { width, isExpanded, fromPart = 0 }: {
      readonly width: number;
      readonly isExpanded: boolean;
      readonly fromPart?: number;
    },
  ): PaintedEntry {
    this.#useWidth(width);
    const kept = this.#kept.get(entry.id);
    if (
      kept !== undefined && kept.entry === entry && kept.isExpanded === isExpanded &&
      kept.fromPart === fromPart && !moves(entry)
    ) return kept;
    const painted = this.#paintSafely(entry, this.#look(width, isExpanded), fromPart);
    this.#keep({ ...painted, entry, isExpanded, fromPart });
    return painted;
  }

  /**
   * The parts of an answer that will never change, painted.
   *
   * @param entry The answer.
   * @param options Columns, and how many parts are elsewhere already.
   */
  finishedParts(
    entry: AnswerEntry,
    { width, fromPart }: { readonly width: number; readonly fromPart: number },
  ): { readonly rows: readonly string[]; readonly parts: number } {
    this.#useWidth(width);
    const look = this.#look(width, false);
    try {
      const body = this.#bodyOf(entry);
      const rows = body.closedRows(look, innerLook(look).width, fromPart);
      return { rows, parts: body.closedParts };
    } catch {
      // The rest of it says so when it is painted.
      return { rows: [], parts: fromPart };
    }
  }

  /** Has everything painted anew. */
  invalidate(): void {
    this.#kept.clear();
    for (const body of this.#bodies.values()) body.invalidate();
  }

  /** Forgets everything. */
  clear(): void {
    this.#kept.clear();
    this.#bodies.clear();
  }

  /** Settles when everything that is loaded for the sake of looks is there. */
  async loaded(): Promise<void> {
    await Promise.all([this.#highlighter, this.#parser].map((each) => each.loaded()));
  }

  /** Whether what was painted may look otherwise soon, because something is still loaded. */
  get isLoading(): boolean {
    return this.#highlighter.isLoading || this.#parser.isLoading;
  }

  /** Says that Markdown is about to come. */
  prepare(): void {
    this.#parser.load();
  }

  /** What was laid out for another window is of no use, and would only be in the way. */
  #useWidth(width: number): void {
    if (width === this.#width) return;
    this.clear();
    this.#width = width;
  }

  #look(width: number, isExpanded: boolean): EntryLook {
    return {
      theme: this.#ports.theme(),
      highlighter: this.#highlighter,
      parser: this.#parser,
      cwd: this.#ports.cwd,
      now: this.#ports.now(),
      width,
      isExpanded,
    };
  }

  /** Whatever one entry holds, the others are shown. */
  #paintSafely(entry: Entry, look: EntryLook, fromPart: number): PaintedEntry {
    try {
      return this.#paint(entry, look, fromPart);
    } catch (error) {
      this.#bodies.delete(entry.id);
      const text = `This part of the conversation cannot be shown: ${errorMessage(error)}`;
      return painted(noticeRows({ kind: "notice", id: entry.id, tone: "error", text }, look), look);
    }
  }

  #paint(entry: Entry, look: EntryLook, fromPart: number): PaintedEntry {
    switch (entry.kind) {
      case "answer":
        return { rows: this.#answerRows(entry, look, fromPart), toggles: [] };
      case "prompt":
        return painted(promptRows(entry, look), look);
      case "thought":
        return painted(thoughtRows(entry, look), look);
      case "tool":
        return painted(toolRows(this.#withResults(entry, look), look), look);
      case "notice":
        return painted(noticeRows(entry, look), look);
      case "lines":
        return {
          rows: entry.lines.map((line) => truncateToWidth(line, look.width, "")),
          toggles: [],
        };
      default:
        return entry satisfies never;
    }
  }

  #answerRows(entry: AnswerEntry, look: EntryLook, fromPart: number): readonly string[] {
    const body = this.#bodyOf(entry);
    const rows = body.rows(look, innerLook(look).width, fromPart);
    if (!entry.isFinal || rows.length === 0) return rows;
    return [...rows, paintLine(look.theme, copyHint(look), look.width)];
  }

  /** Looks up what stored calls were answered, where rows show something of it. */
  #withResults(entry: ToolEntry, { isExpanded }: EntryLook): ToolEntry {
    const [first, ...others] = entry.calls;
    const isShown = isExpanded || others.length === 0 || kindOfCall(first) === "write";
    if (!isShown || !entry.calls.some(({ storedIn }) => storedIn !== undefined)) return entry;
    return {
      ...entry,
      calls: [this.#withResult(first), ...others.map((each) => this.#withResult(each))],
    };
  }

  #withResult(call: Call): Call {
    if (call.storedIn === undefined) return call;
    const content = this.#ports.result(call.storedIn, call.id);
    return content === undefined ? call : { ...call, result: callResult(call.name, content) };
  }

  #bodyOf(entry: AnswerEntry): MarkdownBody<string> {
    const body = this.#bodies.get(entry.id) ?? new MarkdownBody((line) => this.#paintInner(line));
    this.#bodies.set(entry.id, body);
    const isLong = entry.text.length > MAX_ANSWER_CHARS;
    body.update(isLong ? boundedStart(entry.text) : entry.text);
    if (!entry.isLive) body.complete();
    return body;
  }

  #paintInner(line: Line): string {
    const [row = []] = behindGutter([line], this.#width);
    return paintLine(this.#ports.theme(), row, this.#width);
  }

  #keep(kept: Kept): void {
    const { id } = kept.entry;
    this.#kept.delete(id);
    this.#kept.set(id, kept);
    if (this.#kept.size <= MAX_KEPT) return;
    const [oldest] = this.#kept.keys();
    if (oldest === undefined) return;
    this.#kept.delete(oldest);
    this.#bodies.delete(oldest);
  }
}

function painted({ rows, toggles }: EntryRows, { theme, width }: EntryLook): PaintedEntry {
  return { rows: rows.map((row) => paintLine(theme, row, width)), toggles };
}

/** Whether it looks otherwise a moment later, although nothing happened to it. */
function moves(entry: Entry): boolean {
  return entry.kind === "tool" && isLive(entry);
}

/** The start never changes while an answer grows, so that what is laid out stays. */
function boundedStart(text: string): string {
  return boundText(text.slice(0, MAX_ANSWER_CHARS), MAX_ANSWER_CHARS).text +
    "\n\n[the rest of this answer is not shown; /copy has all of it]";
}
