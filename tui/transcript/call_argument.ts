import { isAbsolute, relative } from "node:path";
import { safeLine } from "../text/safe_text.ts";

/** Fields that say best what a call is about, in order. */
const FIELDS = [
  "path",
  "file_path",
  "file",
  "command",
  "pattern",
  "url",
  "query",
  "spec",
  "description",
  "name",
  "title",
  "label",
  "task_id",
  "id",
] as const;

const MAX_CHARS = 300;
const PLAIN_WORD_REGEXP = /^[\w@%+=:,./-]+$/;

/**
 * What a call is about, on one line: the path, the command line, the pattern.
 *
 * @param args The arguments, JSON text as the model wrote it; it may be broken.
 * @param cwd The directory that paths are shown in relation to.
 */
export function callArgument(args: string, cwd: string): string {
  const input = parseInput(args);
  if (input === undefined) return shortened(args);
  const [field] = FIELDS.filter((name) => typeof input[name] === "string" && input[name] !== "");
  if (field === undefined) return shortened(firstValue(input));
  const value = String(input[field]);
  if (field === "command") return shortened(commandLine(value, input.args));
  if (field === "path" || field === "file_path") return shortened(shownPath(value, cwd));
  return shortened(value);
}

/**
 * The arguments of a call as a record.
 *
 * @param args JSON text as the model wrote it.
 * @returns Undefined if it is none.
 */
export function parseInput(args: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(args);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? value as Record<string, unknown>
      : undefined;
  } catch {
    return undefined;
  }
}

function commandLine(command: string, args: unknown): string {
  if (!Array.isArray(args)) return command;
  return [command, ...args.slice(0, 50).map(String)].map(shellWord).join(" ");
}

function shellWord(word: string): string {
  return PLAIN_WORD_REGEXP.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A path below the directory is shown from there, and any other as it is. */
function shownPath(path: string, cwd: string): string {
  if (cwd === "" || !isAbsolute(path)) return path;
  const near = relative(cwd, path);
  return near === "" ? "." : near.startsWith("..") || isAbsolute(near) ? path : near;
}

/** The first text of a call of a tool that nobody knows. */
function firstValue(input: Readonly<Record<string, unknown>>): string {
  for (const value of Object.values(input)) {
    if (typeof value === "string" && value !== "") return value;
    const first: unknown = Array.isArray(value) ? value[0] : undefined;
    const question = typeof first === "object" && first !== null && "question" in first
      ? first.question
      : undefined;
    if (typeof question === "string") return question;
  }
  const text = JSON.stringify(input);
  return text === "{}" ? "" : text;
}

function shortened(text: string): string {
  const start = safeLine(text.slice(0, MAX_CHARS));
  return text.length > MAX_CHARS ? `${start}…` : start;
}
