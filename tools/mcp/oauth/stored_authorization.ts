import { McpError } from "../../../core/mcp/mcp_connection.ts";
import { type LockFile, tryLockFile } from "../../../core/session/lock_file.ts";
import type { Authorization, Challenge } from "../http/http_client.ts";
import { explainOAuthFailure } from "./explain_oauth_failure.ts";
import { isLoopback } from "./judge_discovered_url.ts";
import { createOAuthFetch } from "./oauth_fetch.ts";
import { readChallenge } from "./read_challenge.ts";
import {
  readSignIn,
  secretsOfSignIn,
  type ServerSignIn,
  signInPath,
  writeSignIn,
} from "./sign_in_store.ts";
import { clientAuthOf, readTokenAnswer, serviceOf } from "./token_answer.ts";
import { requestOptions } from "./request_options.ts";

/** How long before its end a token is renewed, unless it is a short one. */
const RENEW_BEFORE_MS = 60_000;
/** The part of a short token that is left when it is renewed. */
const SHORT_PART = 0.2;
const RENEWAL_LIMIT_MS = 30_000;
/** How long another process may take for its renewal. */
const LOCK_LIMIT_MS = 45_000;
const LOCK_POLL_MS = 50;
/** How long a token that still counts is used before a renewal that failed is tried again. */
const PAUSE_MS = 30_000;

/** What the sign-in at a server is read from, and renewed with. */
export interface StoredAuthorizationPorts {
  /** Name of the server in the configuration. */
  readonly name: string;
  readonly server: URL;
  /** Folder of sign-ins. */
  readonly folder: string;
  /** Keeps values out of everything that is stored and sent from now on. */
  readonly hideSecrets: (secrets: readonly string[]) => void;
  /** Is told what went wrong without ending anything. */
  readonly onDiagnostic: (text: string) => void;
}

/**
 * The sign-in at a server as requests use it: read anew for each, so that a sign-in or a renewal of
 * another process counts, and renewed before it ends. One renewal runs at a time, in all processes
 * together. Never begins a sign-in: that is for a person to wish.
 */
export class StoredAuthorization implements Authorization {
  readonly #ports: StoredAuthorizationPorts;
  #renewing: Promise<ServerSignIn> | undefined;
  /** A renewal that could not be stored. */
  #unstored: ServerSignIn | undefined;
  #hidden: string | undefined;
  /** When a renewal that failed is tried again, on the clock of `performance.now()`. */
  #tryAgainAt = 0;

  /** @param ports What it works with. */
  constructor(ports: StoredAuthorizationPorts) {
    this.#ports = ports;
  }

  async header(): Promise<string | undefined> {
    const { server } = this.#ports;
    if (server.protocol !== "https:" && !isLoopback(server)) return undefined;
    const signIn = await this.#read();
    if (signIn === null) return undefined;
    if (!isDue(signIn)) return `Bearer ${signIn.accessToken}`;
    if (signIn.endedAt !== undefined || signIn.refreshToken === undefined) {
      if (isValid(signIn)) return `Bearer ${signIn.accessToken}`;
      throw this.#signInNeeded("its sign-in has ended");
    }
    if (isValid(signIn) && performance.now() < this.#tryAgainAt) {
      return `Bearer ${signIn.accessToken}`;
    }
    try {
      return `Bearer ${(await this.#renewOnce(signIn.accessToken)).accessToken}`;
    } catch (error) {
      // It is renewed before its end, and counts until then.
      if (isValid(signIn) && !isSignInNeeded(error)) return `Bearer ${signIn.accessToken}`;
      throw error;
    }
  }

  async refused(
    { status, header }: Challenge,
    sent: string | undefined,
  ): Promise<"retry" | McpError> {
    const signIn = await this.#read();
    if (signIn === null) return this.#signInNeeded("it needs a sign-in");
    if (status === 403) return await this.#noteWanted(signIn, header);
    if (sent !== `Bearer ${signIn.accessToken}`) return "retry";
    if (signIn.refreshToken === undefined || signIn.endedAt !== undefined) {
      return this.#signInNeeded("it does not accept the sign-in any more");
    }
    try {
      await this.#renewOnce(signIn.accessToken);
      return "retry";
    } catch (error) {
      if (error instanceof McpError) return error;
      throw error;
    }
  }

