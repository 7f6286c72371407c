import {
  type OAuthCredential,
  type ProviderAuthMethod,
  ProviderError,
  type ProviderOAuth,
} from "@alisio/sdk";
import { errorMessage } from "../../errors.ts";
import { visibleName } from "../../process/visible_text.ts";
import { redactSecrets } from "../../redact.ts";
import { type LockFile, tryLockFile } from "../../session/lock_file.ts";
import { untilAborted } from "../../until_aborted.ts";
import { readCredentials } from "../credentials.ts";
import { flawOfSession, mergeRenewal, secretsOfSession } from "./check_session.ts";
import { readRenewed, renewalLockPath, writeRenewed } from "./renewed_sessions.ts";
import { formatSignInCommand, type SignInTarget } from "./sign_in_command.ts";
import type { StoredSession } from "./stored_session.ts";

/** How long before its end a session is renewed, unless it is a short one. */
const RENEW_BEFORE_MS = 60_000;
/** The part of a short session that is left when it is renewed. */
const SHORT_PART = 0.2;
/** How long the service may take. */
const RENEWAL_LIMIT_MS = 30_000;
/** How long another process may take for its renewal. */
const LOCK_LIMIT_MS = 45_000;
const LOCK_POLL_MS = 50;
const MAX_SAID_CHARS = 300;

/** What the session of a profile is read from, and renewed with. */
export interface ProfileSessionPorts {
  /** The folder of the person's configuration; it is only read. */
  readonly configHome: string;
  /** The folder of what Alisio remembers. */
  readonly stateHome: string;
  /** Id of the profile. */
  readonly profile: string;
  /** Id of the registration; a session of another one is not touched. */
  readonly provider: string;
  /** Ways to sign in that the registration has. */
  readonly methods: readonly ProviderAuthMethod[];
  /** Values of `--plugin`, for the command that signs in again. */
  readonly plugins?: readonly string[];
  /** Keeps values out of everything that is stored and sent. */
  readonly hideSecrets: (secrets: readonly string[]) => void;
  /** Receives what the person should be told. */
  readonly notify: (notice: string) => void;
  /**
   * Longest time of a renewal.
   *
   * @default 30000
   */
  readonly limitMs?: number;
}

/** A session, and where it stands. */
interface Current {
  readonly stored: StoredSession;
  readonly credential: OAuthCredential;
  /** When the credential was given out by the service. */
  readonly since: number;
}

/**
 * The session of one profile: read anew for each request, so that a sign-in or a renewal of another
 * process counts, and renewed before it ends. One renewal runs at a time, in all processes together.
 */
export class ProfileSession implements ProviderOAuth {
  readonly #ports: ProfileSessionPorts;
  #renewing: Promise<OAuthCredential> | undefined;
  /** What the provider was given last. */
  #given: string | undefined;
  /** What was hidden last. */
  #hidden: string | undefined;
  /** A renewal that could not be stored. */
  #unstored: Current | undefined;
  #ended: ProviderError | undefined;

  /** @param ports What it works with. */
  constructor(ports: ProfileSessionPorts) {
    this.#ports = ports;
  }

  /** Why the person has to sign in again, once that is known. */
  get ended(): ProviderError | undefined {
    return this.#ended;
  }

  async get(): Promise<OAuthCredential> {
    const current = await this.#read();
    if (!isDue(current)) return this.#give(current.credential);
    this.#renewing ??= this.#renew().finally(() => this.#renewing = undefined);
    return this.#give(await this.#renewing);
  }

  async invalidate(_reason: "sign_in_required"): Promise<void> {
    const current = await this.#read().catch(() => null);
    // Another process may have renewed it, or the person signed in again, since then.
    if (current === null || current.credential.access !== this.#given) return;
    await this.#end(current.stored, "the service refused its session");
  }

  async #read(): Promise<Current> {
    const { configHome, stateHome, profile, provider } = this.#ports;
    const [{ sessions }, renewals] = await Promise.all([
      readCredentials(configHome),
      readRenewed(stateHome),
    ]);
    const stored = Object.hasOwn(sessions, profile) ? sessions[profile] : undefined;
    if (stored === undefined || stored.provider !== provider) {
      throw this.#signInError(undefined, "nobody is signed in");
    }
    const renewed = Object.hasOwn(renewals, profile) ? renewals[profile] : undefined;
    const isOwn = renewed?.id === stored.id;
    if (isOwn && "endedAt" in renewed) {
      throw this.#ended ??= this.#signInError(stored, "its session has ended");
    }
    if (this.#unstored?.stored.id === stored.id) return this.#unstored;
    // A new sign-in makes good what was said of the one before.
    this.#ended = undefined;
    const current = isOwn && "credential" in renewed
      ? { stored, credential: renewed.credential, since: renewed.renewedAt }
      : { stored, credential: stored.credential, since: stored.signedInAt };
    if (this.#hidden !== current.credential.access) {
      this.#hidden = current.credential.access;
      // The one before is still in the file, and may still count.
      const both = [stored.credential, current.credential].flatMap(secretsOfSession);
      this.#ports.hideSecrets([...new Set(both)]);
    }
    return current;
  }

  async #renew(): Promise<OAuthCredential> {
    const { stateHome, profile } = this.#ports;
    const lock = await waitForLock(renewalLockPath(stateHome, profile));
    try {
      // Whoever held the lock may have done it.
      const current = await this.#read();
      if (!isDue(current)) return current.credential;
      if (lock === null) return stillValid(current) ?? this.#throwBusy();
      return await this.#renewNow(current);
    } finally {
      lock?.release();
    }
  }

