import type { YamlChange, YamlEditor } from "../frontmatter/yaml_editor.ts";

/** The parts of a file, which make it up again when they are joined. */
interface AgentParts {
  /** A mark of the byte order, and the line before the fields. */
  readonly start: string;
  /** The fields. */
  readonly head: string;
  /** The line after the fields. */
  readonly end: string;
  readonly body: string;
}

/** What becomes of the text of a file. */
export interface AgentTextChange {
  readonly fields: readonly YamlChange[];
  /** What the agent is told; absent where that stays. */
  readonly instructions?: string;
}

/** The text of a file that says nothing yet. */
export const EMPTY_AGENT_TEXT = "---\n---\n";

/**
 * Changes the text of a definition. What is not changed stays as it is written, with its line
 * breaks. Pure.
 *
 * @param text The file.
 * @param change What is changed.
 * @param edit Changes YAML.
 * @throws {Error} If the file has no fields that can be read.
 */
export function changeAgentText(
  text: string,
  { fields, instructions }: AgentTextChange,
  edit: YamlEditor,
): string {
  const { start, head, end, body } = partsOf(text);
  const lineBreak = start.endsWith("\r\n") ? "\r\n" : "\n";
  const changed = edit(head, fields).replace(/\r?\n/g, lineBreak);
  const same = instructions === undefined || instructions.trim() === bodyText(body);
  const told = same ? body : toBody(instructions, lineBreak);
  const last = !same && !end.endsWith("\n") ? `${end}${lineBreak}` : end;
  return start + (fields.length === 0 ? head : changed) + last + told;
}

function toBody(instructions: string, lineBreak: string): string {
  const text = instructions.trim();
  return text === "" ? "" : `\n${text}\n`.replaceAll("\n", lineBreak);
}

function bodyText(body: string): string {
  return body.replaceAll("\r\n", "\n").trim();
}

function partsOf(text: string): AgentParts {
  const [, start = ""] = /^(\uFEFF?---[^\S\n]*\n)/.exec(text) ?? [];
  const rest = text.slice(start.length);
  const closing = /^---[^\S\n]*(?:\n|$)/m.exec(rest);
  if (start === "" || closing === null) {
    throw new Error('It has no fields between two lines of "---"');
  }
  const { index, 0: end } = closing;
  return {
    start,
    head: rest.slice(0, index),
    end,
    body: rest.slice(index + end.length),
  };
}
