import { textResult, type ToolResult } from "@alisio/sdk";
import { relative } from "../core/paths/path.ts";
import { CommandError } from "../core/process/command_error.ts";
import { isInside } from "../core/paths/is_inside.ts";
import { installHint } from "../core/process/install_hint.ts";
import { type CommandOutcome, runCommand } from "../core/process/run_command.ts";
import type { HostToolContext } from "../core/tools/host_tool.ts";
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
 * means none to every version of Git, where `false` names a program to the older ones.
 */
const GIT_SETTINGS: readonly string[] = [
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
 * Runs a Git command that only looks, in a way that lets the repository's configuration start no
 * program.
 *
 * Everything that such a command could start is turned off: file system monitors, hooks, pagers,
 * external diffs, text converters, clean filters, remote helpers. Submodules are judged by their
 * commit alone, because a look inside would follow their own configuration. The result covers
 * the workspace, also when the repository is larger or claims to lie elsewhere.
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
  try {
    const settings = await git.readConfiguration();
    if (settings.kind === "refused") return textResult(`${cannot}: ${settings.reason}`, true);
    if (settings.namesWorkTree && !await git.isInWorkTree()) {
      const reason = "the repository's configuration puts its files outside the workspace";
      return textResult(`${cannot}: ${reason}`, true);
    }
    const outcome = await git.run([
      "--no-pager",
      "--no-optional-locks",
      ...[...GIT_SETTINGS, ...settings.filters.flatMap(filterSettings)].flatMap((it) => ["-c", it]),
      ...args,
      "--ignore-submodules=dirty",
      "--",
      ".",
      ...(ports.secretFiles ?? []).filter((file) => isInside(file, context.workspace))
        .map((file) => `:(exclude,literal)${relative(context.workspace, file)}`),
    ]);
    return gitResult(cannot, outcome);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return textResult(`${cannot}: ${error.message}`, true);
  }
}

function filterSettings(name: string): readonly string[] {
  const key = `filter.${name}`;
  return [`${key}.clean=`, `${key}.smudge=`, `${key}.process=`, `${key}.required=false`];
}

function gitResult(cannot: string, outcome: CommandOutcome): ToolResult {
  if (outcome.endedBy === "cancelled") return textResult(`${cannot}: the call was cancelled`, true);
  if (outcome.endedBy === "timeout") {
    return textResult(`${cannot}: it took longer than ${TIME_LIMIT_MS / 1000} s`, true);
  }
  if (outcome.exitCode !== 0) {
    const why = outcome.stderr.trim().slice(0, 1_000) || `it ended with ${outcome.exitCode}`;
    return textResult(`${cannot}: ${why}`, true);
  }
  return jsonResult({
    exitCode: outcome.exitCode,
    output: outcome.stdout,
    truncated: outcome.truncated,
    ...(outcome.stderr === "" ? {} : { stderr: outcome.stderr.slice(0, 1_000) }),
  });
}

type Configuration =
  | {
    readonly kind: "read";
    /** The filters that any configuration file defines, included ones too. */
    readonly filters: readonly string[];
    /** Whether it says where the files of the repository are. */
    readonly namesWorkTree: boolean;
  }
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

  run(
    args: readonly string[],
    onOutput?: (bytes: Uint8Array, stream: "stdout" | "stderr") => void,
  ): Promise<CommandOutcome> {
    return runCommand({
      program: this.#program,
      args,
      cwd: this.#context.workspace,
      env: { ...this.#ports.environment(), ...GIT_ENVIRONMENT },
      timeoutMs: TIME_LIMIT_MS,
      signal: this.#context.signal,
      maxCaptureBytes: MAX_OUTPUT_BYTES,
      maxTerminalBytes: 0,
      ...(onOutput === undefined ? {} : { onOutput }),
    });
  }

  /** Whether the workspace belongs to the files of the repository. */
  async isInWorkTree(): Promise<boolean> {
    const outcome = await this.run(["rev-parse", "--is-inside-work-tree"]);
    return outcome.exitCode === 0 && outcome.stdout.trim() === "true";
  }

  async readConfiguration(): Promise<Configuration> {
    let namesWorkTree = false;
    const names = new Set<string>();
    let problem: string | null = null;
    const keys = new RecordSplitter(0, MAX_KEY_BYTES, (key, isComplete) => {
      const text = latin1(key);
      if (text === "core.worktree") namesWorkTree = true;
      const name = filterName(text);
      if (name === null) return;
      if (isComplete && isSafeName(name)) names.add(name);
      else problem = "the Git configuration holds a filter whose name cannot be turned off safely";
    });
    const outcome = await this.run(
      ["--no-pager", "config", "--list", "--name-only", "--null"],
      (bytes, stream) => stream === "stdout" && keys.write(bytes),
    );
    if (outcome.endedBy !== "exit" || outcome.exitCode !== 0) {
      const why = outcome.stderr.trim().slice(0, 1_000);
      return { kind: "refused", reason: why || "the Git configuration cannot be read" };
    }
    if (names.size > MAX_FILTERS) problem = `the Git configuration holds ${names.size} filters`;
    return problem === null
      ? { kind: "read", filters: [...names], namesWorkTree }
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
