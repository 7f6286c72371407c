import { AlisioError, errorMessage } from "../core/errors.ts";
import { visibleLines } from "../core/process/visible_text.ts";
import { VERSION } from "../core/version.ts";
import type { CommandContext } from "./command_context.ts";
import { EXIT_STATUS, exitStatusOf, SignalError } from "./exit_status.ts";
import { jsonLine } from "./json_line.ts";
import { createOutput, type Output } from "./output.ts";
import { type CommandLine, parseCommandLine } from "./parse_command_line.ts";

/** How long an orderly end may take before the process ends anyway. */
const SHUTDOWN_MS = 8_000;

/**
 * Runs the command line.
 *
 * @param argv Arguments after the program's name.
 * @returns The exit status.
 */
export async function main(argv: readonly string[]): Promise<number> {
  const stop = new AbortController();
  let lost: Error | undefined;
  const output = createOutput((reason) => {
    lost = reason;
    stop.abort(reason);
  });
  let wantsJson = argv.includes("--json");
  const signals = listenForSignals(stop);
  try {
    const line = parseCommandLine(argv);
    wantsJson = line.flags.json;
    const status = await dispatch(line, output, stop.signal);
    // A command that ends before it looks at the signal does not know that its output is lost.
    return lost === undefined || status !== EXIT_STATUS.completed
      ? status
      : report(lost, output, wantsJson);
  } catch (error) {
    return report(error, output, wantsJson);
  } finally {
    signals.close();
  }
}

async function dispatch(line: CommandLine, output: Output, signal: AbortSignal): Promise<number> {
  if (line.version) {
    output.out(`${VERSION}\n`);
    return EXIT_STATUS.completed;
  }
  if (line.help || line.command === undefined) {
    const { formatCommandHelp, formatHelp } = await import("./help.ts");
    const help = line.command === undefined ? formatHelp() : formatCommandHelp(line.command);
    if (line.help) output.out(help);
    else output.err(help);
    return line.help ? EXIT_STATUS.completed : EXIT_STATUS.usage;
  }
  const context: CommandContext = {
    args: line.args,
    flags: line.flags,
    commandFlags: line.commandFlags,
    env: Deno.env.toObject(),
    cwd: line.flags.cwd ?? Deno.cwd(),
    output,
    signal,
    out: (text) => output.out(text),
    err: (text) => output.err(text),
  };
  switch (line.command.name) {
    case "run":
      return await (await import("./run.ts")).runRun(context);
    case "resume":
      return await (await import("./resume.ts")).runResume(context);
    case "setup":
      return await (await import("./setup.ts")).runSetup(context);
    case "doctor":
      return await (await import("./doctor.ts")).runDoctor(context);
    case "trust":
      return await (await import("./trust.ts")).runTrust(context);
    case "sessions":
      return await (await import("./sessions.ts")).runSessions(context);
    case "context":
      return await (await import("./context.ts")).runContext(context);
    default:
      throw new TypeError(`Command "${line.command.name}" is in the table but cannot run`);
  }
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

/** The first signal asks for an orderly end, the second one ends at once. */
function listenForSignals(stop: AbortController): { close(): void } {
  const names = Deno.build.os === "windows"
    ? ["SIGINT"] as const
    : ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const timers: ReturnType<typeof setTimeout>[] = [];
  const listeners = names.map((name) => {
    const listener = () => {
      const error = new SignalError(name);
      if (stop.signal.aborted) Deno.exit(error.exitStatus);
      stop.abort(error);
      timers.push(setTimeout(() => Deno.exit(error.exitStatus), SHUTDOWN_MS));
    };
    Deno.addSignalListener(name, listener);
    return () => Deno.removeSignalListener(name, listener);
  });
  return {
    close() {
      for (const remove of listeners) remove();
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
