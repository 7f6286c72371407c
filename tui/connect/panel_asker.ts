import type { ProviderAuthPrompt } from "@alisio/sdk";
import type { SignInPorts } from "../../core/provider/auth/sign_in.ts";
import {
  type Choice,
  type ConnectAsker,
  ConnectCancelledError,
} from "../../core/provider/connect_asker.ts";
import {
  cleanValue,
  flawOfValue,
  type FormField,
  type FormValues,
  hintOfField,
} from "../../core/provider/connect_form.ts";
import { untilAborted } from "../../core/until_aborted.ts";
import { whileWaiting } from "../commands/waiting_panel.ts";
import type { FormField as FormLine } from "../panels/form_panel.ts";
import { askLine, askToConfirm, fillInForm, pickFromList } from "../panels/show_panels.ts";
import type { Stage } from "../stage.ts";
import { SignInPanel } from "./sign_in_panel.ts";

/** Stands for a model that is not in the list. */
const OTHER = -1;

/** Asks in panels above the editor. Whoever leaves one gives the whole connection up. */
export class PanelAsker implements ConnectAsker {
  readonly #stage: Stage;

  /** @param stage The conversation. */
  constructor(stage: Stage) {
    this.#stage = stage;
  }

  say(text: string): void {
    this.#stage.say(text, text.startsWith("Warning: ") ? "warning" : "info");
  }

  async choose(
    title: string,
    choices: readonly Choice[],
    { other }: { readonly other?: string } = {},
  ): Promise<number | string> {
    const chosen = given(
      await pickFromList(this.#stage, {
        title,
        items: [
          ...choices.map((choice, value) => ({ ...choice, value })),
          ...other === undefined ? [] : [{ value: OTHER, label: `${other}…` }],
        ],
      }),
    );
    if (chosen !== OTHER) return chosen;
    return given(
      await askLine(this.#stage, other ?? title, {
        label: "Name",
        check: (value) => value === "" ? "It has no name" : undefined,
      }),
    );
  }

  async fillIn(
    title: string,
    fields: readonly FormField[],
    values: FormValues,
  ): Promise<FormValues> {
    const filled = given(
      await fillInForm(this.#stage, {
        title,
        fields: fields.map((field) => formLine(field, values[field.name])),
      }),
    );
    return Object.fromEntries(
      fields.map((field) => [field.name, cleanValue(field, filled[field.name] ?? "")]),
    );
  }

  async confirm(question: string): Promise<boolean> {
    return await askToConfirm(this.#stage, { title: question });
  }

  async wait<T>(title: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return given(
      await whileWaiting(this.#stage, title, async (signal) => ({
        value: await work(signal),
      })),
    ).value;
  }

  async signIn<T>(
    title: string,
    work: (ports: Pick<SignInPorts, "show" | "prompt" | "signal">) => Promise<T>,
  ): Promise<T> {
    const stop = new AbortController();
    const over = new AbortController();
    let panel: SignInPanel | undefined;
    const shown = this.#stage.panels.open<never>((done, frame) =>
      panel = new SignInPanel({
        title,
        theme: this.#stage.theme,
        frame,
        onCancel: () => {
          stop.abort(new ConnectCancelledError("The person gave up"));
          done(undefined);
        },
        copy: (text) => void this.#copy(text),
      }), { signal: over.signal });
    try {
      return await untilAborted(
        work({
          show: (step) => panel?.show(step),
          prompt: (request, signal) => this.#prompt(request, panel?.address, signal),
          signal: stop.signal,
        }),
        stop.signal,
      );
    } finally {
      over.abort();
      await shown;
    }
  }

  async #prompt(
    { message, secret = false }: ProviderAuthPrompt,
    address: string | undefined,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const filled = await fillInForm(this.#stage, {
      title: message,
      fields: [{ key: "answer", label: "Answer", isSecret: secret }],
      // It covers the panel that shows the address.
      ...(address === undefined ? {} : { intro: `Open ${address}` }),
      signal,
    });
    return filled?.["answer"];
  }

  async #copy(text: string): Promise<void> {
    try {
      this.#stage.say(await this.#stage.copy(text), "success");
    } catch (error) {
      this.#stage.say(error instanceof Error ? error.message : String(error), "warning");
    }
  }
}

function given<T>(answer: T | undefined): T {
  if (answer === undefined) throw new ConnectCancelledError("The person gave up");
  return answer;
}

function formLine(field: FormField, value: string | undefined): FormLine {
  const options = field.kind === "choice" ? [`One of ${field.options.join(", ")}.`] : [];
  const hints = [field.description, ...options, hintOfField(field)];
  const hint = hints.filter((each) => each !== undefined).join(" ");
  const start = field.kind === "secret" ? "" : value ?? "";
  return {
    key: field.name,
    label: field.label,
    value: start,
    placeholder: placeholderOf(field, value),
    ...(hint === "" ? {} : { hint }),
    ...(field.kind === "secret" ? { isSecret: true } : {}),
    check: (typed) => {
      const flaw = flawOfValue(field, cleanValue(field, typed));
      return flaw === null ? undefined : `${field.label} ${flaw}`;
    },
  };
}

function placeholderOf(field: FormField, value: string | undefined): string {
  if (field.kind === "secret") return value === undefined ? "none" : "as before";
  return field.default ?? "";
}
