import { errorMessage } from "../errors.ts";

/**
 * Reads YAML. Given to core, which brings no parser of its own.
 *
 * @param text One document.
 * @returns Its value.
 * @throws {Error} If it is no YAML; the first line of the message says what is wrong, and where.
 */
export type YamlParser = (text: string) => unknown;

/** The head of a file and what follows it, or why the file has none that can be used. */
export type Frontmatter =
  | {
    readonly status: "read";
    /** The fields of the head. */
    readonly fields: Readonly<Record<string, unknown>>;
    /** What follows the head, without blank lines around it. */
    readonly body: string;
    /** What the head is written wrongly in although it could be read; continues a sentence. */
    readonly flaw?: string;
  }
  | { readonly status: "broken"; readonly reason: string };

const MARK = "---";
const MAX_HEAD_CHARS = 16_384;
const FIELD_REGEXP = /^([A-Za-z][\w-]*):[ \t]+(\S.*?)[ \t]*$/;

/**
 * Splits a file into its head, YAML between two lines of `---`, and the rest. Pure.
 *
 * A head of plain `name: value` lines is understood even where YAML takes it for something else,
 * such as a colon in the value: many such files are written that way.
 *
 * @param text The text of the file.
 * @param parse Reads YAML.
 */
export function readFrontmatter(text: string, parse: YamlParser): Frontmatter {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  if (lines[0]?.trimEnd() !== MARK) {
    return broken(`its first line is not "${MARK}", which begins the fields`);
  }
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === MARK);
  if (end < 0) return broken(`no second "${MARK}" ends its fields`);
  const head = lines.slice(1, end);
  const size = head.reduce((sum, line) => sum + line.length + 1, 0);
  if (size > MAX_HEAD_CHARS) {
    return broken(`its fields take ${size} characters, the limit is ${MAX_HEAD_CHARS}`);
  }
  return fieldsOf(head, lines.slice(end + 1).join("\n").trim(), parse);
}

function fieldsOf(head: readonly string[], body: string, parse: YamlParser): Frontmatter {
  try {
    // The line before them is counted, so that a message names the line of the file.
    const value = parse(`\n${head.join("\n")}`);
    if (value === null || value === undefined) return { status: "read", fields: {}, body };
    if (typeof value !== "object" || Array.isArray(value)) {
      return broken('its fields are not written as "name: value"');
    }
    return { status: "read", fields: { ...value }, body };
  } catch (error) {
    const [reason = ""] = errorMessage(error).split("\n");
    const flaw = `its fields are no valid YAML: ${reason.replace(/:$/, "").slice(0, 200)}`;
    const fields = plainFields(head);
    return fields === null
      ? broken(flaw)
      : { status: "read", fields, body, flaw: `${flaw}; put the value in quotes` };
  }
}

/** Fields of lines that hold one each; null where a line is anything else. */
function plainFields(head: readonly string[]): Readonly<Record<string, unknown>> | null {
  const fields = new Map<string, string>();
  for (const line of head) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const [, name, value] = FIELD_REGEXP.exec(line) ?? [];
    if (name === undefined || value === undefined || fields.has(name)) return null;
    // A value that begins like this is meant to be YAML, and is broken.
    if (/^["'[{|>&*!%@`]/.test(value)) return null;
    fields.set(name, value);
  }
  return Object.fromEntries(fields);
}

function broken(reason: string): Frontmatter {
  return { status: "broken", reason };
}
