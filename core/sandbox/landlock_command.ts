import { join } from "../paths/path.ts";
import { importFlag } from "../wall/deno_flags.ts";
import { moduleFlags } from "../wall/runtime_flags.ts";
import { runtimeCache } from "../wall/warm_up.ts";
import { LANDLOCK_ARGUMENT } from "./landlock_order.ts";

/** How long the answer about the kernel may take; the runtime has to start for it. */
const ASK_LIMIT_MS = 10_000;

/** A program that becomes another one. */
export interface LandlockStarter {
  /** The program. */
  readonly program: string;
  /** What goes before the words of the other program. */
  readonly args: readonly string[];
  /** What it needs of the environment. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * How the program is started that takes rules of Landlock on: the runtime with a module of Alisio,
 * or the compiled binary itself.
 *
 * @param env The environment of this process.
 */
export function landlockStarter(
  env: Readonly<Record<string, string | undefined>>,
): LandlockStarter {
  const cache = runtimeCache(env);
  const own = { NO_COLOR: "1", ...(cache === null ? {} : { DENO_DIR: cache }) };
  const program = Deno.execPath();
  if (Deno.build.standalone) return { program, args: [LANDLOCK_ARGUMENT], env: own };
  const main = new URL("./landlock_entry.ts", import.meta.url).href;
  const folder = import.meta.dirname;
  const config = folder === undefined ? undefined : join(folder, "..", "..", "deno.json");
  return {
    program,
    args: [
      ...["run", "--no-prompt", "--quiet", "--cached-only", importFlag(main)],
      ...moduleFlags(main, [], config),
      ...["--allow-ffi", "--allow-read", "--allow-env", main],
    ],
    env: own,
  };
}

/**
 * The version of Landlock of this kernel, asked by a child that may call the kernel.
 *
 * @param env The environment of this process.
 * @returns 0 if there is none, or if nobody can be asked.
 */
export async function askLandlockVersion(
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  if (Deno.build.os !== "linux") return 0;
  const starter = landlockStarter(env);
  try {
    const { success, stdout } = await new Deno.Command(starter.program, {
      args: [...starter.args],
      cwd: "/",
      clearEnv: true,
      env: { ...starter.env },
      stdin: "null",
      stdout: "piped",
      stderr: "null",
      signal: AbortSignal.timeout(ASK_LIMIT_MS),
    }).output();
    const version = Number(new TextDecoder().decode(stdout));
    return success && Number.isInteger(version) ? version : 0;
  } catch {
    return 0;
  }
}
