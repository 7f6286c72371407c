import type { JsonObject } from "./json.ts";

/**
 * A session at a service, as a sign-in returns it and the host stores it. The host keeps `access`
 * and `refresh` out of every message, event and log.
 */
export interface OAuthCredential {
  /** Always `oauth`. */
  readonly type: "oauth";
  /** What requests are sent with. At most 65,536 characters. */
  readonly access: string;
  /** What the session is renewed with. A renewal that returns none keeps the one before. */
  readonly refresh?: string;
  /**
   * When `access` ends, in milliseconds since 1970. Without it, the session counts until the
   * provider says that the service refused it.
   */
  readonly expires?: number;
  /**
   * What else the provider remembers of the account. It is no place for secrets. What a renewal
   * returns is merged over what was stored.
   */
  readonly metadata?: JsonObject;
}

/**
 * What the person is shown while they sign in. Every text is shown as plain text, and every address
 * must be `https:`, or `http:` on `localhost` or `127.0.0.1`, without a user name or password in it;
 * any other ends the sign-in with `unsafe_url`.
 */
export type ProviderAuthStep =
  | {
    /** An address to open in a browser. */
    readonly type: "auth_url";
    /** The address. */
    readonly url: string;
    /** What to do there. */
    readonly instructions?: string;
  }
  | {
    /** A code to type at an address, on this or any other machine. */
    readonly type: "device_code";
    /** The address. */
    readonly url: string;
    /** What is typed there. */
    readonly userCode: string;
    /** What to do there. */
    readonly instructions?: string;
  }
  | {
    /** What goes on meanwhile. */
    readonly type: "progress";
    /** One sentence. */
    readonly message: string;
  };

/** A value that a sign-in needs from the person. */
export interface ProviderAuthPrompt {
  /** What is asked for. */
  readonly message: string;
  /** Whether nobody may read over the person's shoulder what they type. */
  readonly secret?: boolean;
}

/** What a listener for the way back from the browser waits for. */
export interface LoopbackOptions {
  /** Port on 127.0.0.1; 0 takes a free one. */
  readonly port: number;
  /** Path of the address, such as `/callback`. */
  readonly path: string;
  /** The value of `state` that the way back must bring; 16 characters at least. */
  readonly state: string;
}

/** What the browser came back with. */
export interface LoopbackResult {
  /** The parameter `code`. */
  readonly code: string;
  /** Every parameter of the address. */
  readonly params: Readonly<Record<string, string>>;
}

/** A listener for the way back from the browser. The host closes it when the sign-in ends. */
export interface Loopback {
  /** The address that the service must send the browser back to. */
  readonly redirectUri: string;
  /**
   * Waits for the browser. A request with another `state` is refused, and the wait goes on.
   *
   * @throws {Error} If the service reports an error in place of a code, or the sign-in ends.
   */
  wait(): Promise<LoopbackResult>;
}

/** What a sign-in works with. */
export interface ProviderAuthContext {
  /** Aborts when the sign-in is cancelled, replaced by another one, or over its 15 minutes. */
  readonly signal: AbortSignal;
  /**
   * Shows the person the next step.
   *
   * @param step The step.
   */
  show(step: ProviderAuthStep): void;
  /**
   * Asks the person for a value.
   *
   * @param request What is asked for.
   * @returns Undefined where nobody can answer, or somebody does not want to.
   */
  prompt(request: ProviderAuthPrompt): Promise<string | undefined>;
  /**
   * Listens on 127.0.0.1 for the way back from the browser. Absent where the browser may be on
   * another machine; even where it is present, offer to paste the address too.
   *
   * @param options What it waits for.
   * @throws {Error} If the port is taken.
   */
  loopback?(options: LoopbackOptions): Promise<Loopback>;
}

/**
 * A way to sign in at a service, in place of a key. The host runs it, stores the session, renews it
 * before it ends, and keeps it out of sight; the plugin talks to its own service alone.
 *
 * @example A sign-in with a code that is typed in a browser
 * ```ts
 * import type { ProviderAuthMethod } from "@alisio/sdk";
 *
 * const TOKENS = "https://auth.example.com/token";
 *
 * const device: ProviderAuthMethod = {
 *   id: "device",
 *   label: "Example account",
 *   kind: "oauth",
 *   async start({ show, signal }) {
 *     const begun = await fetch("https://auth.example.com/device", { method: "POST", signal });
 *     const { url, userCode, deviceCode } = await begun.json();
 *     show({ type: "device_code", url, userCode, instructions: "Approve the access." });
 *     const body = new URLSearchParams({ deviceCode });
 *     const { access, refresh, seconds } = await (
 *       await fetch(TOKENS, { method: "POST", body, signal })
 *     ).json();
 *     return { type: "oauth", access, refresh, expires: Date.now() + seconds * 1_000 };
 *   },
 *   async refresh({ refresh = "" }, signal) {
 *     const body = new URLSearchParams({ refresh });
 *     const answer = await fetch(TOKENS, { method: "POST", body, signal });
 *     if (!answer.ok) {
 *       const retryable = answer.status === 429 || answer.status >= 500;
 *       throw Object.assign(new Error(`Status ${answer.status}`), { retryable });
 *     }
 *     const { access, seconds } = await answer.json();
 *     return { type: "oauth", access, expires: Date.now() + seconds * 1_000 };
 *   },
 * };
 *
 * console.assert(/^[a-z0-9_-]{1,40}$/.test(device.id));
 * ```
 */
export interface ProviderAuthMethod {
  /** `^[a-z0-9_-]{1,40}$`, unique within the registration. */
  readonly id: string;
  /** Name for people. */
  readonly label: string;
  /** Always `oauth`. */
  readonly kind: "oauth";
  /** One sentence for people. */
  readonly description?: string;
  /**
   * Whether the service has not authorised this way. The person is warned of it and has to confirm.
   *
   * @default false
   */
  readonly unofficial?: boolean;
  /**
   * Signs in.
   *
   * @param context What it works with.
   * @throws {Error} If that fails. The message is shown to the person.
   */
  start(context: ProviderAuthContext): Promise<OAuthCredential>;
  /**
   * Renews a session. Without it, whoever signed in does so again when the session ends.
   *
   * Only one renewal of a profile runs at a time, whatever the number of processes.
   *
   * @param credential What is stored.
   * @param signal Aborts when the renewal takes too long.
   * @throws {Error} With `retryable` true after a passing failure; any other ends the session.
   */
  refresh?(credential: OAuthCredential, signal: AbortSignal): Promise<OAuthCredential>;
}

/** The session of the profile that a provider was made for. */
export interface ProviderOAuth {
  /**
   * The session, renewed before where it is about to end. To be asked for each request anew.
   *
   * @throws {ProviderError} `authentication` if the person has to sign in, or `network` with
   * `retryable` if it cannot be renewed at the moment.
   */
  get(): Promise<OAuthCredential>;
  /**
   * Tells the host that the service refused the session that {@linkcode ProviderOAuth.get} returned
   * last.
   *
   * @param reason Always `sign_in_required`.
   */
  invalidate(reason: "sign_in_required"): Promise<void>;
}
