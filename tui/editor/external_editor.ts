import { makePrivateFolder } from "../../core/config/private_file.ts";
import { stateHome } from "../../core/config/directories.ts";
import { quoted } from "../../core/config/quoted.ts";
import { join } from "../../core/paths/path.ts";

/** A longer text is no prompt. */
const MAX_BYTES = 4_000_000;

/** What a prompt is written with. */
export interface ExternalEditorPorts {
  /** Environment variables. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Lets another program have the terminal.
   *
   * @param use Waits for the other program.
   */
  lend(use: () => Promise<void>): Promise<void>;
}

/**
 * Has a prompt written in the program that `VISUAL` or `EDITOR` names. The text lies in a file for
 * its owner alone meanwhile, which is removed afterwards.
 *
 * @param text What is written so far.
 * @param ports What with.
 * @returns What was written.
 * @throws {Error} If there is no such program, it may not be started, or it failed. Its message is
 * for the person; the text is as it was.
 */
export async function editExternally(text: string, ports: ExternalEditorPorts): Promise<string> {
  const command = [ports.env.VISUAL, ports.env.EDITOR].find((name) => (name ?? "").trim() !== "");
  if (command === undefined) {
    throw new Error("Cannot open an editor: set VISUAL or EDITOR to a program, such as vim");
  }
  await assertMayStart();
  const home = stateHome(ports.env);
  await makePrivateFolder(home);
  const folder = await Deno.makeTempDir({ dir: home, prefix: "prompt-" });
  try {
    const path = join(folder, "prompt.md");
    await Deno.writeTextFile(path, text, { mode: 0o600 });
    await ports.lend(() => runEditor(command, path));
    return await readPrompt(path);
  } finally {
    await Deno.remove(folder, { recursive: true }).catch(() => {});
  }
}

/** Known before the terminal is given away. */
async function assertMayStart(): Promise<void> {
  const { state } = await Deno.permissions.query({ name: "run" });
  if (state === "granted") return;
  throw new Error(
    "Cannot open an editor: this run may start no programs, because --read-only or a risk " +
      "profile closes them; write the text here",
  );
}

async function runEditor(command: string, path: string): Promise<void> {
  const [program, args] = Deno.build.os === "windows"
    ? ["cmd.exe", ["/d", "/s", "/c", `"${command} "${path}""`]]
    // The variable may hold arguments and quotes. Ctrl+C is for the editor, not for the shell.
    : ["sh", ["-c", `trap : INT; ${command} "$1"`, "sh", path]];
  let status: Deno.CommandStatus;
  try {
    status = await new Deno.Command(program, {
      args,
      stdin: "inherit",
      stdout: "inherit",
      stderr: "inherit",
      windowsRawArguments: true,
    }).spawn().status;
  } catch {
    throw new Error(`Cannot open the editor ${quoted(command)}: it cannot be started`);
  }
  if (status.success) return;
  const how = status.signal === null ? `with status ${status.code}` : `by ${status.signal}`;
  throw new Error(`The editor ${quoted(command)} ended ${how}; the text is as it was`);
}

async function readPrompt(path: string): Promise<string> {
  const { size } = await Deno.stat(path);
  if (size > MAX_BYTES) {
    throw new Error("Cannot take the text: it is longer than a prompt may be; name a file with @");
  }
  const written = await Deno.readTextFile(path);
  // Editors end the last line.
  return written.replace(/\r\n/g, "\n").replace(/\n$/, "");
}
