import type { ToolResult } from "@alisio/sdk";
import type { McpServerSettings, McpSettings } from "../config/configuration.ts";
import { errorMessage } from "../errors.ts";
import { settlesWithin } from "../process/settles_within.ts";
import type { HostToolContext } from "../tools/host_tool.ts";
import type { InputValidator } from "../tools/input_validator.ts";
import type { ToolRegistry } from "../tools/tool_registry.ts";
import type { QuestionAsker } from "../tools/user_question.ts";
import { untilAborted } from "../until_aborted.ts";
import { askConsent } from "./ask_consent.ts";
import { type FoundTool, McpCatalog } from "./mcp_catalog.ts";
import {
  type McpConnectOptions,
  McpError,
  type McpListing,
  type McpPrompt,
  type McpRequestOptions,
  type McpResource,
} from "./mcp_connection.ts";
import type { McpDesk } from "./mcp_desk.ts";
import type { SignInPorts } from "../provider/auth/sign_in.ts";
import type { McpParts, McpSignedIn, McpSignedOut } from "./mcp_parts.ts";
import { McpServer } from "./mcp_server.ts";
import type { McpPermission, McpServerStatus, McpToolStatus } from "./mcp_state.ts";

/** What the servers of an application need from around them. */
export interface ApplicationMcpPorts {
  readonly settings: McpSettings;
  readonly parts: McpParts;
  readonly registry: ToolRegistry;
  /** Who consented before the application was opened. */
  readonly consent?: "flag" | "global";
  /** Puts questions to the person; absent where nobody is there. */
  readonly ask?: QuestionAsker;
  /** What each connection is made with. */
  readonly common: Omit<
    McpConnectOptions,
    "name" | "settings" | "signal" | "timeoutMs" | "onChanged" | "onDiagnostic" | "ask"
  >;
  readonly validate: InputValidator;
  /** Takes configured secrets out of a text. */
  readonly redact: (text: string) => string;
  readonly notify: (notice: string) => void;
}

/** How long all connections together may take to end. */
const CLOSE_MS = 1_500;

/** The MCP servers of one application, and whether they may be used. */
export class ApplicationMcp implements McpDesk {
  readonly #ports: ApplicationMcpPorts;
  readonly #servers: ReadonlyMap<string, McpServer>;
  readonly #catalog: McpCatalog;
  readonly #watchers = new Set<() => void>();
  #consent: McpPermission["source"];
  #consenting: Promise<boolean> | undefined;
  #starting: Promise<void> | undefined;
  #startedAt = 0;

