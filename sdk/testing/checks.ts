import type { JsonValue } from "../json.ts";
import type { Plugin } from "../plugin.ts";
import type { ToolDefinition, ToolResult } from "../tool.ts";

const ID_REGEXP = /^[a-z0-9][a-z0-9.-]{0,63}$/;
const VERSION_REGEXP =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;
const TOOL_REGEXP = /^[a-zA-Z0-9_-]{1,51}$/;
const COMMAND_REGEXP = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const POINTS: readonly string[] = ["mascot", "startup-screen", "websearch"];
const MAX_ID_CHARS = 100;
const MAX_KEY_CHARS = 200;
const MAX_STATE_CHARS = 64 * 1024;
const PART_TYPES: readonly unknown[] = ["text", "image", "ui"];

/** @throws {TypeError} If Alisio would not take the plugin. */
export function assertPlugin({ id, version, apiVersion, setup }: Plugin): void {
  const flaw = apiVersion !== 1
    ? "its apiVersion is not 1"
    : !ID_REGEXP.test(id)
    ? "its id is not 1 to 64 lowercase letters, digits, dots and hyphens"
    : !VERSION_REGEXP.test(version)
    ? "its version is none such as 0.1.0"
    : typeof setup !== "function"
    ? "it has no function setup(api)"
    : null;
  if (flaw !== null) throw new TypeError(`Cannot set plugin ${JSON.stringify(id)} up: ${flaw}`);
}

/** @throws {TypeError} If Alisio would not take the tool of an external plugin. */
export function assertTool(tool: ToolDefinition, isTaken: boolean): void {
  const { name, description, inputSchema, execute, paths } = tool;
  const flaw = !TOOL_REGEXP.test(name)
    ? 'a name has 1 to 51 letters, digits, "_" or "-"'
    : isTaken
    ? "the name is taken"
    : typeof description !== "string"
    ? "its description is no text"
    : typeof inputSchema !== "object" || inputSchema === null
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
  if (flaw === null) return;
  throw new TypeError(`Cannot register tool ${JSON.stringify(String(name).slice(0, 80))}: ${flaw}`);
}

/** @throws {TypeError} If Alisio would not take the command. */
export function assertCommand(name: string, handler: unknown, isTaken: boolean): void {
  const flaw = typeof name !== "string" || !COMMAND_REGEXP.test(name)
    ? 'a name has 1 to 64 letters, digits, "_" or "-"'
    : isTaken
    ? "the name is taken"
    : typeof handler !== "function"
    ? "its handler is no function"
    : null;
  if (flaw === null) return;
  throw new TypeError(
    `Cannot register command ${JSON.stringify(String(name).slice(0, 80))}: ${flaw}`,
  );
}

/** @throws {TypeError} If Alisio would not take the provider for an extension point. */
export function assertExtension(point: string, provider: unknown, priority: unknown): void {
  const id: unknown = typeof provider === "object" && provider !== null && "id" in provider
    ? provider.id
    : undefined;
  const flaw = !POINTS.includes(point)
    ? `there is no such point; there are ${POINTS.join(", ")}`
    : typeof provider !== "object" || provider === null
    ? "the provider is no object"
    : typeof id !== "string" || id.trim() === "" || id.length > MAX_ID_CHARS
    ? `the provider has no id of 1 to ${MAX_ID_CHARS} characters`
    : !Number.isFinite(priority)
    ? "the priority is no finite number"
    : null;
  if (flaw === null) return;
  throw new TypeError(
    `Cannot register an extension for "${String(point).slice(0, 80)}": ${flaw}`,
  );
}

/** @throws {TypeError} If it is no function. */
export function assertFunction(value: unknown, method: string): void {
  if (typeof value !== "function") throw new TypeError(`${method} needs a function`);
}

/** @throws {TypeError} If it is no key of state. */
export function assertKey(key: string): void {
  if (typeof key === "string" && key !== "" && key.length <= MAX_KEY_CHARS) return;
  throw new TypeError(
    `Cannot use a key of state: it is no text of 1 to ${MAX_KEY_CHARS} characters`,
  );
}

/** @throws {TypeError} If it is no path, or a relative one that leads out of the plugin's folder. */
export function assertDatabasePath(path: string): void {
  if (typeof path !== "string" || path === "" || path.includes("\0")) {
    throw new TypeError("storage.sqlite needs the path of a file");
  }
  if (/^(?:[/\\]|[A-Za-z]:)/.test(path)) return;
  let depth = 0;
  for (const name of path.split(/[/\\]/)) {
    if (name === "..") depth--;
    else if (name !== "" && name !== ".") depth++;
    if (depth < 0) break;
  }
  if (depth > 0) return;
  throw new TypeError(
    `Cannot open database ${JSON.stringify(path)}: a relative path must stay in the plugin's own ` +
      "folder",
  );
}

/**
 * A value as it comes back from the database.
 *
 * @throws {TypeError} If it is no JSON value, or too large.
 */
export function storedValue(key: string, value: JsonValue): JsonValue {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new TypeError("Cannot store a value: it is no JSON value");
  if (text.length <= MAX_STATE_CHARS) return JSON.parse(text);
  throw new TypeError(
    `Cannot store "${key}": it is longer than ${MAX_STATE_CHARS} characters of JSON; keep larger ` +
      "things with storage.sqlite",
  );
}

/**
 * A result as it comes out of the journal.
 *
 * @throws {TypeError} If a tool answered nothing that is a result.
 */
export function checkedResult(tool: string, result: ToolResult): ToolResult {
  const content: unknown = result?.content;
  const isResult = Array.isArray(content) &&
    content.every((part) => PART_TYPES.includes(part?.type));
  if (!isResult) {
    throw new TypeError(`Tool "${tool}" answered no result: return textResult("…"), or parts`);
  }
  return JSON.parse(JSON.stringify(result));
}

/** A schema goes to a server with every request. */
function isJson(schema: unknown): boolean {
  try {
    return JSON.stringify(schema) !== undefined;
  } catch {
    return false;
  }
}
