import { isInside } from "../core/paths/is_inside.ts";
import { join, relative, resolve, sep } from "../core/paths/path.ts";
import { quotePath } from "../core/paths/quote_path.ts";
import { CommandError } from "../core/process/command_error.ts";
import { installHint } from "../core/process/install_hint.ts";
import { type CommandOutcome, runCommand } from "../core/process/run_command.ts";
import { decodeBytes, printableName } from "../core/process/visible_text.ts";
import type { HostToolContext } from "../core/tools/host_tool.ts";
import { findEndlessIgnoreFile, isEndless } from "./_ignore_files.ts";
import { quoted } from "./_json_result.ts";
import type { ProgramPorts } from "./_program_ports.ts";

/** Longest run of ripgrep. */
const TIME_LIMIT_MS = 30_000;
const SLASH = 0x2f;
/** How much of what ripgrep complains about is passed on. */
const MAX_COMPLAINT_CHARS = 500;

/**
 * Switches of every run. The person's configuration file could name a preprocessor, so it is not
 * read; ignore files count outside Git repositories, too; one thread makes the order certain. A
 * file that is cut while it is mapped into memory would end the run. What is wrong in an ignore
 * file is not quoted, because it may be a link to any file. Where a `.git` file leads is not looked at.
 */
const COMMON_ARGS = [
  "--no-config",
  "--no-require-git",
  "--sort=path",
  "--no-mmap",
  "--no-ignore-messages",
  "--no-ignore-exclude",
];

/** How a run of ripgrep went, or why there was none. */
export type RipgrepRun =
  | {
    readonly kind: "ran";
    readonly outcome: CommandOutcome;
    /** What ripgrep complained about, bounded; empty when it did not. */
    readonly complaint: string;
  }
  | { readonly kind: "failed"; readonly message: string };

/** What to run, and who reads it. */
export interface RipgrepRequest {
  /** What the call wants, for messages: `list files`. */
  readonly purpose: string;
  /** The path as the call gave it; declared through `paths`. */
  readonly path: string;
  /** What to do, as switches. */
  readonly args: readonly string[];
  /** Reads standard output. Calls `stop` when it has enough. */
  readonly onOutput: (bytes: Uint8Array, stop: () => void) => void;
}

/**
 * Runs ripgrep below a path of the call.
 *
 * The path is the judged one, given after `--` and never starting with a dash. Symbolic links are
 * not followed, so loops and ways out of the workspace do not exist. But ripgrep opens folders by
 * name, one after the other: where a folder is exchanged for a link meanwhile, what it prints may
 * come from elsewhere, and the caller shows only what it has confirmed.
 *
 * @param ports Where ripgrep is.
 * @param context The call.
 * @param request What to run.
 */
export async function runRipgrep(
  ports: ProgramPorts,
  context: HostToolContext,
  request: RipgrepRequest,
): Promise<RipgrepRun> {
  const cannot = `Cannot ${request.purpose} in ${quoted(request.path)}`;
  const judged = context.path(request.path);
  const flaw = judged.exists ? await flawOf(judged.real) : "it does not exist";
  if (flaw !== null) return { kind: "failed", message: `${cannot}: ${flaw}` };
  const program = await ports.findExecutable("rg");
  if (program === null) {
    const hint = installHint("rg", Deno.build.os);
    return { kind: "failed", message: `${cannot}: ripgrep (rg) is not in PATH; ${hint}` };
  }
  const enough = new AbortController();
  const endless = new AbortController();
  const over = new AbortController();
  const watch = findEndlessIgnoreFile(judged.real, over.signal)
    .then((path) => path !== null && endless.abort(path));
  try {
    const outcome = await runCommand({
      program,
      args: [
        ...COMMON_ARGS,
        ...await ownExcludes(context, judged.real),
        ...(ports.secretFiles ?? []).map((file) => exclusion(context, file)),
        ...request.args,
        "--",
        searchArgument(context, judged.real),
      ],
      cwd: context.workspace,
      env: ports.environment(),
      timeoutMs: TIME_LIMIT_MS,
      signal: AbortSignal.any([context.signal, enough.signal, endless.signal]),
      maxCaptureBytes: 4_000,
      maxTerminalBytes: 0,
      onOutput(bytes, stream) {
        if (stream === "stdout" && !enough.signal.aborted) {
          request.onOutput(bytes, () => enough.abort());
        }
      },
    });
    if (context.signal.aborted) {
      return { kind: "failed", message: `${cannot}: the call was cancelled` };
    }
    if (endless.signal.aborted && outcome.endedBy === "cancelled" && !enough.signal.aborted) {
      const what = quotePath(displayedPath(context, String(endless.signal.reason)));
      const why = `the ignore file ${what} is no plain file of usual size`;
      return { kind: "failed", message: `${cannot}: ${why}; look in a folder without it` };
    }
    if (outcome.endedBy === "signal") {
      const why = `ripgrep was ended by ${outcome.signal} before it was done`;
      return { kind: "failed", message: `${cannot}: ${why}; call again, or for a smaller folder` };
    }
    const complaint = outcome.stderr.trim().slice(0, MAX_COMPLAINT_CHARS);
    return { kind: "ran", outcome, complaint };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { kind: "failed", message: `${cannot}: ${error.message}` };
  } finally {
    over.abort();
    await watch;
  }
}