  async #read(): Promise<ServerSignIn | null> {
    const { folder, server, hideSecrets } = this.#ports;
    const stored = await readSignIn(folder, server);
    const unstored = this.#unstored;
    const signIn = unstored !== undefined && stored?.clientId === unstored.clientId
      ? unstored
      : stored;
    if (signIn !== null && this.#hidden !== signIn.accessToken) {
      this.#hidden = signIn.accessToken;
      hideSecrets(secretsOfSignIn(signIn));
    }
    return signIn;
  }

  /** @param refused The token that is not to be used any more. */
  #renewOnce(refused: string): Promise<ServerSignIn> {
    this.#renewing ??= this.#renew(refused).finally(() => this.#renewing = undefined);
    return this.#renewing;
  }

  async #renew(refused: string): Promise<ServerSignIn> {
    const { folder, server } = this.#ports;
    const lock = await waitForLock(`${await signInPath(folder, server)}.renewal`);
    try {
      // Whoever held the lock may have done it.
      const signIn = await this.#read();
      if (signIn === null) throw this.#signInNeeded("it needs a sign-in");
      if (signIn.accessToken !== refused && !isDue(signIn)) return signIn;
      if (lock !== null) return await this.#renewNow(signIn);
      throw new McpError("timeout", "another process does not finish renewing the sign-in");
    } finally {
      lock?.release();
    }
  }

  async #renewNow(signIn: ServerSignIn): Promise<ServerSignIn> {
    try {
      const renewed = await this.#ask(signIn);
      return await this.#store(renewed);
    } catch (error) {
      const { reason, isFinal } = await explainOAuthFailure(error, secretsOfSignIn(signIn));
      if (isFinal) {
        await writeSignIn(this.#ports.folder, { ...signIn, endedAt: Date.now() }).catch(() => {});
        throw this.#signInNeeded(`its sign-in cannot be renewed: ${reason}`);
      }
      this.#tryAgainAt = performance.now() + PAUSE_MS;
      // What is behind the failure may hold tokens, so it goes no further.
      throw new McpError("unreachable", `its sign-in cannot be renewed now: ${reason}`);
    }
  }

  async #ask(signIn: ServerSignIn): Promise<ServerSignIn> {
    const oauth = await import("oauth4webapi");
    const { server, hideSecrets } = this.#ports;
    const { service, client } = serviceOf(signIn);
    const signal = AbortSignal.timeout(RENEWAL_LIMIT_MS);
    const fetchOAuth = createOAuthFetch(server, signal);
    const issuedAt = Date.now();
    const response = await oauth.refreshTokenGrantRequest(
      service,
      client,
      await clientAuthOf(signIn),
      signIn.refreshToken ?? "",
      {
        ...requestOptions(oauth, service, { signal, fetchOAuth }),
        additionalParameters: { resource: signIn.resource },
      },
    );
    const tokens = await oauth.processRefreshTokenResponse(service, client, response);
    const { expiresAt: _, ...rest } = signIn;
    const renewed = { ...rest, ...readTokenAnswer(tokens, signIn, issuedAt) };
    hideSecrets(secretsOfSignIn(renewed));
    return renewed;
  }

  async #store(signIn: ServerSignIn): Promise<ServerSignIn> {
    try {
      await writeSignIn(this.#ports.folder, signIn);
      this.#unstored = undefined;
    } catch {
      this.#unstored = signIn;
      this.#ports.onDiagnostic(
        "the renewed sign-in cannot be stored, so the next run may have to sign in again",
      );
    }
    return signIn;
  }

  /** More rights are asked for when the person signs in again, and not before. */
  async #noteWanted(signIn: ServerSignIn, header: string): Promise<McpError> {
    const { scopes } = readChallenge(header);
    const missing = scopes.filter((scope) => !signIn.scopes.includes(scope));
    if (missing.length > 0) {
      const wantedScopes = [...new Set([...signIn.wantedScopes ?? [], ...missing])];
      await writeSignIn(this.#ports.folder, { ...signIn, wantedScopes }).catch(() => {});
    }
    const rights = missing.length === 0 ? "" : ` (${missing.join(" ").slice(0, 200)})`;
    return this.#signInNeeded(`it wants more rights${rights} than the sign-in gives`);
  }

  #signInNeeded(reason: string): McpError {
    const { name } = this.#ports;
    return new McpError("sign_in_needed", `${reason}; sign in with: alisio mcp login ${name}`);
  }
}

function isSignInNeeded(error: unknown): boolean {
  return error instanceof McpError && error.code === "sign_in_needed";
}

function isDue({ expiresAt, issuedAt }: ServerSignIn): boolean {
  if (expiresAt === undefined) return false;
  const lifetimeMs = Math.max(0, expiresAt - issuedAt);
  return Date.now() >= expiresAt - Math.min(RENEW_BEFORE_MS, lifetimeMs * SHORT_PART);
}

function isValid({ expiresAt }: ServerSignIn): boolean {
  return (expiresAt ?? Infinity) > Date.now();
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
