/** Longest name that is compared; distances of longer ones are not worth their time. */
const MAX_COMPARED_CHARACTERS = 100;

/**
 * The names that a person most likely meant, nearest first. A name that differs in case alone
 * comes before every other.
 *
 * @param name The name that was not found.
 * @param candidates The names that exist.
 * @param max How many to return at most.
 */
export function nearestNames(
  name: string,
  candidates: readonly string[],
  max: number,
): readonly string[] {
  const wanted = name.toLowerCase();
  const limit = Math.max(2, Math.floor(wanted.length / 3));
  const scored: { readonly candidate: string; readonly distance: number }[] = [];
  for (const candidate of candidates) {
    const distance = nameDistance(wanted, candidate.toLowerCase(), limit);
    if (distance <= limit) scored.push({ candidate, distance });
  }
  scored.sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1));
  return scored.slice(0, max).map((entry) => entry.candidate);
}

/** Edits between two names, or more than the limit when that is certain early. */
function nameDistance(a: string, b: string, limit: number): number {
  if (a === b) return 0;
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  if (a.length > MAX_COMPARED_CHARACTERS || b.length > MAX_COMPARED_CHARACTERS) return limit + 1;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
