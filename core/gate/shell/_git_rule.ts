import { ownValue } from "./_own_value.ts";
import { type Argument, mayBe, mayBeLongOption, mayHoldShortOption } from "./_argument.ts";
import {
  HARMLESS,
  high,
  medium,
  refusing,
  starting,
  strictest,
  type Verdict,
  whereOption,
} from "./_verdict.ts";

const READERS = new Set(
  ("status log diff show blame annotate grep ls-files ls-tree rev-parse rev-list describe shortlog cat-file " +
    "diff-tree diff-files diff-index name-rev merge-base for-each-ref show-ref show-branch whatchanged " +
    "count-objects check-ignore check-attr check-mailmap range-diff cherry var version add archive")
    .split(" "),
);

/** Subcommands that start other programs, serve the network, or give away credentials. */
const STARTERS = new Set(
  ("difftool mergetool filter-branch filter-repo for-each-repo daemon instaweb web--browse gui citool " +
    "send-email imap-send shell upload-pack receive-pack upload-archive http-backend http-fetch http-push " +
    "sh-setup p4 svn cvsimport cvsserver cvsexportcommit archimport quiltimport fast-import maintenance " +
    "fsmonitor--daemon credential credential-store credential-cache")
    .split(" "),
);

/** The word, wherever it stands, that makes a subcommand start other programs. */
const STARTING_VERBS: Readonly<Record<string, string>> = { submodule: "foreach", bisect: "run" };

/** What the first argument has to be for a subcommand to change nothing. */
const READING_VERBS: Readonly<Record<string, readonly string[]>> = {
  remote: ["", "-v", "--verbose", "get-url"],
  stash: ["list", "show"],
  worktree: ["list"],
  notes: ["", "list", "show"],
  reflog: ["", "show", "exists"],
  submodule: ["", "status", "summary"],
};

/** Options that name a program, by subcommand. */
const PROGRAM_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  fetch: ["--upload-pack"],
  pull: ["--upload-pack"],
  clone: ["--upload-pack", "--config", "--template"],
  init: ["--template"],
  "ls-remote": ["--upload-pack", "--exec"],
  "fetch-pack": ["--upload-pack", "--exec"],
  push: ["--receive-pack", "--exec"],
  "send-pack": ["--receive-pack", "--exec"],
  archive: ["--exec", "--remote"],
  rebase: ["--exec"],
  grep: ["--open-files-in-pager"],
};

/** The short forms of those options. */
const PROGRAM_LETTERS: Readonly<Record<string, string>> = {
  clone: "cu",
  rebase: "x",
  grep: "O",
};

const PLAIN_GLOBALS = new Set(
  ("-P --no-pager --no-replace-objects --bare --literal-pathspecs --glob-pathspecs --noglob-pathspecs " +
    "--icase-pathspecs --no-optional-locks --no-lazy-fetch --no-advice --html-path --man-path --info-path " +
    "--exec-path -v --version -h --help")
    .split(" "),
);
const MEDIUM_GLOBAL_REGEXP =
  /^(?:-p|--paginate|--(?:git-dir|work-tree|namespace|super-prefix|attr-source|list-cmds)(?:=.*)?)$/s;
const VALUED_GLOBALS = new Set(["-C", "--git-dir", "--work-tree", "--namespace", "--super-prefix"]);
const REFUSED_WORD_REGEXP = /^(?:-c|config|alias|config\..*|alias\..*)$/s;

/**
 * Judges `git`: global options are looked over, and the subcommand decides.
 *
 * @param args The arguments.
 */
export function judgeGit(args: readonly Argument[]): Verdict {
  const refused = args.flatMap(({ value }) =>
    value !== null && REFUSED_WORD_REGEXP.test(value) ? [`"git" with "${shortened(value)}"`] : []
  );
  return refusing(judgeGlobals(args), ...refused);
}

