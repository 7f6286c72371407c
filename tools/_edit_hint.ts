const LINE_NUMBER_REGEXP = /^\d+: ?/;
const MAX_QUOTED_CHARACTERS = 120;

/** Lines and characters that the search for the nearest line looks at. */
const MAX_LINES = 50_000;
const MAX_LINE_CHARACTERS = 400;

/**
 * Says why text was not found in a file, as well as that can be told: pasted line numbers,
 * different white space, or else which line is the nearest.
 *
 * @param text The text of the file, with `\n` as its line ends.
 * @param oldText The text that was looked for.
 */
export function explainNoMatch(text: string, oldText: string): string {
  const wanted = oldText.replaceAll("\r\n", "\n");
  const wantedLines = wanted.split("\n");
  const filled = wantedLines.filter((line) => line.trim() !== "");
  if (filled.length > 0 && filled.every((line) => LINE_NUMBER_REGEXP.test(line))) {
    return "its lines start with the numbers that read_file shows, which are not part of the " +
      'file; leave out the "N: " at the start of each line';
  }
  const lines = text.split("\n", MAX_LINES);
  const loose = findLoosely(lines, wantedLines);
  if (loose !== null) {
    return `line ${loose} on differs only in white space or in the form of quotes; copy it exactly`;
  }
  const nearest = findNearest(lines, longest(filled));
  if (nearest === null) return "no line is like it; read the file again";
  const quoted = JSON.stringify(shorten(lines[nearest] ?? ""));
  return `the nearest line is ${nearest + 1}: ${quoted}`;
}

/** Number of the line at which all lines match when white space is not compared. */
function findLoosely(lines: readonly string[], wantedLines: readonly string[]): number | null {
  const wanted = wantedLines.map(loosen);
  while (wanted.length > 0 && wanted[0] === "") wanted.shift();
  while (wanted.length > 0 && wanted.at(-1) === "") wanted.pop();
  if (wanted.length === 0) return null;
  const loose = lines.map(loosen);
  for (let start = 0; start + wanted.length <= loose.length; start++) {
    if (wanted.every((line, offset) => loose[start + offset] === line)) return start + 1;
  }
  return null;
}

function loosen(line: string): string {
  return line.normalize("NFKC").replace(/\s+/g, "").replace(/[‘’]/g, "'").replace(/[“”]/g, '"');
}

function longest(lines: readonly string[]): string {
  return lines.reduce((best, line) => line.length > best.length ? line : best, "");
}

function findNearest(lines: readonly string[], wanted: string): number | null {
  const pairs = pairsOf(wanted);
  let best: number | null = null;
  let bestScore = 0.5;
  lines.forEach((line, index) => {
    const score = similarity(pairs, pairsOf(line));
    if (score > bestScore) [best, bestScore] = [index, score];
  });
  return best;
}

function pairsOf(line: string): ReadonlySet<string> {
  const text = line.trim().slice(0, MAX_LINE_CHARACTERS);
  const pairs = new Set<string>();
  for (let index = 0; index + 1 < text.length; index++) pairs.add(text.slice(index, index + 2));
  return pairs;
}

/** Share of the pairs of characters that two lines have in common, from 0 to 1. */
function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  return (2 * a.intersection(b).size) / (a.size + b.size);
}

function shorten(line: string): string {
  const characters = [...line.trim()];
  return characters.length <= MAX_QUOTED_CHARACTERS
    ? characters.join("")
    : `${characters.slice(0, MAX_QUOTED_CHARACTERS).join("")}…`;
}
