/** Longer names are never compared: the cost grows with the product of both lengths. */
const MAX_COMPARED_CHARS = 100;

/**
 * Finds the known name that a misspelt one most probably means.
 *
 * Letter case and the separators `-` and `_` do not count. A name is near when at most a third of
 * its characters differ, and at most three.
 *
 * @param name What was written.
 * @param known The names that exist; the first of equally near ones wins.
 * @returns The nearest known name, or `undefined` if none is near.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const written = fold(name);
  if (written.length === 0 || name.length > MAX_COMPARED_CHARS) return undefined;
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const candidate of known) {
    const folded = fold(candidate);
    const limit = Math.min(3, Math.ceil(Math.max(written.length, folded.length) / 3));
    if (Math.abs(folded.length - written.length) > limit) continue;
    const distance = editDistance(written, folded);
    if (distance <= limit && distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

function fold(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, "");
}

/** Insertions, deletions, substitutions and swaps of neighbours between two texts. */
function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let cost = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] &&
        from[row - 2] === to[column - 1];
      if (swapped) cost = Math.min(cost, (beforePrevious[column - 2] ?? 0) + 1);
      current.push(cost);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[to.length] ?? 0;
}
