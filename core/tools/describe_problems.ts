import type { JsonObject, JsonSchema } from "@alisio/sdk";
import { nearestName } from "../config/nearest_name.ts";
import type { InputProblem } from "./input_validator.ts";

const MAX_PROBLEMS = 8;

/** Names that models use for a field of another name. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  path: ["file", "file_path", "filepath", "filename", "file_name", "dir", "directory", "cwd"],
  oldText: ["old_string", "old_text", "oldString", "old_str", "search"],
  newText: ["new_string", "new_text", "newString", "new_str", "replace"],
  content: ["text", "contents", "data", "body", "file_text"],
  expectedHash: ["hash", "sha256", "expected_hash", "sha"],
  startLine: ["start", "line", "start_line", "offset", "from"],
  limit: ["lines", "count", "num_lines", "max_results"],
  pattern: ["query", "regex", "search", "q"],
  command: ["cmd", "program", "executable", "script"],
  args: ["arguments", "argv", "params"],
  timeoutMs: ["timeout", "timeout_ms"],
};

/**
 * Tells a model what is wrong with an input: each field by name, the name that was probably meant,
 * and the right form. An input is never guessed.
 *
 * @param tool Name of the tool.
 * @param schema Schema of its input.
 * @param input What the model sent.
 * @param problems What a validator found.
 */
export function describeProblems(
  tool: string,
  schema: JsonSchema,
  input: Readonly<Record<string, unknown>>,
  problems: readonly InputProblem[],
): string {
  const properties = propertiesOf(schema);
  const lines = problems.slice(0, MAX_PROBLEMS).map(({ field, problem }) => {
    const meant = field in properties || !(field in input)
      ? undefined
      : intendedName(field, Object.keys(properties));
    return `- ${field === "" ? "the input" : `"${field}"`} ${problem}` +
      (meant === undefined ? "" : `: use "${meant}"`);
  });
  return `The input of "${tool}" is not valid, so it was not run:\n${lines.join("\n")}\n` +
    `The right form is ${formOf(schema)}`;
}

function intendedName(name: string, known: readonly string[]): string | undefined {
  const alias = known.find((candidate) => ALIASES[candidate]?.includes(name));
  return alias ?? nearestName(name, known);
}

function formOf(schema: JsonSchema): string {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const fields = Object.entries(propertiesOf(schema)).map(([name, property]) =>
    `"${name}"${required.includes(name) ? "" : "?"}: ${typeOf(property)}`
  );
  return `{${fields.join(", ")}}`;
}

function typeOf(property: JsonObject): string {
  if (Array.isArray(property.enum)) {
    return property.enum.map((value) => JSON.stringify(value)).join(" | ");
  }
  const type = property.type;
  if (type === "array") {
    const items = property.items;
    return `[${isObject(items) ? typeOf(items) : "…"}, …]`;
  }
  if (type === "object") return formOf(property);
  return Array.isArray(type) ? type.join(" | ") : String(type ?? "any");
}

function propertiesOf(schema: JsonSchema): Readonly<Record<string, JsonObject>> {
  const properties = schema.properties;
  if (!isObject(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).filter((entry): entry is [string, JsonObject] => isObject(entry[1])),
  );
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
