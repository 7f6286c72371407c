import { isDeepStrictEqual } from "node:util";
import {
  type Document,
  isCollection,
  isMap,
  isScalar,
  type Pair,
  parseDocument,
  stringify,
  type YAMLMap,
} from "yaml";
import { isObject } from "../core/config/is_object.ts";
import type { YamlChange, YamlEditor } from "../core/frontmatter/yaml_editor.ts";

/** A part of the text, and what takes its place. */
interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * Creates what changes fields in the heads of files. The library alone would write the whole head
 * anew, with other quotes, indents and line lengths, so it only finds the places here, and what
 * comes out is read again and held against what was meant.
 */
export function createYamlEditor(): YamlEditor {
  return (text, changes) =>
    changes.reduce(applyChange, text === "" || text.endsWith("\n") ? text : `${text}\n`);
}

function applyChange(text: string, change: YamlChange): string {
  const document = read(text);
  const wanted = changed(document.toJS({ maxAliasCount: 100 }) ?? {}, change);
  if (isDeepStrictEqual(document.toJS({ maxAliasCount: 100 }) ?? {}, wanted)) return text;
  const splice = findSplice(text, document, change);
  if (splice !== null) {
    const { from, to } = splice;
    const next = text.slice(0, from) + splice.text + text.slice(to);
    if (means(next, wanted)) return next;
  }
  return respelled(document, change, wanted);
}

function read(text: string): Document.Parsed {
  const document = parseDocument(text, { logLevel: "error" });
  const [error] = document.errors;
  if (error !== undefined) throw new Error(error.message.split("\n")[0] ?? "It is no YAML");
  const { contents } = document;
  const isEmpty = contents === null || isScalar(contents) && contents.value === null;
  if (!isEmpty && !isMap(contents)) throw new Error('It is not written as "name: value"');
  return document;
}

function means(text: string, wanted: unknown): boolean {
  try {
    return isDeepStrictEqual(read(text).toJS({ maxAliasCount: 100 }) ?? {}, wanted);
  } catch {
    return false;
  }
}

/** Comments stay, and how the rest is spelled may change. */
function respelled(
  document: Document.Parsed,
  { path, value }: YamlChange,
  wanted: unknown,
): string {
  if (value === undefined) {
    document.deleteIn(path);
    for (let depth = path.length - 1; depth > 0; depth--) {
      const parent = document.getIn(path.slice(0, depth));
      if (isMap(parent) && parent.items.length === 0) document.deleteIn(path.slice(0, depth));
    }
  } else {
    const within = path.findIndex((_, depth) =>
      depth > 0 && !isMap(document.getIn(path.slice(0, depth)))
    );
    if (within === -1) document.setIn(path, document.createNode(value));
    else {document.setIn(
        path.slice(0, within),
        document.createNode(nested(path.slice(within), value)),
      );}
  }
  const next = document.toString({ lineWidth: 0 });
  if (!means(next, wanted)) throw new Error(`It cannot be changed at ${path.join(".")}`);
  return next;
}

/** Where the change is made in the text; null where only the library can tell. */
function findSplice(
  text: string,
  document: Document.Parsed,
  { path, value }: YamlChange,
): Splice | null {
  const { contents } = document;
  if (!isMap(contents)) {
    return value === undefined
      ? null
      : { from: text.length, to: text.length, text: lineOf(text, "", path, value) };
  }
  const { map, depth, pair } = deepest(contents, path);
  if (pair === undefined) {
    return value === undefined ? null : insertion(text, map, path.slice(depth), value);
  }
  if (value !== undefined) return replacement(text, pair, nested(path.slice(depth + 1), value));
  return removal(text, emptied(contents, path));
}

/** The innermost mapping on the way, and its field that the way goes on with. */
function deepest(
  root: YAMLMap,
  path: readonly string[],
): { readonly map: YAMLMap; readonly depth: number; readonly pair: Pair | undefined } {
  let map = root;
  for (let depth = 0;; depth++) {
    const pair = fieldOf(map, path[depth]);
    if (depth === path.length - 1 || !isMap(pair?.value)) return { map, depth, pair };
    map = pair.value;
  }
}

