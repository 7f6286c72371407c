import { isObject } from "./config/is_object.ts";
import { REDACTED, redactSecrets } from "./redact.ts";
import { isSecretName } from "./secret_names.ts";
import { previewText } from "./text/bound_text.ts";

/** Keys whose texts are command lines, their words, or addresses and headers. */
const COMMAND_KEYS: ReadonlySet<string> = new Set([
  "command",
  "commands",
  "cmd",
  "script",
  "args",
  "argv",
  "arguments",
  "env",
  "url",
  "uri",
  "header",
  "headers",
]);

/** Keys that say which file or folder a call is about. */
const PATH_KEYS = ["path", "file_path", "filePath", "file", "directory"] as const;
const PROGRAM_KEYS = ["command", "cmd", "url"] as const;

/** How much of a path or a command an event carries. */
const MAX_SUBJECT_CHARS = 300;

/** How much of an input an entry of the audit shows. */
const MAX_SUMMARY_CHARS = 80;

/** Deeper values are replaced whole. */
const MAX_DEPTH = 64;

/** `NAME=`, `--name=`, `?name=`. */
const ASSIGNED_NAME_REGEXP = /(?<![\w.-])-{0,2}([A-Za-z_][\w.-]{0,127})=/g;
/** `--name `. */
const OPTION_NAME_REGEXP = /(?<![\w.-])--?([A-Za-z][\w.-]{0,127})\s{1,16}(?!-)/g;
/** `Name: ` and `"name": `. */
const HEADER_NAME_REGEXP = /(?<![\w.-])([A-Za-z][\w.-]{0,127})["']?\s{0,16}:\s{0,16}["']?/g;
const WORD_REGEXP = /"[^"\n]{1,4096}"|'[^'\n]{1,4096}'|[^\s"'&|;<>()]{1,4096}/y;
/** To the end of its quotes or its line. */
const HEADER_VALUE_REGEXP = /[^"'\r\n]{1,4096}/y;
/** A variable that a shell puts in holds the secret where nobody sees it. */
const VARIABLE_REGEXP = /^"?\$[{(A-Za-z_]/;
/** Options of `curl` and others that are followed by a user and password, each word by itself. */
const USER_OPTION_REGEXP = /^(?:-[uU]|--(?:proxy-)?user)$/;
const USER_REGEXP = /^(?!\d+:\d+$)[^\s:/]{0,256}:[^\s/]/;
const GLUED_USER_REGEXP = /^(-[uU]|--(?:proxy-)?user=)(?!\d+:\d+$)[^\s:/]{1,256}:[^\s/]/;
const CURL_REGEXP = /\bcurl\b/;
const CURL_USER_REGEXP =
  /(?<!\S)((?:-u\s{0,16}|--user[\s=]\s{0,16})["']?)[^\s:"']{0,256}:[^\s"']+/g;

/** What an input is about, for an entry of the audit. Holds no secret that could be told. */
export interface InputSummary {
  /** Its path, then its command; else the input itself: one text of at most 80 characters. */
  readonly summary: string;
  /** The file or folder that it names; at most 300 characters. */
  readonly path?: string;
  /** The command line or the address that it names; at most 300 characters. */
  readonly command?: string;
}

/**
 * Takes secrets out of the input of a tool, for whatever shows or keeps it: questions to a person,
 * events, the audit. What runs is never changed.
 *
 * A value is a secret when the key that it stands under is named like one, however deep; when it
 * has the shape of a key that a service hands out; or when it is, or holds, one of `secrets`. In
 * command lines, addresses and headers the values of `NAME=…`, `--name …`, `Name: …` and
 * `user:password@` count too.
 *
 * @param argumentsJson JSON text of the input. Text that is no JSON is treated as a command line.
 * @param secrets Values such as configured keys and those of the environment. Those below 8
 * characters are left alone.
 * @returns JSON text, if it was; as it came, if it holds no secret.
 */
export function redactInput(argumentsJson: string, secrets: readonly string[]): string {
  const input = parse(argumentsJson);
  if (input === undefined) return redactCommand(argumentsJson, secrets);
  const redacted = JSON.stringify(redactItem(input, "", secrets, MAX_DEPTH));
  return redacted === JSON.stringify(input) ? argumentsJson : redacted;
}

/**
 * Says in a few words what an input is about, without its secrets.
 *
 * @param argumentsJson JSON text of the input.
 * @param secrets As for {@linkcode redactInput}.
 */
export function summarizeInput(argumentsJson: string, secrets: readonly string[]): InputSummary {
  const input = parse(argumentsJson);
  if (!isObject(input)) {
    return { summary: previewText(redactInput(argumentsJson, secrets), MAX_SUMMARY_CHARS - 1) };
  }
  const path = subjectOf(input, PATH_KEYS, secrets);
  const command = subjectOf(input, PROGRAM_KEYS, secrets);
  const subjects = [path, command].filter((subject) => subject !== undefined);
  const summary = subjects.length > 0 ? subjects.join(" ") : redactInput(argumentsJson, secrets);
  return {
    summary: previewText(summary, MAX_SUMMARY_CHARS - 1),
    ...(path === undefined ? {} : { path: previewText(path, MAX_SUBJECT_CHARS) }),
    ...(command === undefined ? {} : { command: previewText(command, MAX_SUBJECT_CHARS) }),
  };
}

function subjectOf(
  input: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  secrets: readonly string[],
): string | undefined {
  const key = keys.find((each) => typeof input[each] === "string" && input[each] !== "");
  if (key === undefined) return undefined;
  const subject = redactItem(input[key], key, secrets, MAX_DEPTH);
  const words = keys === PROGRAM_KEYS && Array.isArray(input["args"])
    ? redactItem(input["args"], "args", secrets, MAX_DEPTH)
    : [];
  return [subject, ...Array.isArray(words) ? words : []].map(wordOf).join(" ");
}

function wordOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value) ?? "";
}

