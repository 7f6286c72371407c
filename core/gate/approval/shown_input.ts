import { REDACTED, redactSecrets } from "../../redact.ts";
import { isSecretName } from "../../secret_names.ts";

/** A name that says what follows: `NAME=`, `Name: `, `--name `. */
const NAME_REGEXP =
  /(?<![\w.-])(?:--?([a-z][\w.-]{0,99})[ \t]{1,4}|-{0,2}([a-z][\w.-]{0,99})(?:=|["']?:[ \t]{0,4}))/gi;

/**
 * What follows it: one plain word, also in quotes or after a scheme, so that nothing that a shell
 * would act on is ever taken out.
 */
const VALUE_REGEXP = /(["']?(?:(?:Bearer|Basic)[ \t]{1,4})?)([\w.~+/=%-]{4,4096})/iy;

/** Whoever it is sent for, what comes after it is a secret. */
const BEARER_REGEXP = /\b(Bearer[ \t]{1,4})([\w.~+/-]{12,4096}=*)/gi;

/** `user:password@` of an address. */
const ADDRESS_PASSWORD_REGEXP = /(:\/\/[^\s:@/"'`$]{0,256}:)([\w.~+%-]{1,256})(?=@)/g;

/** What keys of services are made of. */
const WORD_REGEXP = /[\w.~+/=-]{16,}/g;

/** Keys whose texts are command lines, their words, or addresses and headers. */
const COMMAND_KEYS: ReadonlySet<string> = new Set([
  "command",
  "args",
  "env",
  "url",
  "header",
  "headers",
]);

/** Deeper values are replaced whole. */
const MAX_DEPTH = 64;

/**
 * Takes secrets out of an input that is shown to a person who decides about it.
 *
 * Other than for a record, what would act must stay in sight: only values under keys that are named
 * like secrets, known secrets, and single plain words are taken out, never a part of a text that a
 * shell could take for a command, and no word that could name a program.
 *
 * @param input The input of a call.
 * @param redact Takes known secrets out of a text.
 */
export function shownInput(input: unknown, redact: (text: string) => string): unknown {
  return shownItem(input, { redact, key: "", depth: MAX_DEPTH });
}

/**
 * The same as {@linkcode shownInput}, of a command line.
 *
 * @param text The text.
 * @param redact Takes known secrets out of a text.
 */
export function shownText(text: string, redact: (text: string) => string): string {
  const hidden = shownWords(text, redact)
    .replace(BEARER_REGEXP, `$1${REDACTED}`)
    .replace(ADDRESS_PASSWORD_REGEXP, `$1${REDACTED}`);
  return hideNamed(hidden);
}

/** Only names are looked for: what follows one that is harmless may hold the next one. */
function hideNamed(text: string): string {
  let hidden = "";
  let kept = 0;
  for (const match of text.matchAll(NAME_REGEXP)) {
    const start = match.index + match[0].length;
    if (start < kept || !isSecretName(match[1] ?? match[2] ?? "")) continue;
    VALUE_REGEXP.lastIndex = start;
    const [value, before = "", word = ""] = VALUE_REGEXP.exec(text) ?? [];
    if (value === undefined || /^(?:Bearer|Basic)$/i.test(word) || mayBeProgram(word)) continue;
    hidden += text.slice(kept, start) + before + REDACTED;
    kept = start + value.length;
  }
  return hidden + text.slice(kept);
}

/**
 * The same as {@linkcode shownInput}, of a text that is no command, such as a path or what a file
 * holds: every other word is to be read as it is.
 *
 * @param text The text.
 * @param redact Takes known secrets out of a text.
 */
export function shownWords(text: string, redact: (text: string) => string): string {
  return redact(text).replace(WORD_REGEXP, (word) => redactSecrets(word, []));
}

interface ShowOptions {
  readonly redact: (text: string) => string;
  /** The key that the value stands under. */
  readonly key: string;
  readonly depth: number;
}

function shownItem(value: unknown, options: ShowOptions): unknown {
  const { redact, key, depth } = options;
  if (typeof value === "string") {
    return COMMAND_KEYS.has(key.toLowerCase())
      ? shownText(value, redact)
      : shownWords(value, redact);
  }
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) return REDACTED;
  if (Array.isArray(value)) {
    return value.map((item, index) =>
      isSecretOption(value[index - 1]) && isPlainWord(item) && !mayBeProgram(item)
        ? REDACTED
        : shownItem(item, { redact, key, depth: depth - 1 })
    );
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      typeof item === "string" && isSecretName(name)
        ? REDACTED
        : shownItem(item, { redact, key: name, depth: depth - 1 }),
    ]),
  );
}

/** A word such as `--password`, whose value is the next one. */
function isSecretOption(word: unknown): boolean {
  return typeof word === "string" && /^--?[A-Za-z][\w.-]*$/.test(word) && isSecretName(word);
}

/**
 * Whether a word could be what runs: `sudo -password reboot` starts `reboot`, and `TOKEN=./x; $TOKEN`
 * starts `./x`.
 */
function mayBeProgram(word: string): boolean {
  return /^(?:[a-z][a-z_-]*|(?:\.{0,2}|~)\/.*)$/.test(word);
}

function isPlainWord(word: unknown): word is string {
  return typeof word === "string" && /^[\w.~+/=%-]+$/.test(word);
}
