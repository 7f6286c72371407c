import { checkProductFolders } from "../core/config/product_folders.ts";
import { AlisioError, errorMessage } from "../core/errors.ts";
import { settlesWithin } from "../core/process/settles_within.ts";
import { visibleLines } from "../core/process/visible_text.ts";
import type { CommandContext } from "./command_context.ts";
import { EXIT_STATUS, exitStatusOf, SignalError } from "./exit_status.ts";
import { jsonLine } from "./json_line.ts";
import { createOutput, type Output, type ProcessOutput } from "./output.ts";
import { type CommandLine, parseCommandLine } from "./parse_command_line.ts";

/** How long an orderly end may take before the process ends anyway. */
const SHUTDOWN_MS = 8_000;
/** How long the last line may take to be written. */
const LAST_WORDS_MS = 500;

/** Runs what a command line asks for. */
export type Dispatch = (line: CommandLine, context: CommandContext) => Promise<number>;

/**
 * Runs a command line: reads it, listens for signals, says what failed.
 *
 * @param argv Arguments after the program's name.
 * @param dispatch Runs what it asks for.
 * @returns The exit status.
 */
export async function runProgram(argv: readonly string[], dispatch: Dispatch): Promise<number> {
  const stop = new AbortController();
  let lost: Error | undefined;
  const output = createOutput((reason) => {
    lost = reason;
    stop.abort(reason);
  });
  const signals = listenForSignals(stop, output);
  try {
    const status = await runLine(argv, dispatch, { output, signal: stop.signal, signals });
    await output.flush();
    // A command that has ended does not know that its output is lost.
    if (lost === undefined || status !== EXIT_STATUS.completed) return status;
    const lostStatus = report(lost, output, false);
    await output.flush();
    return lostStatus;
  } finally {
    signals.close();
  }
}

/** What a command line runs with. */
interface ProgramPorts {
  readonly output: Output;
  readonly signal: AbortSignal;
  readonly signals: Signals;
}

interface Signals extends Pick<CommandContext, "lendTerminal"> {
  close(): void;
}

async function runLine(
  argv: readonly string[],
  dispatch: Dispatch,
  ports: ProgramPorts,
): Promise<number> {
  const { output } = ports;
  let wantsJson = argv.includes("--json");
  try {
    const line = parseCommandLine(withHelpFlag(argv));
    wantsJson = line.flags.json;
    const context = createContext(line, ports);
    if (line.command !== undefined && !line.help && !line.version) await check(context);
    return await dispatch(line, context);
  } catch (error) {
    return report(error, output, wantsJson);
  }
}

/** `alisio help [command]` is another way to write `alisio [command] --help`. */
function withHelpFlag(argv: readonly string[]): readonly string[] {
  const [first, ...rest] = argv;
  return first === "help" ? [...rest.filter((word) => word !== "help"), "--help"] : argv;
}

/** What every command rests on. */
async function check({ env, flags, err }: CommandContext): Promise<void> {
  if (flags.disablePlugin.length > 0) {
    const { assertKnownPlugins } = await import("./check_plugins.ts");
    assertKnownPlugins(flags.disablePlugin);
  }
  for (const notice of checkProductFolders(env)) {
    if (!flags.quiet) err(`${notice}\n`);
  }
}

function createContext(
  line: CommandLine,
  { output, signal, signals }: ProgramPorts,
): CommandContext {
  return {
    args: line.args,
    flags: line.flags,
    commandFlags: line.commandFlags,
    env: Deno.env.toObject(),
    cwd: line.flags.cwd ?? Deno.cwd(),
    output,
    signal,
    out: (text) => output.out(text),
    err: (text) => output.err(text),
    lendTerminal: (use) => signals.lendTerminal(use),
  };
}

/** Says what failed: for a person on standard error, and for a program as a JSON line too. */
function report(error: unknown, output: Output, wantsJson: boolean): number {
  const status = exitStatusOf(error);
  // Whoever reads no further, like `head`, has all that they want.
  if (error instanceof Error && error.cause instanceof Deno.errors.BrokenPipe) return status;
  const message = errorMessage(error);
  output.err(`alisio: ${visibleLines(message)}\n`);
  if (wantsJson && error instanceof AlisioError) {
    const line = { schemaVersion: 1, type: "error", data: { code: error.code, error: message } };
    output.out(jsonLine(line));
  }
  if (!(error instanceof Error) || error.name === "TypeError") {
    output.err("This is a fault of Alisio itself; please report it with the command you ran\n");
  }
  return status;
}

/**
 * The first signal asks for an orderly end, and after a while nobody waits for it any more, nor for
 * a reader of the output that pauses. The second one ends at once.
 */
function listenForSignals(stop: AbortController, output: ProcessOutput): Signals {
  const names = Deno.build.os === "windows"
    ? ["SIGINT"] as const
    : ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isEnding = false;
  let isLent = false;
  const endNow = async (error: SignalError) => {
    if (isEnding) Deno.exit(error.exitStatus);
    isEnding = true;
    output.err(
      `alisio: Cut short by ${error.signal}: the session may need "alisio sessions recover" ` +
        "before it goes on\n",
    );
    // A write that has begun goes on by itself, unless its reader pauses.
    await Promise.all([output.abandon(), settlesWithin(output.flush(), LAST_WORDS_MS)]);
    Deno.exit(error.exitStatus);
  };
  const listeners = names.map((name) => {
    const listener = () => {
      if (isLent && name === "SIGINT") return;
      const error = new SignalError(name);
      if (timer !== undefined) return void endNow(error);
      stop.abort(error);
      timer = setTimeout(() => endNow(error), SHUTDOWN_MS);
    };
    Deno.addSignalListener(name, listener);
    return () => Deno.removeSignalListener(name, listener);
  });
  return {
    async lendTerminal(use) {
      isLent = true;
      try {
        return await use();
      } finally {
        isLent = false;
      }
    },
    close() {
      for (const remove of listeners) remove();
      clearTimeout(timer);
    },
  };
}
