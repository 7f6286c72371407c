import { AlisioError } from "../../errors.ts";

/** Why a sign-in ended without a session. */
export type SignInFailure =
  /** The provider showed an address that is not safe to open. */
  | "unsafe_url"
  /** The person thought better of it, or the program ends. */
  | "cancelled"
  /** Another sign-in for the same took its place. */
  | "replaced"
  /** It took more than its 15 minutes. */
  | "expired"
  /** What the provider returned is no session. */
  | "invalid_session"
  /** The provider says so, with a reason of its own. */
  | "failed";

/** A sign-in that ended without a session. Nothing was stored. */
export class SignInError extends AlisioError {
  /** Why. */
  readonly reason: SignInFailure;

  /**
   * Creates the error.
   *
   * @param reason Why.
   * @param detail Continues the sentence "Cannot sign in".
   * @param options The error behind it.
   */
  constructor(reason: SignInFailure, detail: string, options: { readonly cause?: unknown } = {}) {
    super("sign_in_failed", `Cannot sign in: ${detail}`, options);
    this.reason = reason;
  }
}
