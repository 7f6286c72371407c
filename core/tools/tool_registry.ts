import type { Effect, JsonSchema, ToolDefinition } from "@alisio/sdk";
import { AlisioError } from "../errors.ts";
import type { HostTool, McpTrait } from "./host_tool.ts";

/** What is known of a tool, without the means to run it. */
export interface ToolDescriptor {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ToolDefinition["inputSchema"];
  readonly effect: Effect;
  /** Whether it comes with Alisio; only such a tool may have effect `internal`. */
  readonly builtin: boolean;
  readonly concurrent: boolean;
  readonly interactiveOnly: boolean;
  /** Whether calling it again and again with one result is what it is for. */
  readonly polling: boolean;
  /** Whether an approval covers one call and never the session. */
  readonly approvedOnce: boolean;
  /** Whether it calls other tools. */
  readonly callsTools: boolean;
  /** Whether only the model itself may call it. */
  readonly directOnly: boolean;
  /** What it has to do with MCP servers; absent for all others. */
  readonly mcp?: McpTrait;
  /** Another one for each change of the tool; absent for those that never change. */
  readonly revision?: string;
}

/** A tool as the gate knows it, and nobody else. */
export interface RegisteredTool extends ToolDescriptor {
  /** Whether it is offered at this moment, in a session. */
  readonly isOffered: (sessionId: string) => boolean;
  /** What a model is shown at this moment. */
  readonly offeredSchema: () => JsonSchema;
  /** What a model is told of it at this moment, where that changes. */
  readonly describe?: (context: { readonly session: string }) => Promise<string>;
  /** Most characters of its text; absent for those of every tool. */
  readonly maxResultChars?: number;
  readonly paths: (input: Record<string, unknown>) => readonly string[];
  /** Told that a model called it without having been shown what it is now. */
  readonly onUnseen?: (sessionId: string) => void;
  readonly execute: HostTool["execute"];
}

const NAME_REGEXP = /^[a-zA-Z0-9_-]{1,64}$/;

/** The tools of one application, in the order of their registration. */
export class ToolRegistry {
  readonly #tools = new Map<string, RegisteredTool>();
  #version = 0;

  /** Another number whenever tools came, went, or are offered in another way. */
  get version(): number {
    return this.#version;
  }

  /** Says that other tools are offered than before, although none came or went. */
  offerAgain(): void {
    this.#version += 1;
  }

  /**
   * Adds a tool that comes with Alisio.
   *
   * @throws {AlisioError} `tool_invalid` if the name is taken or malformed.
   */
  registerBuiltin(tool: HostTool): () => void {
    return this.#add(tool, { effect: tool.effect, builtin: true });
  }

  /**
   * Adds a tool of a plugin. An unknown effect is `external`, and so is `internal`, which only
   * Alisio's own tools may have.
   *
   * @throws {AlisioError} `tool_invalid` if the name is taken or malformed.
   */
  registerPlugin(tool: ToolDefinition): () => void {
    const known: readonly unknown[] = ["read", "write", "process"];
    const effect = known.includes(tool.effect) ? tool.effect ?? "external" : "external";
    return this.#add(tool, { effect, builtin: false });
  }

  /** The tool of that name. */
  get(name: string): RegisteredTool | undefined {
    return this.#tools.get(name);
  }

  /** All tools. */
  list(): readonly RegisteredTool[] {
    return [...this.#tools.values()];
  }

  #add(
    tool: HostTool | ToolDefinition,
    traits: { readonly effect: Effect; readonly builtin: boolean },
  ): () => void {
    if (!NAME_REGEXP.test(tool.name)) {
      throw new AlisioError(
        "tool_invalid",
        `Cannot register tool "${
          tool.name.slice(0, 80)
        }": a name has 1 to 64 letters, digits, "_" or "-"`,
      );
    }
    if (this.#tools.has(tool.name)) {
      throw new AlisioError("tool_invalid", `Cannot register tool "${tool.name}": name is taken`);
    }
    const registered: RegisteredTool = {
      name: tool.name,
      description: tool.description,
      inputSchema: tool.inputSchema,
      ...traits,
      concurrent: tool.concurrent ?? false,
      interactiveOnly: "interactiveOnly" in tool && tool.interactiveOnly === true,
      isOffered: (sessionId) => !("isOffered" in tool) || tool.isOffered?.(sessionId) !== false,
      offeredSchema: () =>
        "offeredSchema" in tool && tool.offeredSchema !== undefined
          ? tool.offeredSchema()
          : tool.inputSchema,
      polling: traits.builtin && tool.polling === true,
      approvedOnce: "approvedOnce" in tool && tool.approvedOnce === true,
      // A plugin cannot make its tool one that calls others.
      callsTools: traits.builtin && "callsTools" in tool && tool.callsTools === true,
      directOnly: traits.builtin && "directOnly" in tool && tool.directOnly === true,
      ...(traits.builtin ? mcpTraits(tool) : {}),
      ...(traits.builtin ? changingTraits(tool) : {}),
      paths: (input) => tool.paths?.(input) ?? [],
      execute: (input, context) => tool.execute(input, context),
    };
    this.#tools.set(tool.name, registered);
    this.#version += 1;
    return () => {
      if (this.#tools.get(tool.name) !== registered) return;
      this.#tools.delete(tool.name);
      this.#version += 1;
    };
  }
}

function changingTraits(
  tool: HostTool | ToolDefinition,
): Pick<RegisteredTool, "describe" | "maxResultChars"> {
  const { maxResultChars } = tool;
  return {
    ...(tool.describe === undefined ? {} : {
      describe: async (context) => await tool.describe?.(context) ?? tool.description,
    }),
    ...(maxResultChars === undefined ? {} : { maxResultChars }),
  };
}

function mcpTraits(
  tool: HostTool | ToolDefinition,
): Pick<RegisteredTool, "mcp" | "revision" | "onUnseen"> {
  if (!("mcp" in tool) || tool.mcp === undefined) return {};
  const { mcp, revision, onUnseen } = tool;
  return {
    mcp,
    ...(revision === undefined ? {} : { revision }),
    ...(onUnseen === undefined ? {} : { onUnseen }),
  };
}
