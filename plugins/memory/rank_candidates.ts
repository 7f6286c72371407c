import type { SqlRow } from "@alisio/sdk";

const DAY_MS = 86_400_000;
/** After so long, an observation counts half as new. */
const HALF_LIFE_DAYS = 30;
/** What being new, and being read often, may add to how well the words fit. */
const RECENCY_WEIGHT = 0.3;
const ACCESS_WEIGHT = 0.2;
/** So many reads count as often. */
const OFTEN = 50;

/**
 * Puts what a search found in order: by how well the words fit first, then by how new it is, then
 * by how often it was read. Pure.
 *
 * @param rows Observations with their `rank` of BM25, where a lower one fits better; null for one
 * that no index found.
 * @param now Epoch milliseconds.
 */
export function rankCandidates(rows: readonly SqlRow[], now: number): readonly SqlRow[] {
  const scored = rows.map((row) => ({ row, score: scoreOf(row, now) }));
  return scored.toSorted((one, other) =>
    other.score - one.score || Number(other.row.updated_at) - Number(one.row.updated_at) ||
    Number(other.row.id) - Number(one.row.id)
  ).map(({ row }) => row);
}

function scoreOf(row: SqlRow, now: number): number {
  // What no index found fits as well as the least that one finds.
  const fit = row.rank === null || row.rank === undefined
    ? 1e-9
    : Math.max(1e-9, -Number(row.rank));
  const days = Math.max(0, now - Number(row.updated_at)) / DAY_MS;
  const recency = 0.5 ** (days / HALF_LIFE_DAYS);
  const reads = Math.min(1, Math.log1p(Number(row.access_count)) / Math.log1p(OFTEN));
  return fit * (1 + RECENCY_WEIGHT * recency + ACCESS_WEIGHT * reads);
}
