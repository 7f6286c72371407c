import type {
  OAuthCredential,
  ProviderAuthContext,
  ProviderAuthMethod,
  ProviderAuthPrompt,
  ProviderAuthStep,
} from "@alisio/sdk";
import { isObject } from "../../config/is_object.ts";
import { errorMessage } from "../../errors.ts";
import { visibleName } from "../../process/visible_text.ts";
import { redactSecrets } from "../../redact.ts";
import { untilAborted } from "../../until_aborted.ts";
import { flawOfSession, storableSession } from "./check_session.ts";
import { isSafeStepUrl } from "./is_safe_step_url.ts";
import { openLoopback } from "./loopback.ts";
import { SignInError } from "./sign_in_error.ts";

/** How long a sign-in may take. */
export const SIGN_IN_LIMIT_MS = 15 * 60_000;

const MAX_TEXT_CHARS = 1_000;
const MAX_STEPS = 500;
const MAX_LISTENERS = 4;
const MAX_ANSWER_CHARS = 16_384;

/** What a sign-in is run with. Texts come from the provider: they are shown as plain text. */
export interface SignInPorts {
  /** Shows a step; its address is safe to open, its texts are short. */
  readonly show: (step: ProviderAuthStep) => void;
  /** Asks the person for a value; absent where nobody can answer. */
  readonly prompt?: (
    request: ProviderAuthPrompt,
    signal: AbortSignal,
  ) => Promise<string | undefined>;
  /** Whether the browser is on this machine, as far as anyone can tell. */
  readonly hasBrowser: boolean;
  /** Cancels. */
  readonly signal: AbortSignal;
  /** @default SIGN_IN_LIMIT_MS */
  readonly limitMs?: number;
}

/** Runs sign-ins, one at a time: a new one takes the place of the one that runs. */
export class SignInDesk {
  #running: AbortController | undefined;

