/** Commands of `sed` without arguments. */
const PLAIN_COMMANDS = "dDgGhHnNpPxzF=";
const ADDRESS_REGEXP = /\s*(?:(?:\d+(?:~\d+)?|\$|[+~]\d+)\s*)/y;
const NUMBER_OR_LABEL_REGEXP = /[ \t]*[\w.-]*/y;
const SUBSTITUTE_FLAGS_REGEXP = /[gpiImM0-9]*/y;
const REST_OF_LINE_REGEXP = /(?:\\[^]|[^\\\n])*/y;

/**
 * Whether a script of `sed` can only print and edit: it starts no program and writes no file.
 * A command that is not known to be so counts as one that is not.
 *
 * @param script The script.
 */
export function isPlainSedScript(script: string): boolean {
  let index = 0;
  while (index < script.length) {
    const end = skipCommand(script, index);
    if (end === null) return false;
    index = end;
  }
  return true;
}

function skipCommand(script: string, start: number): number | null {
  let index = skip(/[\s;}]*/y, script, start);
  if (script[index] === "#") return skip(/[^\n]*/y, script, index);
  if (index >= script.length) return index;
  for (let addresses = 0; addresses < 2; addresses++) {
    const end = skipAddress(script, index);
    if (end === null) return null;
    index = end;
    if (script[index] !== ",") break;
    index++;
  }
  index = skip(/[\s!]*/y, script, index);
  const command = script.charAt(index++);
  if (command === "{") return index;
  if (command !== "" && PLAIN_COMMANDS.includes(command)) return endOfCommand(script, index);
  switch (command) {
    case "s": {
      const end = skipDelimited(script, index, 2);
      // The flags `e` and `w` run what was matched and write it to a file.
      return end === null ? null : endOfCommand(script, skip(SUBSTITUTE_FLAGS_REGEXP, script, end));
    }
    case "y": {
      const end = skipDelimited(script, index, 2);
      return end === null ? null : endOfCommand(script, end);
    }
    case "q":
    case "Q":
    case "l":
    case "b":
    case "t":
    case "T":
    case ":":
      return endOfCommand(script, skip(NUMBER_OR_LABEL_REGEXP, script, index));
    case "a":
    case "i":
    case "c":
      return skip(REST_OF_LINE_REGEXP, script, index);
    default:
      return null;
  }
}

function skipAddress(script: string, start: number): number | null {
  const index = skip(/\s*/y, script, start);
  if (script[index] !== "/" && script[index] !== "\\") {
    return skip(ADDRESS_REGEXP, script, index);
  }
  const open = script[index] === "/" ? index : index + 1;
  const end = skipDelimited(script, open, 1);
  return end === null ? null : skip(/[IM]*\s*/y, script, end);
}

/** Skips `count` texts that end in the character at `start`. */
function skipDelimited(script: string, start: number, count: number): number | null {
  const delimiter = script.charAt(start);
  // A bracket or a line end as delimiter is legal and never meant well.
  if (!/[^\s\w\\[\]]/.test(delimiter)) return null;
  let index = start + 1;
  for (let left = count; left > 0; index++) {
    const character = script.charAt(index);
    if (character === "") return null;
    // Versions of sed disagree on a delimiter inside a bracket expression.
    if (character === "[" && bracketHides(script, index, delimiter)) return null;
    if (character === "\\") index++;
    else if (character === delimiter) left--;
  }
  return index;
}

function bracketHides(script: string, start: number, delimiter: string): boolean {
  const close = script.indexOf("]", start + 2);
  return close !== -1 && script.slice(start, close).includes(delimiter);
}

function endOfCommand(script: string, start: number): number | null {
  const index = skip(/[ \t]*/y, script, start);
  return index >= script.length || "\n;}#".includes(script.charAt(index)) ? index : null;
}

function skip(pattern: RegExp, text: string, index: number): number {
  pattern.lastIndex = index;
  const found = pattern.exec(text);
  return found === null ? index : index + found[0].length;
}
