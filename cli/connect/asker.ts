import type { ProviderAuthPrompt, ProviderAuthStep } from "@alisio/sdk";
import type { FormField } from "../../core/provider/connect_form.ts";

/** A line of a choice. */
export interface Choice {
  /** What it is called. */
  readonly label: string;
  /** More about it. */
  readonly description?: string;
}

/** Asks the person who connects a provider. Texts may come from others: they are shown as they are. */
export interface ConnectAsker {
  /**
   * Shows a line.
   *
   * @param text The line.
   */
  say(text: string): void;
  /**
   * Shows an address in one piece, so that it can be opened and copied.
   *
   * @param url The address, of printable ASCII alone.
   */
  link(url: string): void;
  /**
   * Has one of several things chosen.
   *
   * @param title What is chosen.
   * @param choices What there is; at least one.
   * @param options `other` says that another text is taken too, written behind `=`.
   * @returns Its place in the list, or the text.
   * @throws The reason of the signal, if the person gives up.
   */
  choose(
    title: string,
    choices: readonly Choice[],
    options?: { readonly other?: string },
  ): Promise<number | string>;
  /**
   * Has a field filled in, until nothing is wrong with it.
   *
   * @param field The field.
   * @param value What stands in it at first.
   * @param hint What an empty answer means.
   */
  fill(field: FormField, value: string, hint?: string): Promise<string>;
  /**
   * Asks something that only a yes confirms.
   *
   * @param question What it asks.
   */
  confirm(question: string): Promise<boolean>;
  /**
   * Asks for a value that a sign-in needs.
   *
   * @param request What is asked for.
   * @param signal Takes it back.
   */
  prompt(request: ProviderAuthPrompt, signal: AbortSignal): Promise<string | undefined>;
}

/** A line of a step: a text, or an address that must stay in one piece to be opened. */
export type StepLine = { readonly text: string } | { readonly link: string };

/**
 * The lines that show a step of a sign-in.
 *
 * @param step The step, checked.
 */
export function formatStep(step: ProviderAuthStep): readonly StepLine[] {
  const instructions: readonly StepLine[] =
    "instructions" in step && step.instructions !== undefined ? [{ text: step.instructions }] : [];
  switch (step.type) {
    case "auth_url":
      return [...instructions, { link: step.url }];
    case "device_code":
      return [...instructions, { link: step.url }, { text: `Code: ${step.userCode}` }];
    case "progress":
      return [{ text: step.message }];
    default:
      return step satisfies never;
  }
}
