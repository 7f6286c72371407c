import { join } from "node:path";
import type { CommandContext } from "../../cli/command_context.ts";
import { exitStatusOf } from "../../cli/exit_status.ts";
import { parseCommandLine } from "../../cli/parse_command_line.ts";
import { errorMessage } from "../../core/errors.ts";

/** What a command left behind. */
export interface CommandRun {
  /** The exit status. */
  readonly status: number;
  /** Standard output. */
  readonly out: string;
  /** Standard error; a failure's message is its last line. */
  readonly err: string;
}

/**
 * Runs a command in this process, in `ws` below a folder, with the configuration in `config` and
 * the state in `state`.
 *
 * @param command The command.
 * @param dir The folder.
 * @param argv The command line.
 * @param env Further environment variables.
 */
export async function runCommand(
  command: (context: CommandContext) => Promise<number>,
  dir: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandRun> {
  const { args, flags, commandFlags } = parseCommandLine(argv);
  let out = "";
  let err = "";
  const output = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
    drained: () => undefined,
    flush: () => Promise.resolve(),
    outIsTerminal: false,
    errIsTerminal: false,
  };
  const context: CommandContext = {
    lendTerminal: (use) => use(),
    args,
    flags,
    commandFlags,
    env: {
      HOME: dir,
      ALISIO_CONFIG_HOME: join(dir, "config"),
      ALISIO_STATE_HOME: join(dir, "state"),
      ...env,
    },
    cwd: flags.cwd ?? join(dir, "ws"),
    output,
    signal: new AbortController().signal,
    out: output.out,
    err: output.err,
  };
  try {
    return { status: await command(context), out, err };
  } catch (error) {
    return { status: exitStatusOf(error), out, err: `${err}${errorMessage(error)}\n` };
  }
}
