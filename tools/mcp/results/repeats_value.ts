import { isObject } from "../../../core/config/is_object.ts";

/** Levels that are compared; anything deeper is taken for different. */
const MAX_DEPTH = 100;
/** Texts that are longer are taken for different, so that no server makes comparing long. */
const MAX_TEXT_CHARS = 8 * 1024 * 1024;

/**
 * Whether texts say nothing that a structured value does not say: the value as JSON, or, as common
 * server libraries send it, the only entry `result` of it, as a text or one text for each item.
 *
 * @param texts Text parts of a result.
 * @param value Its structured content.
 */
export function repeatsValue(texts: readonly string[], value: unknown): boolean {
  if (texts.length === 0) return false;
  if (texts.reduce((sum, text) => sum + text.length, 0) > MAX_TEXT_CHARS) return false;
  const inner = onlyResult(value);
  const values = inner === undefined ? [value] : [value, inner];
  const [first = ""] = texts;
  if (texts.length === 1 && values.some((each) => saysSame(first, each))) return true;
  return values.some((each) =>
    Array.isArray(each) && each.length === texts.length &&
    texts.every((text, index) => saysSame(text, each[index]))
  );
}

/**
 * The only entry of a value, where it is named `result`: libraries wrap so what is no object.
 *
 * @param value A structured value.
 */
export function onlyResult(value: unknown): unknown {
  return isObject(value) && Object.keys(value).join() === "result" ? value.result : undefined;
}

/**
 * Parses a text as JSON.
 *
 * @param text Any text.
 * @returns Undefined where it is none.
 */
export function parsedJson(text: string): unknown {
  if (text.length > MAX_TEXT_CHARS) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function saysSame(text: string, value: unknown): boolean {
  if (typeof value === "string" && text === value) return true;
  const parsed = parsedJson(text);
  return parsed !== undefined && isSame(parsed, value, 0);
}

function isSame(a: unknown, b: unknown, depth: number): boolean {
  if (a === b) return true;
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length &&
      a.every((each, index) => isSame(each, b[index], depth + 1));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSame(a[name], b[name], depth + 1));
}
