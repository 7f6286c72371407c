/** Numbers from 0 up to 1, the same for the same seed. */
export type Random = () => number;

/**
 * A small generator of random numbers.
 *
 * @param seed Where it starts.
 */
export function createRandom(seed: number): Random {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

// No slash, dot or tilde is ever put into a command line at random: whatever the policy lets slip,
// it stays inside the throw-away folder.
const SAFE = "ls cat grep echo pwd wc head sort true test printf cd git constructor".split(" ");
const DANGEROUS = "rm curl wget ssh chmod dd evil ./evil ./ls".split(" ");
const LAUNCHERS = [
  "env",
  "env -i",
  "env A=1",
  "env PATH=.",
  "env -S",
  "env -u A",
  "xargs",
  "xargs -n 1",
  "xargs -I{}",
  "xargs -I % sh -c %",
  "timeout 2",
  "timeout -k 1 2",
  "nohup",
  "nice",
  "nice -n 1",
  "nice -5",
  "setsid -w",
  "stdbuf -oL",
  "command",
  "command -p",
  "command -v",
  "exec",
  "eval",
  "busybox",
  "time",
  "time -p",
  "builtin",
  "watch",
];
const SCRIPTED = [
  "sh -c",
  "bash -c",
  "bash -ec",
  "eval",
  "trap",
  "bash -eo pipefail -c",
  "dash -c",
];
const WORDS = [
  "x",
  "-a",
  "--",
  "-",
  "'q r'",
  '"q"',
  "$X",
  '"$X"',
  "${X:-rm}",
  "*",
  "-d*",
  "{a,b}",
  "{-delete,-print}",
  "{rm,x}",
  "$((1+1))",
  "$((a))",
  "'a[$(rm x)]'",
  "$'\\x72\\x6d'",
  "-v",
  "-c",
  "-e",
  "-o",
  "-exec",
  "-execdir",
  "-delete",
  "-fprint",
  "\\;",
  "+",
  "{}",
  "'1e rm x'",
  "s,a,b,e",
  "p",
  "'{print}'",
  "'BEGIN{system(\"rm x\")}'",
  "-n",
  "1",
  "A=1",
  "PATH=.",
  "IFS=",
  "\\",
  "rm",
  "'rm x'",
  "-print",
  "status",
  "config",
  "#",
  "-k",
  "--compress-program=rm",
  "constructor",
  "__proto__",
];
/** Ways to start something that have worked somewhere; mutations look for what is next to them. */
const KNOWN_WAYS = [
  "sed -n '1e rm x' x",
  "sed 's,a,rm x,e' x",
  "sed 'w out' x",
  "sed -i s,a,b, x",
  "find . -delete",
  "find . -del*",
  "find * -print",
  "find {.,-delete}",
  "find . -exec rm x \\;",
  "sort -o out x",
  "sort --compress-program=rm x",
  "awk '{ print > \"out\" }' x",
  "awk '\"rm x\" | getline' x",
  "awk '/a/ { system(\"rm x\") }' x",
  "test -v 'a[$(rm x)]'",
  "printf -v 'a[$(rm x)]' y",
  "read 'a[$(rm x)]' <<<1",
  "[[ 'a[$(rm x)]' -eq 1 ]]",
  "a='b[$(rm x)]'; echo $((a))",
  "export PATH=.; ls",
  "PATH=.\nls",
  "for PATH in .; do ls; done",
  "read PATH <<<.; ls",
  "declare -n a=PATH; a=.; ls",
  "BASH_CMDS[ls]=evil; ls",
  "hash -p evil ls; ls",
  "alias ls=rm\nls x",
  "set -k; ls PATH=.",
  "f() { rm x; }; f",
  "xargs -I{} sh -c '{}' <<<'rm x'",
  "xargs <<<'x' rm",
  "env -S'rm x'",
  "env - rm x",
  "trap 'rm x' EXIT",
  "exec -a ls rm x",
  "cat <<E | sh\nrm x\nE",
  "cat <<E\n$(rm x)\nE",
  "cat <<-'E'\n\tE\nrm x",
  "PS4='$(rm x)' sh -xc ls",
  "BASH_ENV=evil bash -c ls",
  "ENV=evil sh -ic ls",
  "eval 'r''m' x",
  "x='$(rm x)'; echo ${x@P}",
  "$'\\162m' x",
  "ls >|out",
  "ls {v}>out",
  "ls &>out",
  "python3 -ic x",
  "python3 <<<x",
  "git -ca=b status",
];
const ASSIGNMENTS = [
  "A=1",
  "PATH=.",
  "IFS=x",
  "X=rm",
  "LD_PRELOAD=x",
  "BASH_ENV=evil",
  "a='x[$(rm x)]'",
  "A=(1 2)",
];
const REDIRECTIONS = [
  ">/dev/null",
  "2>&1",
  "2>/dev/null",
  ">out",
  ">>x",
  "<x",
  "</dev/null",
  "&>/dev/null",
  ">&2",
  ">|out",
  "<<<x",
  "<<<'rm x'",
  "{v}>/dev/null",
];
const JOINS = [
  " | ",
  "|",
  "; ",
  ";",
  " && ",
  " || ",
  "\n",
  " & ",
  "&",
  " |& ",
  "\r",
  " \\\n",
  "  ",
];
const CHARACTERS = "'\"`$();&|<>{}[]\\\n\t #!=-,*?\r\x01\u00a0\u200b%@+^";

/**
 * A random command line, more often well formed than not.
 *
 * @param random Random numbers.
 */
export function randomCommand(random: Random): string {
  if (random() < 0.15) return mutateCommand(pick(KNOWN_WAYS, random), "ls | rm x", random);
  const parts = [randomStep(random, 0)];
  while (random() < 0.35 && parts.length < 4) {
    parts.push(pick(JOINS, random), randomStep(random, 0));
  }
  return parts.join("");
}

/**
 * A command line with some characters lost, added, repeated, or replaced by those of another.
 *
 * @param command A command line.
 * @param other Another.
 * @param random Random numbers.
 */
export function mutateCommand(command: string, other: string, random: Random): string {
  let text = command;
  for (let left = 1 + Math.floor(random() * 3); left > 0; left--) {
    const at = Math.floor(random() * (text.length + 1));
    const until = at + Math.floor(random() * 5);
    const kind = random();
    if (kind < 0.3) text = text.slice(0, at) + text.slice(until);
    else if (kind < 0.7) text = text.slice(0, at) + pick([...CHARACTERS], random) + text.slice(at);
    else if (kind < 0.85) text = text.slice(0, until) + text.slice(at);
    else text = text.slice(0, at) + other.slice(Math.floor(random() * other.length));
  }
  return text;
}

function randomStep(random: Random, depth: number): string {
  const kind = random();
  if (depth < 2 && kind < 0.1) return randomCompound(random, depth);
  if (depth < 2 && kind < 0.16) return randomHeredoc(random);
  return randomSimple(random, depth);
}

function randomSimple(random: Random, depth: number): string {
  const words: string[] = [];
  if (random() < 0.12) words.push(pick(ASSIGNMENTS, random));
  while (random() < 0.25 && words.length < 4) words.push(pick(LAUNCHERS, random));
  const kind = random();
  if (kind < 0.55) words.push(pick(SAFE, random));
  else if (kind < 0.65) {
    words.push(pick(["find .", "sed", "sed -n", "awk", "python3", "git"], random));
  } else if (kind < 0.8) words.push(disguise(pick(DANGEROUS, random), random));
  else {
    const inner = depth < 2 ? randomStep(random, depth + 1) : "rm x";
    words.push(pick(SCRIPTED, random), quote(inner, random));
  }
  while (random() < 0.55 && words.length < 9) {
    words.push(depth < 2 && random() < 0.12 ? randomExpansion(random, depth) : pick(WORDS, random));
  }
  if (random() < 0.15) words.push(pick(REDIRECTIONS, random));
  return words.join(" ");
}

function randomExpansion(random: Random, depth: number): string {
  const inner = randomStep(random, depth + 1);
  return pick(
    [`$(${inner})`, `\`${inner}\``, `"$(${inner})"`, `<(${inner})`, `\${X:-$(${inner})}`],
    random,
  );
}

/** No endless loop is among them: one that starts programs in the background floods the system. */
function randomCompound(random: Random, depth: number): string {
  const inner = randomStep(random, depth + 1);
  const other = randomStep(random, depth + 1);
  return pick([
    `(${inner})`,
    `{ ${inner}; }`,
    `! ${inner}`,
    `if ${inner}; then ${other}; fi`,
    `for f in a b; do ${inner}; done`,
    `case x in x) ${inner};; esac`,
    `f() { ${inner}; }; f`,
    `[[ x == x ]] && ${inner}`,
    `((1)); ${inner}`,
    `[[ $a -eq 0 ]]`,
    `coproc ${inner}`,
    `time ${inner}`,
  ], random);
}

function randomHeredoc(random: Random): string {
  const head = pick(["cat", "sh", "cat | sh", "xargs rm", "python3", "bash -s", "sed p"], random);
  const [program = "cat", ...rest] = head.split(" | ");
  const mark = pick(["E", "'E'", "\\E", '"E"'], random);
  const body = pick(["rm x", "$(rm x)", "`rm x`", "text", "text \\", "E\\"], random);
  const after = pick(["", "\nrm x", "\nls", " rm x"], random);
  const pipe = rest.length > 0 ? ` | ${rest.join(" | ")}` : "";
  return `${program} ${pick(["<<", "<<-"], random)}${mark}${pipe}\n${body}\nE${after}`;
}

function disguise(program: string, random: Random): string {
  const [first = "", ...rest] = program;
  const end = rest.join("");
  return pick([
    program,
    program,
    `"${program}"`,
    `${first}''${end}`,
    `\\${program}`,
    `${first}\\\n${end}`,
  ], random);
}

function quote(command: string, random: Random): string {
  return random() < 0.7 ? `'${command.replaceAll("'", "'\\''")}'` : `"${command}"`;
}

function pick<T>(values: readonly T[], random: Random): T {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new RangeError("Cannot pick from nothing: the list is empty");
  return value;
}
