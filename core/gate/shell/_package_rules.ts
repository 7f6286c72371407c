import { type Argument, mayBeLongOption, mayStartWith } from "./_argument.ts";
import {
  HARMLESS,
  high,
  medium,
  ORDINARY,
  type ProgramRule,
  refusing,
  starting,
  strictest,
  type Verdict,
} from "./_verdict.ts";

/** What the subcommands of a package manager or build tool do. */
interface Subcommands {
  /** Report and change nothing. */
  readonly harmless: ReadonlySet<string>;
  /** Run code of the workspace, as the person's own work does. */
  readonly ordinary: ReadonlySet<string>;
  /** Change what is installed or published. */
  readonly medium: ReadonlySet<string>;
  /** Fetch and run code, or run any program. */
  readonly high: ReadonlySet<string>;
  /** Options before the subcommand that take the next word. */
  readonly valued: ReadonlySet<string>;
}

const NPM: Subcommands = {
  harmless: words(
    "ls list la ll view info show v outdated help whoami root prefix bin ping search s se find explain " +
      "why fund audit version pkg",
  ),
  ordinary: words("test t tst start stop restart run run-script rum urn"),
  medium: words(
    "install i in ins inst insta instal isnt isnta isntal isntall add ci clean-install ic install-clean " +
      "isntall-clean install-test it install-ci-test cit clean-install-test sit uninstall un rm remove r " +
      "unlink update up upgrade udpate publish pack link ln rebuild rb dedupe ddp prune cache dist-tag " +
      "owner deprecate undeprecate unpublish access login logout adduser token profile team hook org star " +
      "unstar stars shrinkwrap diff docs repo bugs doctor query sbom install-scripts",
  ),
  high: words("exec x init create innit explore edit config c set get"),
  valued: words("--prefix -C --workspace -w --loglevel --cache"),
};
const NPM_PROGRAM_OPTIONS = (
  "--script-shell --shell --node-options --userconfig --globalconfig --git --editor --viewer --browser " +
  "--call --init-module"
).split(" ");
/** Refused wherever they stand, because `npm` looks for its command among all words. */
const NPM_REFUSED = words("exec install i add ci");

/**
 * Judges `npm`.
 *
 * @param args The arguments.
 */
export function judgeNpm(args: readonly Argument[]): Verdict {
  const own = beforeDashes(args);
  const { name, rest } = findSubcommand(own, NPM.valued);
  const refused = args.flatMap(({ value }) =>
    value !== null && NPM_REFUSED.has(value) ? [`"npm" with "${value}"`] : []
  );
  const verdicts = [judgeNpmCommand(name, rest)];
  if (own.some((arg) => NPM_PROGRAM_OPTIONS.some((option) => mayBeLongOption(arg, option)))) {
    const verdict = starting("npm is told which program to start");
    verdicts.push(refusing(verdict, '"npm" with an option that names a program'));
  }
  return refusing(strictest(...verdicts), ...refused);
}

function judgeNpmCommand(name: string | null, rest: readonly Argument[]): Verdict {
  if (name === "") return HARMLESS;
  if (name === "config" || name === "c") {
    const verb = rest[0]?.value;
    if (verb === "get" || verb === "list" || verb === "ls") return HARMLESS;
  }
  if (name === "version" || name === "pkg" || name === "audit") {
    const verb = rest.find((arg) => mayStartWith(arg, "-") === false);
    if (verb === undefined || verb.value === "get") return HARMLESS;
    return medium(`"npm ${name}" may change the package`);
  }
  const verdict = judgeSubcommand("npm", name, NPM);
  // An abbreviation that is not in the list may stand for any command.
  const isKnown = name !== null && isListed(name, NPM);
  if (isKnown && verdict.risk !== "high") {
    return NPM.medium.has(name) && INSTALLS.has(name)
      ? refusing(verdict, `"npm" with "${name}"`)
      : verdict;
  }
  return refusing(high("npm may run any program"), '"npm" with a command that may run any program');
}

const INSTALLS = words(
  "install i in ins inst insta instal isnt isnta isntal isntall add ci clean-install ic install-clean " +
    "isntall-clean install-test it install-ci-test cit clean-install-test sit",
);

const PIP: Subcommands = {
  harmless: words("list show freeze check inspect help debug index search hash"),
  ordinary: words(""),
  medium: words("install download uninstall cache lock"),
  high: words("config wheel"),
  valued: words(
    "--log --proxy --retries --timeout --exists-action --trusted-host --cert --cache-dir",
  ),
};

/**
 * Judges `pip`.
 *
 * @param args The arguments.
 */
