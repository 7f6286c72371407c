import { isObject } from "../../core/config/is_object.ts";
import type {
  McpAnnotations,
  McpPrompt,
  McpResource,
  McpTool,
} from "../../core/mcp/mcp_connection.ts";
import { safeServerText } from "./diagnostics.ts";
import type { CheckedEntry } from "./read_pages.ts";

const MAX_NAME_CHARS = 512;
const MAX_URI_CHARS = 8_192;

/**
 * Looks at a tool as a server listed it. Pure.
 *
 * @param value Of which nothing is known.
 * @param index Where it stands.
 */
export function checkTool(value: unknown, index: number): CheckedEntry<McpTool> {
  const named = checkName("Tool", value, index);
  if ("fault" in named) return named;
  const { name, fields } = named;
  const schema = fields["inputSchema"] ?? {};
  if (!isObject(schema)) return leftOut("Tool", name, "its inputSchema is no object");
  const annotations = checkAnnotations(fields["annotations"]);
  return {
    key: name,
    entry: {
      name,
      ...textsOf(fields),
      inputSchema: schema,
      ...(annotations === undefined ? {} : { annotations }),
    },
  };
}

/**
 * Looks at a resource, or a template of resources, as a server listed it. Pure.
 *
 * @param value Of which nothing is known.
 * @param index Where it stands.
 */
export function checkResource(value: unknown, index: number): CheckedEntry<McpResource> {
  const fields = isObject(value) ? value : {};
  const isTemplate = fields["uriTemplate"] !== undefined && fields["uri"] === undefined;
  const kind = isTemplate ? "Resource template" : "Resource";
  const uri = fields[isTemplate ? "uriTemplate" : "uri"];
  if (typeof uri !== "string" || uri === "" || uri.length > MAX_URI_CHARS) {
    return { fault: `${kind} ${index + 1} was left out: it has no usable address` };
  }
  const { name: given, mimeType, size } = fields;
  const name = typeof given === "string" && given !== "" ? given.slice(0, MAX_NAME_CHARS) : uri;
  return {
    key: uri,
    entry: {
      uri,
      isTemplate,
      name,
      ...textsOf(fields),
      ...(typeof mimeType === "string" ? { mimeType: mimeType.slice(0, MAX_NAME_CHARS) } : {}),
      ...(typeof size === "number" && Number.isFinite(size) && size >= 0 ? { size } : {}),
    },
  };
}

/**
 * Looks at a prompt as a server listed it. Pure.
 *
 * @param value Of which nothing is known.
 * @param index Where it stands.
 */
export function checkPrompt(value: unknown, index: number): CheckedEntry<McpPrompt> {
  const named = checkName("Prompt", value, index);
  if ("fault" in named) return named;
  const { name, fields } = named;
  const given = fields["arguments"] ?? [];
  if (!Array.isArray(given)) return leftOut("Prompt", name, "its arguments are no list");
  const args: McpPrompt["arguments"][number][] = [];
  for (const each of given) {
    if (!isObject(each) || !isName(each["name"])) {
      return leftOut("Prompt", name, "one of its arguments has no name");
    }
    const { name: argument, description, required } = each;
    args.push({
      name: argument,
      ...(typeof description === "string" ? { description } : {}),
      isRequired: required === true,
    });
  }
  return { key: name, entry: { name, ...textsOf(fields), arguments: args } };
}

interface Named {
  readonly name: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

function checkName(kind: string, value: unknown, index: number): Named | { fault: string } {
  if (!isObject(value)) return { fault: `${kind} ${index + 1} was left out: it is no object` };
  const { name } = value;
  if (isName(name)) return { name, fields: value };
  const reason = name === undefined
    ? "it has no name"
    : `its name is no text of 1 to ${MAX_NAME_CHARS} characters`;
  return { fault: `${kind} ${index + 1} was left out: ${reason}` };
}

function isName(name: unknown): name is string {
  return typeof name === "string" && name !== "" && name.length <= MAX_NAME_CHARS;
}

function leftOut(kind: string, name: string, reason: string): { readonly fault: string } {
  return { fault: `${kind} ${JSON.stringify(safeServerText(name, []))} was left out: ${reason}` };
}

function textsOf(
  { title, description }: Readonly<Record<string, unknown>>,
): { readonly title?: string; readonly description?: string } {
  return {
    ...(typeof title === "string" && title !== "" ? { title } : {}),
    ...(typeof description === "string" && description !== "" ? { description } : {}),
  };
}

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

function checkAnnotations(value: unknown): McpAnnotations | undefined {
  if (!isObject(value)) return undefined;
  const { title } = value;
  const hints = HINTS.flatMap((name) =>
    typeof value[name] === "boolean" ? [[name, value[name]] as const] : []
  );
  const texts = typeof title === "string" && title !== "" ? { title } : {};
  const annotations: McpAnnotations = { ...texts, ...Object.fromEntries(hints) };
  return Object.keys(annotations).length === 0 ? undefined : annotations;
}
