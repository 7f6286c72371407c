import { errorMessage } from "../errors.ts";
import { importFlag } from "./deno_flags.ts";
import { moduleFlags } from "./runtime_flags.ts";

/** What is to be ready in the runtime's cache. */
export interface WarmUpOptions {
  /** Addresses of the modules that the agent loads, those that it imports included. */
  readonly modules: readonly string[];
  /** Address of the main module. */
  readonly main: string;
  /** Path of the runtime's configuration file that belongs to the program, in a checkout. */
  readonly config?: string;
  /** A file that notes what was done. In {@linkcode runtimeCache} it goes when the cache goes. */
  readonly notePath: string;
  /** Version of the program. */
  readonly version: string;
}

/** What {@linkcode warmUp} did. */
export type WarmUpResult =
  /** Everything was ready. */
  | { readonly status: "ready" }
  /** Everything is ready now. */
  | { readonly status: "warmed" }
  /** Something is not. A program from a server cannot start then; a checkout is only slower. */
  | { readonly status: "failed"; readonly reason: string };

/** Packages may have to be fetched over a slow line. */
const TIME_LIMIT_MS = 120_000;
const MAX_REASON_CHARS = 1_000;

/**
 * Makes the runtime fetch and translate the program's modules and keep the result, once for each
 * version of either. Behind the rules for the kernel the agent cannot write that cache, and would
 * translate everything at every start; and behind the flags it fetches no code at all. To be called
 * before `launch`.
 *
 * The modules are loaded in a child without any permission. After a failure the next call tries
 * again.
 *
 * @param options What is to be ready.
 */
export async function warmUp(options: WarmUpOptions): Promise<WarmUpResult> {
  const note = JSON.stringify([Deno.version.deno, options.version, options.main, options.modules]);
  if (await readNote(options.notePath) === note) return { status: "ready" };
  try {
    const { success, stderr } = await loadAll(options);
    if (!success) {
      const reason = new TextDecoder().decode(stderr).trim().slice(0, MAX_REASON_CHARS);
      return { status: "failed", reason };
    }
    await Deno.writeTextFile(options.notePath, note);
    return { status: "warmed" };
  } catch (error) {
    return { status: "failed", reason: errorMessage(error).slice(0, MAX_REASON_CHARS) };
  }
}

async function loadAll({ modules, main, config }: WarmUpOptions): Promise<Deno.CommandOutput> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--quiet",
      importFlag(main),
      ...moduleFlags(main, [], config),
      "--ext=ts",
      "-",
    ],
    env: { NO_COLOR: "1" },
    stdin: "piped",
    stdout: "null",
    stderr: "piped",
    signal: AbortSignal.timeout(TIME_LIMIT_MS),
  }).spawn();
  const imports = modules.map((module) => `import ${JSON.stringify(module)};\n`);
  const output = child.output();
  const writer = child.stdin.getWriter();
  try {
    await writer.write(new TextEncoder().encode(imports.join("")));
    await writer.close();
  } catch {
    // It ended before it had read everything; its status says why.
  }
  return await output;
}

/**
 * The name of the file that notes what was done for a program. Several of them may share one cache,
 * such as a checkout beside an installed version, and none must undo the note of another.
 *
 * @param main Address of the main module.
 */
export function warmUpNoteName(main: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(main)) hash = Math.imul(hash ^ byte, 0x01000193);
  return `alisio-warm-${(hash >>> 0).toString(16)}.json`;
}

/**
 * The folder where the runtime keeps what it fetched and translated.
 *
 * @param env Environment variables.
 * @returns Null where the environment does not tell.
 */
export function runtimeCache(env: Readonly<Record<string, string | undefined>>): string | null {
  if (env["DENO_DIR"]) return env["DENO_DIR"];
  const home = env["HOME"];
  switch (Deno.build.os) {
    case "windows":
      return env["LOCALAPPDATA"] ? `${env["LOCALAPPDATA"]}\\deno` : null;
    case "darwin":
      return home ? `${home}/Library/Caches/deno` : null;
    default:
      if (env["XDG_CACHE_HOME"]) return `${env["XDG_CACHE_HOME"]}/deno`;
      return home ? `${home}/.cache/deno` : null;
  }
}

async function readNote(path: string): Promise<string | null> {
  try {
    return await Deno.readTextFile(path);
  } catch {
    return null;
  }
}
