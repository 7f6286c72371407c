/** The words of a query. */
export interface SearchQuery {
  /** Phrases for the index, which knows words of three characters and more. */
  readonly long: readonly string[];
  /** Tests for the words that are shorter. */
  readonly short: readonly RegExp[];
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
  const words = query.split(/\s+/).filter((word) => word !== "").slice(0, MAX_WORDS)
    .map((word) => word.slice(0, MAX_WORD_CHARS));
  const long = words.filter((word) => [...word].length >= 3);
  const short = words.filter((word) => [...word].length < 3 && /[\p{L}\p{N}]/u.test(word));
  return {
    long: [...new Set(long)].map((word) => `"${word.replaceAll('"', '""')}"`),
    short: [...new Set(short)].map(shortWord),
  };
}

/** Of an alphabet, a word of one or two letters stands alone; of other scripts, it need not. */
function shortWord(word: string): RegExp {
  const escaped = word.replaceAll(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
  const isAlphabetic = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]/u.test(word);
  return new RegExp(
    isAlphabetic ? `(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])` : escaped,
    "iu",
  );
}