/** Opening a pipe or a device may never end, or have an effect of its own. */
async function flawOf(real: string): Promise<string | null> {
  try {
    const info = await Deno.lstat(real);
    return info.isFile || info.isDirectory ? null : "it is neither a file nor a folder";
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? "it does not exist" : "it cannot be looked at";
  }
}

/**
 * A path that ripgrep printed, for the model: relative to the workspace where it lies in it, with
 * slashes, control characters and bytes that are not UTF-8 escaped.
 *
 * @param printed The path as printed.
 */
export function printedPath(printed: Uint8Array): string {
  return printableName(decodeBytes(printed).replace(/^\.\//, ""));
}

/** Where something is that ripgrep printed a path of. */
export interface PrintedPlace {
  /** Absolute path. */
  readonly path: string;
  /** Whether it is the whole path; else its deepest folder whose name is UTF-8. */
  readonly isWhole: boolean;
}

/**
 * Where something is that ripgrep printed a path of. What has a name outside UTF-8 cannot be looked
 * up by any path, so that its folder stands for it.
 *
 * @param context The call.
 * @param printed The path as printed.
 */
export function printedPlace(context: HostToolContext, printed: Uint8Array): PrintedPlace {
  for (let end = printed.length, isWhole = true; end > 0; isWhole = false) {
    const path = decodeOrNull(printed.subarray(0, end));
    if (path !== null) return { path: resolve(context.workspace, path), isWhole };
    end = printed.lastIndexOf(SLASH, end - 1);
  }
  return { path: context.workspace, isWhole: false };
}

function decodeOrNull(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** The ignore file that Git keeps outside the working tree, if it is a plain one. */
async function ownExcludes(context: HostToolContext, real: string): Promise<readonly string[]> {
  if (!isInside(real, context.workspace)) return [];
  const path = join(context.workspace, ".git", "info", "exclude");
  try {
    const isPlain = await Deno.realPath(path) === path && !await isEndless(path);
    return isPlain ? [`--ignore-file=${path}`] : [];
  } catch {
    return [];
  }
}

/** Leaves one file out. Paths below the workspace are matched from there, all others as they are. */
function exclusion(context: HostToolContext, real: string): string {
  const isOwn = isInside(real, context.workspace);
  const path = (isOwn ? `/${relative(context.workspace, real)}` : real).replaceAll(sep, "/");
  const literal = path.replaceAll(/[*?[\]{}\\]/g, (character) => `[${character}]`);
  return `--glob=!${isOwn ? "" : "**"}${literal}`;
}

function displayedPath(context: HostToolContext, real: string): string {
  return isInside(real, context.workspace) ? relative(context.workspace, real) : real;
}

/** A path inside the workspace starts with `./`, any other with a root: none is an option. */
function searchArgument(context: HostToolContext, real: string): string {
  return isInside(real, context.workspace) ? `./${relative(context.workspace, real)}` : real;
}
