import type { ToolDefinition } from "@alisio/sdk";
import { isObject } from "../config/is_object.ts";

/** What a name may have, so that it fits with the prefix too. */
const NAME_REGEXP = /^[a-zA-Z0-9_-]+$/;
const MAX_NAME_CHARS = 64;

/** Calls a function of a plugin, and reports it if it lets nothing else go on meanwhile. */
export type Watched = <T>(hook: string, call: () => T) => T;

/**
 * A tool of a plugin under the name that it goes by. What the plugin says of it is checked here,
 * because nothing behind it doubts a tool any more.
 *
 * @param tool What the plugin registers.
 * @param prefix Stands before its name.
 * @param watched Calls what the plugin wrote.
 * @throws {TypeError} If it is no tool that could be offered.
 */
export function asHostTool(
  tool: ToolDefinition,
  prefix: string,
  watched: Watched,
): ToolDefinition {
  const { name, description, inputSchema, effect, concurrent } = checked(tool);
  const { polling, maxResultChars } = tool;
  const longest = MAX_NAME_CHARS - prefix.length;
  if (!NAME_REGEXP.test(name) || name.length > longest) {
    throw new TypeError(
      `Cannot register tool ${JSON.stringify(name.slice(0, 80))}: a name has 1 to ${longest} ` +
        'letters, digits, "_" or "-"',
    );
  }
  return {
    name: prefix + name,
    description,
    inputSchema,
    ...(effect === undefined ? {} : { effect }),
    ...(concurrent === undefined ? {} : { concurrent: concurrent === true }),
    ...(polling === undefined ? {} : { polling: polling === true }),
    ...(maxResultChars === undefined ? {} : { maxResultChars }),
    ...(tool.describe === undefined ? {} : {
      describe: async (context) =>
        await watched(`description of tool ${name}`, async () => await tool.describe?.(context)) ??
          description,
    }),
    paths: (input) => pathsOf(tool, input),
    execute: async (input, context) =>
      await watched(`tool ${name}`, () => tool.execute(input, context)),
  };
}

function checked(tool: ToolDefinition): ToolDefinition {
  const given: unknown = tool;
  if (!isObject(given)) throw new TypeError("Cannot register a tool: it is no object");
  const { name, description, inputSchema, execute, paths } = given;
  if (typeof name !== "string") throw new TypeError("Cannot register a tool: its name is no text");
  const flaw = typeof description !== "string"
    ? "its description is no text"
    : !isObject(inputSchema)
    ? "its inputSchema is no JSON Schema object"
    : (inputSchema.type ?? "object") !== "object"
    ? "its inputSchema is not the one of an object"
    : !isJson(inputSchema)
    ? "its inputSchema is not JSON"
    : typeof execute !== "function"
    ? "it has no function execute(input, context)"
    : paths !== undefined && typeof paths !== "function"
    ? "its paths is no function"
    : null;
  if (flaw === null) return tool;
  throw new TypeError(`Cannot register tool ${JSON.stringify(name.slice(0, 80))}: ${flaw}`);
}

/** A schema goes to a server with every request. */
function isJson(schema: unknown): boolean {
  try {
    return JSON.stringify(schema) !== undefined;
  } catch {
    return false;
  }
}

function pathsOf(tool: ToolDefinition, input: Record<string, unknown>): string[] {
  const paths: unknown = tool.paths?.(input) ?? [];
  if (!Array.isArray(paths) || paths.some((path) => typeof path !== "string")) {
    throw new TypeError(`Tool "${tool.name.slice(0, 80)}" named paths that are no list of texts`);
  }
  return paths;
}
