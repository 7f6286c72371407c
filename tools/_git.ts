import { textResult, type ToolResult } from "@alisio/sdk";
import { relative } from "../core/paths/path.ts";
import { CommandError } from "../core/process/command_error.ts";
import { isInside } from "../core/paths/is_inside.ts";
import { installHint } from "../core/process/install_hint.ts";
import { type CommandOutcome, runCommand } from "../core/process/run_command.ts";
import type { HostToolContext } from "../core/tools/host_tool.ts";
import { judgeRepository } from "./_git_boundary.ts";
import { jsonResult } from "./_json_result.ts";
import type { ProgramPorts } from "./_program_ports.ts";
import { RecordSplitter } from "./_record_splitter.ts";

const TIME_LIMIT_MS = 30_000;
/** Head and tail of the output, so that the result fits whole into what a model is sent. */
const MAX_OUTPUT_BYTES = 32_000;
/** Longest configuration key that is looked at whole. */
const MAX_KEY_BYTES = 4_096;
/** More filters than any real configuration has. */
const MAX_FILTERS = 100;

/**
 * Variables for every Git command. No index is written (which would run a hook), and nothing is
 * fetched: a partial clone would start whatever its remote names.
 */
const GIT_ENVIRONMENT: Readonly<Record<string, string>> = {
  LC_ALL: "C",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
};

/**
 * Settings that take the place of the repository's. Those that name a program are emptied: empty
 * means none to every version of Git, where `false` names a program to the older ones. A folder
 * that only looks like the data of a repository is not taken for one.
 */
const GIT_SETTINGS: readonly string[] = [
  "safe.bareRepository=explicit",
  "core.fsmonitor=",
  "core.hooksPath=/dev/null",
  "core.sshCommand=",
  "core.askPass=",
  "core.quotePath=false",
  "credential.helper=",
  "diff.external=",
  "diff.autoRefreshIndex=false",
  "diff.submodule=short",
  "status.submoduleSummary=false",
  "submodule.recurse=false",
];

/**
 * Names in an index that no Git would write, and that would lead out of the working tree. Brackets
 * keep Git from taking them for paths.
 */
const OUTSIDE_NAMES: readonly string[] = [
  "[/]*",
  "[.][.]",
  "[.][.]/*",
  "*/[.][.]",
  "*/[.][.]/*",
  ...(Deno.build.os === "windows" ? ["*[\\\\]*", "[A-Za-z]:*"] : []),
];

/** Names in an index that are other spellings of a file in the working tree. */
const OTHER_SPELLINGS: readonly string[] = ["[.]/*", "*/[.]/*", "*[/][/]*"];

/** Git quotes this from an attributes file, which may be a link to any file. */
const QUOTED_ATTRIBUTE_REGEXP = /^[^\n]* is not a valid attribute name: [^\n]*\n?/gm;

/**
 * Runs a Git command that only looks, in a way that lets the repository's configuration start no
 * program.
 *
 * Everything that such a command could start is turned off: file system monitors, hooks, pagers,
 * external diffs, text converters, clean filters, remote helpers. Submodules are judged by their
 * commit alone, because a look inside would follow their own configuration. The result covers
 * the workspace, also when the repository is larger or claims to lie elsewhere, and nothing is read
 * from a repository that is none of the workspace's.
 *
 * A file that a filter keeps in another form (Git LFS) may show as changed.
 *
 * @param ports Where Git is.
 * @param context The call.
 * @param args The Git command.
 */
export async function runGit(
  ports: ProgramPorts,
  context: HostToolContext,
  args: readonly string[],
): Promise<ToolResult> {
  const cannot = `Cannot run git ${args[0]}`;
  const program = await ports.findExecutable("git");
  if (program === null) {
    const hint = installHint("git", Deno.build.os);
    return textResult(`${cannot}: git is not in PATH; ${hint}`, true);
  }
  const git = new GitRunner(program, ports, context);
  const pathspecs = pathspecsOf(context.workspace, ports.secretFiles ?? []);
  const { workspace, roots } = context;
  try {
    const repository = await judgeRepository({ workspace, roots, pathspecs }, git.run);
    if (context.signal.aborted) return textResult(`${cannot}: the call was cancelled`, true);
    if (repository.kind === "refused") return textResult(`${cannot}: ${repository.reason}`, true);
    const filters = await git.readFilters();
    if (filters.kind === "refused") return textResult(`${cannot}: ${filters.reason}`, true);
    const outcome = await git.run([
      ...filters.names.flatMap(filterSettings).flatMap((it) => ["-c", it]),
      ...args,
      `--ignore-submodules=${repository.withSubmodules ? "dirty" : "all"}`,
      ...pathspecs,
    ]);
    return gitResult(cannot, outcome, repository.note);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return textResult(`${cannot}: ${error.message}`, true);
  }
}

