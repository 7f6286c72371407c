import type { Random } from "./_random_command.ts";

/** Names of the tree that paths are tried in, and names that only look like them. */
const NAMES = [
  ..."open.txt src deep vault key ref extra closed open later out vaultlink loop self up inner"
    .split(
      " ",
    ),
  ..."chain dangling file_link Vault VAULT vault. vault2 .vault sp%20ace -dash ..dots ... home"
    .split(
      " ",
    ),
  "sp ace",
  "caf\u00e9",
  "cafe\u0301",
  "\u2024\u2024",
  "\uff0e\uff0e",
  "vault\u200d",
  "vault ",
  "..%2f",
  "%2f..",
  "..%2Fvault",
  "%2e%2e",
  "%00",
  "a\0b",
  "\ud83d",
  "\ud83d\ude00",
  "line\nend",
  "\x1b[2J",
  "NUL",
  "con.txt",
  "file:stream",
  "git~1",
  "constructor",
  "__proto__",
  "*",
  "[a-v]*",
  "{src,vault}",
];
/** Files of the tree, by ways that lead to them. */
const FILES = [
  ..."src/deep/open.txt vault2/open.txt ref/open.txt -dash vault/open/open.txt vault/key".split(
    " ",
  ),
  ..."vault/deep/key out/key out/deep/key inner/open.txt inner/key chain/key file_link".split(" "),
  ..."vaultlink/key vaultlink/open/open.txt self/self/vault/key self/src/deep/open.txt".split(" "),
  ..."src/extra/open.txt src/extra/closed/key src/extra/vault/key up/extra/closed/key".split(" "),
  ..."up/ws/vault/key up/out/key src/deep/up/out/key up/home/.ssh/key ..dots/open.txt".split(" "),
  "sp ace/open.txt",
  "caf\u00e9/open.txt",
];
const CLIMBS = ["..", ".", ""];
const SEPARATORS = ["/", "/", "/", "/", "//", "\\"];
const WINDOWS_STARTS = [
  "C:",
  "C:\\",
  "c:/",
  "\\\\server\\share\\",
  "//server/share/",
  "\\\\?\\C:\\",
  "\\??\\",
  "\\\\.\\pipe\\",
];

/** What paths start from. */
export interface PathPlaces {
  /** Real path of the folder that holds everything. */
  readonly folder: string;
  /** Real path of the workspace. */
  readonly workspace: string;
}

/**
 * A path that may be anything: inside or outside, plain or strange, existing or not.
 *
 * @param random Where chance comes from.
 * @param places What it starts from.
 */
export function randomPath(random: Random, places: PathPlaces): string {
  if (random() < 0.4) return randomStart(random, places) + pick(FILES, random);
  const names = Array.from({ length: 1 + Math.floor(random() * 5) }, () => {
    const kind = random();
    if (kind < 0.12) return pick(CLIMBS, random);
    return kind < 0.14 ? "x".repeat(300) : pick(NAMES, random);
  });
  const path = names.reduce((start, name) => start + pick(SEPARATORS, random) + name);
  return randomStart(random, places) + path;
}

/**
 * Changes a path a little, so that it is almost what it was.
 *
 * @param path What is changed.
 * @param other Where a part may come from.
 * @param random Where chance comes from.
 */
export function mutatePath(path: string, other: string, random: Random): string {
  const at = Math.floor(random() * (path.length + 1));
  switch (Math.floor(random() * 9)) {
    case 0:
      return path.slice(0, at) + pick(["\0", ".", " ", "/", "%2f", "..", "~"], random) +
        path.slice(at);
    case 1:
      return path.slice(0, at) + path.slice(at + 1);
    case 2:
      return path.slice(0, at) + other.slice(Math.floor(random() * other.length));
    case 3:
      return path.normalize(random() < 0.5 ? "NFC" : "NFD");
    case 4:
      return random() < 0.5 ? path.toUpperCase() : path.toLowerCase();
    case 5:
      return path + pick([".", " ", "/", "/.", "//", "/..", "::$DATA"], random);
    case 6:
      return `${path}/`.repeat(1 + Math.floor(random() * 3)) + other;
    case 7:
      return "./".repeat(Math.floor(random() * 2_500)) + path;
    default:
      return [...path].reverse().join("");
  }
}

function randomStart(random: Random, { folder, workspace }: PathPlaces): string {
  const kind = random();
  if (kind < 0.5) return "";
  if (kind < 0.65) return `${workspace}/`;
  if (kind < 0.8) return `${folder}/`;
  if (kind < 0.85) return pick(["~", "~/", "~root/", "~/../"], random);
  if (kind < 0.9) {
    return pick(["/", "/proc/self/cwd/", "/proc/self/root/", "/dev/", "/dev/fd/"], random);
  }
  if (kind < 0.95) return pick(WINDOWS_STARTS, random);
  return `${folder}/./ws/../ws/`;
}

function pick<T>(list: readonly T[], random: Random): T {
  const found = list[Math.floor(random() * list.length)];
  if (found === undefined) throw new RangeError("Nothing to pick from");
  return found;
}
