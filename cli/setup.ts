import { projectConfigPath } from "../core/config/load_config.ts";
import { quoted } from "../core/config/quoted.ts";
import { AlisioError, errorMessage } from "../core/errors.ts";
import { dirname } from "../core/paths/path.ts";
import { MODEL_PLACEHOLDER } from "../core/provider/select_provider.ts";
import { resolveWorkspace } from "../core/workspace.ts";
import type { CommandContext } from "./command_context.ts";
import { EXIT_STATUS } from "./exit_status.ts";
import { jsonLine } from "./json_line.ts";

/** A configuration to start from. It holds no secret: the key stays in its variable. */
const EXAMPLE = {
  schemaVersion: 1,
  provider: {
    baseURL: "https://api.openai.com/v1",
    apiKeyEnv: "OPENAI_API_KEY",
    model: MODEL_PLACEHOLDER,
    apiMode: "chat",
  },
  limits: { maxTurns: 100 },
};

const NEXT_STEPS = `Next:
  1. In that file, replace ${MODEL_PLACEHOLDER} with a model of your provider
  2. Set the variable OPENAI_API_KEY to your key
  3. Look at what the project may do, and trust it: alisio trust add
  4. Check everything: alisio doctor
  5. Run a task: alisio run "…"
`;

/**
 * `alisio setup`: writes an example configuration into the current directory. An existing file is
 * never changed.
 *
 * @param context What the command was called with.
 * @returns The exit status.
 * @throws {AlisioError} `usage` if there is a configuration already, or nothing may be written;
 * `workspace_invalid` if the file cannot be written.
 */
export async function runSetup(context: CommandContext): Promise<number> {
  const [extra] = context.args;
  if (extra !== undefined) {
    throw new AlisioError("usage", `Unexpected argument ${quoted(extra)}: write alisio setup`);
  }
  if (context.flags.readOnly) {
    throw new AlisioError("usage", 'Cannot write a configuration: "--read-only" was given');
  }
  const path = projectConfigPath(await resolveWorkspace(context.cwd));
  await writeNewFile(path, `${JSON.stringify(EXAMPLE, null, 2)}\n`);
  if (context.flags.json) context.out(jsonLine({ schemaVersion: 1, type: "setup", path }));
  else context.out(`Wrote ${quoted(path, 1000)}\n`);
  if (!context.flags.quiet) context.err(NEXT_STEPS);
  return EXIT_STATUS.completed;
}

async function writeNewFile(path: string, text: string): Promise<void> {
  try {
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.writeTextFile(path, text, { createNew: true });
  } catch (error) {
    const name = quoted(path, 1000);
    if (error instanceof Deno.errors.AlreadyExists) {
      throw new AlisioError(
        "usage",
        `Cannot write ${name}: there is one already; edit it, or move it away first`,
        { cause: error },
      );
    }
    throw new AlisioError("workspace_invalid", `Cannot write ${name}: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}