/** The workspace without the files of stored keys, whatever an index calls them. */
function pathspecsOf(workspace: string, secretFiles: readonly string[]): readonly string[] {
  const secrets = secretFiles.filter((file) => isInside(file, workspace));
  const names = secrets.length === 0 ? OUTSIDE_NAMES : [...OUTSIDE_NAMES, ...OTHER_SPELLINGS];
  return [
    "--",
    ".",
    ...names.map((name) => `:(exclude,top)${name}`),
    ...secrets.map((file) => `:(exclude,icase,literal)${relative(workspace, file)}`),
  ];
}

function filterSettings(name: string): readonly string[] {
  const key = `filter.${name}`;
  return [`${key}.clean=`, `${key}.smudge=`, `${key}.process=`, `${key}.required=false`];
}

function gitResult(
  cannot: string,
  outcome: CommandOutcome,
  note: string | undefined,
): ToolResult {
  // Where it was cut, a part of a line would not be known for what it is.
  const stderr = outcome.stderrBytes > MAX_OUTPUT_BYTES
    ? ""
    : outcome.stderr.replaceAll(QUOTED_ATTRIBUTE_REGEXP, "").slice(0, 1_000);
  if (outcome.endedBy === "cancelled") return textResult(`${cannot}: the call was cancelled`, true);
  if (outcome.endedBy === "timeout") {
    return textResult(`${cannot}: it took longer than ${TIME_LIMIT_MS / 1000} s`, true);
  }
  if (outcome.exitCode !== 0) {
    const why = stderr.trim() || `it ended with ${outcome.exitCode}`;
    return textResult(`${cannot}: ${why}`, true);
  }
  return jsonResult({
    exitCode: outcome.exitCode,
    output: outcome.stdout,
    truncated: outcome.truncated,
    ...(stderr === "" ? {} : { stderr }),
    ...(note === undefined ? {} : { note }),
  });
}

type Filters =
  /** The filters that any configuration file defines, included ones too. */
  | { readonly kind: "read"; readonly names: readonly string[] }
  | { readonly kind: "refused"; readonly reason: string };

class GitRunner {
  readonly #program: string;
  readonly #ports: ProgramPorts;
  readonly #context: HostToolContext;

  constructor(program: string, ports: ProgramPorts, context: HostToolContext) {
    this.#program = program;
    this.#ports = ports;
    this.#context = context;
  }

  /** Runs Git in the workspace. Bound, because it is passed on. */
  readonly run = async (
    args: readonly string[],
    onOutput?: (bytes: Uint8Array, stream: "stdout" | "stderr") => void,
  ): Promise<CommandOutcome> =>
    await runCommand({
      program: this.#program,
      args: [
        "--no-pager",
        "--no-optional-locks",
        ...GIT_SETTINGS.flatMap((it) => ["-c", it]),
        ...args,
      ],
      cwd: this.#context.workspace,
      env: { ...this.#ports.environment(), ...GIT_ENVIRONMENT },
      timeoutMs: TIME_LIMIT_MS,
      signal: this.#context.signal,
      maxCaptureBytes: MAX_OUTPUT_BYTES,
      maxTerminalBytes: 0,
      ...(onOutput === undefined ? {} : { onOutput }),
    });

  async readFilters(): Promise<Filters> {
    const names = new Set<string>();
    let problem: string | null = null;
    const keys = new RecordSplitter(0, MAX_KEY_BYTES, (key, isComplete) => {
      const name = filterName(latin1(key));
      if (name === null) return;
      if (isComplete && isSafeName(name)) names.add(name);
      else problem = "the Git configuration holds a filter whose name cannot be turned off safely";
    });
    const outcome = await this.run(
      ["config", "--list", "--name-only", "--null"],
      (bytes, stream) => stream === "stdout" && keys.write(bytes),
    );
    if (outcome.endedBy !== "exit" || outcome.exitCode !== 0) {
      const why = outcome.stderr.trim().slice(0, 1_000);
      return { kind: "refused", reason: why || "the Git configuration cannot be read" };
    }
    if (names.size > MAX_FILTERS) problem = `the Git configuration holds ${names.size} filters`;
    return problem === null
      ? { kind: "read", names: [...names] }
      : { kind: "refused", reason: problem };
  }
}

/** The name in `filter.NAME.VARIABLE`, or null for any other key. */
function filterName(key: string): string | null {
  if (!key.startsWith("filter.")) return null;
  // A key without a name configures nothing; one that was cut must not pass for a safe name.
  return /^filter\.(.*)\.[^.]*$/s.exec(key)?.[1] ?? "=";
}

/** One character for each byte, so that a name that is not ASCII is seen as such. */
function latin1(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

/** Whether `-c filter.NAME.clean=` means exactly this filter. */
function isSafeName(name: string): boolean {
  return /^[\x21-\x3c\x3e-\x7e ]*$/.test(name);
}
