import type { JsonValue } from "@alisio/sdk";

/** A member of an object, by where it stands in the text. */
interface Member {
  readonly name: string;
  /** Where its name begins, the quote included. */
  readonly start: number;
  /** Where its value begins. */
  readonly valueStart: number;
  /** Behind its value. */
  readonly end: number;
}

/** An object, by where it stands in the text. */
interface Found {
  /** Of its brace. */
  readonly start: number;
  /** Behind its closing brace. */
  readonly end: number;
  readonly members: readonly Member[];
}

const BLANK_REGEXP = /[ \t\r\n\uFEFF]*/y;

/**
 * Sets one value in a JSON text and leaves every other character of it as it is: order, indentation
 * and the way numbers and texts are written. Pure.
 *
 * @param text A text that `JSON.parse` accepts, whose outermost value is an object and in which no
 * name stands twice in one object.
 * @param path Names from the outside in. Objects that are missing on the way are made; what stands
 * there in place of one is replaced.
 * @param value The value; undefined takes it out, and the objects around it that are then empty.
 */
export function setJsonValue(
  text: string,
  path: readonly string[],
  value: JsonValue | undefined,
): string {
  const [name, ...rest] = path;
  if (name === undefined) throw new TypeError("Cannot set a value: it has no name");
  return change(text, skipBlank(text, 0), { name, rest, value, depth: 1 }) ?? text;
}

interface Change {
  readonly name: string;
  readonly rest: readonly string[];
  readonly value: JsonValue | undefined;
  /** Of the members of the object that is changed, counted from 1. */
  readonly depth: number;
}

/** The whole text with the change; undefined where nothing is to be changed. */
function change(text: string, start: number, wanted: Change): string | undefined {
  const { name, rest, value, depth } = wanted;
  const object = readObject(text, start);
  const member = object.members.find((each) => each.name === name);
  const [next, ...others] = rest;
  if (member === undefined) {
    return value === undefined ? undefined : insert(text, object, name, nested(rest, value), depth);
  }
  if (next === undefined) {
    return value === undefined
      ? remove(text, object, member)
      : replace(text, member, format(text, value, depth));
  }
  if (text[member.valueStart] !== "{") {
    return value === undefined
      ? undefined
      : replace(text, member, format(text, nested(rest, value), depth));
  }
  const inner = { name: next, rest: others, value, depth: depth + 1 };
  const changed = change(text, member.valueStart, inner);
  if (changed === undefined || value !== undefined) return changed;
  const left = readObject(changed, start);
  const emptied = left.members.find((each) => each.name === name);
  return emptied !== undefined && readObject(changed, emptied.valueStart).members.length === 0
    ? remove(changed, left, emptied)
    : changed;
}

function nested(names: readonly string[], value: JsonValue): JsonValue {
  return names.reduceRight<JsonValue>((inner, name) => ({ [name]: inner }), value);
}

function replace(text: string, { valueStart, end }: Member, written: string): string {
  return text.slice(0, valueStart) + written + text.slice(end);
}

/** As the last member, set apart in the way that the members before it are. */
function insert(
  text: string,
  object: Found,
  name: string,
  value: JsonValue,
  depth: number,
): string {
  const written = `${JSON.stringify(name)}: ${format(text, value, depth)}`;
  const last = object.members.at(-1);
  if (last !== undefined) {
    const before = object.members.at(-2)?.end;
    const gap = before === undefined
      ? text.slice(object.start + 1, last.start)
      : text.slice(before, last.start).replace(",", "");
    return `${text.slice(0, last.end)},${gap === "" ? " " : gap}${written}${text.slice(last.end)}`;
  }
  const { indent, lineEnd } = styleOf(text);
  const inside = indent === null
    ? written
    : `${lineEnd}${indent.repeat(depth)}${written}${lineEnd}${indent.repeat(depth - 1)}`;
  return `${text.slice(0, object.start + 1)}${inside}${text.slice(object.end - 1)}`;
}

/** Takes a member out with the comma that it leaves over. */
function remove(text: string, object: Found, member: Member): string {
  const at = object.members.indexOf(member);
  const before = object.members[at - 1];
  const after = object.members[at + 1];
  if (before !== undefined) return text.slice(0, before.end) + text.slice(member.end);
  if (after !== undefined) return text.slice(0, member.start) + text.slice(after.start);
  return `${text.slice(0, object.start)}{}${text.slice(object.end)}`;
}

function format(text: string, value: JsonValue, depth: number): string {
  const { indent, lineEnd } = styleOf(text);
  if (indent === null) return JSON.stringify(value);
  return JSON.stringify(value, null, indent).replaceAll("\n", lineEnd + indent.repeat(depth));
}

/** How a file is indented; null where it is written in one line. */
function styleOf(text: string): { readonly indent: string | null; readonly lineEnd: string } {
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const [, indent] = /^[\uFEFF\s]*\{[^\S\r\n]*\r?\n([ \t]+)"/.exec(text) ?? [];
  const isOneLine = /^[\uFEFF\s]*\{[^\r\n]*"/.test(text);
  return { indent: indent ?? (isOneLine ? null : "  "), lineEnd };
}

function readObject(text: string, start: number): Found {
  const members: Member[] = [];
  let at = skipBlank(text, start + 1);
  while (text[at] !== "}") {
    if (text[at] === ",") at = skipBlank(text, at + 1);
    const nameEnd = endOfText(text, at);
    const name: string = JSON.parse(text.slice(at, nameEnd));
    const valueStart = skipBlank(text, skipBlank(text, nameEnd) + 1);
    const end = endOfValue(text, valueStart);
    members.push({ name, start: at, valueStart, end });
    at = skipBlank(text, end);
  }
  return { start, end: at + 1, members };
}

function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return endOfText(text, start);
  if (first !== "{" && first !== "[") {
    let end = start;
    while (end < text.length && !/[,\]}\s]/.test(text[end] ?? "")) end++;
    return end;
  }
  let depth = 0;
  for (let at = start;; at++) {
    const character = text[at];
    if (character === '"') at = endOfText(text, at) - 1;
    else if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
    if (depth === 0 || at >= text.length) return at + 1;
  }
}

/** The end of a string of valid JSON, its closing quote included. */
function endOfText(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  return end + 1;
}

function skipBlank(text: string, start: number): number {
  BLANK_REGEXP.lastIndex = start;
  return start + (BLANK_REGEXP.exec(text)?.[0].length ?? 0);
}
