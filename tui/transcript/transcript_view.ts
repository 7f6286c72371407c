import type { KnownRunEvent, RunEvent } from "@alisio/sdk";
import type { StoredMessage } from "../../core/session/stored_message.ts";
import type { NoticeKind } from "../stage.ts";
import { type Entry, type EntryChange, isLive } from "./entry.ts";
import { EntryList } from "./entry_list.ts";
import { EntryPainter } from "./entry_painter.ts";
import { type DrawnRow, type EntryBox, EntryWindow } from "./entry_window.ts";
import { entriesOfMessages } from "./load_messages.ts";
import { addEntry, forgetBefore, reduceEvent } from "./reduce_event.ts";
import type { Transcript, TranscriptPorts } from "./transcript.ts";
import { EMPTY_STATE, type Step, type TranscriptState } from "./transcript_draft.ts";

/** How often what runs is drawn again. */
const FRAME_MS = 120;
/** A window that leaves no more columns than this has none for a margin. */
const MIN_WIDTH = 8;

/** The conversation: what happened in it, and the part of it that is on the screen. */
export class TranscriptView implements Transcript {
  readonly #ports: TranscriptPorts;
  readonly #painter: EntryPainter;
  readonly #entries = new EntryList();
  readonly #window = new EntryWindow(this.#entries, (index) => this.#box(index));
  readonly #expanded = new Set<number>();
  #state: TranscriptState = EMPTY_STATE;
  #drawn: readonly DrawnRow[] = [];
  #size = { width: 80, height: 24 };
  #lastAnswer: string | undefined;
  #isRunning = false;
  readonly #live = new Set<number>();
  #timer: ReturnType<typeof setInterval> | undefined;
  /** The last entry that was taken away; what follows it is set apart from it. */
  #taken: Entry | undefined;
  /** Parts of the first entry that were taken away already. */
  #takenParts = 0;

