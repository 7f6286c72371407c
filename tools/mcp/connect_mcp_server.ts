import {
  type McpClosed,
  type McpConnection,
  type McpConnectOptions,
  McpError,
} from "../../core/mcp/mcp_connection.ts";
import { basename } from "../../core/paths/path.ts";
import { untilAborted } from "../../core/until_aborted.ts";
import { Diagnostics, safeServerText } from "./diagnostics.ts";
import { NotificationDesk } from "./notification_desk.ts";
import type { Peer, PeerRequestHandler, RequestLimits } from "./protocol_peer.ts";
import { explainFailure } from "./explain_failure.ts";
import { serverSecrets } from "./server_secrets.ts";
import type { Transport } from "./transport.ts";

/** What bounds a connection, beside its settings. */
export interface ConnectionLimits {
  /** Longest message that is taken, in bytes. */
  readonly maxMessageBytes: number;
  /** Longest request with progress, as a multiple of the longest one without. */
  readonly totalFactor: number;
}

const LIMITS: ConnectionLimits = { maxMessageBytes: 32 * 1024 * 1024, totalFactor: 10 };
const MAX_TOTAL_MS = 86_400_000;

/**
 * Connects to a server: starts its program or reaches its address, and shakes hands. The library of
 * the protocol is loaded while the program starts.
 *
 * @param options The server, and whom it has to do with.
 * @param limits What bounds the connection.
 * @throws {McpError} If there is no connection. What there is of it is ended.
 */
