import { textResult, type ToolResult } from "@alisio/sdk";
import { errorMessage } from "../../core/errors.ts";
import { McpError } from "../../core/mcp/mcp_connection.ts";
import type { McpDesk } from "../../core/mcp/mcp_desk.ts";
import type { HostTool, HostToolContext } from "../../core/tools/host_tool.ts";
import { jsonResult } from "../_json_result.ts";
import { describeServers } from "./describe_servers.ts";

/** Lists that a model reads have so many entries and characters. */
const MAX_LISTED = 200;
const MAX_TEXT_CHARS = 300;
const MAX_NAMED_TOOLS = 100;

/**
 * Makes the tools that look after servers: `mcp_connect`, `mcp_resource`, `mcp_prompt` and
 * `mcp_search`.
 *
 * @param desk The servers.
 */
export function createOwnTools(desk: McpDesk): readonly HostTool[] {
  return [connectTool(desk), resourceTool(desk), promptTool(desk), searchTool(desk)];
}

function connectTool(desk: McpDesk): HostTool {
  return {
    name: "mcp_connect",
    description:
      "Connects a configured MCP server, or waits until it is connected. Its tools are " +
      "yours from your next reply on.",
    effect: "external",
    mcp: "own",
    inputSchema: schemaFor({}, ["server"]),
    offeredSchema: () => ({
      ...schemaFor({}, ["server"]),
      properties: {
        server: {
          type: "string",
          enum: [...desk.serverNames()],
          description: describeServers(desk.servers()),
        },
      },
    }),
    isOffered: () => desk.serverNames().length > 0,
    execute: (input, context) =>
      answered(context, async () => {
        const { status, instructions, tools } = await desk.connect(
          textOf(input, "server"),
          context,
        );
        const { state, serverName, serverVersion, offers, faults } = status;
        return jsonResult({
          server: status.name,
          state,
          serverName,
          serverVersion,
          offers,
          tools: tools.slice(0, MAX_NAMED_TOOLS),
          ...(tools.length > MAX_NAMED_TOOLS ? { moreTools: tools.length - MAX_NAMED_TOOLS } : {}),
          ...(desk.isSearched
            ? { note: "Find tools with mcp_search: they are too many to list" }
            : {}),
          ...(faults.length === 0 ? {} : { faults: faults.slice(0, 10) }),
          ...(instructions === undefined ? {} : { instructions }),
        });
      }),
  };
}

function resourceTool(desk: McpDesk): HostTool {
  return {
    name: "mcp_resource",
    description: "Lists the resources of an MCP server, or with `uri` reads one of them.",
    effect: "external",
    mcp: "server",
    inputSchema: schemaFor({
      uri: { type: "string", description: "Address of a resource; absent lists them" },
    }, ["server"]),
    isOffered: () => offersAny(desk, "resources"),
    execute: (input, context) =>
      answered(context, async () => {
        const server = textOf(input, "server");
        const { uri } = input;
        if (typeof uri === "string") return await desk.readResource(server, uri, context);
        const { entries, faults } = await desk.listResources(server, context);
        return listed(
          "resources",
          entries.map(({ isTemplate, ...entry }) => ({
            ...entry,
            ...(entry.description === undefined ? {} : { description: short(entry.description) }),
            ...(isTemplate ? { template: true } : {}),
          })),
          faults,
        );
      }),
  };
}

function promptTool(desk: McpDesk): HostTool {
  return {
    name: "mcp_prompt",
    description: "Lists the prompts of an MCP server, or with `name` gets one of them filled in.",
    effect: "external",
    mcp: "server",
    inputSchema: schemaFor({
      name: { type: "string", description: "Name of a prompt; absent lists them" },
      arguments: {
        type: "object",
        additionalProperties: { type: "string" },
        description: "Values of its arguments",
      },
    }, ["server"]),
    isOffered: () => offersAny(desk, "prompts"),
    execute: (input, context) =>
      answered(context, async () => {
        const server = textOf(input, "server");
        const { name, arguments: values } = input;
        if (typeof name === "string") {
          const texts = Object.entries(typeof values === "object" && values !== null ? values : {})
            .map(([key, value]) => [key, String(value)] as const);
          const prompt = { name, values: Object.fromEntries(texts) };
          return await desk.getPrompt(server, prompt, context);
        }
        const { entries, faults } = await desk.listPrompts(server, context);
        return listed(
          "prompts",
          entries.map((entry) => ({
            ...entry,
            ...(entry.description === undefined ? {} : { description: short(entry.description) }),
          })),
          faults,
        );
      }),
  };
}

function searchTool(desk: McpDesk): HostTool {
  return {
    name: "mcp_search",
    description:
      "Finds tools of MCP servers by words. The servers have more tools than you can be " +
      "shown at once: what is found is yours from your next reply on.",
    effect: "external",
    mcp: "own",
    inputSchema: {
      type: "object",
      properties: {
        query: { type: "string", minLength: 1, maxLength: 500, description: "What the tool does" },
      },
      required: ["query"],
      additionalProperties: false,
    },
    isOffered: () => desk.isSearched,
    execute: (input, context) => {
      const found = desk.search(textOf(input, "query"), context.session ?? "");
      return Promise.resolve(
        found.length === 0
          ? textResult("No tool fits these words; try others, or the name of a server", true)
          : jsonResult({ tools: found, note: "These are yours from your next reply on" }),
      );
    },
  };
}

function schemaFor(
  properties: Readonly<Record<string, HostTool["inputSchema"]>>,
  required: readonly string[],
): HostTool["inputSchema"] {
  return {
    type: "object",
    properties: {
      server: { type: "string", description: "Name of the server in the configuration" },
      ...properties,
    },
    required,
    additionalProperties: false,
  };
}

function offersAny(desk: McpDesk, what: "resources" | "prompts"): boolean {
  return desk.servers().some(({ enabled, offers }) => enabled && offers?.[what] === true);
}

function listed(
  name: string,
  entries: readonly unknown[],
  faults: readonly string[],
): ToolResult {
  return jsonResult({
    [name]: entries.slice(0, MAX_LISTED),
    ...(entries.length > MAX_LISTED ? { more: entries.length - MAX_LISTED } : {}),
    ...(faults.length === 0 ? {} : { faults: faults.slice(0, 10) }),
  });
}

function short(text: string): string {
  return text.length <= MAX_TEXT_CHARS ? text : `${text.slice(0, MAX_TEXT_CHARS)}…`;
}

function textOf(input: Record<string, unknown>, name: string): string {
  return String(input[name] ?? "");
}

/** What a server lacks is for the model to know. */
async function answered(
  { signal }: HostToolContext,
  work: () => Promise<ToolResult>,
): Promise<ToolResult> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof McpError) return textResult(errorMessage(error), true);
    throw error;
  }
}
