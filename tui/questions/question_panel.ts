import { matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import type { Question, QuestionAnswer } from "../../core/tools/user_question.ts";
import { clampRows, fitText, oneLine, padText, wrapText } from "../panels/fit_text.ts";
import { LineField } from "../panels/line_field.ts";
import { listWindow } from "../panels/list_window.ts";
import type { Panel, PanelFrame } from "../panels/panel.ts";
import { drawHelp } from "../panels/panel_box.ts";
import { keyHelp, listKey, pastedText, typedText } from "../panels/panel_keys.ts";
import type { Theme } from "../theme/theme.ts";
import { AnswerGuard, type QuestionClock } from "./answer_guard.ts";
import { layOut } from "./lay_out.ts";
import { QuestionDraft } from "./question_draft.ts";
import { questionHead } from "./question_head.ts";

/** Questions to the person, on the screen. */
export interface QuestionPanelOptions {
  /** One at least. */
  readonly questions: readonly Question[];
  /**
   * Who asks, such as `plugin memory`, `MCP server files` or `general › explore`; empty for the main
   * agent.
   */
  readonly asker: string;
  /** Whether words of the person's own can be an answer. */
  readonly takesWords: boolean;
  readonly theme: () => Theme;
  readonly frame: PanelFrame;
  readonly clock: QuestionClock;
  /** Called with one answer for each question. */
  readonly onAnswer: (answers: readonly QuestionAnswer[]) => void;
  /** Called for Ctrl+C, which is no answer. */
  readonly onInterrupt: () => void;
  /** Gets what was typed or pasted and is no answer. */
  readonly onDropped: (data: string) => void;
}

/** A question as it was laid out last. */
interface Drawn {
  readonly width: number;
  readonly question: Question | undefined;
  readonly rows: readonly string[];
}

const NOTHING_DRAWN: Drawn = { width: 0, question: undefined, rows: [] };
const WORDS_LABEL = "Something else, in your own words";

/** Asks questions with options to pick from, one after the other. */
export class QuestionPanel implements Panel {
  focused = false;
  /** Keys that would scroll the conversation scroll a long question. */
  readonly capturesViewportInput = true;
  readonly #options: QuestionPanelOptions;
  readonly #guard: AnswerGuard;
  readonly #drafts: readonly QuestionDraft[];
  readonly #visited = new Set<number>([0]);
  #index = 0;
  #top = 0;
  #start = 0;
  #notice = "";
  #drawn: Drawn = NOTHING_DRAWN;
  /** Words of the person's own, while they are written. */
  #field: LineField | undefined;

  /** @param options The questions. */
  constructor(options: QuestionPanelOptions) {
    this.#options = options;
    const { takesWords } = options;
    this.#drafts = options.questions.map((question) =>
      new QuestionDraft(withoutWords(question), {
        takesWords: takesWords || question.options.some((option) => option.takesText === true),
        startsAtWords: question.options[0]?.takesText === true,
      })
    );
    this.#guard = new AnswerGuard({
      clock: options.clock,
      onReady: () => options.frame.redraw(),
      onDropped: (data) => this.#drop(data),
    });
  }

  /** Forgets the questions. */
  close(): void {
    this.#guard.close();
  }

  comesBack(): void {
    this.#guard.hidden();
  }

  invalidate(): void {
    this.#drawn = NOTHING_DRAWN;
  }

  scroll(rows: number): void {
    this.#top += rows;
  }

  handleInput(data: string): void {
    if (matchesKey(data, "ctrl+c")) return this.#options.onInterrupt();
    if (!this.#guard.isReady) return this.#guard.take(data, () => {});
    const draft = this.#draft;
    if (draft === undefined) return;
    this.#notice = "";
    if (this.#field !== undefined) return this.#write(data, this.#field, draft);
    if (pastedText(data) !== undefined) return this.#drop(data);
    this.#handleKey(data, draft);
  }

  render(width: number): string[] {
    const { questions, asker, frame } = this.#options;
    const theme = this.#options.theme();
    const draft = this.#draft;
    if (draft === undefined) return [];
    const rows = frame.rows();
    const from = asker === "" ? "" : `${asker} asks: `;
    const count = questions.length;
    const title = `${from}Question ${this.#index + 1}/${count} ${theme.glyph("separator")} ${
      oneLine(draft.question.header, theme)
    }`;
    const head = questionHead(title, { width, rows: 1, theme }).rows;
    const foot = rows >= 4 ? [this.#help(width, draft)] : [];
    const room = Math.max(1, rows - head.length - foot.length);
    const options = this.#optionRows(width, Math.max(1, room - 1), draft);
    const text = this.#questionRows(width, Math.max(0, room - options.length), draft);
    this.#guard.shown();
    return [...clampRows([...head, ...text, ...options, ...foot], width)].slice(
      0,
      Math.max(1, rows),
    );
  }

  /** An option that takes words stands in the place of the usual line for them. */
  get #wordsLabel(): string {
    const { options = [] } = this.#options.questions[this.#index] ?? {};
    return options.find(({ takesText }) => takesText === true)?.label ?? WORDS_LABEL;
  }

  get #draft(): QuestionDraft | undefined {
    return this.#drafts[this.#index];
  }

  #questionRows(width: number, height: number, { question }: QuestionDraft): readonly string[] {
    const theme = this.#options.theme();
    const rows = this.#laidOut(width, question);
    if (rows.length <= height) {
      this.#top = 0;
      return rows;
    }
    const shown = Math.max(0, height - 1);
    this.#top = Math.max(0, Math.min(this.#top, rows.length - shown));
    const last = this.#top + shown;
    const note = `Rows ${this.#top + 1} to ${last} of ${rows.length}; PgDn PgUp scroll`;
    return [
      ...rows.slice(this.#top, last),
      ...(height > 0 ? [theme.paint("question", fitText(note, width, theme))] : []),
    ];
  }

  #laidOut(width: number, question: Question): readonly string[] {
    const { width: before, question: same, rows } = this.#drawn;
    if (before === width && same === question) return rows;
    const theme = this.#options.theme();
    const [line, goesOn] = theme.look.unicode ? ["│ ", "┊ "] : ["| ", ": "];
    const style = { width, theme, prefix: line, continuation: goesOn };
    this.#drawn = { width, question, rows: layOut(question.question, style).rows };
    return this.#drawn.rows;
  }

  /** With what options mean where there is room, else for the selected one, else for none. */
  #optionRows(width: number, height: number, draft: QuestionDraft): readonly string[] {
    const indexes = Array.from({ length: draft.count }, (_, index) => index);
    const draw = (described: (index: number) => boolean) =>
      indexes.map((index) => this.#optionLines(index, width, draft, described(index)));
    for (
      const described of [() => true, (index: number) => index === draft.cursor, () => false]
    ) {
      const drawn = draw(described).flat();
      // A row is left for the question itself.
      if (drawn.length <= Math.max(1, height - 1)) return drawn;
    }
    const { from, to, above, below } = listWindow(draft.count, draft.cursor, height, this.#start);
    this.#start = above > 0 ? from - 1 : from;
    const theme = this.#options.theme();
    const note = (text: string) => theme.paint("dim", fitText(text, width, theme));
    return [
      ...(above > 0 ? [note(`  ${theme.glyph("up")} ${above} more above`)] : []),
      ...indexes.slice(from, to).flatMap((index) =>
        this.#optionLines(index, width, draft, false).slice(0, 1)
      ),
      ...(below > 0 ? [note(`  ${theme.glyph("down")} ${below} more below`)] : []),
    ];
  }

  #optionLines(
    index: number,
    width: number,
    draft: QuestionDraft,
    isDescribed: boolean,
  ): readonly string[] {
    const theme = this.#options.theme();
    const { question, cursor } = draft;
    const option = question.options[index];
    const isSelected = index === cursor;
    const mark = question.multiSelect ? (draft.isMarked(index) ? "[x] " : "[ ] ") : "";
    const start = `${isSelected ? theme.glyph("cursor") : " "} ${mark}`;
    if (option === undefined) return [this.#wordsRow(start, width, draft)];
    const label = oneLine(option.label, theme) +
      (option.recommended === true ? " (recommended)" : "");
    const lines = wrapText(label, Math.max(1, width - start.length)).map((line, at) =>
      fitText((at === 0 ? start : " ".repeat(start.length)) + line, width, theme)
    );
    const rows = lines.map((line) =>
      isSelected
        ? theme.paint("selected", padText(line, width))
        : option.recommended === true
        ? theme.paint("success", line)
        : line
    );
    if (!isDescribed || option.description === undefined) return rows;
    const indent = " ".repeat(start.length + 2);
    const described = wrapText(
      oneLine(option.description, theme),
      Math.max(1, width - indent.length),
    );
    return [...rows, ...described.map((line) => theme.paint("dim", indent + line))];
  }

  #wordsRow(start: string, width: number, draft: QuestionDraft): string {
    const theme = this.#options.theme();
    if (this.#field !== undefined) {
      const style = { width: width - start.length, theme, hasCursor: this.focused };
      return start + this.#field.render({ ...style, placeholder: "your answer" });
    }
    const text = oneLine(draft.words === "" ? this.#wordsLabel : draft.words, theme);
    const row = fitText(start + text, width, theme);
    return draft.isAtWords ? theme.paint("selected", padText(row, width)) : row;
  }

  #help(width: number, { question }: QuestionDraft): string {
    const theme = this.#options.theme();
    if (this.#notice !== "") return theme.paint("warning", fitText(this.#notice, width, theme));
    if (!this.#guard.isReady) return drawHelp(["One moment"], width, theme);
    if (this.#field !== undefined) return drawHelp(["Enter take", "Esc back"], width, theme);
    const isLast = this.#index === this.#drafts.length - 1;
    return drawHelp(
      [
        ...keyHelp("confirm", isLast ? "submit" : "next"),
        ...keyHelp("cancel", "skip"),
        ...(question.multiSelect ? ["Space toggle"] : []),
        ...(this.#index > 0 ? [`${theme.look.unicode ? "←" : "Left"} back`] : []),
        "Ctrl+C stop",
      ],
      width,
      theme,
    );
  }

  #handleKey(data: string, draft: QuestionDraft): void {
    if (matchesKey(data, "space") || matchesKey(data, "right")) {
      if (draft.isAtWords) this.#openField(draft);
      return draft.toggle();
    }
    if (matchesKey(data, "left") || matchesKey(data, "backspace")) return this.#goBack(draft);
    switch (listKey(data)) {
      case "up":
        return draft.move(-1);
      case "down":
        return draft.move(1);
      case "pageUp":
        this.#top--;
        return;
      case "pageDown":
        this.#top++;
        return;
      case "confirm":
        return this.#confirm(draft);
      case "cancel":
        draft.skip();
        return this.#goOn();
      default:
        if (draft.isAtWords && typedText(data) !== undefined) {
          this.#openField(draft).handle(data);
        }
    }
  }

  #confirm(draft: QuestionDraft): void {
    const needsWords = draft.isAtWords && draft.words === "";
    // In a question with several answers, Enter takes what is marked.
    const hasMarks = draft.question.multiSelect &&
      draft.question.options.some((_, index) => draft.isMarked(index));
    if (needsWords && !hasMarks) {
      this.#openField(draft);
      return;
    }
    draft.confirm();
    this.#goOn();
  }

  #openField(draft: QuestionDraft): LineField {
    this.#field = new LineField(draft.words);
    return this.#field;
  }

  #write(data: string, field: LineField, draft: QuestionDraft): void {
    if (matchesKey(data, "escape")) this.#field = undefined;
    else if (matchesKey(data, "enter") || data === "\n") {
      this.#field = undefined;
      draft.setWords(field.value);
      if (draft.words !== "" && !draft.question.multiSelect) this.#confirm(draft);
    } else field.handle(data);
  }

  #goBack(draft: QuestionDraft): void {
    if (this.#index === 0) return;
    draft.leave();
    this.#show(this.#index - 1);
  }

  #goOn(): void {
    if (this.#index < this.#drafts.length - 1) return this.#show(this.#index + 1);
    const answers = this.#drafts.map(({ question: { header }, answer }) =>
      answer ?? { header, skipped: true, selected: [] }
    );
    this.#options.onAnswer(answers);
  }

  #show(index: number): void {
    const isBack = index < this.#index || this.#visited.has(index);
    this.#index = index;
    this.#top = 0;
    this.#start = 0;
    if (isBack) this.#draft?.comeBack();
    this.#visited.add(index);
  }

  #drop(data: string): void {
    this.#notice = "What was typed or pasted answers nothing";
    this.#options.onDropped(data);
    this.#options.frame.redraw();
  }
}

function withoutWords(question: Question): Question {
  return { ...question, options: question.options.filter(({ takesText }) => takesText !== true) };
}
