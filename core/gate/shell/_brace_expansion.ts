import type { ShellWord, WordPart } from "./shell_syntax.ts";

/** Words that one word may become. */
const MAX_WORDS = 256;
/** Braces that one word may hold. */
const MAX_BRACES = 32;

const NUMBERS_REGEXP = /^(-?\d{1,6})\.\.(-?\d{1,6})(?:\.\.(-?\d{1,6}))?$/;
const LETTERS_REGEXP = /^([A-Za-z])\.\.([A-Za-z])$/;

/** One unquoted character, or a piece that brace expansion looks over. */
type Atom = string | WordPart;

/**
 * What a word becomes by brace expansion, or null when that is not clear.
 *
 * A group that holds neither a comma nor a sequence stays as it is. Bash has rules of its own for
 * braces that are not balanced; such words are not clear as soon as one comma could expand.
 *
 * @param word A word.
 */
export function expandBraces(word: ShellWord): readonly ShellWord[] | null {
  if (!word.parts.some(holdsBrace)) return [word];
  const atoms = word.parts.flatMap(toAtoms);
  if (!mayExpand(atoms)) return [word];
  if (atoms.filter((atom) => atom === "{").length > MAX_BRACES) return null;
  const expanded = expand(atoms);
  if (expanded === null) return null;
  // An empty choice leaves no word behind, unless quotes stand in it.
  return expanded.filter((result) => result.length > 0)
    .map((result) => ({ source: word.source, parts: toParts(result) }));
}

function holdsBrace(part: WordPart): boolean {
  return part.kind === "text" && part.quoting === "none" && part.text.includes("{");
}

function toAtoms(part: WordPart): readonly Atom[] {
  return part.kind === "text" && part.quoting === "none" ? [...part.text] : [part];
}

function mayExpand(atoms: readonly Atom[]): boolean {
  return atoms.some((atom, index) => atom === "," || (atom === "." && atoms[index + 1] === "."));
}

function expand(atoms: readonly Atom[]): readonly (readonly Atom[])[] | null {
  const open = atoms.indexOf("{");
  if (open === -1) return atoms.includes("}") ? null : [atoms];
  const close = findClose(atoms, open);
  if (close === -1 || atoms.slice(0, open).includes("}")) return null;
  const choices = expandGroup(atoms.slice(open + 1, close));
  const rest = expand(atoms.slice(close + 1));
  if (choices === null || rest === null || choices.length * rest.length > MAX_WORDS) return null;
  const start = atoms.slice(0, open);
  return choices.flatMap((choice) => rest.map((end) => [...start, ...choice, ...end]));
}

/** The choices of a group, from what stands between its braces. */
function expandGroup(atoms: readonly Atom[]): readonly (readonly Atom[])[] | null {
  if (atoms.length === 0) return [["{", "}"]];
  const choices = splitAtCommas(atoms);
  if (choices.length === 1) return expandSequence(atoms);
  const expanded: (readonly Atom[])[] = [];
  for (const choice of choices) {
    const words = expand(choice);
    if (words === null || expanded.length + words.length > MAX_WORDS) return null;
    expanded.push(...words);
  }
  return expanded;
}

function splitAtCommas(atoms: readonly Atom[]): readonly (readonly Atom[])[] {
  const choices: Atom[][] = [[]];
  let depth = 0;
  for (const atom of atoms) {
    if (atom === "," && depth === 0) choices.push([]);
    else choices.at(-1)?.push(atom);
    if (atom === "{") depth++;
    if (atom === "}") depth--;
  }
  return choices;
}

function expandSequence(atoms: readonly Atom[]): readonly (readonly Atom[])[] | null {
  const text = atoms.map((atom) => typeof atom === "string" ? atom : " ").join("");
  const letters = LETTERS_REGEXP.exec(text);
  if (letters !== null) {
    const codes = count(letters[1]?.charCodeAt(0) ?? 0, letters[2]?.charCodeAt(0) ?? 0, 1);
    return codes.map((code) => [String.fromCharCode(code)]);
  }
  const numbers = NUMBERS_REGEXP.exec(text);
  if (numbers === null) return null;
  const [, first = "", last = "", step = "1"] = numbers;
  const from = Number(first);
  const to = Number(last);
  const by = Math.abs(Number(step)) || 1;
  if (Math.abs(to - from) / by >= MAX_WORDS) return null;
  // Leading zeros make every number as wide as the widest; only the digits differ by that.
  const width = /^-?0\d/.test(first) || /^-?0\d/.test(last)
    ? Math.max(first.length, last.length)
    : 0;
  return count(from, to, by).map((value) => [...padNumber(value, width)]);
}

function padNumber(value: number, width: number): string {
  const sign = value < 0 ? "-" : "";
  return sign + String(Math.abs(value)).padStart(width - sign.length, "0");
}

function count(from: number, to: number, by: number): readonly number[] {
  const values: number[] = [];
  const step = to < from ? -by : by;
  for (let value = from; step > 0 ? value <= to : value >= to; value += step) values.push(value);
  return values;
}

function findClose(atoms: readonly Atom[], open: number): number {
  let depth = 0;
  for (let index = open; index < atoms.length; index++) {
    if (atoms[index] === "{") depth++;
    if (atoms[index] === "}" && --depth === 0) return index;
  }
  return -1;
}

function toParts(atoms: readonly Atom[]): readonly WordPart[] {
  const parts: WordPart[] = [];
  let text = "";
  for (const atom of atoms) {
    if (typeof atom === "string") {
      text += atom;
      continue;
    }
    if (text !== "") parts.push({ kind: "text", text, quoting: "none" });
    text = "";
    parts.push(atom);
  }
  if (text !== "") parts.push({ kind: "text", text, quoting: "none" });
  return parts;
}