export function judgePip(args: readonly Argument[]): Verdict {
  const { name } = findSubcommand(args, PIP.valued);
  const refused = args.flatMap(({ value }) =>
    value === "install" || value === "download" ? [`"pip" with "${value}"`] : []
  );
  const verdicts = [name === "" ? HARMLESS : judgeSubcommand("pip", name, PIP)];
  if (name === null || PIP.high.has(name) || args.some((arg) => mayBeLongOption(arg, "--python"))) {
    verdicts.push(refusing(high("pip may run any program"), '"pip" with a command that runs code'));
  }
  const log = args.findIndex((arg) => PIP_LOGS.some((option) => mayBeLongOption(arg, option)));
  if (log !== -1) {
    const value = args[log]?.value ?? "";
    const file = value.includes("=") ? value.slice(value.indexOf("=") + 1) : args[log + 1]?.value;
    verdicts.push(medium("writes a log", file === undefined || file === null ? [] : [file]));
  }
  return refusing(strictest(...verdicts), ...refused);
}

/** Options of `pip` that name a file to write. */
const PIP_LOGS = ["--log", "--log-file", "--local-log", "--report"];

const CARGO: Subcommands = {
  harmless: words(
    "tree metadata search version locate-project help verify-project pkgid info read-manifest",
  ),
  ordinary: words("run r build b check c test t bench doc d clippy fmt rustc rustdoc nextest"),
  medium: words(
    "add remove rm install uninstall clean publish update new init yank login logout owner fix vendor fetch",
  ),
  high: words(""),
  valued: words("-C -Z --color --manifest-path --target-dir"),
};

/**
 * Judges `cargo`.
 *
 * @param args The arguments.
 */
export function judgeCargo(args: readonly Argument[]): Verdict {
  const own = args[0]?.prefix.startsWith("+") ? args.slice(1) : args;
  const { name } = findSubcommand(own, CARGO.valued);
  // A file of the workspace may name the toolchain that runs, and the compiler that it asks.
  const verdicts = [ORDINARY, name === "" ? HARMLESS : judgeSubcommand("cargo", name, CARGO)];
  if (beforeDashes(own).some((arg) => mayBeLongOption(arg, "--config"))) {
    verdicts.push(
      refusing(starting("cargo is told which program to start"), '"cargo" with "--config"'),
    );
  }
  const refused = args.some(({ value }) => value === "install") ? ['"cargo" with "install"'] : [];
  return refusing(strictest(...verdicts), ...refused);
}

const GO: Subcommands = {
  harmless: words("list version doc help"),
  ordinary: words("run build test vet fmt"),
  medium: words("get install mod work generate clean fix env tool telemetry bug"),
  high: words(""),
  valued: words("-C"),
};

function judgeGo(args: readonly Argument[]): Verdict {
  const { name, rest } = findSubcommand(args, GO.valued);
  const verdicts = [name === "" ? HARMLESS : judgeSubcommand("go", name, GO)];
  if (args.some((arg) => /^--?(?:exec|toolexec|vettool)(?:=|$)/.test(arg.prefix))) {
    verdicts.push(starting("go is told which program to start"));
  }
  if (name === "run" && rest.some((arg) => arg.value === null || arg.value.includes("@"))) {
    verdicts.push(high("fetches a program and runs it"));
  }
  return strictest(...verdicts);
}

const DENO: Subcommands = {
  harmless: words("info doc types check lint help"),
  ordinary: words("run test bench task serve"),
  medium: words(
    "fmt add remove cache compile publish init clean outdated update bundle coverage upgrade",
  ),
  high: words("eval repl install uninstall x create jupyter sandbox deploy"),
  valued: words(""),
};

function judgeDeno(args: readonly Argument[]): Verdict {
  const { name, rest } = findSubcommand(args, DENO.valued);
  const isRemote = args.some(({ value }) =>
    value !== null && /^(?:https?|npm|jsr|data):/.test(value)
  );
  if (isRemote) return high("fetches a program and runs it");
  if (name === "") return args.length > 0 ? HARMLESS : high("reads a program from its input");
  if (name === "run" && rest.some(({ value }) => value === "-")) {
    return high("reads a program from its input");
  }
  if (name === "task" && rest.some((arg) => mayBeLongOption(arg, "--eval"))) {
    return high("runs the commands that it is given");
  }
  // A file name in the place of a subcommand is run.
  return name !== null && !isListed(name, DENO) ? ORDINARY : judgeSubcommand("deno", name, DENO);
}

