import { matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import type { ApprovalReply } from "../../core/gate/approval.ts";
import type { ApprovalView } from "../../core/gate/approval/approval_view.ts";
import { clampRows, fitText, oneLine, padText, wrapText } from "../panels/fit_text.ts";
import type { Panel, PanelFrame } from "../panels/panel.ts";
import { drawHelp } from "../panels/panel_box.ts";
import { keyHelp, listKey, typedText } from "../panels/panel_keys.ts";
import type { Theme } from "../theme/theme.ts";
import { AnswerGuard, type QuestionClock } from "./answer_guard.ts";
import {
  approvalText,
  hiddenWarning,
  type OfferedAnswer,
  offeredAnswers,
} from "./approval_text.ts";
import { LinesField } from "./lines_field.ts";
import { questionHead } from "./question_head.ts";

/** A question about a call, on the screen. */
export interface ApprovalPanelOptions {
  readonly view: ApprovalView;
  readonly theme: () => Theme;
  readonly frame: PanelFrame;
  readonly clock: QuestionClock;
  /** Called with the answer. */
  readonly onAnswer: (reply: ApprovalReply) => void;
  /** Called for Ctrl+C, which is no answer. */
  readonly onInterrupt: () => void;
  /** Gets what was typed or pasted and is no answer. */
  readonly onDropped: (data: string) => void;
}

/** Answers are shortened unless all that would run is shown, or this many rows of it. */
const ENOUGH_TEXT_ROWS = 8;
const MAX_HEAD_ROWS = 3;
/** Nobody reads anything in fewer columns. */
const MIN_COLUMNS = 8;

/**
 * Asks whether a call may run. Shows what would run, all of it before it can be allowed. Enter and
 * one key for each answer choose; Esc denies.
 */
export class ApprovalPanel implements Panel {
  focused = false;
  /** Keys that would scroll the conversation scroll what would run. */
  readonly capturesViewportInput = true;
  readonly #options: ApprovalPanelOptions;
  readonly #guard: AnswerGuard;
  readonly #answers: readonly OfferedAnswer[];
  #drawn: ReturnType<typeof approvalText> & { readonly width: number } | undefined;
  #selected = 0;
  #top = 0;
  #height = 1;
  /** Whether the last row has been on the screen. */
  #isSeen = false;
  #notice = "";
  /** The answer that the model gets in place of a result, while it is written. */
  #field: LinesField | undefined;

  /** @param options The question. */
  constructor(options: ApprovalPanelOptions) {
    this.#options = options;
    this.#answers = offeredAnswers(options.view);
    this.#guard = new AnswerGuard({
      clock: options.clock,
      onReady: () => options.frame.redraw(),
      onDropped: (data) => this.#drop(data),
    });
  }

  /** Forgets the question. */
  close(): void {
    this.#guard.close();
  }

  comesBack(): void {
    this.#guard.hidden();
  }

  invalidate(): void {
    this.#drawn = undefined;
  }

  scroll(rows: number): void {
    this.#top += rows;
  }

  handleInput(data: string): void {
    if (matchesKey(data, "ctrl+c")) return this.#options.onInterrupt();
    if (this.#field !== undefined) return this.#write(data, this.#field);
    this.#guard.take(data, (key) => {
      this.#handleKey(key);
      this.#options.frame.redraw();
    });
  }

  render(width: number): string[] {
    const rows = this.#options.frame.rows();
    const head = this.#head(width, Math.max(1, Math.min(MAX_HEAD_ROWS, Math.floor(rows / 4))));
    const left = rows - head.length;
    const foot = this.#field === undefined
      ? this.#answerRows(width, left)
      : this.#fieldRows(width, left, this.#field);
    const body = this.#textRows(width, Math.max(0, left - foot.length));
    this.#guard.shown();
    return [...clampRows([...head, ...body, ...foot], width)].slice(0, Math.max(1, rows));
  }

  #head(width: number, maxRows: number): readonly string[] {
    const theme = this.#options.theme();
    const head = questionHead(this.#options.view.title, { width, rows: maxRows, theme });
    if (this.#drawn?.width !== width) {
      const text = approvalText(this.#options.view, { width, theme, withTitle: head.isCut });
      this.#drawn = { ...text, width };
    }
    return head.rows;
  }

  /** The part of what would run that was scrolled to, and how much of it is not shown. */
  #textRows(width: number, height: number): readonly string[] {
    const theme = this.#options.theme();
    const { rows = [], hidden = [] } = this.#drawn ?? {};
    const warning = hidden.length === 0 ? [] : [
      theme.paint("warning", fitText(hiddenWarning(hidden), width, theme)),
    ];
    const room = Math.max(0, height - warning.length);
    const isCut = rows.length > room;
    this.#height = Math.max(0, isCut ? room - 1 : room);
    this.#top = Math.max(0, Math.min(this.#top, rows.length - this.#height));
    const last = Math.min(rows.length, this.#top + this.#height);
    const isReadable = this.#height > 0 && width >= MIN_COLUMNS;
    if (last === rows.length && isReadable) this.#isSeen = true;
    const note = `Rows ${this.#top + 1} to ${last} of ${rows.length}; PgDn PgUp Home End scroll`;
    return [
      ...rows.slice(this.#top, last),
      ...(isCut ? [theme.paint("question", fitText(note, width, theme))] : []),
      ...warning,
    ].slice(0, height);
  }

  #answerRows(width: number, left: number): readonly string[] {
    const full = this.#fullAnswers(width);
    const help = [this.#help(width)];
    // What would run is worth more than long words about answers.
    const wanted = Math.min(this.#drawn?.rows.length ?? 0, ENOUGH_TEXT_ROWS);
    if (left - full.length - help.length >= wanted) return [...full, ...help];
    const short = this.#shortAnswers(width);
    return left - short.length - help.length >= 2 ? [...short, ...help] : short;
  }

  #fullAnswers(width: number): readonly string[] {
    const theme = this.#options.theme();
    return this.#answers.flatMap((answer, index) => {
      const isSelected = index === this.#selected;
      const start = `${isSelected ? theme.glyph("cursor") : " "} ${answer.key}  `;
      const [first = "", ...more] = wrapText(
        oneLine(answer.label, theme),
        Math.max(1, width - start.length),
      );
      const rows = [start + first, ...more.map((row) => " ".repeat(start.length) + row)];
      return rows.map((row) => this.#paintAnswer(answer, isSelected, row, width));
    });
  }

  #paintAnswer(answer: OfferedAnswer, isSelected: boolean, row: string, width: number): string {
    const theme = this.#options.theme();
    const shown = fitText(row, width, theme);
    if (isSelected) return theme.paint("selected", padText(shown, width));
    return this.#isOpen(answer) ? shown : theme.paint("dim", shown);
  }

  #shortAnswers(width: number): readonly string[] {
    const theme = this.#options.theme();
    const words = this.#answers.map(({ key, short }, index) =>
      `${index === this.#selected ? theme.glyph("cursor") : " "}${key} ${short}`
    );
    return wrapText(words.join(" "), width);
  }

  #help(width: number): string {
    const theme = this.#options.theme();
    if (this.#notice !== "") return theme.paint("warning", fitText(this.#notice, width, theme));
    if (!this.#guard.isReady) return drawHelp(["One moment"], width, theme);
    const keys = this.#answers.map(({ key }) => key).join("/");
    return drawHelp(
      [
        ...keyHelp("confirm", "choose"),
        ...keyHelp("cancel", "deny"),
        `${keys} answer`,
        "Ctrl+C stop",
      ],
      width,
      theme,
    );
  }

  #fieldRows(width: number, left: number, field: LinesField): readonly string[] {
    const theme = this.#options.theme();
    const command = this.#options.view.form === "command" ? ["Tab put the command in"] : [];
    const lines = field.render(
      {
        width,
        theme,
        hasCursor: this.focused,
        placeholder: "The model gets this in place of a result",
      },
      Math.max(1, Math.min(6, left - 4)),
    );
    const help = ["Enter send", "Esc back", ...command, "Alt+Enter new line"];
    return left < 3 ? lines : [
      theme.paint("question", fitText("Deny, and answer:", width, theme)),
      ...lines,
      drawHelp(help, width, theme),
    ];
  }

  /** Nobody allows what they could not see. */
  #isOpen({ choice }: OfferedAnswer): boolean {
    return this.#isSeen || choice === "deny" || choice === "edit";
  }

  #handleKey(data: string): void {
    this.#notice = "";
    const count = this.#answers.length;
    switch (listKey(data)) {
      case "up":
        this.#selected = (this.#selected + count - 1) % count;
        return;
      case "down":
        this.#selected = (this.#selected + 1) % count;
        return;
      case "pageUp":
        this.#top -= Math.max(1, this.#height - 1);
        return;
      case "pageDown":
        this.#top += Math.max(1, this.#height - 1);
        return;
      case "home":
        this.#top = 0;
        return;
      case "end":
        this.#top = Infinity;
        return;
      case "confirm":
        return this.#choose(this.#answers[this.#selected]);
      case "cancel":
        return this.#options.onAnswer("deny");
      default:
        this.#choose(this.#answers.find(({ key }) => typedText(data)?.toLowerCase() === key));
    }
  }

  #choose(answer: OfferedAnswer | undefined): void {
    if (answer === undefined) return;
    if (!this.#isOpen(answer)) {
      this.#notice = "Read it to its end before you allow it: PgDn, End";
      return;
    }
    if (answer.choice === "edit") this.#field = new LinesField();
    else this.#options.onAnswer(answer.choice);
  }

  #write(data: string, field: LinesField): void {
    const { view, onAnswer } = this.#options;
    if (matchesKey(data, "escape")) this.#field = undefined;
    else if (data !== "\n" && matchesKey(data, "enter")) {
      // Nothing to say is no answer.
      if (field.value.trim() !== "") onAnswer({ replacement: field.value });
    } else if (matchesKey(data, "tab") && view.form === "command") {
      field.insert(`Run this instead: ${view.body}`);
    } else field.handle(data);
  }

  #drop(data: string): void {
    this.#notice = "What was typed or pasted answers nothing";
    this.#options.onDropped(data);
    this.#options.frame.redraw();
  }
}