  async #renewNow(current: Current): Promise<OAuthCredential> {
    const { stored, credential } = current;
    const method = this.#ports.methods.find(({ id }) => id === stored.method);
    if (method?.refresh === undefined) {
      const valid = stillValid(current);
      if (valid !== undefined) return valid;
      throw await this.#end(stored, "its session has ended, and it cannot be renewed");
    }
    const answer = await this.#ask(method, credential);
    if (answer.status === "renewed") return await this.#store(current, answer.credential);
    if (answer.status === "refused") {
      throw await this.#end(stored, `its session cannot be renewed: ${answer.why}`);
    }
    return stillValid(current) ?? throwPassing(
      `Cannot renew the session of profile "${this.#ports.profile}": ${answer.why}`,
      answer.cause,
    );
  }

  async #ask(method: ProviderAuthMethod, credential: OAuthCredential): Promise<Answer> {
    const { limitMs = RENEWAL_LIMIT_MS } = this.#ports;
    const limit = new AbortController();
    const timer = setTimeout(
      () => limit.abort(new Error(`no answer within ${limitMs / 1_000} seconds`)),
      limitMs,
    );
    try {
      const renewed = await untilAborted(call(method, credential, limit.signal), limit.signal);
      const flaw = flawOfSession(renewed);
      if (flaw !== null) return { status: "refused", why: `what came back is none: ${flaw}` };
      const merged = mergeRenewal(credential, renewed);
      // Before anything can be said that holds it.
      this.#ports.hideSecrets(secretsOfSession(merged));
      return merged.expires === undefined || merged.expires > Date.now()
        ? { status: "renewed", credential: merged }
        : { status: "refused", why: "what came back has ended already" };
    } catch (error) {
      const why = said(error, credential);
      const isPassing = limit.signal.aborted || isRetryable(error);
      return isPassing ? { status: "failed", why, cause: error } : { status: "refused", why };
    } finally {
      clearTimeout(timer);
      limit.abort();
    }
  }

  async #store({ stored }: Current, credential: OAuthCredential): Promise<OAuthCredential> {
    const { stateHome, profile, notify } = this.#ports;
    const renewedAt = Date.now();
    try {
      await writeRenewed(stateHome, profile, { id: stored.id, credential, renewedAt });
      this.#unstored = undefined;
    } catch (error) {
      this.#unstored = { stored, credential, since: renewedAt };
      notify(
        `The renewed session of profile "${profile}" cannot be stored, so the next run may have to ` +
          `sign in again: ${visibleName(errorMessage(error)).slice(0, MAX_SAID_CHARS)}`,
      );
    }
    return credential;
  }

  async #end(stored: StoredSession, why: string): Promise<ProviderError> {
    const { stateHome, profile } = this.#ports;
    const error = this.#signInError(stored, why);
    this.#ended = error;
    this.#unstored = undefined;
    // Where it cannot be stored, the next process finds out by itself.
    await writeRenewed(stateHome, profile, { id: stored.id, endedAt: Date.now() }).catch(() => {});
    return error;
  }

  #give(credential: OAuthCredential): OAuthCredential {
    this.#given = credential.access;
    return credential;
  }

  #throwBusy(): never {
    return throwPassing(
      `Cannot renew the session of profile "${this.#ports.profile}": another process has been at ` +
        `it for ${LOCK_LIMIT_MS / 1_000} seconds`,
    );
  }

  #signInError(stored: StoredSession | undefined, why: string): ProviderError {
    const { profile, provider, methods, plugins = [] } = this.#ports;
    const method = stored?.method ?? methods[0]?.id ?? "";
    const target: SignInTarget = { provider, profile, method, plugins };
    return new ProviderError(
      `Cannot use profile "${profile}": ${why}; sign in again with: ${formatSignInCommand(target)}`,
      { code: "authentication" },
    );
  }
}

type Answer =
  | { readonly status: "renewed"; readonly credential: OAuthCredential }
  /** For good. */
  | { readonly status: "refused"; readonly why: string }
  /** It may work later. */
  | { readonly status: "failed"; readonly why: string; readonly cause: unknown };

/** Whatever it throws, and whenever, is heard by somebody. */
async function call(
  method: ProviderAuthMethod,
  credential: OAuthCredential,
  signal: AbortSignal,
): Promise<OAuthCredential> {
  if (method.refresh === undefined) throw new TypeError("It cannot renew a session");
  return await method.refresh(credential, signal);
}

function isDue({ credential: { expires }, since }: Current): boolean {
  if (expires === undefined) return false;
  const lifetimeMs = Math.max(0, expires - since);
  return Date.now() >= expires - Math.min(RENEW_BEFORE_MS, lifetimeMs * SHORT_PART);
}

function stillValid({ credential }: Current): OAuthCredential | undefined {
  return (credential.expires ?? Infinity) > Date.now() ? credential : undefined;
}

function isRetryable(error: unknown): boolean {
  return typeof error === "object" && error !== null && "retryable" in error &&
    error.retryable === true;
}

function said(error: unknown, credential: OAuthCredential): string {
  const text = redactSecrets(errorMessage(error), secretsOfSession(credential));
  return visibleName(text.slice(0, MAX_SAID_CHARS));
}

function throwPassing(message: string, cause?: unknown): never {
  throw new ProviderError(message, { code: "network", retryable: true, cause });
}

/** Null where another process keeps it for too long. */
async function waitForLock(path: string): Promise<LockFile | null> {
  const deadline = performance.now() + LOCK_LIMIT_MS;
  for (;;) {
    const lock = tryLockFile(path);
    if (lock !== null) return lock;
    if (performance.now() > deadline) return null;
    await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS));
  }
}
