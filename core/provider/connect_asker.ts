import type { SignInPorts } from "./auth/sign_in.ts";
import type { FormField, FormValues } from "./connect_form.ts";

/** A line of a choice. */
export interface Choice {
  /** What it is called. */
  readonly label: string;
  /** More about it. */
  readonly description?: string;
}

/**
 * Asks the person who connects a provider, in lines or on a screen. Texts may come from others, and
 * are to be shown as plain text.
 *
 * Contract: everything that waits for the person throws when they give up; nothing is stored then.
 */
export interface ConnectAsker {
  /**
   * Shows a line.
   *
   * @param text The line.
   */
  say(text: string): void;
  /**
   * Has one of several things chosen.
   *
   * @param title What is chosen.
   * @param choices What there is; at least one.
   * @param options `other` is what another text is called that may be written in their place.
   * @returns Its place in the list, or the text.
   */
  choose(
    title: string,
    choices: readonly Choice[],
    options?: { readonly other?: string },
  ): Promise<number | string>;
  /**
   * Has fields filled in, until nothing is wrong with them.
   *
   * @param title What they are about.
   * @param fields The fields.
   * @param values What stands in them at first.
   * @returns What stands in each of them, cleaned.
   */
  fillIn(title: string, fields: readonly FormField[], values: FormValues): Promise<FormValues>;
  /**
   * Asks something that only a yes confirms.
   *
   * @param question What it asks.
   */
  confirm(question: string): Promise<boolean>;
  /**
   * Waits for something, and shows that it does.
   *
   * @param title What is waited for.
   * @param work What is waited for; its signal aborts when the person gives up.
   */
  wait<T>(title: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /**
   * Shows a sign-in while it goes on.
   *
   * @param title Who is signed in where.
   * @param work Signs in.
   */
  signIn<T>(
    title: string,
    work: (ports: Pick<SignInPorts, "show" | "prompt" | "signal">) => Promise<T>,
  ): Promise<T>;
}

/** The person does not want to go on. Nothing was stored. */
export class ConnectCancelledError extends Error {
  override readonly name = "ConnectCancelledError";
}
