import { findExecutable } from "../process/find_executable.ts";
import { landlockVersion } from "../wall/landlock.ts";
import { askLandlockVersion } from "./landlock_command.ts";

/** What of this machine decides which sandbox works. */
export interface SandboxProbes {
  /** The operating system. */
  readonly os: typeof Deno.build.os;
  /**
   * Absolute path of a program, or null.
   *
   * @param name Its name.
   */
  findProgram(name: string): Promise<string | null>;
  /**
   * Runs a program once that does nothing, in a sandbox.
   *
   * @param program The program of the sandbox.
   * @param args Its arguments.
   * @returns Null if it works, else why not.
   */
  tryProgram(program: string, args: readonly string[]): Promise<string | null>;
  /** Version of Landlock of this kernel, 0 for none. */
  landlockVersion(): Promise<number>;
}

/** How long a sandbox may take to start a program that does nothing. */
const TRY_LIMIT_MS = 2_000;

/**
 * Probes that look at this machine.
 *
 * @param env Environment variables.
 * @param workspace Real path of the workspace, whose programs are never taken.
 */
export function createSandboxProbes(
  env: Readonly<Record<string, string | undefined>>,
  workspace: string,
): SandboxProbes {
  return {
    os: Deno.build.os,
    findProgram: (name) => findExecutable(name, { path: env["PATH"], exclude: [workspace] }),
    tryProgram: (program, args) => tryProgram(program, args, env["PATH"] ?? ""),
    async landlockVersion() {
      // Behind the second wall another process has to ask.
      const { state } = await Deno.permissions.query({ name: "ffi" });
      return state === "granted" ? landlockVersion() : await askLandlockVersion(env);
    },
  };
}

async function tryProgram(
  program: string,
  args: readonly string[],
  path: string,
): Promise<string | null> {
  try {
    const { success, code, signal, stderr } = await new Deno.Command(program, {
      args: [...args],
      // The directory of this process may be gone.
      cwd: "/",
      clearEnv: true,
      env: { PATH: path, LC_ALL: "C" },
      stdin: "null",
      stdout: "null",
      stderr: "piped",
      signal: AbortSignal.timeout(TRY_LIMIT_MS),
    }).output();
    if (success) return null;
    const said = new TextDecoder().decode(stderr).trim().split("\n")[0] ?? "";
    if (said !== "") return said.slice(0, 300);
    return signal === null
      ? `it ended with status ${code}`
      : `it did not answer within ${TRY_LIMIT_MS} ms`;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 300) : "it cannot be started";
  }
}
