import type { ToolMessage } from "@alisio/sdk";

const PLACEHOLDER_REGEXP = /\{\{((?:result|last):[^{}]*)\}\}/g;
const REFERENCE_REGEXP =
  /^(?:result:(?<index>\d+)|last:(?<name>[\w-]+))\.(?<path>[^.]+(?:\.[^.]+)*)$/;

/**
 * Replaces placeholders in the strings of a value with fields of earlier tool results.
 *
 * `{{result:0.sha256}}` is the field `sha256` of the first tool result of the conversation;
 * `{{last:read_file.sha256}}` is that of the latest result of `read_file`. Further dots go
 * deeper, and a number picks an item: `{{last:list_files.files.0}}`. A string that is one
 * placeholder becomes the field itself, whatever its type; inside other text a field that is not a
 * string becomes its JSON.
 *
 * @param value Arguments of a scripted call.
 * @param results The tool results of the conversation, oldest first.
 * @throws {RangeError} If a placeholder leads nowhere.
 */
export function fillPlaceholders(value: unknown, results: readonly ToolMessage[]): unknown {
  if (typeof value === "string") return fillText(value, results);
  if (Array.isArray(value)) return value.map((item) => fillPlaceholders(item, results));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, fillPlaceholders(item, results)]),
  );
}

function fillText(text: string, results: readonly ToolMessage[]): unknown {
  const [only] = text.matchAll(PLACEHOLDER_REGEXP);
  if (only !== undefined && only[0] === text) return lookUp(only[1] ?? "", results);
  return text.replace(PLACEHOLDER_REGEXP, (_, reference: string) => {
    const field = lookUp(reference, results);
    return typeof field === "string" ? field : JSON.stringify(field);
  });
}

function lookUp(reference: string, results: readonly ToolMessage[]): unknown {
  const { index, name, path } = REFERENCE_REGEXP.exec(reference)?.groups ?? {};
  if (path === undefined) {
    fail(reference, 'it must look like "result:0.field" or "last:read_file.field"');
  }
  const result = index === undefined
    ? results.findLast((message) => message.name === name)
    : results[Number(index)];
  if (result === undefined) {
    fail(reference, `there are ${results.length} tool results and it is none of them`);
  }
  let field: unknown = parseLeadingJson(result.text);
  for (const key of path.split(".")) {
    field = typeof field === "object" && field !== null && Object.hasOwn(field, key)
      ? (field as Record<string, unknown>)[key]
      : undefined;
    if (field === undefined) {
      fail(reference, `the result has no such field: ${JSON.stringify(result.text.slice(0, 200))}`);
    }
  }
  return field;
}

/** The host may add text after the JSON of a result, so only the first object counts. */
function parseLeadingJson(text: string): unknown {
  const whole = tryParse(text);
  if (whole !== undefined) return whole;
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]]/g)) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    else continue;
    if (depth === 0) return tryParse(text.slice(0, index + 1));
  }
  return undefined;
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fail(reference: string, reason: string): never {
  throw new RangeError(`placeholder "{{${reference.slice(0, 200)}}}" has no value: ${reason}`);
}
