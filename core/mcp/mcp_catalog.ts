import { type JsonSchema, textResult, type ToolResult } from "@alisio/sdk";
import { errorMessage } from "../errors.ts";
import { visibleText } from "../process/visible_text.ts";
import { boundText } from "../text/bound_text.ts";
import type { HostTool, HostToolContext } from "../tools/host_tool.ts";
import type { InputValidator } from "../tools/input_validator.ts";
import type { ToolRegistry } from "../tools/tool_registry.ts";
import { McpError } from "./mcp_connection.ts";
import type { AdaptedSchema, SchemaAdapter } from "./mcp_parts.ts";
import type { LoadedTool, McpServer } from "./mcp_server.ts";
import type { McpToolStatus } from "./mcp_state.ts";
import { progressReporter } from "./progress_reporter.ts";
import { rankTools } from "./rank_tools.ts";
import { nameTools } from "./tool_names.ts";

/** What the catalog of tools needs from around it. */
export interface McpCatalogPorts {
  readonly registry: ToolRegistry;
  readonly adaptSchema: SchemaAdapter;
  readonly validate: InputValidator;
  /** Characters of definitions that each request may carry. */
  readonly maxToolChars: number;
  readonly notify: (notice: string) => void;
}

/** A tool that a search found. */
export interface FoundTool {
  readonly name: string;
  readonly description: string;
}

interface Entry extends McpToolStatus {
  readonly loaded: LoadedTool;
  readonly owner: McpServer;
  readonly adapted: AdaptedSchema;
  /** What inputs in the form of the server are held against. */
  readonly checked: JsonSchema;
  /** Characters of what a request carries of it. */
  readonly chars: number;
}

const ANY_OBJECT: JsonSchema = { type: "object" };
const MAX_DESCRIPTION_CHARS = 4_000;
const MAX_FOUND = 10;
const SHORT_CHARS = 300;

/**
 * The tools of all servers, registered under names that providers take. Where they are more than
 * each request may carry, a model is offered those alone that it has found.
 */
export class McpCatalog {
  readonly #ports: McpCatalogPorts;
  #entries: ReadonlyMap<string, Entry> = new Map();
  #unregister: readonly (() => void)[] = [];
  /** What each name stood for last, also when it stands for nothing now. */
  readonly #revisions = new Map<string, string>();
  /** Names that were found in each session, the latest last. */
  readonly #found = new Map<string, Set<string>>();

  /**
   * Starts without a tool.
   *
   * @param ports What it needs from around it.
   */
  constructor(ports: McpCatalogPorts) {
    this.#ports = ports;
  }

  /** Whether the tools are found by searching, because they are too many to be sent. */
  get isSearched(): boolean {
    return [...this.#entries.values()].reduce((sum, { chars }) => sum + chars, 0) >
      this.#ports.maxToolChars;
  }

  /** Every tool that is there. */
  list(): readonly McpToolStatus[] {
    return [...this.#entries.values()].map((
      { loaded: _, owner: __, adapted: ___, checked: _____, chars: ____, ...status },
    ) => status);
  }