  /**
   * Signs in.
   *
   * @param method How.
   * @param ports What it is run with.
   * @returns The session, checked; nothing is stored yet.
   * @throws {SignInError} If that fails. What the provider listened on is closed in every case.
   */
  async run(method: ProviderAuthMethod, ports: SignInPorts): Promise<OAuthCredential> {
    this.#running?.abort(new SignInError("replaced", "another sign-in took its place"));
    const running = new AbortController();
    this.#running = running;
    try {
      return await runSignIn(method, ports, running);
    } finally {
      if (this.#running === running) this.#running = undefined;
    }
  }

  /** Ends the sign-in that runs; without effect otherwise. */
  cancel(): void {
    this.#running?.abort(new SignInError("cancelled", "it was cancelled"));
  }
}

async function runSignIn(
  method: ProviderAuthMethod,
  ports: SignInPorts,
  flow: AbortController,
): Promise<OAuthCredential> {
  const { limitMs = SIGN_IN_LIMIT_MS } = ports;
  const end = (error: SignInError): void => flow.abort(error);
  const cancel = (): void => end(new SignInError("cancelled", "it was cancelled"));
  const timer = setTimeout(
    () => end(new SignInError("expired", `it took more than ${formatMinutes(limitMs)}`)),
    limitMs,
  );
  ports.signal.addEventListener("abort", cancel, { once: true });
  if (ports.signal.aborted) cancel();
  const listeners: Promise<void>[] = [];
  try {
    flow.signal.throwIfAborted();
    const started = startMethod(method, createContext(ports, flow, listeners));
    return checked(await untilAborted(started, flow.signal));
  } catch (error) {
    // The provider may have failed because it was stopped; why it was stopped is what counts.
    throw flow.signal.aborted ? flow.signal.reason : asSignInError(error);
  } finally {
    clearTimeout(timer);
    ports.signal.removeEventListener("abort", cancel);
    flow.abort(new SignInError("cancelled", "it is over"));
    await Promise.all(listeners);
  }
}

/** Whatever it throws, and whenever, is heard by somebody. */
async function startMethod(
  method: ProviderAuthMethod,
  context: ProviderAuthContext,
): Promise<unknown> {
  return await method.start(context);
}

function createContext(
  ports: SignInPorts,
  flow: AbortController,
  listeners: Promise<void>[],
): ProviderAuthContext {
  let steps = 0;
  const { signal } = flow;
  return {
    signal,
    show(step) {
      if (signal.aborted || ++steps > MAX_STEPS) return;
      if (!isObject(step)) throw new TypeError("Cannot show a step of a sign-in: it is no object");
      const shown = checkedStep(step);
      if (shown !== null) return ports.show(shown);
      const error = new SignInError(
        "unsafe_url",
        "the provider shows an address that is neither https nor of this machine, or that holds a " +
          "user name (unsafe_url); tell its author",
      );
      flow.abort(error);
      throw error;
    },
    async prompt(request) {
      const { prompt } = ports;
      if (prompt === undefined || signal.aborted) return undefined;
      if (!isObject(request)) {
        throw new TypeError("Cannot ask for a value: it is not said for which");
      }
      const message = shortText(request.message);
      try {
        const answer = await untilAborted(
          prompt({ message, secret: request.secret === true }, signal),
          signal,
        );
        return answer?.slice(0, MAX_ANSWER_CHARS).trim() || undefined;
      } catch (error) {
        if (signal.aborted) return undefined;
        throw error;
      }
    },
    ...(ports.hasBrowser
      ? {
        // deno-lint-ignore require-await -- what is wrong with the options is a rejection too
        loopback: async (options) => {
          if (listeners.length >= MAX_LISTENERS) {
            throw new TypeError(`Cannot listen for the browser more than ${MAX_LISTENERS} times`);
          }
          const { redirectUri, wait, closed } = openLoopback(options, signal);
          listeners.push(closed);
          return { redirectUri, wait };
        },
      }
      : {}),
  };
}

/** A step as it may be shown; null if its address may not. */
function checkedStep(step: ProviderAuthStep): ProviderAuthStep | null {
  switch (step.type) {
    case "auth_url":
      return isSafeStepUrl(step.url)
        ? { type: "auth_url", url: step.url, ...instructionsOf(step.instructions) }
        : null;
    case "device_code":
      return isSafeStepUrl(step.url)
        ? {
          type: "device_code",
          url: step.url,
          userCode: shortText(step.userCode),
          ...instructionsOf(step.instructions),
        }
        : null;
    case "progress":
      return { type: "progress", message: shortText(step.message) };
    default:
      throw new TypeError("Cannot show a step of a sign-in: its type is unknown");
  }
}

function instructionsOf(text: unknown): { readonly instructions?: string } {
  return typeof text === "string" && text !== "" ? { instructions: shortText(text) } : {};
}

function shortText(text: unknown): string {
  return typeof text === "string" ? visibleName(text.slice(0, MAX_TEXT_CHARS)) : "";
}

function checked(session: unknown): OAuthCredential {
  const flaw = flawOfSession(session);
  if (flaw !== null) {
    throw new SignInError("invalid_session", `what the provider returned is no session: ${flaw}`);
  }
  // It was just checked.
  const credential = storableSession(session as OAuthCredential);
  if (credential.expires === undefined || credential.expires > Date.now()) return credential;
  throw new SignInError(
    "invalid_session",
    "the session that the provider returned has ended already; is the clock of this machine right?",
  );
}

function asSignInError(error: unknown): SignInError {
  if (error instanceof SignInError) return error;
  const said = visibleName(redactSecrets(errorMessage(error), [])).slice(0, MAX_TEXT_CHARS);
  return new SignInError("failed", said === "" ? "the provider does not say why" : said, {
    cause: error,
  });
}

function formatMinutes(ms: number): string {
  return ms < 60_000 ? `${ms / 1_000} seconds` : `${ms / 60_000} minutes`;
}
