const FORK_BOMB = ":(){:|:&};:";
const DELETERS_REGEXP = /^(?:del|erase|rmdir|rd)$/i;

/**
 * Whether a text holds words that are meant to destroy, quoted or not: a recursive and forced delete
 * from the root, a fork bomb, a quiet delete of Windows, the formatting of a disk. Takes time in
 * proportion to the length of the text.
 *
 * @param text Any text.
 */
export function isDestructiveText(text: string): boolean {
  if (text.includes("(") && text.replace(/\s/g, "").includes(FORK_BOMB)) return true;
  return text.split("\n").some((line) => {
    const words = line.split(/\s+/);
    return deletesRoot(words) || deletesQuietly(words) || formatsDisk(words);
  });
}

function deletesRoot(words: readonly string[]): boolean {
  let flags: string | null = null;
  for (const word of words) {
    if (/(?:^|\W)rm["']?$/.test(word)) flags = "";
    else if (flags !== null && word.startsWith("-")) flags += longFlag(word);
    else {
      const isForced = flags !== null && /r/i.test(flags) && /f/.test(flags);
      if (isForced && /^["']?\//.test(word)) return true;
      flags = null;
    }
  }
  return false;
}

function longFlag(word: string): string {
  if (word === "--recursive") return "r";
  if (word === "--force") return "f";
  return word.startsWith("--") ? "" : word.slice(1);
}

function deletesQuietly(words: readonly string[]): boolean {
  return words.some((word) => DELETERS_REGEXP.test(word)) &&
    words.some((word) => /^\/(?:\w*q|q\/\w+|\w\/q)$/i.test(word));
}

function formatsDisk(words: readonly string[]): boolean {
  return words.some((word, index) =>
    /(?:^|\W)format$/i.test(word) && /^c:/i.test(words[index + 1] ?? "")
  );
}