  /**
   * Registers the tools that look after servers. Starts and reaches nothing.
   *
   * @param ports What they need from around them.
   */
  constructor(ports: ApplicationMcpPorts) {
    const { settings, parts, registry, validate, notify } = ports;
    this.#ports = ports;
    this.#consent = ports.consent;
    this.#catalog = new McpCatalog({
      registry,
      adaptSchema: parts.adaptSchema,
      validate,
      maxToolChars: settings.maxToolChars,
      notify,
    });
    this.#servers = new Map(
      Object.entries(settings.servers).map(([name, server]) => [
        name,
        new McpServer({
          name,
          settings: server,
          connect: parts.connect,
          common: { ...ports.common, ...(ports.ask === undefined ? {} : { ask: ports.ask }) },
          redact: ports.redact,
          onChanged: () => this.#changed(),
          notify,
        }),
      ]),
    );
    for (const tool of parts.createTools(this)) registry.registerBuiltin(tool);
  }

  /** Whether servers may be started and reached, and who said so. */
  permission(): McpPermission {
    return this.#consent === undefined
      ? { isGranted: false }
      : { isGranted: true, source: this.#consent };
  }

  /**
   * Lets servers be started and reached from now on. Only for what a person said.
   *
   * @param source For this session, or for all that follow, where that is stored.
   */
  grant(source: "session" | "global"): void {
    this.#consent = source;
    this.#changed();
  }

  /** Takes the consent back and ends every connection. Never rejects. */
  async revoke(): Promise<void> {
    this.#consent = undefined;
    await Promise.all(
      [...this.#servers.values()].map((server) =>
        server.isEnabled ? server.disconnect() : undefined
      ),
    );
  }

  /** Every configured server, those that are switched off among them. */
  servers(): readonly McpServerStatus[] {
    return [...this.#servers.values()].map((server) => server.status());
  }

  /** Names of the servers that are switched on. */
  serverNames(): readonly string[] {
    return [...this.#servers.values()].filter(({ isEnabled }) => isEnabled).map(({ name }) => name);
  }

  /**
   * The tools that are loaded.
   *
   * @param server Of this server alone.
   */
  tools(server?: string): readonly McpToolStatus[] {
    return this.#catalog.list().filter((tool) => server === undefined || tool.server === server);
  }

  /** Whether tools are found by searching, because they are too many to be sent. */
  get isSearched(): boolean {
    return this.#catalog.isSearched;
  }

  /**
   * Watches what servers are doing.
   *
   * @param watcher Called after each change.
   * @returns Ends it.
   */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Connects, with consent, every server that is switched on. Nobody need wait for it. */
  start(): void {
    if (this.#consent === undefined || this.#starting !== undefined) return;
    this.#startedAt = performance.now();
    const signal = new AbortController().signal;
    const servers = [...this.#servers.values()].filter(({ isEnabled }) => isEnabled);
    this.#starting = Promise.all(
      servers.map(async (server) => {
        try {
          await server.connect(signal);
        } catch (error) {
          if (server.status().state === "disconnected") return;
          this.#ports.notify(errorMessage(error));
        }
      }),
    ).then(() => {});
  }

  /**
   * Waits for the servers that connect by themselves, but no longer than the configuration says: a
   * slow one brings its tools later. Never rejects.
   *
   * @param signal Ends the wait.
   */
  async settled(signal?: AbortSignal): Promise<void> {
    if (this.#starting === undefined) return;
    const { startupWaitMs } = this.#ports.settings;
    const leftMs = this.#startedAt + startupWaitMs - performance.now();
    if (leftMs <= 0) return;
    const waiting = settlesWithin(this.#starting, leftMs);
    await (signal === undefined ? waiting : untilAborted(waiting, signal)).catch(() => {});
  }

  /**
   * Connects a server at a person's wish.
   *
   * @param name The server.
   * @param signal Ends the wait.
   * @throws {McpError} If it cannot be connected, or nobody consented.
   */
  async connectServer(name: string, signal: AbortSignal): Promise<void> {
    const server = this.#server(name);
    if (this.#consent === undefined) throw this.#noConsent();
    await server.connect(signal, "none");
  }

  /**
   * Signs in at a server at a person's wish. Nothing is connected by it.
   *
   * @param name The server.
   * @param ports Show the person what to do, and ask them.
   * @throws {SignInError} If that fails; nothing is stored then.
   * @throws {McpError} If nobody consented.
   */
  async signIn(name: string, ports: SignInPorts): Promise<McpSignedIn> {
    const { settings } = this.#server(name);
    if (this.#consent === undefined) throw this.#noConsent();
    const { parts, common: { env, signInFolder, hideSecrets } } = this.#ports;
    return await parts.signIn({ name, settings, env, folder: signInFolder, hideSecrets }, ports);
  }

  /**
   * Whether a sign-in at a server is stored.
   *
   * @param name The server.
   */
  async isSignedIn(name: string): Promise<boolean> {
    const { parts, common: { signInFolder } } = this.#ports;
    return await parts.isSignedIn(this.#server(name).settings, signInFolder);
  }

  /**
   * Forgets the sign-in at a server, and has it revoked where that is offered. Ends its connection.
   *
   * @param name The server.
   * @returns What became of it.
   */
  async signOut(name: string): Promise<McpSignedOut> {
    const server = this.#server(name);
    const { parts, common: { signInFolder } } = this.#ports;
    const outcome = await parts.signOut(server.settings, signInFolder);
    await server.disconnect();
    return outcome;
  }

  /**
   * Takes note of what the files say now: a connected server that is configured in another way than
   * it was connected wants a reload.
   *
   * @param settings What they say.
   */
  noteConfiguration({ servers }: Pick<McpSettings, "servers">): void {
    for (const server of this.#servers.values()) {
      const now = servers[server.name];
      const isSame = now !== undefined && settingsText(now) === settingsText(server.settings);
      server.noteConfiguration(
        isSame
          ? undefined
          : now === undefined
          ? "It is not configured any more; /reload ends it"
          : "Its configuration has changed since it was connected; /reload takes the new one",
      );
    }
  }

  /**
   * Ends the connection of a server. Never rejects.
   *
   * @param name The server.
   */
  async disconnectServer(name: string): Promise<void> {
    await this.#servers.get(name)?.disconnect();
  }

  /**
   * Switches a server on or off until the application closes; no file is changed.
   *
   * @param name The server.
   * @param isEnabled What it is to be.
   */
  async setEnabled(name: string, isEnabled: boolean): Promise<void> {
    await this.#server(name).setEnabled(isEnabled);
  }

  /** Connects a server for a call of the model. */
  async connect(name: string, context: HostToolContext): ReturnType<McpDesk["connect"]> {
    const server = await this.#usable(name, context);
    await server.connect(context.signal);
    const { instructions } = server;
    return {
      status: server.status(),
      ...(instructions === undefined ? {} : { instructions }),
      tools: this.tools(name).map((tool) => tool.name),
    };
  }

  /** Finds tools, which are offered to the session from its next request on. */
  search(query: string, sessionId: string): readonly FoundTool[] {
    return this.#catalog.search(query, sessionId);
  }

  /** Resources of a server. */
  async listResources(name: string, context: HostToolContext): Promise<McpListing<McpResource>> {
    return await (await this.#usable(name, context)).listResources(optionsOf(context));
  }

  /** A resource of a server. */
  async readResource(name: string, uri: string, context: HostToolContext): Promise<ToolResult> {
    return await (await this.#usable(name, context)).readResource(uri, optionsOf(context));
  }

  /** Prompts of a server. */
  async listPrompts(name: string, context: HostToolContext): Promise<McpListing<McpPrompt>> {
    return await (await this.#usable(name, context)).listPrompts(optionsOf(context));
  }

  /** A prompt of a server, filled in. */
  async getPrompt(
    name: string,
    prompt: { readonly name: string; readonly values: Readonly<Record<string, string>> },
    context: HostToolContext,
  ): Promise<ToolResult> {
    const server = await this.#usable(name, context);
    return await server.getPrompt(prompt.name, prompt.values, optionsOf(context));
  }

  /** Ends every connection, within its time. Never rejects. */
  async close(): Promise<void> {
    this.#watchers.clear();
    const closing = Promise.all([...this.#servers.values()].map((server) => server.close()));
    await settlesWithin(closing, CLOSE_MS);
  }

  /** A server that the person lets be used; they are asked where nobody has been. */
  async #usable(name: string, context: HostToolContext): Promise<McpServer> {
    const server = this.#server(name);
    if (this.#consent !== undefined) return server;
    const { ask } = this.#ports;
    if (ask === undefined) throw this.#noConsent();
    this.#consenting ??= askConsent(ask, { server, servers: this.serverNames() }, context)
      .finally(() => this.#consenting = undefined);
    if (!await untilAborted(this.#consenting, context.signal)) {
      throw new McpError(
        "refused",
        "The person does not want MCP servers to be used now; go on without them",
      );
    }
    this.grant("session");
    return server;
  }

  #server(name: string): McpServer {
    const server = this.#servers.get(name);
    if (server !== undefined) return server;
    const names = this.serverNames().map((each) => `"${each}"`).join(", ");
    throw new McpError("refused", `There is no MCP server "${name}"; there are: ${names}`);
  }

  #noConsent(): McpError {
    return new McpError(
      "refused",
      "Cannot use MCP servers: nobody consented to start and reach them",
    );
  }

  #changed(): void {
    this.#catalog.update([...this.#servers.values()]);
    this.#ports.registry.offerAgain();
    for (const watcher of this.#watchers) watcher();
  }
}

/** Whether it is switched on is a fact of its own. */
function settingsText(settings: McpServerSettings): string {
  const entries = Object.entries({ ...settings, enabled: true });
  return JSON.stringify(entries.toSorted(([a], [b]) => a < b ? -1 : 1));
}

function optionsOf({ signal }: HostToolContext): McpRequestOptions {
  return { signal };
}
