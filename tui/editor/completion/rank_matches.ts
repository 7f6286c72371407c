import { fuzzyMatch } from "@earendil-works/pi-tui/dist/fuzzy.js";

/** How well a text fits what was typed; the smaller, the better. */
interface Rank {
  readonly tier: number;
  readonly score: number;
}

/**
 * Keeps what fits a query: first what is or begins with it, then what holds it, then what has its
 * characters in order.
 *
 * @param items What there is, in the order that counts among equals.
 * @param query What was typed; everything fits an empty one.
 * @param textsOf What an item may be called, its own name first.
 * @param limit How many are kept.
 */
export function rankMatches<T>(
  items: readonly T[],
  query: string,
  textsOf: (item: T) => readonly string[],
  limit: number,
): readonly T[] {
  if (query === "") return items.slice(0, limit);
  const wanted = query.toLowerCase();
  const ranked: (Rank & { readonly item: T })[] = [];
  for (const item of items) {
    const rank = bestRank(wanted, textsOf(item));
    if (rank !== undefined) ranked.push({ item, ...rank });
  }
  ranked.sort((one, other) => one.tier - other.tier || one.score - other.score);
  return ranked.slice(0, limit).map(({ item }) => item);
}

function bestRank(wanted: string, texts: readonly string[]): Rank | undefined {
  let best: Rank | undefined;
  for (const text of texts) {
    const rank = rankOf(wanted, text.toLowerCase());
    if (rank === undefined) continue;
    if (best === undefined || rank.tier < best.tier) best = rank;
  }
  return best;
}

function rankOf(wanted: string, text: string): Rank | undefined {
  if (text === wanted) return { tier: 0, score: 0 };
  const name = text.slice(text.lastIndexOf("/", text.length - 2) + 1);
  if (text.startsWith(wanted)) return { tier: 1, score: text.length };
  if (name.startsWith(wanted)) return { tier: 2, score: text.length };
  const at = text.indexOf(wanted);
  if (at !== -1) return { tier: 3, score: text.length + at };
  const { matches, score } = fuzzyMatch(wanted, text);
  return matches ? { tier: 4, score } : undefined;
}
