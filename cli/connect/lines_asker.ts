import type { ProviderAuthPrompt } from "@alisio/sdk";
import type { SignInPorts } from "../../core/provider/auth/sign_in.ts";
import type { Choice, ConnectAsker } from "../../core/provider/connect_asker.ts";
import { formatStep } from "../../core/provider/connect_flow.ts";
import { visibleName } from "../../core/process/visible_text.ts";
import {
  cleanValue,
  flawOfValue,
  type FormField,
  type FormValues,
  hintOfField,
} from "../../core/provider/connect_form.ts";
import {
  confirm,
  type DialoguePorts,
  printHeading,
  printText,
  readAnswer,
} from "../talk/dialogue.ts";
import { type LineAnswer, readLine } from "../talk/read_line.ts";
import { readSecret } from "../talk/read_secret.ts";
import { cellsOf } from "../../core/text/cell_width.ts";
import { QUESTION_MARK } from "../../core/text/question_mark.ts";

/** How many choices are listed; the others are found by a part of their name. */
const MAX_LISTED = 20;

/** Asks at a terminal, in lines. */
export class LinesAsker implements ConnectAsker {
  readonly #ports: DialoguePorts;
  readonly #signal: AbortSignal;

  /**
   * @param ports What it asks with.
   * @param signal Aborts when the person gives up.
   */
  constructor(ports: DialoguePorts, signal: AbortSignal) {
    this.#ports = ports;
    this.#signal = signal;
  }

  say(text: string): void {
    printText(this.#ports, visibleName(text), "");
  }

  async choose(
    title: string,
    choices: readonly Choice[],
    { other }: { readonly other?: string } = {},
  ): Promise<number | string> {
    let shown = choices.map((_, index) => index);
    for (;;) {
      printHeading(this.#ports, title);
      this.#list(choices, shown, other);
      const text = this.#textOf(await readAnswer(this.#ports, "Number: ", this.#signal)).trim();
      if (other !== undefined && /^=./.test(text)) return text.slice(1).trim();
      const found = resolveChoice(text, choices, shown);
      if (typeof found === "number") return found;
      if (found.length > 0) shown = [...found];
      else if (text === "") shown = choices.map((_, index) => index);
      else this.say(`There is no "${text.slice(0, 80)}"`);
    }
  }

  async fillIn(
    _title: string,
    fields: readonly FormField[],
    start: FormValues,
  ): Promise<FormValues> {
    const values: Record<string, string> = { ...start };
    for (const field of fields.filter(isAskedFirst)) {
      // One of the two is enough.
      if (field.kind === "variable" && (values["apiKey"] ?? "") !== "") continue;
      values[field.name] = await this.#fill(field, values[field.name]);
    }
    const further = fields.filter((field) => !isAskedFirst(field));
    const labels = further.map(({ label }) => label).join(", ");
    if (further.length > 0 && await this.confirm(`Change ${labels}?`)) {
      for (const field of further) {
        values[field.name] = await this.#fill(field, values[field.name]);
      }
    }
    return values;
  }

  async wait<T>(title: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.say(title);
    return await work(this.#signal);
  }

  async signIn<T>(
    title: string,
    work: (ports: Pick<SignInPorts, "show" | "prompt" | "signal">) => Promise<T>,
  ): Promise<T> {
    this.say(title);
    return await work({
      show: (step) => {
        for (const line of formatStep(step)) {
          if ("url" in step && line === step.url) this.#link(line);
          else this.say(line);
        }
      },
      prompt: (request, signal) => this.#prompt(request, signal),
      signal: this.#signal,
    });
  }

  async confirm(question: string): Promise<boolean> {
    const isYes = await confirm(this.#ports, question, this.#signal);
    this.#signal.throwIfAborted();
    return isYes;
  }

  async #prompt(
    { message, secret }: ProviderAuthPrompt,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    this.say(message);
    const request = { prompt: `${QUESTION_MARK} `, signal };
    const answer = secret === true
      ? await readSecret(this.#ports, request)
      : await readLine(this.#ports, request);
    if (answer.kind === "interrupt") this.#ports.interrupt();
    return answer.kind === "line" ? answer.text : undefined;
  }

  /** In one piece: the terminal breaks it where it has to, and still knows it for one line. */
  #link(url: string): void {
    this.#ports.screen.freshLine();
    this.#ports.screen.print(`${url}\n`);
  }

  async #fill(field: FormField, value: string | undefined): Promise<string> {
    const hint = hintOfField(field);
    if (field.description !== undefined) this.say(field.description);
    if (hint !== undefined) this.say(hint);
    const isUsualShown = field.kind === "address" || field.kind === "choice";
    let draft = value ?? (isUsualShown ? field.default ?? "" : "");
    for (;;) {
      const options = field.kind === "choice" ? ` (${field.options.join(", ")})` : "";
      const request = {
        prompt: `${QUESTION_MARK} ${visibleName(field.label)}${options}: `,
        signal: this.#signal,
      };
      const answer = field.kind === "secret"
        ? await readSecret(this.#ports, request)
        : await readLine(this.#ports, { ...request, draft, isOneLine: true });
      const cleaned = cleanValue(field, this.#textOf(answer));
      const flaw = flawOfValue(field, cleaned);
      if (flaw === null) return cleaned;
      this.say(`${field.label} ${flaw}`);
      draft = field.kind === "secret" ? "" : cleaned;
    }
  }

  #list(choices: readonly Choice[], shown: readonly number[], other: string | undefined): void {
    const lines = shown.slice(0, MAX_LISTED).map((index) => {
      const { label, description } = choices[index] ?? { label: "" };
      const start = `${String(index + 1).padStart(3)}  ${visibleName(label)}`;
      return description === undefined ? start : this.#cut(`${start}  ${visibleName(description)}`);
    });
    const hidden = shown.length - MAX_LISTED;
    if (hidden > 0) lines.push(`     and ${hidden} more: type a part of the name`);
    if (shown.length === 1) lines.push("     Enter takes it");
    if (other !== undefined) lines.push(`     ${other}: write = and its name`);
    printText(this.#ports, lines.join("\n"), "");
  }

  /** A description is no more than that: what does not fit is left out. */
  #cut(text: string): string {
    const { columns } = this.#ports.terminal.size();
    if (cellsOf(text) < columns) return text;
    const kept = Array.from(text);
    while (cellsOf(kept.join("")) > columns - 3) kept.pop();
    return `${kept.join("").trimEnd()}…`;
  }

  #textOf(answer: LineAnswer): string {
    if (answer.kind === "line") return answer.text;
    this.#ports.interrupt();
    this.#signal.throwIfAborted();
    return "";
  }
}

function isAskedFirst({ kind, required }: FormField): boolean {
  return required || !["choice", "text"].includes(kind);
}

/** The place of what was meant, or of everything that could be meant. */
function resolveChoice(
  text: string,
  choices: readonly Choice[],
  shown: readonly number[],
): number | readonly number[] {
  if (text === "") return shown.length === 1 ? shown[0] ?? [] : [];
  const exact = choices.findIndex(({ label }) => label === text);
  if (exact !== -1) return exact;
  if (/^\d{1,5}$/.test(text)) {
    const index = Number(text) - 1;
    return index >= 0 && index < choices.length ? index : [];
  }
  const found = choices.flatMap(({ label }, index) =>
    label.toLowerCase().includes(text.toLowerCase()) ? [index] : []
  );
  // A part of a name may be the whole name of something else: nothing is taken unseen.
  return found;
}