function judgeGlobals(args: readonly Argument[]): Verdict {
  const verdicts = [HARMLESS];
  let index = 0;
  for (; index < args.length; index++) {
    const value = args[index]?.value;
    if (value === null || value === undefined) {
      return refusing(high("which Git command runs is not known"), '"git" with an unknown command');
    }
    if (!value.startsWith("-")) break;
    verdicts.push(judgeGlobal(value));
    if (VALUED_GLOBALS.has(value)) index++;
  }
  const command = args[index]?.value ?? null;
  if (command !== null) verdicts.push(judgeCommand(command, args.slice(index + 1)));
  return strictest(...verdicts);
}

function judgeGlobal(option: string): Verdict {
  // Upper case changes the folder, lower case the configuration.
  if (option.startsWith("-C")) return HARMLESS;
  if (option.startsWith("-c") || /^--(?:config-env|exec-path=)/.test(option)) {
    return refusing(high("sets a Git option that can start programs"), `"git" with "-c"`);
  }
  if (MEDIUM_GLOBAL_REGEXP.test(option)) return medium("uses another repository or a pager");
  return PLAIN_GLOBALS.has(option) ? HARMLESS : high("has a Git option that is not known");
}

function judgeCommand(command: string, args: readonly Argument[]): Verdict {
  const name = command.toLowerCase();
  const end = args.findIndex(({ value }) => value === "--");
  const options = end === -1 ? args : args.slice(0, end);
  const verdicts: Verdict[] = [];
  if (args.some(({ prefix }) => /^(?:ext|fd)::/.test(prefix))) {
    verdicts.push(starting("reaches a repository through a program"));
  }
  const isTold = starting(`"git ${shortened(name)}" is told which program to start`);
  verdicts.push(whereOption(options, (arg) => namesProgram(name, arg), isTold));
  verdicts.push(judgeVerb(name, args));
  const reads = READERS.has(name) || ownValue(READING_VERBS, name) !== undefined;
  if (reads && options.some((arg) => mayWriteOutput(name, arg))) {
    verdicts.push(medium("writes its output to a file", outputFiles(options)));
  }
  return strictest(...verdicts);
}

function judgeVerb(name: string, args: readonly Argument[]): Verdict {
  if (READERS.has(name)) return HARMLESS;
  const [first] = args;
  const verb = first === undefined ? "" : first.value;
  const starter = ownValue(STARTING_VERBS, name);
  if (starter !== undefined && args.some((arg) => mayBe(arg, starter))) {
    return starting(`"git ${name} ${starter}" starts other programs`);
  }
  if (STARTERS.has(name) || name.startsWith("remote-")) {
    return starting(`"git ${shortened(name)}" starts other programs or serves them`);
  }
  const isReading = verb !== null && ownValue(READING_VERBS, name)?.includes(verb);
  // After an option, the word that says what is done may still come.
  if (isReading && (!verb.startsWith("-") || args.length === 1)) return HARMLESS;
  return medium(`"git ${shortened(name)}" may change the repository`);
}

function namesProgram(name: string, arg: Argument): boolean {
  const letters = ownValue(PROGRAM_LETTERS, name);
  return mayBeLongOption(arg, "--ext-diff") ||
    (ownValue(PROGRAM_OPTIONS, name) ?? []).some((option) => mayBeLongOption(arg, option)) ||
    (letters !== undefined && mayHoldShortOption(arg, letters));
}

function mayWriteOutput(name: string, arg: Argument): boolean {
  if (name === "add" || name === "status") return false;
  return mayBeLongOption(arg, "--output") || (name === "archive" && mayHoldShortOption(arg, "o"));
}

function outputFiles(options: readonly Argument[]): readonly string[] {
  return options.flatMap(({ value }, index) => {
    if (value === null || !/^(?:-o|--o)/.test(value)) return [];
    const glued = /^(?:--o[a-z]*=|-o)(.+)$/s.exec(value)?.[1];
    const file = glued ?? options[index + 1]?.value ?? null;
    return file === null ? [] : [file];
  });
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