  /** @param ports What it is drawn with. */
  constructor(ports: TranscriptPorts) {
    this.#ports = ports;
    this.#painter = new EntryPainter({
      theme: ports.theme,
      cwd: ports.cwd,
      now: () => performance.now(),
      onChanged: ports.redraw,
      result: (sessionId, callId) => ports.result?.(sessionId, callId),
    });
  }

  get isAtEnd(): boolean {
    return this.#window.isAtEnd;
  }

  observe(event: RunEvent): void {
    const known = event as KnownRunEvent;
    if (known.type === "run_started") this.#isRunning = true;
    const content = known.type === "tool_completed"
      ? this.#ports.result?.(event.sessionId, known.data.id)
      : undefined;
    const facts = { now: performance.now(), ...(content === undefined ? {} : { content }) };
    this.#take(reduceEvent(this.#state, event, facts));
    if (ENDS_RUN.has(event.type)) this.#isRunning = false;
    if (known.type === "run_completed" && known.data.text !== "") {
      this.#lastAnswer = known.data.text;
    }
  }

  addPrompt(text: string): void {
    this.#painter.prepare();
    this.#add((id) => ({ kind: "prompt", id, text, images: [] }));
  }

  addNotice(text: string, tone: NoticeKind, topic?: string): void {
    const last = this.#entries.at(this.#entries.length - 1);
    if (topic !== undefined && last?.kind === "notice" && last.topic === topic) {
      const entry = { ...last, tone, text };
      return this.#take({ state: this.#state, changes: [{ type: "replace", entry }] });
    }
    const about = topic === undefined ? {} : { topic };
    this.#add((id) => ({ kind: "notice", id, tone, text, ...about }));
  }

  addMarkdown(text: string): void {
    this.#add((id) => ({
      kind: "answer",
      id,
      text,
      isLive: false,
      isFinal: false,
      isOwn: true,
    }));
  }

  addLines(lines: readonly string[]): void {
    this.#add((id) => ({ kind: "lines", id, lines }));
  }

  load(messages: readonly StoredMessage[], sessionId?: string): void {
    this.#painter.prepare();
    const keeper = this.#ports.result === undefined ? undefined : sessionId;
    const entries = entriesOfMessages(messages, this.#state.nextId, keeper);
    this.#entries.append(entries);
    this.#state = { ...this.#state, nextId: this.#state.nextId + entries.length, tail: [] };
    const answer = entries.findLast((entry) => entry.kind === "answer");
    if (answer?.kind === "answer") this.#lastAnswer = answer.text;
    this.#ports.redraw();
  }

  clear(): void {
    this.#entries.clear();
    this.#painter.clear();
    this.#expanded.clear();
    this.#live.clear();
    this.#state = { ...EMPTY_STATE, nextId: this.#state.nextId };
    this.#window.scrollToEnd();
    this.#drawn = [];
    this.#lastAnswer = undefined;
    this.#taken = undefined;
    this.#takenParts = 0;
    this.#keepTime();
    this.#ports.redraw();
  }

  render(width: number, height: number): readonly string[] {
    this.#size = { width: Math.max(1, width), height: Math.max(0, height) };
    this.#drawn = this.#window.rows(this.#size.height);
    return this.#drawn.map(({ text }) => text);
  }

  scrollBy(rows: number): void {
    this.#window.scrollBy(rows, this.#size.height);
    this.#ports.redraw();
  }

  scrollToStart(): void {
    this.#window.scrollToStart();
    this.#ports.redraw();
  }

  scrollToEnd(): void {
    this.#window.scrollToEnd();
    this.#ports.redraw();
  }

  takeFinished(width: number): readonly string[] {
    this.#size = { ...this.#size, width: Math.max(1, width) };
    const rows: string[] = [];
    let count = 0;
    for (; count < this.#entries.length; count++) {
      const entry = this.#entries.at(count);
      if (entry === undefined || !this.#isFinished(entry, count)) break;
      const box = this.#box(count);
      if (this.#painter.isLoading) break;
      rows.push(...box.rows);
      this.#forget(entry);
    }
    this.#entries.dropFirst(count);
    const next = this.#entries.at(0);
    this.#state = forgetBefore(this.#state, next?.id ?? this.#state.nextId);
    if (next?.kind === "answer") rows.push(...this.#takeParts(next));
    return rows;
  }

  toggleAt(row: number): boolean {
    const drawn = this.#drawn[row];
    if (drawn?.isToggle !== true) return false;
    this.#toggle(drawn.id);
    return true;
  }

  toggleLast(): boolean {
    const row = this.#drawn.findLast(({ isToggle }) => isToggle);
    if (row === undefined) return false;
    this.#toggle(row.id);
    return true;
  }

  lastAnswer(): string | undefined {
    return this.#lastAnswer;
  }

  invalidate(): void {
    this.#painter.invalidate();
  }

  /** Settles when what is loaded for the sake of looks is there, such as the grammar of a language. */
  loaded(): Promise<void> {
    return this.#painter.loaded();
  }

  #add(create: (id: number) => Entry): void {
    this.#take(addEntry(this.#state, create));
  }

  #take({ state, changes }: Step): void {
    this.#state = state;
    for (const change of changes) {
      this.#entries.apply(change);
      this.#noteLive(change);
    }
    if (changes.length === 0) return;
    this.#keepTime();
    this.#ports.redraw();
  }

  #noteLive(change: EntryChange): void {
    const id = change.type === "remove" ? change.id : change.entry.id;
    // What streams is drawn when something comes; only what runs in silence needs a clock.
    const moves = change.type !== "remove" && change.entry.kind === "tool" && isLive(change.entry);
    if (moves) this.#live.add(id);
    else this.#live.delete(id);
    if (change.type !== "remove" && change.entry.kind === "answer" && change.entry.isOwn !== true) {
      this.#lastAnswer = change.entry.text;
    }
  }

  /** One timer, and only while something runs. */
  #keepTime(): void {
    if (this.#live.size > 0 && this.#timer === undefined) {
      const timer = setInterval(this.#ports.redraw, FRAME_MS);
      Deno.unrefTimer(timer);
      this.#timer = timer;
    } else if (this.#live.size === 0 && this.#timer !== undefined) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  #box(index: number): EntryBox {
    const entry = this.#entries.at(index);
    if (entry === undefined) throw new RangeError(`Cannot draw entry ${index}: there is none`);
    const { width, margin } = this.#frame();
    const painted = this.#painter.paint(entry, {
      width,
      isExpanded: this.#expanded.has(entry.id),
      fromPart: index === 0 ? this.#takenParts : 0,
    });
    const isOpened = index === 0 && this.#takenParts > 0;
    const before = index === 0 ? this.#taken : this.#entries.at(index - 1);
    const hasGap = painted.rows.length > 0 && (isOpened || needsGap(before, entry));
    const rows = margin === "" ? painted.rows : painted.rows.map((row) => margin + row);
    return hasGap
      ? { entry, rows: ["", ...rows], toggles: painted.toggles.map((row) => row + 1) }
      : { entry, rows, toggles: painted.toggles };
  }

  /** Columns for entries, and what stands left of them; a narrow window has none to spare. */
  #frame(): { readonly width: number; readonly margin: string } {
    const padding = Math.max(0, this.#ports.paddingX());
    const width = this.#size.width - padding * 2;
    if (width <= MIN_WIDTH) return { width: this.#size.width, margin: "" };
    return { width, margin: " ".repeat(padding) };
  }

  #toggle(id: number): void {
    if (!this.#expanded.delete(id)) this.#expanded.add(id);
    this.#ports.redraw();
  }

  #isFinished(entry: Entry, index: number): boolean {
    if (isLive(entry)) return false;
    // What stands last may still be told together with what follows, or turn out to be the answer.
    const isLast = index === this.#entries.length - 1;
    return !isLast || !this.#isRunning || (entry.kind !== "tool" && entry.kind !== "answer");
  }

  #takeParts(entry: Extract<Entry, { kind: "answer" }>): readonly string[] {
    const { width, margin } = this.#frame();
    const fromPart = this.#takenParts;
    const { rows, parts } = this.#painter.finishedParts(entry, { width, fromPart });
    if (parts <= fromPart || this.#painter.isLoading) return [];
    this.#takenParts = parts;
    const gap = fromPart > 0 || needsGap(this.#taken, entry) ? [""] : [];
    return rows.length === 0 ? [] : [...gap, ...rows.map((row) => margin + row)];
  }

  #forget(entry: Entry): void {
    this.#expanded.delete(entry.id);
    this.#live.delete(entry.id);
    this.#taken = entry;
    this.#takenParts = 0;
  }
}

const ENDS_RUN: ReadonlySet<string> = new Set([
  "run_completed",
  "run_failed",
  "run_cancelled",
  "run_turns_exceeded",
]);

/** Calls and thoughts stand close together; everything else has an empty row before it. */
function needsGap(before: Entry | undefined, entry: Entry): boolean {
  if (before === undefined) return false;
  const isClose = ({ kind }: Entry) => kind === "tool" || kind === "thought";
  if (isClose(before) && isClose(entry)) return false;
  return before.kind !== "notice" || entry.kind !== "notice";
}
