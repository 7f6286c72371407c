import type { ModelInfo, ProviderErrorCode, Usage } from "@alisio/sdk";

/** A tool call of a {@linkcode ScriptTurn}. */
export interface ScriptCall {
  /** Name of the tool. */
  readonly name: string;
  /**
   * An object, whose strings may hold placeholders, or text that is sent exactly as it is, which
   * need not be JSON.
   */
  readonly arguments: Readonly<Record<string, unknown>> | string;
  /** Absent: an id that is unique in the conversation. */
  readonly id?: string;
}

/** A failure of a {@linkcode ScriptTurn}. */
export interface ScriptError {
  /** What kind of failure it is. */
  readonly code: ProviderErrorCode;
  /** What the person reads. */
  readonly message: string;
  /**
   * Whether sending the same request again may work.
   *
   * @default false
   */
  readonly retryable?: boolean;
  /** How long the host is asked to wait. */
  readonly retryAfterMs?: number;
  /** How many requests fail before the turn is played. Absent: all of them. */
  readonly times?: number;
}

/** What a turn demands of the request. A request that differs fails. */
export interface ScriptExpectation {
  /** Text that the latest tool result contains. */
  readonly lastToolIncludes?: string;
  /** Whether the latest tool result is an error. */
  readonly toolIsError?: boolean;
  /** Text that the latest message of the person contains. */
  readonly promptIncludes?: string;
}

/** One response of the scripted model. */
export interface ScriptTurn {
  /**
   * What the model says, streamed in a few pieces.
   *
   * @default ""
   */
  readonly text?: string;
  /** Streamed before the text. */
  readonly reasoning?: string;
  /** Tool calls, in order. */
  readonly calls?: readonly ScriptCall[];
  /** Absent: the response reports no tokens. */
  readonly usage?: Usage;
  /** Whether the response claims to be cut by the output limit. */
  readonly truncated?: boolean;
  /** Ends the response after its text, in place of the calls. */
  readonly error?: ScriptError;
  /** How long the model is silent before its first word. */
  readonly delayMs?: number;
  /** Checked before anything is sent. */
  readonly expect?: ScriptExpectation;
}

/** The turns that a scripted model plays. */
export interface Script {
  /** At least one. */
  readonly turns: readonly ScriptTurn[];
  /** Whether the turns start again after the last one. */
  readonly loop?: boolean;
  /** What the catalog shows. Absent: one model, named like the script. */
  readonly models?: readonly ModelInfo[];
}

const ERROR_CODES: readonly ProviderErrorCode[] = [
  "authentication",
  "permission",
  "model_not_found",
  "not_found",
  "invalid_request",
  "context_overflow",
  "rate_limited",
  "quota_exceeded",
  "overloaded",
  "server_error",
  "network",
  "invalid_response",
  "stream_interrupted",
  "output_truncated",
];

const MAX_DELAY_MS = 3_600_000;

type Check = (value: unknown, at: string) => void;

const checkUsage = objectOf(
  { input: checkCount, output: checkCount, cachedInput: checkCount },
  ["input", "output"],
);

const checkError = objectOf({
  code: checkErrorCode,
  message: checkName,
  retryable: checkFlag,
  retryAfterMs: checkDelay,
  times: checkCount,
}, ["code", "message"]);

const checkTurn = objectOf({
  text: checkText,
  reasoning: checkText,
  calls: listOf(
    objectOf({ name: checkName, arguments: checkArguments, id: checkText }, ["name", "arguments"]),
  ),
  usage: checkUsage,
  truncated: checkFlag,
  error: checkError,
  delayMs: checkDelay,
  expect: objectOf({
    lastToolIncludes: checkText,
    toolIsError: checkFlag,
    promptIncludes: checkText,
  }),
});

const checkModel = objectOf({
  id: checkName,
  name: checkText,
  contextWindow: checkCount,
  maxOutputTokens: checkCount,
  inputModalities: listOf(checkText),
  effort: objectOf(
    { supportedLevels: listOf(checkText), defaultLevel: checkText },
    ["supportedLevels"],
  ),
}, ["id"]);

const checkScript = objectOf(
  { turns: listOf(checkTurn, 1), loop: checkFlag, models: listOf(checkModel) },
  ["turns"],
);

/**
 * Reads a script from its text.
 *
 * @param text JSON.
 * @throws {SyntaxError} If the text is not JSON.
 * @throws {TypeError} If it is not a script; the message names the place, for example
 * `turns[2].calls[0].name`.
 */
export function parseScript(text: string): Script {
  const value: unknown = JSON.parse(text);
  checkScript(value, "");
  return value as Script;
}

function checkText(value: unknown, at: string): void {
  if (typeof value !== "string") fail(at, "must be a string");
}

function checkName(value: unknown, at: string): void {
  if (typeof value !== "string" || value === "") fail(at, "must be a string with text");
}

function checkFlag(value: unknown, at: string): void {
  if (typeof value !== "boolean") fail(at, "must be true or false");
}

function checkCount(value: unknown, at: string): void {
  if (!Number.isSafeInteger(value) || Number(value) < 0) fail(at, "must be a whole number from 0");
}

function checkDelay(value: unknown, at: string): void {
  checkCount(value, at);
  if (Number(value) > MAX_DELAY_MS) fail(at, `must be at most ${MAX_DELAY_MS}`);
}

function checkErrorCode(value: unknown, at: string): void {
  if (!ERROR_CODES.some((code) => code === value)) {
    fail(at, `must be one of ${ERROR_CODES.map((code) => `"${code}"`).join(", ")}`);
  }
}

function checkArguments(value: unknown, at: string): void {
  if (typeof value !== "string" && !isObject(value)) fail(at, "must be an object or a string");
}

function objectOf(
  fields: Readonly<Record<string, Check>>,
  required: readonly string[] = [],
): Check {
  return (value, at) => {
    if (!isObject(value)) fail(at, "must be an object");
    const missing = required.find((name) => value[name] === undefined);
    if (missing !== undefined) fail(at, `must have "${missing}"`);
    for (const [name, item] of Object.entries(value)) {
      const check = Object.hasOwn(fields, name) ? fields[name] : undefined;
      const place = at === "" ? name : `${at}.${name}`;
      if (check === undefined) {
        fail(place.slice(0, 200), `is not known; known are ${Object.keys(fields).join(", ")}`);
      }
      check(item, place);
    }
  };
}

function listOf(check: Check, minLength = 0): Check {
  return (value, at) => {
    if (!Array.isArray(value)) fail(at, "must be a list");
    if (value.length < minLength) fail(at, `must have at least ${minLength} item`);
    for (const [index, item] of value.entries()) check(item, `${at}[${index}]`);
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fail(at: string, problem: string): never {
  throw new TypeError(at === "" ? `the script ${problem}` : `"${at}" ${problem}`);
}
