/** Major, minor and patch, and what stands after a hyphen. */
interface Version {
  readonly parts: readonly [number, number, number];
  readonly prerelease: string;
}

/** A version of which the last parts may be missing or `x`. */
const PARTIAL = String
  .raw`[v=]?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?(?:-([\w.-]+))?(?:\+[\w.-]+)?`;
const COMPARATOR_REGEXP = new RegExp(String.raw`^(\^|~>?|>=|<=|>|<|=)?\s*${PARTIAL}$`);
const HYPHEN_REGEXP = /^\s*(\S+)\s+-\s+(\S+)\s*$/;

/** Longer ones are no ranges that a person wrote. */
const MAX_RANGE_CHARS = 1_000;

/**
 * Whether a version lies in a range, by the rules of npm. A range that cannot be read holds no
 * version. Pre-releases are compared as npm compares them, but are not kept out of ranges that do
 * not name one: the answer is for a warning alone. Pure.
 *
 * @param version An exact version.
 * @param range The range, such as `^0.1.0 || ^0.2.0`.
 */
export function isInRange(version: string, range: string): boolean {
  const exact = parsePartial(version.trim());
  if (exact === null || range.length > MAX_RANGE_CHARS) return false;
  const [major, minor, patch] = exact.parts;
  if (major === null || minor === null || patch === null) return false;
  const found: Version = { parts: [major, minor, patch], prerelease: exact.prerelease };
  return range.split("||").some((part) => isInPart(found, part));
}

function isInPart(version: Version, part: string): boolean {
  const [, from, to] = HYPHEN_REGEXP.exec(part) ?? [];
  const words = from !== undefined && to !== undefined
    ? [`>=${from}`, `<=${to}`]
    : part.trim().replace(/(\^|~>?|>=|<=|>|<|=)\s+/g, "$1").split(/\s+/);
  return words.every((word) => word === "" || isComparedWell(version, word));
}

function isComparedWell(version: Version, word: string): boolean {
  const [, operator = ""] = COMPARATOR_REGEXP.exec(word) ?? [];
  const partial = parsePartial(word.slice(operator.length));
  if (partial === null) return false;
  const [major, minor, patch] = partial.parts;
  if (major === null) return !["<", ">"].includes(operator);
  const low: Version = { parts: [major, minor ?? 0, patch ?? 0], prerelease: partial.prerelease };
  const wide = minor === null ? above(low, 0) : patch === null ? above(low, 1) : null;
  switch (operator) {
    case ">=":
      return compare(version, low) >= 0;
    case "<":
      return compare(version, low) < 0;
    case ">":
      return wide === null ? compare(version, low) > 0 : compare(version, wide) >= 0;
    case "<=":
      return wide === null ? compare(version, low) <= 0 : compare(version, wide) < 0;
    case "^":
      return isBetween(version, low, caretLimit(low, partial));
    case "~":
    case "~>":
      return isBetween(version, low, minor === null ? above(low, 0) : above(low, 1));
    default:
      return wide === null ? compare(version, low) === 0 : isBetween(version, low, wide);
  }
}

function isBetween(version: Version, low: Version, high: Version): boolean {
  return compare(version, low) >= 0 && compare(version, high) < 0;
}

/** The first part that is not zero stays, of those that are named. */
function caretLimit(low: Version, { parts: [, minor, patch] }: PartialVersion): Version {
  if (low.parts[0] > 0 || minor === null) return above(low, 0);
  return minor > 0 || patch === null ? above(low, 1) : above(low, 2);
}

/** The lowest version with the next higher part at a place. */
function above({ parts: [major, minor, patch] }: Version, place: 0 | 1 | 2): Version {
  switch (place) {
    case 0:
      return { parts: [major + 1, 0, 0], prerelease: "" };
    case 1:
      return { parts: [major, minor + 1, 0], prerelease: "" };
    case 2:
      return { parts: [major, minor, patch + 1], prerelease: "" };
  }
}

function compare(a: Version, b: Version): number {
  for (const [index, part] of a.parts.entries()) {
    const difference = part - (b.parts[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return comparePrereleases(a.prerelease, b.prerelease);
}

function comparePrereleases(a: string, b: string): number {
  if (a === b) return 0;
  if (a === "" || b === "") return a === "" ? 1 : -1;
  const [left, right] = [a.split("."), b.split(".")];
  for (const [index, one] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (one === other) continue;
    const [isNumber, otherIsNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)];
    if (isNumber && otherIsNumber) return Number(one) - Number(other);
    if (isNumber !== otherIsNumber) return isNumber ? -1 : 1;
    return one < other ? -1 : 1;
  }
  return -1;
}

interface PartialVersion {
  readonly parts: readonly [number | null, number | null, number | null];
  readonly prerelease: string;
}

function parsePartial(text: string): PartialVersion | null {
  const match = new RegExp(`^${PARTIAL}$`).exec(text);
  if (match === null) return null;
  const [, major, minor, patch, prerelease = ""] = match;
  return { parts: [numberOf(major), numberOf(minor), numberOf(patch)], prerelease };
}

function numberOf(part: string | undefined): number | null {
  return part === undefined || !/^\d+$/.test(part) ? null : Number(part);
}
