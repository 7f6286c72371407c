import { expandBraces } from "./_brace_expansion.ts";
import { literalText } from "./_read_word.ts";
import type { ShellDialect, ShellWord, WordPart } from "./shell_syntax.ts";

/** A word of a program's command line, as far as it is known before it runs. */
export interface Argument {
  /** Its text, or null when expansion decides it. */
  readonly value: string | null;
  /** The literal text that it begins with. */
  readonly prefix: string;
  /** The literal text that it ends with. */
  readonly suffix: string;
  /** As written. */
  readonly source: string;
  /** Its text, wildcards included, when it stands for file names that match; null otherwise. */
  readonly pattern: string | null;
}

/**
 * The arguments that words become, or null when brace expansion makes them unclear.
 *
 * @param words Words.
 * @param dialect Whose grammar they were read by; not every shell expands braces.
 */
export function toArguments(
  words: readonly ShellWord[],
  dialect: ShellDialect,
): readonly Argument[] | null {
  const args: Argument[] = [];
  for (const word of words) {
    const expanded = expandBraces(word);
    if (expanded === null || (expanded.length > 1 && dialect !== "bash")) return null;
    args.push(...expanded.map(toArgument));
  }
  return args;
}

/**
 * An argument with a known text.
 *
 * @param value The text.
 */
export function literalArgument(value: string): Argument {
  return { value, prefix: value, suffix: value, source: value, pattern: null };
}

/** An argument of which nothing is known. */
export const UNKNOWN_ARGUMENT: Argument = {
  value: null,
  prefix: "",
  suffix: "",
  source: "…",
  pattern: null,
};

/**
 * Whether an argument may turn out to be a text.
 *
 * @param argument The argument.
 * @param text The text.
 */
export function mayBe(argument: Argument, text: string): boolean {
  if (argument.value !== null) return argument.value === text;
  return text.startsWith(argument.prefix) && text.endsWith(argument.suffix);
}

/**
 * Whether an argument may turn out to begin with a text.
 *
 * @param argument The argument.
 * @param start The text.
 */
export function mayStartWith(argument: Argument, start: string): boolean {
  if (argument.prefix.startsWith(start)) return true;
  return argument.value === null && start.startsWith(argument.prefix);
}

/**
 * Whether an argument may turn out to be a long option, abbreviated or with a value.
 *
 * @param argument The argument.
 * @param option The option in full, `--` included.
 */
export function mayBeLongOption(argument: Argument, option: string): boolean {
  const [name = ""] = argument.prefix.split("=", 1);
  if (name === option) return true;
  if (argument.value === null && !argument.prefix.includes("=")) {
    return option.startsWith(name) || name.startsWith(`${option}=`);
  }
  return name.length > 2 && option.startsWith(name);
}

/**
 * Whether an argument may turn out to be a cluster of short options with one of these letters in
 * it. A value that is glued to a letter before it is taken for letters as well.
 *
 * @param argument The argument.
 * @param letters The letters.
 */
export function mayHoldShortOption(argument: Argument, letters: string): boolean {
  const { prefix, value } = argument;
  if (value === null && (prefix === "" || (prefix.startsWith("-") && !prefix.startsWith("--")))) {
    return true;
  }
  if (!prefix.startsWith("-") || prefix.startsWith("--")) return false;
  return [...letters].some((letter) => prefix.slice(1).includes(letter));
}

/**
 * Whether an argument may turn out to be an option of any kind.
 *
 * @param argument The argument.
 */
export function mayBeOption(argument: Argument): boolean {
  return mayStartWith(argument, "-") && argument.value !== "-";
}

function toArgument(word: ShellWord): Argument {
  const { source, parts } = word;
  const value = literalText(word);
  if (value !== null) return { value, prefix: value, suffix: value, source, pattern: null };
  const first = parts.findIndex((part) => part.kind !== "text");
  const last = parts.findLastIndex((part) => part.kind !== "text");
  return {
    value: null,
    prefix: literalText({ source, parts: parts.slice(0, first) }) ?? "",
    suffix: literalText({ source, parts: parts.slice(last + 1) }) ?? "",
    source,
    pattern: patternText(parts),
  };
}

function patternText(parts: readonly WordPart[]): string | null {
  let text = "";
  for (const part of parts) {
    if (part.kind !== "text" && part.kind !== "pattern") return null;
    text += part.text;
  }
  return text;
}
