import type { JsonSchema, ModelTool, ModelToolCall } from "@alisio/sdk";
import { toList, toRecord } from "./wire_values.ts";

/** Longer text is an answer, whatever it looks like. */
export const MAX_TEXT_CALL_CHARS: number = 1024 * 1024;

/** With so many characters after the blank start, it is known whether text can become a call. */
export const DECISIVE_CHARS = 16;

/**
 * Reads calls that a model wrote as plain text: `<tool_call>` with JSON or with a function tag,
 * `<function=name>`, or bare JSON.
 *
 * Text that holds anything else is an answer about such markup and never a call, and so is a call
 * of a tool that was not offered. A fence counts as something else.
 *
 * @param text The whole text of a message.
 * @param tools The tools that were offered.
 * @returns The calls, or `undefined` where the text is no call.
 */
export function parseTextToolCalls(
  text: string,
  tools: readonly ModelTool[],
): readonly ModelToolCall[] | undefined {
  const trimmed = text.trim();
  if (trimmed.length > MAX_TEXT_CALL_CHARS) return undefined;
  const calls = trimmed.startsWith("<")
    ? parseTags(trimmed, tools)
    : /^[{[]/.test(trimmed)
    ? parseBareJson(trimmed)
    : undefined;
  if (calls === undefined || calls.length === 0) return undefined;
  return calls.every(({ name }) => tools.some((tool) => tool.name === name)) ? calls : undefined;
}

/**
 * Whether text that is still arriving can become a call.
 *
 * @param text What came so far; {@linkcode DECISIVE_CHARS} after its blank start are enough.
 */
export function mayBecomeTextToolCall(text: string): boolean {
  const start = text.trimStart();
  if (start === "" || start.startsWith("{") || start.startsWith("[")) return true;
  return OPENINGS.some((opening) => start.startsWith(opening) || opening.startsWith(start));
}

const OPENINGS = ["<tool_call>", "<function_call>", "<function="] as const;

function parseTags(text: string, tools: readonly ModelTool[]): ModelToolCall[] | undefined {
  const wrapped = matchAll(text, /\s*<(tool_call|function_call)>([^]*?)(?:<\/\1>|$)\s*/y, 2);
  if (wrapped === undefined) return parseFunctionTags(text, tools);
  const calls: ModelToolCall[] = [];
  for (const body of wrapped) {
    const found = parseBareJson(body.trim()) ?? parseFunctionTags(body.trim(), tools);
    if (found === undefined) return undefined;
    calls.push(...found);
  }
  return calls;
}

function parseFunctionTags(text: string, tools: readonly ModelTool[]): ModelToolCall[] | undefined {
  const tags = matchAll(text, /\s*<function=([^>\s]+>[^]*?)(?:<\/function>|$)\s*/y, 1);
  const calls: ModelToolCall[] = [];
  for (const tag of tags ?? []) {
    const end = tag.indexOf(">");
    const name = tag.slice(0, end);
    const tool = tools.find((one) => one.name === name);
    const body = tag.slice(end + 1).trim();
    const args = body.startsWith("{") ? formatObject(body) : formatParameters(body, tool);
    if (args === undefined) return undefined;
    calls.push({ id: "", name, arguments: args });
  }
  return tags === undefined ? undefined : calls;
}

/** Parameters stand as text between tags; the tool's schema says which of them are values. */
function formatParameters(body: string, tool: ModelTool | undefined): string | undefined {
  const pairs = body === ""
    ? []
    : matchAll(body, /\s*<parameter=([^>\s]+>[^]*?)(?:<\/parameter>|$)\s*/y, 1);
  if (pairs === undefined) return undefined;
  const args: Record<string, unknown> = {};
  for (const pair of pairs) {
    const end = pair.indexOf(">");
    const value = pair.slice(end + 1).replace(/^\n/, "").replace(/\n$/, "");
    const name = pair.slice(0, end);
    args[name] = isTextParameter(tool?.inputSchema, name) ? value : parseJson(value) ?? value;
  }
  return JSON.stringify(args);
}

function isTextParameter(schema: JsonSchema | undefined, name: string): boolean {
  const type = toRecord(toRecord(schema?.properties)?.[name])?.type;
  return type === undefined || type === "string" || toList(type).includes("string");
}

function parseBareJson(text: string): ModelToolCall[] | undefined {
  const value = parseJson(text);
  const entries = Array.isArray(value) ? value : [value];
  const calls = entries.map(toCall);
  return calls.every((call) => call !== undefined) ? calls : undefined;
}

const CALL_KEYS = ["name", "arguments", "parameters", "input", "id", "type"] as const;

function toCall(value: unknown): ModelToolCall | undefined {
  const outer = toRecord(value);
  const record = toRecord(outer?.function) ?? outer;
  if (record === undefined || typeof record.name !== "string") return undefined;
  if (!Object.keys(record).every((key) => CALL_KEYS.some((known) => known === key))) {
    return undefined;
  }
  const input = record.arguments ?? record.parameters ?? record.input;
  const args = typeof input === "string" ? formatObject(input) : toRecord(input);
  if (args === undefined) return undefined;
  const text = typeof args === "string" ? args : JSON.stringify(args);
  return { id: "", name: record.name, arguments: text };
}

function formatObject(text: string): string | undefined {
  return toRecord(parseJson(text)) === undefined ? undefined : text;
}

/** One group of every match, if the matches follow each other from the start to the end. */
function matchAll(text: string, pattern: RegExp, group: number): string[] | undefined {
  const found: string[] = [];
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (match === null) return undefined;
    found.push(match[group] ?? "");
  }
  return found;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
