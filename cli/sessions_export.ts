import { AlisioError, errorMessage } from "../core/errors.ts";
import { resolve } from "../core/paths/path.ts";
import { exportSession } from "../core/session/export.ts";
import { resolveSession } from "../core/session/resolve_session.ts";
import type { SessionStore } from "../core/session/session_store.ts";
import type { CommandContext } from "./command_context.ts";
import { EXIT_STATUS } from "./exit_status.ts";
import { escapeControls } from "./json_line.ts";
import { secretValues } from "./secret_values.ts";
import { untilDrained } from "./until_drained.ts";

/**
 * `alisio sessions export`: writes a session as JSON lines to standard output or a new file.
 *
 * @param context What the command was called with.
 * @param store The store.
 * @param prefix An id, or the beginning of one.
 * @returns The exit status.
 * @throws {AlisioError} If the file exists or cannot be written; no part of it is left then.
 */
export async function exportToOutput(
  context: CommandContext,
  store: SessionStore,
  prefix: string,
): Promise<number> {
  const { id } = resolveSession(store, prefix);
  const lines = exportSession(store, id, secretValues(context.env));
  const output = context.commandFlags["output"];
  if (typeof output === "string") {
    writeLines(resolve(context.cwd, output), lines, context.signal);
    if (!context.flags.quiet) {
      context.err(`Session ${id} was exported to ${JSON.stringify(output)}\n`);
    }
    return EXIT_STATUS.completed;
  }
  for (const line of lines) {
    await untilDrained(context);
    context.out(`${escapeControls(line)}\n`);
  }
  return EXIT_STATUS.completed;
}

function writeLines(path: string, lines: Iterable<string>, signal: AbortSignal): void {
  const file = createFile(path);
  try {
    const encoder = new TextEncoder();
    for (const line of lines) {
      signal.throwIfAborted();
      const bytes = encoder.encode(`${line}\n`);
      for (let done = 0; done < bytes.length;) done += file.writeSync(bytes.subarray(done));
    }
    file.close();
  } catch (error) {
    file.close();
    Deno.removeSync(path);
    if (error instanceof AlisioError || signal.aborted) throw error;
    throw new Error(`Cannot write export ${JSON.stringify(path)}: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

function createFile(path: string): Deno.FsFile {
  try {
    return Deno.openSync(path, { write: true, createNew: true, mode: 0o600 });
  } catch (error) {
    const reason = error instanceof Deno.errors.AlreadyExists
      ? "it exists; choose a new name"
      : errorMessage(error);
    throw new AlisioError("usage", `Cannot create export ${JSON.stringify(path)}: ${reason}`, {
      cause: error,
    });
  }
}