const NODE_MANAGER: Subcommands = {
  harmless: words(
    "ls list la ll why outdated info view show licenses audit help version whoami bin root",
  ),
  ordinary: words("test t run run-script start stop restart build workspace workspaces"),
  medium: words(
    "install i add ci remove rm uninstall un update up upgrade publish link unlink import rebuild prune " +
      "dedupe store cache patch patch-commit pack version init config set",
  ),
  high: words("dlx exec x create env setup self-update node"),
  valued: words("-C --dir --cwd --filter -F"),
};

function judgeNodeManager(args: readonly Argument[]): Verdict {
  if (args.some((arg) => /^(?:-e|-p|--eval|--print|--script-shell)(?:=|$)/.test(arg.prefix))) {
    return high("runs the code that it is given");
  }
  const { name } = findSubcommand(args, NODE_MANAGER.valued);
  if (name === "") return medium("may install packages");
  // A file of the workspace may name the program that runs as the package manager.
  return strictest(ORDINARY, judgeSubcommand("the package manager", name, NODE_MANAGER));
}

function judgeMake(args: readonly Argument[]): Verdict {
  const isTold = args.some((arg) =>
    mayBeLongOption(arg, "--eval") || /^-E/.test(arg.prefix) ||
    /^(?:SHELL|\.SHELLFLAGS|MAKEFLAGS|MAKE)[:+?!]*=/.test(arg.prefix) ||
    /^[A-Za-z_]\w*[:+?!]*=.*[;&|$`(<>\n]/s.test(arg.value ?? arg.prefix) ||
    (arg.value === null && arg.pattern === null)
  );
  if (isTold) return starting("make is told which commands to run");
  const file = args.findIndex(({ value }) => value === "-f" || value === "--file");
  const isInput = args.some(({ value }) => value === "-f-" || value === "--file=-") ||
    (file !== -1 && args[file + 1]?.value === "-");
  return isInput ? high("reads its commands from its input") : ORDINARY;
}

const COMPILER_PROGRAM_REGEXP =
  /^(?:-wrapper|-fplugin=|-fpass-plugin=|-B|--?specs|-fuse-ld=.*\/|-load|@)/;

/** Compilers take parts of themselves from where they are told to. */
function judgeCompiler(args: readonly Argument[]): Verdict {
  const isTold = (arg: Argument) => COMPILER_PROGRAM_REGEXP.test(arg.prefix);
  return args.some(isTold) ? starting("is told which program to start") : ORDINARY;
}

const COMPILERS = "cc c++ gcc g++ clang clang++";
const RUNNERS = "npx bunx pnpx uvx pipx";

/** Rules of package managers and build tools, `npm`, `pip` and `cargo` included. */
export const PACKAGE_RULES: Readonly<Record<string, ProgramRule>> = {
  npm: judgeNpm,
  pip: judgePip,
  cargo: judgeCargo,
  go: judgeGo,
  deno: judgeDeno,
  pnpm: judgeNodeManager,
  yarn: judgeNodeManager,
  bun: judgeNodeManager,
  make: judgeMake,
  gmake: judgeMake,
  ...Object.fromEntries(COMPILERS.split(" ").map((name) => [name, judgeCompiler])),
  ...Object.fromEntries(RUNNERS.split(" ").map((name) => [name, judgeRunner])),
};

function judgeRunner(): Verdict {
  return high("fetches a package and runs it");
}

function judgeSubcommand(program: string, name: string | null, commands: Subcommands): Verdict {
  if (name === null) return high(`which command of ${program} runs is not known`);
  if (commands.high.has(name)) return high(`"${name}" of ${program} may run any program`);
  if (commands.medium.has(name)) return medium(`"${name}" of ${program} changes what is installed`);
  if (commands.ordinary.has(name)) return ORDINARY;
  if (commands.harmless.has(name)) return HARMLESS;
  return medium(`a command of ${program} is not known`);
}

function isListed(name: string, commands: Subcommands): boolean {
  const { harmless, ordinary, medium, high } = commands;
  return [harmless, ordinary, medium, high].some((set) => set.has(name));
}

/** The first word that is not an option: the empty string for none, null for one not known. */
function findSubcommand(
  args: readonly Argument[],
  valued: ReadonlySet<string>,
): { readonly name: string | null; readonly rest: readonly Argument[] } {
  for (let index = 0; index < args.length; index++) {
    const value = args[index]?.value ?? null;
    if (value === null) return { name: null, rest: [] };
    if (!value.startsWith("-")) return { name: value, rest: args.slice(index + 1) };
    if (valued.has(value)) index++;
  }
  return { name: "", rest: [] };
}

function beforeDashes(args: readonly Argument[]): readonly Argument[] {
  const end = args.findIndex(({ value }) => value === "--");
  return end === -1 ? args : args.slice(0, end);
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}
