const BUDGET_REGEXP = /^(?<number>\d{1,12}(?:\.\d{1,6})?)(?<unit>[kKmM]?)$/;
const NO_BUDGET: readonly string[] = ["clear", "none", "off", "0"];
const UNITS: Readonly<Record<string, number>> = { "": 1, k: 1_000, m: 1_000_000 };
/** More is as good as none. */
const MAX_TOKENS = 1_000_000_000_000;

/** How a budget is written, for messages. */
export const BUDGET_FORMS = "50k, 1.5M or 250000, or clear for none";

/**
 * Reads a number of tokens, such as `50k`, `1.5M` or `250000`. Pure.
 *
 * @param text As it was typed.
 * @returns Null for `clear`, `none`, `off` and `0`; undefined if it is no budget.
 */
export function parseTokenBudget(text: string): number | null | undefined {
  const word = text.trim();
  if (NO_BUDGET.includes(word.toLowerCase())) return null;
  const { number, unit = "" } = BUDGET_REGEXP.exec(word)?.groups ?? {};
  if (number === undefined) return undefined;
  const tokens = Number(number) * (UNITS[unit.toLowerCase()] ?? 1);
  const isWhole = Number.isInteger(Math.round(tokens * 1e6) / 1e6);
  return isWhole && tokens >= 1 && tokens <= MAX_TOKENS ? Math.round(tokens) : undefined;
}

/**
 * A number of tokens as people write it, such as `950`, `12.3k` or `1.5M`.
 *
 * @param tokens How many.
 */
export function formatTokenBudget(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  const [size, unit] = tokens < 999_950 ? [1_000, "k"] : [1_000_000, "M"];
  return `${(tokens / size).toFixed(1).replace(/\.0$/, "")}${unit}`;
}
