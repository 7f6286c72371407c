import type { JsonValue } from "@alisio/sdk";

/** Which protocol a profile speaks. */
export type ApiMode = "chat" | "responses";

/** A checked profile. */
export interface OpenAiProfile {
  /** Origin and path without a trailing slash. */
  readonly baseUrl: string;
  /** The query of the base URL, sent with every request; empty or starting with "?". */
  readonly query: string;
  /** The protocol. */
  readonly apiMode: ApiMode;
  /** Whether the key is sent. */
  readonly auth: "bearer" | "none";
  /** How the output limit is named in chat mode. */
  readonly tokenParameter: "max_tokens" | "max_completion_tokens" | "omit";
  /** Whether the server is asked to count tokens while it streams, in chat mode. */
  readonly streamUsage: boolean;
  /** Whether visible reasoning is kept and sent back. */
  readonly keepReasoning: boolean;
  /** Whether text that is nothing but a call runs as one. */
  readonly textToolCalls: boolean;
}

/**
 * Checks the values of a profile. Values of a form arrive as strings, those of a configuration
 * file with their own types; both are accepted, and keys that belong to the host are ignored.
 *
 * @param values The profile without secrets.
 * @throws {TypeError} If a value is not usable; the message names the field and never quotes the
 * base URL, where people paste keys.
 */
export function parseProfile(
  values: Readonly<Record<string, JsonValue | undefined>>,
): OpenAiProfile {
  assertContextWindow(values.contextWindow);
  return {
    ...parseBaseUrl(values.baseURL),
    apiMode: parseChoice(values, "apiMode", ["chat", "responses"]),
    auth: parseChoice(values, "auth", ["bearer", "none"]),
    tokenParameter: parseChoice(values, "tokenParameter", [
      "max_tokens",
      "max_completion_tokens",
      "omit",
    ]),
    streamUsage: parseSwitch(values, "streamUsage"),
    keepReasoning: parseSwitch(values, "keepReasoning"),
    textToolCalls: parseSwitch(values, "textToolCalls"),
  };
}

/**
 * The address of one operation.
 *
 * @param profile The profile.
 * @param path For example `/chat/completions`.
 */
export function formatEndpoint(profile: OpenAiProfile, path: string): string {
  return `${profile.baseUrl}${path}${profile.query}`;
}

const DEFAULT_BASE_URL = "https://api.openai.com/v1";

/** People paste the address of the operation; the base is what stands before it. */
const OPERATION_REGEXP = /\/(?:chat\/completions|responses|models)$/;

function parseBaseUrl(value: JsonValue | undefined): { baseUrl: string; query: string } {
  if (isUnset(value)) return { baseUrl: DEFAULT_BASE_URL, query: "" };
  const url = typeof value === "string" ? URL.parse(value.trim()) : null;
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw fieldError("baseURL", 'it is not an address such as "https://api.openai.com/v1"');
  }
  if (url.username !== "" || url.password !== "") {
    throw fieldError("baseURL", "it holds a user name or a password: store the key as API key");
  }
  const path = trimSlashes(trimSlashes(url.pathname).replace(OPERATION_REGEXP, ""));
  return { baseUrl: url.origin + path, query: url.search };
}

function trimSlashes(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === "/") end--;
  return path.slice(0, end);
}

function parseChoice<T extends string>(
  values: Readonly<Record<string, JsonValue | undefined>>,
  name: string,
  options: readonly [T, ...T[]],
): T {
  const value = values[name];
  if (isUnset(value)) return options[0];
  const found = options.find((option) => option === value);
  if (found !== undefined) return found;
  throw fieldError(name, `expected ${options.map((option) => `"${option}"`).join(" or ")}`);
}

function parseSwitch(
  values: Readonly<Record<string, JsonValue | undefined>>,
  name: string,
): boolean {
  const value = values[name];
  if (isUnset(value) || value === false || value === "false") return false;
  if (value === true || value === "true") return true;
  throw fieldError(name, 'expected "true" or "false"');
}

/** The host applies the value; it is checked here because the form belongs to this provider. */
function assertContextWindow(value: JsonValue | undefined): void {
  if (isUnset(value)) return;
  const tokens = typeof value === "string" ? Number(value) : value;
  if (Number.isSafeInteger(tokens) && Number(tokens) > 0) return;
  throw fieldError("contextWindow", "expected a number of tokens above 0");
}

function isUnset(value: JsonValue | undefined): value is undefined | null | "" {
  return value === undefined || value === null || value === "";
}

function fieldError(name: string, reason: string): TypeError {
  return new TypeError(`Cannot use provider field "${name}": ${reason}`);
}
