import type { ToolResult } from "@alisio/sdk";
import type { McpServerSettings } from "../config/configuration.ts";
import { Countdown } from "../countdown.ts";
import { errorMessage } from "../errors.ts";
import { visibleLines } from "../process/visible_text.ts";
import { settlesWithin } from "../process/settles_within.ts";
import { previewText } from "../text/bound_text.ts";
import type { QuestionAsker } from "../tools/user_question.ts";
import { untilAborted } from "../until_aborted.ts";
import {
  type McpConnection,
  type McpConnectOptions,
  type McpConnector,
  McpError,
  type McpListing,
  type McpPrompt,
  type McpRequestOptions,
  type McpResource,
  type McpTool,
} from "./mcp_connection.ts";
import type { McpServerStatus, McpState } from "./mcp_state.ts";

/** A tool of a server, with what it is told apart by when the server changes it. */
export interface LoadedTool extends McpTool {
  /** Another one for every change of what a model or a person is told of the tool. */
  readonly revision: string;
}

/** What one server needs from around it. */
export interface McpServerPorts {
  readonly name: string;
  readonly settings: McpServerSettings;
  readonly connect: McpConnector;
  /** What each connection is made with, whatever the server is. */
  readonly common: Pick<
    McpConnectOptions,
    "workspace" | "roots" | "env" | "signInFolder" | "ask" | "saveBlob" | "hideSecrets"
  >;
  /**
   * Takes configured secrets out of a text: a program could read any of them.
   *
   * @default Leaves it as it is.
   */
  readonly redact?: (text: string) => string;
  /** Told that its state or its tools have changed. */
  readonly onChanged: () => void;
  /** Told what a person should know, one sentence each. */
  readonly notify: (notice: string) => void;
  /**
   * First pause after a failure; doubles with each further one.
   *
   * @default 500
   */
  readonly backOffMs?: number;
}

const BACK_OFF_MS = 500;
const MAX_BACK_OFF_MS = 30_000;
/** A call waits so long at most before a connection is tried again. */
const MAX_PATIENCE_MS = 5_000;
/** A server that sends changes without end is listened to so often at most. */
const RELIST_PAUSE_MS = 500;
/** A call waits for so many lists at most. */
const MAX_ROUNDS = 4;
const MAX_REASON_CHARS = 1_000;
const MAX_NOTICES = 20;
/** How long a connection may take to end. */
const CLOSE_MS = 800;

/** One server: its connection, its tools, and what it is doing. */
export class McpServer {
  readonly #ports: McpServerPorts;
  #isEnabled: boolean;
  #state: McpState;
  #reason: string | undefined;
  #errorTail: string | undefined;
  #connection: McpConnection | undefined;
  #connecting: Promise<McpConnection> | undefined;
  #giveUp: AbortController | undefined;
  #tools: ReadonlyMap<string, LoadedTool> = new Map();
  #faults: readonly string[] = [];
  #failures = 0;
  #failedAt = 0;
  /** Its tools are being listed again, because the server said that they changed. */
  #listing: Promise<void> | undefined;
  #listedAt = 0;
  #isListStale = false;
  #notices = 0;
  #isClosed = false;
  /** How often it was disconnected: whoever waits to connect it meanwhile gives up. */
  #ends = 0;
  #named: Pick<McpServerStatus, "serverName" | "serverVersion"> = {};
  /** Limits of the requests that are under way. */
  readonly #limits = new Set<Limit>();
  /** Questions of the server that the person has not answered. */
  #openQuestions = 0;

  /**
   * Connects nothing yet.
   *
   * @param ports What it needs from around it.
   */
  constructor(ports: McpServerPorts) {
    this.#ports = ports;
    this.#isEnabled = ports.settings.enabled;
    this.#state = this.#isEnabled ? "disconnected" : "disabled";
  }

  /** Its name in the configuration. */
  get name(): string {
    return this.#ports.name;
  }

  /** Its configuration. */
  get settings(): McpServerSettings {
    return this.#ports.settings;
  }

  /** Whether it may be connected. */
  get isEnabled(): boolean {
    return this.#isEnabled;
  }

