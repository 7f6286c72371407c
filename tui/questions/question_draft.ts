import { previewText } from "../../core/text/bound_text.ts";
import type { Question, QuestionAnswer } from "../../core/tools/user_question.ts";

/** Own words for an answer; more belongs into a prompt. */
const MAX_WORDS_CHARS = 4_000;

/** The answer to one question, while it is being made. */
export class QuestionDraft {
  readonly #question: Question;
  /** Whether words of the person's own can be an answer. */
  readonly #takesWords: boolean;
  #cursor = 0;
  #marked: ReadonlySet<number> = new Set();
  #words = "";
  #answer: QuestionAnswer | undefined;

  /**
   * @param question What is asked.
   * @param options Whether words of the person's own can be an answer, and whether they are the
   * first that is offered.
   */
  constructor(
    question: Question,
    options: { readonly takesWords: boolean; readonly startsAtWords?: boolean },
  ) {
    this.#question = question;
    this.#takesWords = options.takesWords;
    this.#cursor = options.startsAtWords === true ? question.options.length : this.#suggested;
  }

  /** What is asked. */
  get question(): Question {
    return this.#question;
  }

  /** Which line is selected; the one behind the options is for words. */
  get cursor(): number {
    return this.#cursor;
  }

  /** Whether the selected line is the one for words. */
  get isAtWords(): boolean {
    return this.#cursor === this.#question.options.length;
  }

  /** How many lines there are to choose from. */
  get count(): number {
    return this.#question.options.length + (this.#takesWords ? 1 : 0);
  }

  /** Words of the person's own. */
  get words(): string {
    return this.#words;
  }

  /** What was answered; undefined while nothing was. */
  get answer(): QuestionAnswer | undefined {
    return this.#answer;
  }

  /**
   * Whether a line is marked, in a question with several answers.
   *
   * @param index The line.
   */
  isMarked(index: number): boolean {
    return index === this.#question.options.length ? this.#words !== "" : this.#marked.has(index);
  }

  /**
   * Moves to another line; the ends meet.
   *
   * @param by How far.
   */
  move(by: number): void {
    this.#cursor = (this.#cursor + by + this.count) % this.count;
  }

  /** Marks the selected line, or takes its mark away. Without effect in a question with one answer. */
  toggle(): void {
    if (!this.#question.multiSelect || this.isAtWords) return;
    const marked = new Set(this.#marked);
    if (!marked.delete(this.#cursor)) marked.add(this.#cursor);
    this.#marked = marked;
  }

  /**
   * Takes words of the person's own.
   *
   * @param words One line; blank takes them away.
   */
  setWords(words: string): void {
    this.#words = words.trim() === "" ? "" : previewText(words.trim(), MAX_WORDS_CHARS);
  }

  /** Answers with what is marked or selected. */
  confirm(): void {
    const { header, multiSelect, options } = this.#question;
    const labels = options.map(({ label }) => label);
    const words = this.#words === "" ? [] : [this.#words];
    const selected = multiSelect
      ? [...labels.filter((_, index) => this.#marked.has(index)), ...words]
      : this.isAtWords
      ? words
      : labels.slice(this.#cursor, this.#cursor + 1);
    this.#answer = { header, skipped: false, selected };
  }

  /** Answers with nothing. */
  skip(): void {
    this.#answer = { header: this.#question.header, skipped: true, selected: [] };
  }

  /** Leaves the question for the one before. Marks that were not confirmed are forgotten. */
  leave(): void {
    if (this.#answer === undefined) this.#marked = new Set();
  }

  /**
   * Comes back to the question. Where several answers are possible and none was given, the
   * suggested one is marked.
   */
  comeBack(): void {
    if (this.#answer !== undefined && !this.#answer.skipped) return;
    if (this.#question.multiSelect) this.#marked = new Set([this.#suggested]);
  }

  get #suggested(): number {
    const at = this.#question.options.findIndex(({ recommended }) => recommended === true);
    return Math.max(0, at);
  }
}
