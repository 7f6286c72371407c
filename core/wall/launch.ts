import { AlisioError, errorMessage } from "../errors.ts";
import type { Ceiling } from "./ceiling.ts";
import { denoFlags } from "./deno_flags.ts";
import { applyLandlock, type LandlockResult } from "./landlock.ts";
import { LauncherLink, passedSignals } from "./launcher_link.ts";
import { replaceProcess } from "./replace_process.ts";
import { carriedFlags, moduleFlags, readCommandLine } from "./runtime_flags.ts";

/** Environment variable that holds what the launcher could tell the kernel, for `doctor`. */
export const KERNEL_WALL_VARIABLE = "ALISIO_KERNEL_WALL";

/** Says which process was launched. It stops a loop and grants nothing. */
const LAUNCHED_VARIABLE = "ALISIO_LAUNCHED";

/**
 * Makes the runtime read what an `import()` names when it is called, not before the program starts.
 * A runtime that does not know it reads everything at once, as it always did.
 */
const LAZY_IMPORTS = { DENO_UNSTABLE_LAZY_DYNAMIC_IMPORTS: "1" } as const;

/** How the agent process is started. */
export interface LaunchOptions {
  /** The most that it may be permitted. */
  readonly ceiling: Ceiling;
  /** Address of its main module: `import.meta.url` of the entry. */
  readonly main: string;
  /** Its arguments. */
  readonly args: readonly string[];
  /** The state home; it is created if need be, because no rule can name what does not exist. */
  readonly stateHome: string;
  /** Path of the runtime's configuration file that belongs to the program, in a checkout. */
  readonly config?: string;
  /** Variables that are added to its environment. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Whether this process becomes the agent, or starts it as a child and waits for it. Where the
   * system cannot do the first, the second happens.
   *
   * @default "replace"
   */
  readonly form?: "replace" | "child";
  /**
   * Whether the program is a compiled binary, which takes no flags: it only starts itself again
   * under the rules for the kernel.
   *
   * @default Deno.build.standalone
   */
  readonly standalone?: boolean;
}

/**
 * Starts the agent under a permission ceiling: the rules for the kernel first, then the program
 * once more under exactly the flags of the ceiling.
 *
 * As a rule this process becomes the agent and the call never returns, so that nothing is left
 * that could outlive the agent, or be outlived by it, or swallow a signal. Otherwise the agent is a
 * child with the same standard streams. It gets every signal once, and ends when this process ends,
 * provided that it calls `followLauncher`.
 *
 * @param options How it is started.
 * @returns The exit status of a child, 128 and the number of the signal that ended it.
 * @throws {AlisioError} `usage` if the ceiling cannot be written as flags, or the program was
 * started by this function already and still has all permissions.
 */
export async function launch(options: LaunchOptions): Promise<number> {
  if (wasLaunched()) {
    throw new AlisioError(
      "usage",
      "Cannot limit this run: it was started again and still has all permissions; " +
        "run again with --no-second-wall",
    );
  }
  const program = Deno.execPath();
  const words = agentWords(options);
  await Deno.mkdir(options.stateHome, { recursive: true, mode: 0o700 });
  const env = {
    ...LAZY_IMPORTS,
    ...options.env,
    [KERNEL_WALL_VARIABLE]: describeKernelWall(applyLandlock(options.ceiling)),
  };
  if (options.form !== "child") {
    const own = { ...env, [LAUNCHED_VARIABLE]: `as ${Deno.pid}` };
    for (const [name, value] of Object.entries(own)) Deno.env.set(name, value);
    replaceProcess(program, words);
  }
  const link = new LauncherLink(options.stateHome);
  const own = { ...env, ...link.env, [LAUNCHED_VARIABLE]: `by ${Deno.pid}` };
  return await runChild(program, words, own, link);
}

/**
 * Whether {@linkcode launch} started this process. For a program that has to know that it was
 * started under the rules for the kernel, which it cannot ask; the answer grants nothing.
 */
export function wasLaunched(): boolean {
  const launched = Deno.env.get(LAUNCHED_VARIABLE);
  return launched === `as ${Deno.pid}` || launched === `by ${Deno.ppid}`;
}

/**
 * What the kernel enforces, in one line.
 *
 * @param result What `applyLandlock` or `previewLandlock` returned.
 */
export function describeKernelWall(result: LandlockResult): string {
  if (result.status !== "applied") return `${result.status}: ${result.reason}`;
  const gaps = result.plan.unenforced.map((gap) => `, but ${gap}`).join("");
  return `Landlock version ${result.abi}${gaps}`;
}

/**
 * The flags of the runtime that {@linkcode launch} starts the agent with: where its modules come
 * from, and what it is permitted.
 *
 * @param options How it is started.
 * @throws {AlisioError} `usage` if the ceiling cannot be written as flags.
 */
export function agentFlags(
  { ceiling, main, config }: Pick<LaunchOptions, "ceiling" | "main" | "config">,
): readonly string[] {
  const carried = carriedFlags(readCommandLine());
  // What the runtime tells of its loading would be drawn into the screen.
  const quiet = carried.includes("--quiet") ? [] : ["--quiet"];
  return [...quiet, ...moduleFlags(main, carried, config), ...denoFlags(ceiling, main)];
}

function agentWords(options: LaunchOptions): readonly string[] {
  const { main, args } = options;
  if (options.standalone ?? Deno.build.standalone) return args;
  return ["run", ...agentFlags(options), main, ...args];
}

async function runChild(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  link: LauncherLink,
): Promise<number> {
  const listeners = passedSignals().map((signal) => {
    const listener = (): void => link.pass(signal);
    Deno.addSignalListener(signal, listener);
    return () => Deno.removeSignalListener(signal, listener);
  });
  try {
    const child = new Deno.Command(program, {
      args: [...args],
      env,
      stdin: "inherit",
      stdout: "inherit",
      stderr: "inherit",
    }).spawn();
    return (await child.status).code;
  } catch (error) {
    throw new AlisioError(
      "usage",
      `Cannot start the agent process: ${errorMessage(error).slice(0, 300)}; ` +
        "run again with --no-second-wall",
      { cause: error },
    );
  } finally {
    for (const remove of listeners) remove();
    link.close();
  }
}
