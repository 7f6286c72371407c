import { fuzzyMatch } from "@earendil-works/pi-tui/dist/fuzzy.js";

/** How many texts that hold the characters in order are looked at closer, which takes long. */
const MAX_SCORED = 1_000;

/** How well a text fits what was typed; the smaller, the better. */
interface Ranked<T> {
  readonly item: T;
  readonly tier: number;
  readonly score: number;
}

/** Items that are looked at before keys are taken again. */
const SLICE = 2_000;

/** What is ranked, and how. */
export interface RankOptions<T> {
  /** What was typed; everything fits an empty one. */
  readonly query: string;
  /** What an item may be called, its own name first. */
  readonly textsOf: (item: T) => readonly string[];
  /** How many are kept. */
  readonly limit: number;
}

/**
 * Keeps what fits a query: first what is or begins with it, then what holds it, then what has its
 * characters in order.
 *
 * @param items What there is, in the order that counts among equals.
 * @param options What fits.
 */
export function rankMatches<T>(items: readonly T[], options: RankOptions<T>): readonly T[] {
  const ranker = new Ranker(options);
  ranker.add(items);
  return ranker.result();
}

/**
 * The same for so many items that keys have to be taken meanwhile.
 *
 * @param items What there is, in the order that counts among equals.
 * @param options What fits.
 * @param signal Aborts when the answer is no longer wanted; nothing fits then.
 */
export async function rankManyMatches<T>(
  items: readonly T[],
  options: RankOptions<T>,
  signal: AbortSignal,
): Promise<readonly T[]> {
  const ranker = new Ranker(options);
  for (let start = 0; start < items.length; start += SLICE) {
    ranker.add(items.slice(start, start + SLICE));
    await new Promise((resolve) => setTimeout(resolve));
    if (signal.aborted) return [];
  }
  return ranker.result();
}

class Ranker<T> {
  readonly #options: RankOptions<T>;
  readonly #wanted: string;
  readonly #others: { readonly item: T; readonly text: string }[] = [];
  #ranked: Ranked<T>[] = [];

  constructor(options: RankOptions<T>) {
    this.#options = options;
    this.#wanted = options.query.toLowerCase();
  }

  add(items: readonly T[]): void {
    for (const item of items) this.#add(item);
    this.#keepBest();
  }

  result(): readonly T[] {
    if (this.#ranked.length < this.#options.limit) {
      this.#ranked.push(...this.#others.flatMap((other) => scoreOf(this.#wanted, other)));
      this.#keepBest();
    }
    return this.#ranked.map(({ item }) => item);
  }

  #add(item: T): void {
    const texts = this.#options.textsOf(item).map((text) => text.toLowerCase());
    const best = this.#wanted === ""
      ? { item, tier: 0, score: 0 }
      : bestOf(this.#wanted, item, texts);
    if (best !== undefined) this.#ranked.push(best);
    else if (this.#others.length < MAX_SCORED) {
      const text = texts.find((each) => hasInOrder(each, this.#wanted));
      if (text !== undefined) this.#others.push({ item, text });
    }
  }

  #keepBest(): void {
    this.#ranked.sort((one, other) => one.tier - other.tier || one.score - other.score);
    this.#ranked.length = Math.min(this.#ranked.length, this.#options.limit);
  }
}

function bestOf<T>(wanted: string, item: T, texts: readonly string[]): Ranked<T> | undefined {
  let best: Ranked<T> | undefined;
  for (const text of texts) {
    const at = text.indexOf(wanted);
    if (at === -1) continue;
    const tier = tierOf(text, wanted, at);
    if (best === undefined || tier < best.tier) best = { item, tier, score: text.length + at };
  }
  return best;
}

function tierOf(text: string, wanted: string, at: number): number {
  if (text.length === wanted.length) return 0;
  if (at === 0) return 1;
  const name = text.lastIndexOf("/", text.length - 2) + 1;
  return text.startsWith(wanted, name) ? 2 : 3;
}

function hasInOrder(text: string, wanted: string): boolean {
  let at = -1;
  for (const character of wanted) {
    at = text.indexOf(character, at + 1);
    if (at === -1) return false;
  }
  return true;
}

function scoreOf<T>(
  wanted: string,
  { item, text }: { readonly item: T; readonly text: string },
): readonly Ranked<T>[] {
  const { matches, score } = fuzzyMatch(wanted, text);
  return matches ? [{ item, tier: 4, score }] : [];
}