  /** Its tools as they were last listed, also after its connection has ended. */
  get tools(): readonly LoadedTool[] {
    return [...this.#tools.values()];
  }

  /** What it tells a model to know of it. */
  get instructions(): string | undefined {
    const instructions = this.#connection?.instructions;
    return instructions === undefined ? undefined : this.#redact(instructions);
  }

  /** What a person is shown of it. */
  status(): McpServerStatus {
    const offers = this.#connection?.offers;
    return {
      name: this.name,
      transport: this.settings.transport,
      enabled: this.#isEnabled,
      state: this.#state,
      ...(this.#reason === undefined ? {} : { reason: this.#reason }),
      ...(this.#errorTail === undefined ? {} : { errorTail: this.#errorTail }),
      tools: this.#tools.size,
      faults: this.#faults,
      ...this.#named,
      ...(offers === undefined ? {} : { offers }),
    };
  }

  /**
   * Connects, or goes on with what is being done already; several who ask share one attempt, and
   * whoever gives up ends their own wait alone.
   *
   * @param signal Ends the wait.
   * @param patience Whether a pause after failures is kept; a person's wish does without.
   * @throws {McpError} If it cannot be connected.
   */
  async connect(signal: AbortSignal, patience: "keep" | "none" = "keep"): Promise<McpConnection> {
    if (this.#connection !== undefined) return this.#connection;
    if (!this.#isEnabled) {
      throw new McpError("refused", `Cannot use MCP server "${this.name}": it is switched off`);
    }
    if (patience === "none") this.#failures = 0;
    const ends = this.#ends;
    if (this.#connecting === undefined) await this.#backOff(signal);
    signal.throwIfAborted();
    if (ends !== this.#ends) throw this.#wasDisconnected();
    // Another one may have begun meanwhile.
    const connection = this.#connection;
    if (connection !== undefined) return connection;
    this.#connecting ??= this.#open().finally(() => this.#connecting = undefined);
    this.#connecting.catch(() => {});
    return await untilAborted(this.#connecting, signal);
  }

  /**
   * Calls a tool, connecting first where the connection has ended. Nothing is ever called twice.
   *
   * @param tool The tool as the model was shown it.
   * @param input What is sent.
   * @param options What limits the call.
   * @throws {McpError} If it is not run, or gave no answer.
   */
  async callTool(
    tool: LoadedTool,
    input: Readonly<Record<string, unknown>>,
    options: McpRequestOptions,
  ): Promise<ToolResult> {
    const connection = await this.connect(options.signal);
    const current = (await this.#currentTools(options.signal)).get(tool.name);
    if (current === undefined) {
      throw new McpError("refused", `Not run: server "${this.name}" has no such tool any more`);
    }
    if (current.revision !== tool.revision) {
      throw new McpError(
        "refused",
        `Not run: server "${this.name}" changed this tool since you were given it; read what it ` +
          "is now, and call it again if that still fits",
      );
    }
    const result = await this.#request(
      options,
      (limits) => connection.callTool(tool.name, input, limits),
    );
    this.#failures = 0;
    return result;
  }

  /** Its resources. */
  async listResources(options: McpRequestOptions): Promise<McpListing<McpResource>> {
    const connection = await this.#offering("resources", options.signal);
    return await this.#request(options, (limits) => connection.listResources(limits));
  }

  /** One of its resources. */
  async readResource(uri: string, options: McpRequestOptions): Promise<ToolResult> {
    const connection = await this.#offering("resources", options.signal);
    return await this.#request(options, (limits) => connection.readResource(uri, limits));
  }

  /** Its prompts. */
  async listPrompts(options: McpRequestOptions): Promise<McpListing<McpPrompt>> {
    const connection = await this.#offering("prompts", options.signal);
    return await this.#request(options, (limits) => connection.listPrompts(limits));
  }

  /** One of its prompts, filled in. */
  async getPrompt(
    name: string,
    values: Readonly<Record<string, string>>,
    options: McpRequestOptions,
  ): Promise<ToolResult> {
    const connection = await this.#offering("prompts", options.signal);
    return await this.#request(options, (limits) => connection.getPrompt(name, values, limits));
  }

  /**
   * Switches it on or off; what is connected is ended.
   *
   * @param isEnabled What it is to be.
   */
  async setEnabled(isEnabled: boolean): Promise<void> {
    this.#isEnabled = isEnabled;
    if (isEnabled) {
      if (this.#state === "disabled") this.#enter("disconnected");
      return;
    }
    await this.disconnect("disabled");
  }

  /**
   * Takes note of whether a server that is connected is still configured as it was connected.
   *
   * @param reason Why it is not, one sentence; undefined where it is.
   */
  noteConfiguration(reason: string | undefined): void {
    if (this.#connection === undefined) return;
    if (reason !== undefined && this.#state === "connected") this.#enter("needs_restart", reason);
    if (reason === undefined && this.#state === "needs_restart") this.#enter("connected");
  }

  /**
   * Ends its connection and takes its tools away. Never rejects.
   *
   * @param state What it is then.
   */
  async disconnect(state: "disconnected" | "disabled" = "disconnected"): Promise<void> {
    this.#ends += 1;
    this.#giveUp?.abort(this.#wasDisconnected());
    const connection = this.#connection;
    this.#connection = undefined;
    this.#tools = new Map();
    this.#faults = [];
    this.#failures = 0;
    this.#errorTail = undefined;
    this.#enter(state);
    if (connection !== undefined) await settlesWithin(connection.close(), CLOSE_MS);
  }

  /** Ends everything for good, within its time. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const opening = this.#connecting?.catch(() => {});
    await this.disconnect();
    if (opening !== undefined) await settlesWithin(opening, CLOSE_MS);
  }

  #wasDisconnected(): McpError {
    return new McpError("cancelled", `MCP server "${this.name}" was disconnected`);
  }

  async #backOff(signal: AbortSignal): Promise<void> {
    if (this.#failures === 0) return;
    const { backOffMs = BACK_OFF_MS } = this.#ports;
    const pauseMs = Math.min(MAX_BACK_OFF_MS, backOffMs * 2 ** (this.#failures - 1));
    const leftMs = this.#failedAt + pauseMs - performance.now();
    if (leftMs <= 0) return;
    if (leftMs > MAX_PATIENCE_MS) {
      throw new McpError(
        "unreachable",
        `Cannot use MCP server "${this.name}": it failed ${this.#failures} times, the last time ` +
          `because ${this.#reason ?? "it ended"}; try again in ${Math.ceil(leftMs / 1_000)} s`,
      );
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, leftMs);
    await untilAborted(promise, signal).finally(() => clearTimeout(timer));
  }

  async #open(): Promise<McpConnection> {
    const giveUp = new AbortController();
    this.#giveUp = giveUp;
    this.#errorTail = undefined;
    this.#enter("connecting");
    try {
      const connection = await this.#handshake(giveUp.signal);
      if (this.#isClosed || giveUp.signal.aborted) {
        await connection.close();
        throw giveUp.signal.reason ?? new McpError("closed", "Alisio is closing");
      }
      this.#connection = connection;
      this.#named = {
        serverName: this.#safe(connection.serverName),
        serverVersion: this.#safe(connection.serverVersion),
      };
      void connection.closed.then((end) => this.#ended(connection, end));
      await this.#list(connection, giveUp.signal);
      if (this.#connection !== connection) {
        throw new McpError(
          "closed",
          `MCP server "${this.name}" ended: ${this.#reason ?? "closed"}`,
        );
      }
      this.#enter("connected");
      return connection;
    } catch (error) {
      if (this.#state === "connecting" && !giveUp.signal.aborted) this.#fail(error);
      throw error;
    } finally {
      if (this.#giveUp === giveUp) this.#giveUp = undefined;
    }
  }

  async #handshake(signal: AbortSignal): Promise<McpConnection> {
    const { settings, connect, common, name } = this.#ports;
    const { timeoutMs } = settings;
    const { ask } = common;
    return await limited(
      { signal, limitMs: timeoutMs, isLate: () => this.#tooSlow(timeoutMs) },
      (limit) =>
        connect({
          ...common,
          ...(ask === undefined ? {} : { ask: this.#unhurried(ask) }),
          name,
          settings,
          signal: limit.signal,
          timeoutMs,
          onChanged: (list) => {
            if (list === "tools") this.#toolsChanged();
          },
          onDiagnostic: (text) => this.#diagnose(text),
        }),
      // Whoever was late must not stay.
      (late) => void late.close(),
    );
  }

  /** A server that waits for the person is not silent: no request ends while they think. */
  #unhurried(ask: QuestionAsker): QuestionAsker {
    return async (questions, about) => {
      this.#openQuestions += 1;
      for (const limit of this.#limits) limit.pause();
      try {
        return await ask(questions, about);
      } finally {
        this.#openQuestions -= 1;
        if (this.#openQuestions === 0) { for (const limit of this.#limits) limit.restart(); }
      }
    };
  }

  #tooSlow(timeoutMs: number): McpError {
    return new McpError(
      "timeout",
      `Cannot connect MCP server "${this.name}": it was not ready within ${timeoutMs / 1_000} s; ` +
        `if it needs longer, raise "mcp.servers.${this.name}.timeoutMs"`,
    );
  }

  async #offering(
    what: "resources" | "prompts",
    signal: AbortSignal,
  ): Promise<McpConnection> {
    const connection = await this.connect(signal);
    if (connection.offers[what]) return connection;
    throw new McpError("refused", `MCP server "${this.name}" offers no ${what}`);
  }

  async #request<T>(
    { signal, onProgress }: McpRequestOptions,
    send: (options: McpRequestOptions) => Promise<T>,
  ): Promise<T> {
    const { callTimeoutMs } = this.settings;
    return await limited({
      signal,
      limitMs: callTimeoutMs,
      isLate: () =>
        new McpError(
          "timeout",
          `MCP server "${this.name}" gave no answer and no news for ${
            callTimeoutMs / 1_000
          } s, so ` +
            "the request was cancelled; it may or may not have had its effect",
        ),
    }, async (limit) => {
      this.#limits.add(limit);
      if (this.#openQuestions > 0) limit.pause();
      try {
        return await send({
          signal: limit.signal,
          onProgress: (progress) => {
            if (this.#openQuestions === 0) limit.restart();
            onProgress?.(progress);
          },
        });
      } finally {
        this.#limits.delete(limit);
      }
    });
  }

  #toolsChanged(): void {
    this.#isListStale = true;
    const connection = this.#connection;
    if (connection === undefined || this.#listing !== undefined) return;
    this.#listing = this.#listAgain(connection).finally(() => {
      this.#listing = undefined;
      if (this.#isListStale) this.#toolsChanged();
    });
  }

  /** A server that sends changes all the time is not asked all the time. Never rejects. */
  async #listAgain(connection: McpConnection): Promise<void> {
    const pauseMs = this.#listedAt + RELIST_PAUSE_MS - performance.now();
    if (pauseMs > 0) await settlesWithin(connection.closed, pauseMs);
    if (this.#connection !== connection) return;
    try {
      await this.#list(connection, new AbortController().signal);
    } catch (error) {
      if (this.#connection === connection) this.#fail(error);
    }
  }

  /** A call is held against the tools that the server has now. */
  async #currentTools(signal: AbortSignal): Promise<ReadonlyMap<string, LoadedTool>> {
    for (let round = 0; this.#listing !== undefined; round++) {
      if (round === MAX_ROUNDS) {
        throw new McpError(
          "refused",
          `Not run: server "${this.name}" keeps changing its tools; try again later`,
        );
      }
      await untilAborted(this.#listing, signal);
    }
    return this.#tools;
  }

  async #list(connection: McpConnection, signal: AbortSignal): Promise<void> {
    this.#isListStale = false;
    this.#listedAt = performance.now();
    if (!connection.offers.tools) return this.#take([], []);
    try {
      const { entries, faults } = await this.#request(
        { signal },
        (options) => connection.listTools(options),
      );
      if (this.#connection === connection) this.#take(entries, faults);
    } catch (error) {
      if (error instanceof McpError && error.code === "sign_in_needed") throw error;
      if (signal.aborted || this.#connection !== connection) throw error;
      this.#take([], [`Its tools could not be listed: ${errorMessage(error)}`]);
    }
  }

  #take(entries: readonly McpTool[], faults: readonly string[]): void {
    this.#tools = new Map(
      entries.map((tool) => {
        const shown = this.#shown(tool);
        return [tool.name, { ...shown, revision: revisionOf(shown) }];
      }),
    );
    this.#faults = faults.map((fault) => this.#safe(fault));
    this.#ports.onChanged();
  }

  /** What a connection leaves behind: its tools stay on offer, and the next call connects again. */
  #ended(
    connection: McpConnection,
    { reason, errorTail }: { readonly reason: string; readonly errorTail?: string },
  ): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#failures += 1;
    this.#failedAt = performance.now();
    if (errorTail !== undefined) this.#errorTail = this.#redact(errorTail);
    this.#enter("failed", this.#safe(reason));
  }

  #fail(error: unknown): void {
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection !== undefined) void connection.close();
    this.#failures += 1;
    this.#failedAt = performance.now();
    const needsSignIn = error instanceof McpError && error.code === "sign_in_needed";
    this.#enter(needsSignIn ? "needs_authentication" : "failed", this.#safe(errorMessage(error)));
  }

  #diagnose(text: string): void {
    this.#notices += 1;
    if (this.#notices > MAX_NOTICES) return;
    const end = this.#notices === MAX_NOTICES ? "; it is not listened to any more" : "";
    this.#ports.notify(`${this.#safe(text)}${end}`);
  }

  /** The tool as a model and a person may read it; what it is called by stays. */
  #shown(tool: McpTool): McpTool {
    const { name, ...rest } = tool;
    const redacted = JSON.parse(
      JSON.stringify(rest, (_, value) => typeof value === "string" ? this.#redact(value) : value),
    );
    return { name, ...redacted };
  }

  #redact(text: string): string {
    return this.#ports.redact?.(text) ?? text;
  }

  #safe(text: string): string {
    return previewText(visibleLines(this.#redact(text)), MAX_REASON_CHARS);
  }

  #enter(state: McpState, reason?: string): void {
    this.#state = state;
    this.#reason = reason;
    this.#ports.onChanged();
  }
}

/** What changes with everything that a model or a person is told of a tool. */
function revisionOf({ title, description, inputSchema, annotations }: McpTool): string {
  return JSON.stringify([title, description, inputSchema, annotations]);
}

/** The time that something may take. */
interface Limit {
  /** Aborted when the time is over. */
  readonly signal: AbortSignal;
  /** Lets no time pass until it is counted from the beginning. */
  readonly pause: () => void;
  /** Counts from the beginning. */
  readonly restart: () => void;
}

/**
 * Does something that must end within a time, whether or not it listens to its signal.
 *
 * @param bounds Ends it, how long it may take, and what is thrown when it is late.
 * @param work What is done.
 * @param discard Takes what comes too late.
 */
async function limited<T>(
  { signal, limitMs, isLate }: {
    readonly signal: AbortSignal;
    readonly limitMs: number;
    readonly isLate: () => McpError;
  },
  work: (limit: Limit) => Promise<T>,
  discard?: (late: T) => void,
): Promise<T> {
  const controller = new AbortController();
  const stop = () => controller.abort(signal.reason);
  const countdown = new Countdown(() => controller.abort(isLate()));
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  else countdown.start(limitMs);
  try {
    controller.signal.throwIfAborted();
    const running = work({
      signal: controller.signal,
      pause: () => countdown.stop(),
      restart: () => {
        if (!controller.signal.aborted) countdown.start(limitMs);
      },
    });
    try {
      return await untilAborted(running, controller.signal);
    } catch (error) {
      if (controller.signal.aborted) running.then(discard, () => {});
      throw controller.signal.aborted ? controller.signal.reason : error;
    }
  } finally {
    countdown.stop();
    signal.removeEventListener("abort", stop);
  }
}
