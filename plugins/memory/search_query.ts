import { oneForm } from "./observation.ts";

/** The words of a query. */
export interface SearchQuery {
  /** Phrases for the index, which knows words of three characters and more. */
  readonly long: readonly string[];
  /** The words that are shorter. */
  readonly short: readonly ShortWord[];
}

/** A word that is too short for the index. */
export interface ShortWord {
  /** What a text has to match. */
  readonly test: RegExp;
  /** A pattern of `LIKE` that every such text matches. */
  readonly like: string;
}

const MAX_WORDS = 32;
const MAX_WORD_CHARS = 200;

/**
 * Takes a query apart. Nothing in it is syntax: quotes, stars and operators are looked for as they
 * stand. Pure.
 *
 * @param query What somebody wrote.
 */
export function parseQuery(query: string): SearchQuery {
  const words = oneForm(query).split(/\s+/).filter((word) => word !== "").slice(0, MAX_WORDS)
    .map((word) => word.slice(0, MAX_WORD_CHARS));
  const long = words.filter((word) => [...word].length >= 3);
  const short = words.filter((word) => [...word].length < 3 && /[\p{L}\p{N}]/u.test(word));
  return {
    long: [...new Set(long)].map((word) => `"${word.replaceAll('"', '""')}"`),
    short: [...new Set(short)].map(shortWord),
  };
}

/** Of an alphabet, a word of one or two letters stands alone; of other scripts, it need not. */
function shortWord(word: string): ShortWord {
  const escaped = word.replaceAll(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
  const isAlphabetic = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]/u.test(word);
  const test = new RegExp(
    isAlphabetic ? `(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])` : escaped,
    "iu",
  );
  return { test, like: `%${[...word].map(likeSign).join("")}%` };
}

/** SQLite knows small and capital letters of ASCII alone; where there are others, any sign fits. */
function likeSign(sign: string): string {
  const isCased = !/\p{ASCII}/u.test(sign) && sign.toLowerCase() !== sign.toUpperCase();
  return isCased || sign === "%" ? "_" : sign;
}
