import type { ToolResult } from "@alisio/sdk";
import {
  type McpClosed,
  type McpConnection,
  McpError,
  type McpListing,
  type McpPrompt,
  type McpRequestOptions,
  type McpResource,
  type McpTool,
} from "../../core/mcp/mcp_connection.ts";
import { untilAborted } from "../../core/until_aborted.ts";
import { AnsweredError } from "./answered_error.ts";
import { checkPrompt, checkResource, checkTool } from "./check_entries.ts";
import { explainFailure } from "./explain_failure.ts";
import type { Handshake } from "./handshake.ts";
import { SessionLostError } from "./http/http_errors.ts";
import type { Peer, PeerRequest, RequestLimits } from "./protocol_peer.ts";
import { type CheckedEntry, readPages } from "./read_pages.ts";
import { mapPromptResult } from "./results/map_prompt_result.ts";
import { mapResourceResult } from "./results/map_resource_result.ts";
import { mapToolResult } from "./results/map_tool_result.ts";
import type { ResultPorts } from "./results/result_parts.ts";
import type { Transport } from "./transport.ts";

const METHOD_NOT_FOUND_CODE = -32_601;

/** What a connection works with. */
export interface ServerConnectionPorts {
  /** Name of the server in the configuration. */
  readonly name: string;
  readonly transport: Transport;
  readonly peer: Peer;
  readonly handshake: Handshake;
  /** Shakes hands once more, when the server has lost the session. */
  readonly renew: () => Promise<Handshake>;
  readonly limits: RequestLimits;
  /** Makes a text that the server wrote safe and short. */
  readonly safe: (text: string) => string;
  readonly results: ResultPorts;
}

/** A connection to a server that has shaken hands. */
export class ServerConnection implements McpConnection {
  readonly serverName: string;
  readonly serverVersion: string;
  readonly instructions?: string;
  readonly offers: McpConnection["offers"];
  readonly #ports: ServerConnectionPorts;
  #end: McpClosed | undefined;
  #renewing: Promise<void> | undefined;

  /** @param ports What it works with. */
  constructor(ports: ServerConnectionPorts) {
    const { serverName, serverVersion, instructions, offers } = ports.handshake;
    this.#ports = ports;
    this.serverName = serverName;
    this.serverVersion = serverVersion;
    if (instructions !== "") this.instructions = instructions;
    this.offers = offers;
    this.closed.then((end) => this.#end = end);
  }

  get closed(): Promise<McpClosed> {
    return this.#ports.transport.closed;
  }

  async listTools(options: McpRequestOptions): Promise<McpListing<McpTool>> {
    if (!this.offers.tools) return NOTHING;
    return await this.#list("list the tools", "tools/list", { options, check: checkTool });
  }

  async callTool(
    name: string,
    input: Readonly<Record<string, unknown>>,
    options: McpRequestOptions,
  ): Promise<ToolResult> {
    const what = `call tool ${this.#quoted(name)}`;
    const params = { name, arguments: input };
    const result = await this.#request(what, "tools/call", { params, options });
    return await mapToolResult(result, this.#ports.results);
  }

  async listResources(options: McpRequestOptions): Promise<McpListing<McpResource>> {
    if (!this.offers.resources) return NOTHING;
    const check = checkResource;
    const [resources, templates] = await Promise.all([
      this.#list("list the resources", "resources/list", { options, check }),
      this.#list("list the templates of resources", "resources/templates/list", {
        options,
        check,
        field: "resourceTemplates",
        isOptional: true,
      }),
    ]);
    return {
      entries: [...resources.entries, ...templates.entries],
      faults: [...resources.faults, ...templates.faults],
    };
  }

  async readResource(uri: string, options: McpRequestOptions): Promise<ToolResult> {
    const what = `read resource ${this.#quoted(uri)}`;
    const result = await this.#request(what, "resources/read", { params: { uri }, options });
    return await mapResourceResult(result, this.#ports.results);
  }

  async listPrompts(options: McpRequestOptions): Promise<McpListing<McpPrompt>> {
    if (!this.offers.prompts) return NOTHING;
    return await this.#list("list the prompts", "prompts/list", { options, check: checkPrompt });
  }

  async getPrompt(
    name: string,
    values: Readonly<Record<string, string>>,
    options: McpRequestOptions,
  ): Promise<ToolResult> {
    const what = `get prompt ${this.#quoted(name)}`;
    const params = { name, arguments: values };
    const result = await this.#request(what, "prompts/get", { params, options });
    return await mapPromptResult(result, this.#ports.results);
  }

  async close(): Promise<void> {
    await this.#ports.transport.close();
  }

  async #list<T>(what: string, method: string, list: {
    readonly options: McpRequestOptions;
    readonly check: (value: unknown, index: number) => CheckedEntry<T>;
    readonly field?: string;
    /** Whether a server may do without it. */
    readonly isOptional?: boolean;
  }): Promise<McpListing<T>> {
    const { options, check, field = method.slice(0, method.indexOf("/")), isOptional } = list;
    try {
      return await readPages({
        what: what.slice("list the ".length),
        field,
        request: (params) => this.#request(what, method, { params, options }),
        check,
      });
    } catch (error) {
      const isMissing = isOptional === true && error instanceof McpError &&
        error.cause instanceof AnsweredError && error.cause.code === METHOD_NOT_FOUND_CODE;
      if (isMissing) return NOTHING;
      throw error;
    }
  }

  async #request(what: string, method: string, { params, options }: {
    readonly params: Readonly<Record<string, unknown>>;
    readonly options: McpRequestOptions;
  }): Promise<Readonly<Record<string, unknown>>> {
    const { peer, limits, safe, name } = this.#ports;
    const { signal, onProgress } = options;
    const request: PeerRequest = {
      method,
      params,
      signal,
      limits,
      ...(onProgress === undefined ? {} : {
        onProgress: ({ message, ...progress }) =>
          onProgress({ ...progress, ...(message === undefined ? {} : { message: safe(message) }) }),
      }),
    };
    try {
      await this.#renewing;
      try {
        return await peer.request(request);
      } catch (error) {
        if (!(error instanceof SessionLostError)) throw error;
        await untilAborted(this.#renew(), signal);
        return await peer.request(request);
      }
    } catch (error) {
      const failure = signal.aborted ? new McpError("cancelled", "it was cancelled") : error;
      throw explainFailure(`Cannot ${what} of MCP server "${name}"`, failure, {
        safe,
        end: this.#end,
      });
    }
  }

  /**
   * Begins a new session, once for all who wait for it. Where that fails, or where the server is
   * another one by now, the connection is over: nothing is called that was never listed.
   */
  #renew(): Promise<void> {
    this.#renewing ??= this.#shakeAgain().finally(() => this.#renewing = undefined);
    return this.#renewing;
  }

  async #shakeAgain(): Promise<void> {
    try {
      const { serverName, serverVersion } = await this.#ports.renew();
      if (serverName === this.serverName && serverVersion === this.serverVersion) return;
    } catch (error) {
      await this.close();
      throw error;
    }
    await this.close();
    throw new McpError("closed", "the server was replaced by another version; connect again");
  }

  #quoted(name: string): string {
    return JSON.stringify(this.#ports.safe(name));
  }
}

const NOTHING: McpListing<never> = { entries: [], faults: [] };
