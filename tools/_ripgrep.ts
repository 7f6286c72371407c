import { isInside } from "../core/paths/is_inside.ts";
import { relative, sep } from "../core/paths/path.ts";
import { CommandError } from "../core/process/command_error.ts";
import { installHint } from "../core/process/install_hint.ts";
import { type CommandOutcome, runCommand } from "../core/process/run_command.ts";
import { decodeBytes, visibleName } from "../core/process/visible_text.ts";
import type { HostToolContext } from "../core/tools/host_tool.ts";
import type { ProgramPorts } from "./_program_ports.ts";
import { quoted } from "./_json_result.ts";

/** Longest run of ripgrep. */
const TIME_LIMIT_MS = 30_000;
/** How much of what ripgrep complains about is passed on. */
const MAX_COMPLAINT_CHARS = 500;

/**
 * Switches of every run. The person's configuration file could name a preprocessor, so it is not
 * read; ignore files count outside Git repositories, too; one thread makes the order certain.
 */
const COMMON_ARGS = ["--no-config", "--no-require-git", "--sort=path"];

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
 * not followed, so loops and ways out of the workspace do not exist.
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
  if (!judged.exists) return { kind: "failed", message: `${cannot}: it does not exist` };
  const program = await ports.findExecutable("rg");
  if (program === null) {
    const hint = installHint("rg", Deno.build.os);
    return { kind: "failed", message: `${cannot}: ripgrep (rg) is not in PATH; ${hint}` };
  }
  const enough = new AbortController();
  try {
    const outcome = await runCommand({
      program,
      args: [
        ...COMMON_ARGS,
        ...(ports.secretFiles ?? []).map((file) => exclusion(context, file)),
        ...request.args,
        "--",
        searchArgument(context, judged.real),
      ],
      cwd: context.workspace,
      env: ports.environment(),
      timeoutMs: TIME_LIMIT_MS,
      signal: AbortSignal.any([context.signal, enough.signal]),
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
    const complaint = outcome.stderr.trim().slice(0, MAX_COMPLAINT_CHARS);
    return { kind: "ran", outcome, complaint };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { kind: "failed", message: `${cannot}: ${error.message}` };
  }
}

/**
 * A path that ripgrep printed, for the model: relative to the workspace where it lies in it, with
 * slashes, control characters and bytes that are not UTF-8 escaped.
 *
 * @param printed The path as printed.
 */
export function printedPath(printed: Uint8Array): string {
  return visibleName(decodeBytes(printed).replace(/^\.\//, ""));
}

/** Leaves one file out. Paths below the workspace are matched from there, all others as they are. */
function exclusion(context: HostToolContext, real: string): string {
  const isOwn = isInside(real, context.workspace);
  const path = (isOwn ? `/${relative(context.workspace, real)}` : real).replaceAll(sep, "/");
  const literal = path.replaceAll(/[*?[\]{}\\]/g, (character) => `[${character}]`);
  return `--glob=!${isOwn ? "" : "**"}${literal}`;
}

/** A path inside the workspace starts with `./`, any other with a root: none is an option. */
function searchArgument(context: HostToolContext, real: string): string {
  return isInside(real, context.workspace) ? `./${relative(context.workspace, real)}` : real;
}