  /**
   * Takes what servers have now.
   *
   * @param servers All of them, in the order of the configuration.
   */
  update(servers: readonly McpServer[]): void {
    const { registry } = this.#ports;
    const tools = servers.flatMap((owner) => owner.tools.map((loaded) => ({ owner, loaded })));
    const before = this.#entries;
    const names = nameTools(
      tools.map(({ owner, loaded }) => ({ server: owner.name, tool: loaded.name })),
      (name) => registry.get(name) !== undefined && !before.has(name),
    );
    const entries = new Map<string, Entry>();
    for (const [index, { owner, loaded }] of tools.entries()) {
      const name = names[index] ?? "";
      const known = before.get(name);
      const isSame = known?.owner === owner && known.loaded.revision === loaded.revision;
      entries.set(name, isSame ? known : this.#entry(name, owner, loaded));
    }
    if (isEqual(before, entries)) return;
    for (const remove of this.#unregister) remove();
    this.#entries = entries;
    this.#unregister = [...entries.values()].map((entry) =>
      registry.registerBuiltin(this.#tool(entry))
    );
    for (const entry of entries.values()) this.#note(entry);
  }

  /**
   * Finds tools, which are offered to the session from its next request on.
   *
   * @param query Words.
   * @param sessionId The session.
   */
  search(query: string, sessionId: string): readonly FoundTool[] {
    const ranked = rankTools([...this.#entries.values()], query).slice(0, MAX_FOUND);
    this.#offer(ranked.map(({ name }) => name), sessionId);
    return ranked.map(({ name, description }) => ({
      name,
      description: boundText(description, SHORT_CHARS).text,
    }));
  }

  /** What a person granted a tool is void when it is another one. */
  #note({ name, loaded, server, tool }: Entry): void {
    const before = this.#revisions.get(name);
    this.#revisions.set(name, loaded.revision);
    if (before === undefined || before === loaded.revision) return;
    this.#ports.notify(
      `MCP server "${server}" changed its tool "${visibleText(tool).slice(0, 100)}"`,
    );
  }

  #entry(name: string, owner: McpServer, loaded: LoadedTool): Entry {
    const description = descriptionOf(owner.name, loaded);
    const adapted = this.#ports.adaptSchema(loaded.inputSchema);
    const { title, annotations } = loaded;
    return {
      name,
      server: owner.name,
      tool: loaded.name,
      ...(title === undefined ? {} : { title }),
      description,
      ...(annotations === undefined ? {} : { annotations }),
      loaded,
      owner,
      adapted,
      checked: this.#checkable(adapted.checked),
      chars: JSON.stringify({ name, description, inputSchema: adapted.schema }).length,
    };
  }

  #tool(entry: Entry): HostTool {
    const { name, description, adapted, checked, loaded } = entry;
    return {
      name,
      description,
      inputSchema: adapted.restore === undefined ? checked : ANY_OBJECT,
      offeredSchema: () => adapted.schema,
      effect: "external",
      mcp: "server",
      revision: loaded.revision,
      isOffered: (sessionId) => !this.isSearched || this.#found.get(sessionId)?.has(name) === true,
      onUnseen: (sessionId) => this.#offer([name], sessionId),
      execute: (input, context) => this.#call(entry, input, context),
    };
  }

  /** What was found first makes room for what was found last. */
  #offer(names: readonly string[], sessionId: string): void {
    const found = this.#found.get(sessionId) ?? new Set();
    this.#found.set(sessionId, found);
    for (const name of names) {
      found.delete(name);
      found.add(name);
    }
    let chars = 0;
    for (const name of [...found].toReversed()) {
      chars += this.#entries.get(name)?.chars ?? 0;
      if (chars > this.#ports.maxToolChars && !names.includes(name)) found.delete(name);
    }
    this.#ports.registry.offerAgain();
  }

  async #call(
    { adapted, checked, loaded, owner, name }: Entry,
    input: Record<string, unknown>,
    context: HostToolContext,
  ): Promise<ToolResult> {
    const restored = adapted.restore?.(input) ?? input;
    // Where nothing has to be restored, the gate has looked already, before anybody was asked.
    const problems = adapted.restore === undefined ? [] : this.#ports.validate(checked, restored);
    if (problems.length > 0) {
      const { describeProblems } = await import("../tools/describe_problems.ts");
      return textResult(describeProblems(name, adapted.schema, restored, problems), true);
    }
    try {
      return await owner.callTool(loaded, restored, {
        signal: context.signal,
        onProgress: progressReporter(context.emit),
      });
    } catch (error) {
      context.signal.throwIfAborted();
      return serverFailure(owner, error);
    }
  }

  /** A schema that nothing can be held against is the server's own to check. */
  #checkable(checked: JsonSchema): JsonSchema {
    const schema = { type: "object", ...checked };
    try {
      this.#ports.validate(schema, {});
      return schema;
    } catch {
      return ANY_OBJECT;
    }
  }
}

/**
 * What a model reads of a failure of a server, with the end of its error output where it died.
 *
 * @param server The server.
 * @param error What went wrong.
 * @throws The error, where it is no failure of a server.
 */
export function serverFailure(server: McpServer, error: unknown): ToolResult {
  if (!(error instanceof McpError)) throw error;
  const { errorTail } = server.status();
  const isOver = error.code === "closed" || error.code === "unreachable";
  // A short one is a part of the message already.
  const tail = isOver && errorTail !== undefined && !errorMessage(error).endsWith(errorTail)
    ? `\nIts error output ended with:\n${errorTail}`
    : "";
  return textResult(`${errorMessage(error)}${tail}`, true);
}

function descriptionOf(server: string, { title, description }: LoadedTool): string {
  const words = [title, description].filter((text) => text !== undefined && text.trim() !== "");
  const said = visibleText(words.join(": "));
  return `${boundText(said, MAX_DESCRIPTION_CHARS).text} (MCP server "${server}")`.trimStart();
}

function isEqual(before: ReadonlyMap<string, Entry>, after: ReadonlyMap<string, Entry>): boolean {
  const names = [...after.keys()];
  return before.size === after.size &&
    [...before].every(([name, entry], index) => names[index] === name && after.get(name) === entry);
}
