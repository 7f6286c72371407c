import { isObject } from "../../core/config/is_object.ts";
import { SearchFailure } from "./search_failure.ts";

/**
 * An answer as a JSON object.
 *
 * @param text The answer.
 * @param host Who gave it, for the message.
 * @throws {SearchFailure} If it is something else, such as a page.
 */
export function readJsonObject(text: string, host: string): Readonly<Record<string, unknown>> {
  const value = parsed(text);
  if (isObject(value)) return value;
  const what = text.trimStart().startsWith("<") ? "a page where JSON is due" : "no JSON object";
  throw new SearchFailure(`${host} answered with ${what}`);
}

/**
 * A list that an answer must hold.
 *
 * @param value What stands there.
 * @param host Who gave it, for the message.
 * @throws {SearchFailure} If it is none.
 */
export function readResults(
  value: unknown,
  host: string,
): readonly Readonly<Record<string, unknown>>[] {
  if (Array.isArray(value)) return value.filter(isObject);
  throw new SearchFailure(`${host} answered with JSON that holds no list of results`);
}

/**
 * A text of an answer, or nothing where there is none.
 *
 * @param value What stands there.
 */
export function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/**
 * A text of JSON that may be none, by the names that lead to it.
 *
 * @param text Perhaps JSON.
 * @param names Names of properties, from the outside in.
 */
export function textAt(text: string, ...names: readonly string[]): string | undefined {
  let value = parsed(text);
  for (const name of names) value = isObject(value) ? value[name] : undefined;
  return typeof value === "string" ? value : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