function redactItem(
  value: unknown,
  key: string,
  secrets: readonly string[],
  depth: number,
): unknown {
  if (typeof value === "boolean" || value === null) return value;
  // Counts are named in the plural, and a number of tokens is one.
  const isCount = typeof value === "number" && /s$/i.test(key);
  if (depth === 0 || (isSecretName(key) && !isCount)) return REDACTED;
  if (typeof value === "string") {
    return COMMAND_KEYS.has(key.toLowerCase())
      ? redactCommand(value, secrets)
      : redactSecrets(value, secrets);
  }
  if (Array.isArray(value)) {
    return value.map((item, index) => {
      if (typeof item !== "string" || VARIABLE_REGEXP.test(item)) {
        return redactItem(item, key, secrets, depth - 1);
      }
      if (isSecretOption(value[index - 1])) return REDACTED;
      if (USER_OPTION_REGEXP.test(String(value[index - 1])) && USER_REGEXP.test(item)) {
        return REDACTED;
      }
      const [, option] = GLUED_USER_REGEXP.exec(item) ?? [];
      return option === undefined
        ? redactItem(item, key, secrets, depth - 1)
        : `${option}${REDACTED}`;
    });
  }
  if (typeof value !== "object") {
    // A secret of digits may be written as a number.
    return redactSecrets(String(value), secrets) === String(value) ? value : REDACTED;
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      redactSecrets(name, secrets),
      redactItem(item, name, secrets, depth - 1),
    ]),
  );
}

/** A word such as `--password`, whose value is the next one. */
function isSecretOption(word: unknown): boolean {
  return typeof word === "string" && /^--?[A-Za-z][\w.-]*$/.test(word) && isSecretName(word);
}

function redactCommand(text: string, secrets: readonly string[]): string {
  let redacted = redactSecrets(text, secrets);
  redacted = redactNamed(redacted, ASSIGNED_NAME_REGEXP, WORD_REGEXP);
  redacted = redactNamed(redacted, OPTION_NAME_REGEXP, WORD_REGEXP);
  redacted = redactNamed(redacted, HEADER_NAME_REGEXP, HEADER_VALUE_REGEXP);
  return CURL_REGEXP.test(redacted)
    ? redacted.replace(CURL_USER_REGEXP, `$1${REDACTED}`)
    : redacted;
}

/** Only names are looked for: what follows one that is harmless may hold the next one. */
function redactNamed(text: string, names: RegExp, values: RegExp): string {
  let redacted = "";
  let kept = 0;
  for (const match of text.matchAll(names)) {
    const start = match.index + match[0].length;
    if (start < kept || !isSecretName(match[1] ?? "")) continue;
    values.lastIndex = start;
    const value = values.exec(text)?.[0];
    if (value === undefined || VARIABLE_REGEXP.test(value) || value.startsWith("//")) continue;
    redacted += text.slice(kept, start) + REDACTED;
    kept = start + value.length;
  }
  return redacted + text.slice(kept);
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