export async function connectMcpServer(
  options: McpConnectOptions,
  limits: ConnectionLimits = LIMITS,
): Promise<McpConnection> {
  const { name, signal, timeoutMs } = options;
  const secrets = serverSecrets(options);
  options.hideSecrets(secrets.hidden);
  const stop = new AbortController();
  const cancel = () => stop.abort(new McpError("cancelled", "it was cancelled"));
  const timer = setTimeout(() => stop.abort(lateError(timeoutMs)), timeoutMs);
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  const attempt = new ConnectionAttempt(options, limits, secrets.values);
  try {
    stop.signal.throwIfAborted();
    return await untilAborted(attempt.connect(stop.signal), stop.signal);
  } catch (error) {
    throw explainFailure(`Cannot connect to MCP server "${name}"`, error, {
      safe: (text) => safeServerText(text, secrets.values),
      end: await attempt.giveUp(),
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
  }
}

function lateError(timeoutMs: number): McpError {
  return new McpError(
    "timeout",
    `it was not ready within ${timeoutMs / 1_000} seconds; raise "timeoutMs" of the server if it ` +
      "needs longer",
  );
}

async function isOlder(error: unknown): Promise<boolean> {
  const { mayBeOlder } = await import("./http/open_http.ts");
  return mayBeOlder(error);
}

/** One attempt to connect, and what there is of it. */
class ConnectionAttempt {
  readonly #options: McpConnectOptions;
  readonly #limits: ConnectionLimits;
  readonly #secrets: readonly string[];
  readonly #diagnostics: Diagnostics;
  #transport: Transport | undefined;

  constructor(options: McpConnectOptions, limits: ConnectionLimits, secrets: readonly string[]) {
    this.#options = options;
    this.#limits = limits;
    this.#secrets = secrets;
    const { name, onDiagnostic } = options;
    this.#diagnostics = new Diagnostics({ server: name, secrets, onDiagnostic });
  }

  /** Connects, in the older form of HTTP where the server knows no other. */
  async connect(signal: AbortSignal): Promise<McpConnection> {
    const failures: unknown[] = [];
    const ways = await this.#ways();
    for (const [index, way] of ways.entries()) {
      try {
        return await this.#connectBy(way(), signal);
      } catch (error) {
        failures.push(error);
        if (index === ways.length - 1 || signal.aborted || !await isOlder(error)) break;
        void this.#transport?.close();
      }
    }
    // What the form of today failed with says more than that there is no other.
    throw failures[0];
  }

  async #connectBy(transport: Transport, signal: AbortSignal): Promise<McpConnection> {
    const { name, onChanged, saveBlob, timeoutMs, settings } = this.#options;
    const diagnostics = this.#diagnostics;
    const tell = (text: string) => diagnostics.add(text);
    const safe = (text: string) => diagnostics.safe(text);
    const desk = new NotificationDesk({ onChanged, onDiagnostic: tell });
    this.#transport = transport;
    const peers: Peer[] = [];
    await transport.start({
      // Nobody is asked anything before the library is there.
      onMessage: (value) => peers[0]?.receive(value),
      onFailed: (id, error) => peers[0]?.fail(id, error),
      onDiagnostic: tell,
    }, signal);
    // The program starts meanwhile.
    const [{ createPeer }, { shakeHands }, { ServerConnection }] = await Promise.all([
      import("./protocol_peer.ts"),
      import("./handshake.ts"),
      import("./server_connection.ts"),
    ]);
    const peer = await createPeer({
      transport,
      handlers: await this.#handlers(),
      onNotification: (method, params) => desk.receive(method, params),
      onDiagnostic: tell,
    });
    peers.push(peer);
    void transport.closed.then(({ reason }) => {
      peer.end(reason);
      desk.close();
    });
    const shake = (handshakeSignal: AbortSignal) =>
      shakeHands(peer, {
        capabilities: this.#capabilities(),
        signal: handshakeSignal,
        limits: { idleMs: timeoutMs, totalMs: timeoutMs },
        safe,
        onVersion: (version) => transport.setProtocolVersion(version),
      });
    return new ServerConnection({
      name,
      transport,
      peer,
      handshake: await shake(signal),
      renew: async () => {
        const handshake = await shake(new AbortController().signal);
        for (const list of ["tools", "resources", "prompts"] as const) desk.changed(list);
        return handshake;
      },
      limits: this.#requestLimits(settings.callTimeoutMs),
      safe,
      results: saveBlob === undefined ? {} : { saveBlob },
    });
  }

  /** Ends what there is. Answers why, as far as the server had a part in it. */
  async giveUp(): Promise<McpClosed | undefined> {
    const transport = this.#transport;
    if (transport === undefined) return undefined;
    // The person does not wait for a program that takes its time to end.
    void transport.close();
    return await transport.closed;
  }

  async #ways(): Promise<readonly (() => Transport)[]> {
    const { name, settings, workspace, env } = this.#options;
    const { maxMessageBytes } = this.#limits;
    const secrets = this.#secrets;
    if (settings.transport === "stdio") {
      const { StdioTransport } = await import("./stdio_transport.ts");
      return [
        () => new StdioTransport({ name, settings, workspace, env, secrets, maxMessageBytes }),
      ];
    }
    const { httpTransports } = await import("./http/open_http.ts");
    const safe = (text: string) => safeServerText(text, secrets);
    const diagnostics = this.#diagnostics;
    const onDiagnostic = (text: string) => diagnostics.add(text);
    return await httpTransports({ options: this.#options, safe, maxMessageBytes, onDiagnostic });
  }

  #capabilities(): Readonly<Record<string, unknown>> {
    return {
      roots: { listChanged: false },
      ...(this.#options.ask === undefined ? {} : { elicitation: { form: {}, url: {} } }),
    };
  }

  #requestLimits(idleMs: number): RequestLimits {
    const totalMs = Math.max(idleMs, Math.min(MAX_TOTAL_MS, idleMs * this.#limits.totalFactor));
    return { idleMs, totalMs };
  }

  async #handlers(): Promise<Readonly<Record<string, PeerRequestHandler>>> {
    const { name, ask, roots, onDiagnostic } = this.#options;
    const always: Readonly<Record<string, PeerRequestHandler>> = {
      ping: () => Promise.resolve({}),
      "roots/list": async () => {
        const { pathToFileURL } = await import("node:url");
        return {
          roots: roots.map((path) => ({ uri: pathToFileURL(path).href, name: basename(path) })),
        };
      },
    };
    if (ask === undefined) return always;
    const { createElicitor } = await import("./elicitation/create_elicitor.ts");
    const elicit = createElicitor({ server: name, ask, onDiagnostic });
    return {
      ...always,
      "elicitation/create": async (params, signal) => ({ ...await elicit(params, signal) }),
    };
  }
}