/** The field that goes, which is the outermost that would hold nothing any more. */
function emptied(root: YAMLMap, path: readonly string[]): Pair | undefined {
  let outermost: Pair | undefined;
  let map = root;
  for (const name of path) {
    const pair = fieldOf(map, name);
    if (pair === undefined) return undefined;
    if (outermost === undefined || map.items.length > 1) outermost = pair;
    if (isMap(pair.value)) map = pair.value;
  }
  return outermost;
}

function fieldOf(map: YAMLMap, name: string | undefined): Pair | undefined {
  return map.items.find(({ key }) => isScalar(key) && key.value === name);
}

function insertion(
  text: string,
  map: YAMLMap,
  path: readonly string[],
  value: YamlChange["value"],
): Splice | null {
  const last = map.items.at(-1);
  const first = startOf(map.items[0]);
  if (last === undefined || first === null || map.flow === true) return null;
  const indent = text.slice(text.lastIndexOf("\n", first - 1) + 1, first);
  const end = endOfLine(text, endOf(last));
  return indent.trim() === ""
    ? { from: end, to: end, text: lineOf(text, indent, path, value) }
    : null;
}

function replacement(text: string, pair: Pair, value: unknown): Splice | null {
  const [start, end] = rangeOf(pair.value) ?? [];
  const spelled = spell(value);
  if (start === undefined || end === undefined) return null;
  // A value that was not there has no blank before it; one of several lines ends with the last.
  const before = text[start - 1] === ":" ? " " : "";
  const after = end > start && text[end - 1] === "\n" ? lineBreak(text) : "";
  const isBelow = isCollection(pair.value) && pair.value.flow !== true;
  return isBelow ? null : { from: start, to: end, text: before + spelled + after };
}

function removal(text: string, pair: Pair | undefined): Splice | null {
  const start = startOf(pair);
  if (pair === undefined || start === null) return null;
  const from = text.lastIndexOf("\n", start - 1) + 1;
  if (text.slice(from, start).trim() !== "") return null;
  return { from, to: endOfLine(text, endOf(pair)), text: "" };
}

function lineOf(
  text: string,
  indent: string,
  [name = "", ...rest]: readonly string[],
  value: YamlChange["value"],
): string {
  const end = lineBreak(text);
  return rest.length === 0
    ? `${indent}${spell(name)}: ${spell(value)}${end}`
    : `${indent}${spell(name)}:${end}${lineOf(text, `${indent}  `, rest, value)}`;
}

/** One line, so that nothing around it has to move. */
function spell(value: unknown): string {
  const spelled = stringify(value, {
    collectionStyle: "flow",
    flowCollectionPadding: false,
    lineWidth: 0,
    blockQuote: false,
  }).trimEnd();
  return spelled.includes("\n") ? JSON.stringify(value) : spelled;
}

function startOf(pair: Pair | undefined): number | null {
  return rangeOf(pair?.key)?.[0] ?? null;
}

function endOf(pair: Pair): number {
  const { key, value } = pair;
  if (isMap(value) && value.flow !== true) {
    const last = value.items.at(-1);
    if (last !== undefined) return endOf(last);
  }
  return rangeOf(value)?.[1] ?? rangeOf(key)?.[1] ?? 0;
}

function endOfLine(text: string, at: number): number {
  if (text[at - 1] === "\n") return at;
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end + 1;
}

function rangeOf(node: unknown): readonly [number, number, number] | null {
  return isObject(node) && Array.isArray(node["range"])
    ? node["range"] as [number, number, number]
    : null;
}

function lineBreak(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner: unknown, name) => ({ [name]: inner }), value);
}

/** The fields as they are meant to be; a mapping that holds nothing any more goes. */
function changed(fields: unknown, { path: [name = "", ...rest], value }: YamlChange): unknown {
  const entries = new Map(isObject(fields) ? Object.entries(fields) : []);
  const next = rest.length === 0 ? value : changed(entries.get(name), { path: rest, value });
  const isGone = next === undefined || rest.length > 0 && value === undefined &&
      isObject(next) && Object.keys(next).length === 0;
  if (!isGone) entries.set(name, next);
  else entries.delete(name);
  return Object.fromEntries(entries);
}
