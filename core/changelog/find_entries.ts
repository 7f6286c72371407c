import type { ChangelogEntry } from "./entries.ts";

/** So many are shown where no version is named. */
const NEWEST = 5;

/**
 * The entries that a person asks for. Pure.
 *
 * @param entries All entries, the newest first.
 * @param wanted A version, with or without a letter before it, or its last part such as `alpha.26`;
 * empty for the newest few.
 */
export function findEntries(
  entries: readonly ChangelogEntry[],
  wanted: string,
): readonly ChangelogEntry[] {
  if (wanted === "") return entries.slice(0, NEWEST);
  const version = wanted.replace(/^v/i, "");
  const exact = entries.filter((entry) => entry.version === version);
  return exact.length > 0
    ? exact
    : entries.filter((entry) => entry.version.endsWith(`-${version}`));
}

/**
 * Which of two versions is the later one, by the rules of SemVer. Pure.
 *
 * @param a A version.
 * @param b Another one.
 * @returns Below 0 if `a` is the earlier one, above 0 if it is the later one, else 0.
 */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [partsOf(a), partsOf(b)];
  for (let at = 0; at < 3; at++) {
    const difference = (one.numbers[at] ?? 0) - (other.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return comparePrereleases(one.prerelease, other.prerelease);
}

function partsOf(version: string): {
  readonly numbers: readonly number[];
  readonly prerelease: readonly string[];
} {
  const [plain = ""] = version.replace(/^v/i, "").split("+");
  const dash = plain.indexOf("-");
  const core = dash === -1 ? plain : plain.slice(0, dash);
  return {
    numbers: core.split(".").map((part) => Number.parseInt(part, 10) || 0),
    prerelease: dash === -1 ? [] : plain.slice(dash + 1).split("."),
  };
}

/** What comes before a release is earlier than the release. */
function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const [one, other] = [a[at], b[at]];
    if (one === undefined || other === undefined) return one === undefined ? -1 : 1;
    if (one === other) continue;
    const areNumbers = /^\d+$/.test(one) && /^\d+$/.test(other);
    if (areNumbers) return Number(one) - Number(other);
    if (/^\d+$/.test(one) !== /^\d+$/.test(other)) return /^\d+$/.test(one) ? -1 : 1;
    return one < other ? -1 : 1;
  }
  return 0;
}
