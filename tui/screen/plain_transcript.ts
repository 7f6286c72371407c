import type { KnownRunEvent, RunEvent } from "@alisio/sdk";
import { wrapTextWithAnsi } from "@earendil-works/pi-tui/dist/utils.js";
import { visibleLines } from "../../core/process/visible_text.ts";
import { type StoredMessage, textOf } from "../../core/session/stored_message.ts";
import { previewText } from "../../core/text/bound_text.ts";
import type { NoticeKind } from "../stage.ts";
import type { Role } from "../theme/theme.ts";
import type { Transcript, TranscriptPorts } from "../transcript/transcript.ts";

interface Block {
  readonly role: Role;
  text: string;
  readonly drawn?: readonly string[];
  rows?: { readonly width: number; readonly text: string; readonly lines: readonly string[] };
}

/** A conversation as plain text. */
export class PlainTranscript implements Transcript {
  readonly #ports: TranscriptPorts;
  #blocks: Block[] = [];
  #answer: Block | undefined;
  #lastAnswer: string | undefined;
  /** Rows below the last one that is shown. */
  #below = 0;

  /** @param ports What it is drawn with. */
  constructor(ports: TranscriptPorts) {
    this.#ports = ports;
  }

  get isAtEnd(): boolean {
    return this.#below === 0;
  }

  observe(raw: RunEvent): void {
    const event = raw as KnownRunEvent;
    switch (event.type) {
      case "text_delta":
        this.#answer ??= this.#add("", "text");
        this.#answer.text += event.data.delta;
        break;
      case "turn_completed":
        this.#answer = undefined;
        break;
      case "tool_started":
        this.#add(`→ ${event.data.name} ${previewText(event.data.arguments, 100)}`, "dim");
        break;
      case "tool_completed":
        this.#add(
          `${event.data.isError ? "✗" : "✓"} ${event.data.name} ${
            previewText(event.data.preview, 200)
          }`,
          event.data.isError ? "error" : "dim",
        );
        break;
      case "run_completed":
        this.#lastAnswer = event.data.text;
        break;
      case "run_warning":
        this.#add(event.data.message, "warning");
        break;
    }
    this.#ports.redraw();
  }

  addPrompt(text: string): void {
    this.#add(`› ${text}`, "user");
  }

  addNotice(text: string, kind: NoticeKind): void {
    this.#add(text, kind === "info" ? "dim" : kind);
  }

  addMarkdown(text: string): void {
    this.#add(text, "text");
  }

  addLines(lines: readonly string[]): void {
    this.#blocks.push({ role: "text", text: "", drawn: lines });
    this.#ports.redraw();
  }

  load(messages: readonly StoredMessage[]): void {
    for (const message of messages) {
      if (message.role === "user") this.addPrompt(message.display ?? textOf(message.content));
      if (message.role !== "assistant" || message.text === "") continue;
      this.#lastAnswer = message.text;
      this.#add(message.text, "text");
    }
  }

  clear(): void {
    this.#blocks = [];
    this.#answer = undefined;
    this.#lastAnswer = undefined;
    this.#below = 0;
    this.#ports.redraw();
  }

  render(width: number, height: number): readonly string[] {
    const rows: string[] = [];
    for (const block of this.#blocks.toReversed()) {
      if (rows.length >= height + this.#below) break;
      rows.unshift(...this.#draw(block, width));
    }
    this.#below = Math.max(0, Math.min(this.#below, rows.length - height));
    const end = rows.length - this.#below;
    return rows.slice(Math.max(0, end - height), end);
  }

  scrollBy(rows: number): void {
    this.#below = Math.max(0, this.#below - rows);
    this.#ports.redraw();
  }

  scrollToStart(): void {
    this.#below = Number.MAX_SAFE_INTEGER;
    this.#ports.redraw();
  }

  scrollToEnd(): void {
    this.#below = 0;
    this.#ports.redraw();
  }

  takeFinished(width: number): readonly string[] {
    const open = this.#answer;
    const finished = this.#blocks.filter((block) => block !== open);
    this.#blocks = open === undefined ? [] : [open];
    return finished.flatMap((block) => this.#draw(block, width));
  }

  toggleAt(): boolean {
    return false;
  }

  toggleLast(): boolean {
    return false;
  }

  lastAnswer(): string | undefined {
    return this.#lastAnswer;
  }

  invalidate(): void {
    for (const block of this.#blocks) delete block.rows;
  }

  #add(text: string, role: Role): Block {
    const block = { role, text };
    this.#blocks.push(block);
    this.#ports.redraw();
    return block;
  }

  #draw(block: Block, width: number): readonly string[] {
    const { drawn, text, role, rows } = block;
    if (drawn !== undefined) return drawn;
    if (rows?.width === width && rows.text === text) return rows.lines;
    const theme = this.#ports.theme();
    const padding = " ".repeat(Math.min(this.#ports.paddingX(), Math.floor((width - 1) / 2)));
    const inner = Math.max(1, width - 2 * padding.length);
    const lines = [
      ...visibleLines(text).split("\n").flatMap((line) => wrapTextWithAnsi(line, inner)),
      "",
    ].map((line) => padding + (line === "" ? "" : theme.paint(role, line)));
    block.rows = { width, text, lines };
    return lines;
  }
}
