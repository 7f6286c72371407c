import { findExecutable } from "../../core/process/find_executable.ts";

/** What programs of the desktop need to find it. */
const PASSED_NAMES: readonly string[] = [
  "HOME",
  "USER",
  "LANG",
  "LC_ALL",
  "PATH",
  "DISPLAY",
  "XAUTHORITY",
  "WAYLAND_DISPLAY",
  "XDG_RUNTIME_DIR",
  "DBUS_SESSION_BUS_ADDRESS",
  "TMPDIR",
  "TMUX",
  "TMUX_TMPDIR",
  "WSL_INTEROP",
  "WSL_DISTRO_NAME",
  "SYSTEMROOT",
  "PATHEXT",
  "TEMP",
  "TMP",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA",
];

const TIMEOUT_MS = 2_000;

/** Where programs are looked for, and what they see. */
export interface ToolPlace {
  /** Environment variables. */
  readonly env: Readonly<Record<string, string>>;
  /** Real paths of folders whose programs are never taken: the workspace above all. */
  readonly exclude: readonly string[];
}

/** A small program that answers at once. */
export interface Tool {
  /** Its name. */
  readonly program: string;
  readonly args: readonly string[];
  /** What it reads. */
  readonly input?: Uint8Array<ArrayBuffer>;
  /**
   * How much of what it prints is read; a program that prints more has failed.
   *
   * @default 0
   */
  readonly maxOutputBytes?: number;
  /** @default 2000 */
  readonly timeoutMs?: number;
}

/** What became of a program; `missing` where it is not there or may not be started. */
export type ToolResult =
  | { readonly status: "done"; readonly output: Uint8Array<ArrayBuffer> }
  | { readonly status: "failed" }
  | { readonly status: "missing" };

/**
 * Runs a small program of the system, within its time. Never throws.
 *
 * @param tool The program.
 * @param place Where it is looked for.
 */
export async function runTool(tool: Tool, { env, exclude }: ToolPlace): Promise<ToolResult> {
  const { program, args, input, maxOutputBytes = 0, timeoutMs = TIMEOUT_MS } = tool;
  const path = await findExecutable(program, { path: env.PATH, pathExt: env.PATHEXT, exclude })
    .catch(() => null);
  if (path === null) return { status: "missing" };
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(path, {
      args: [...args],
      clearEnv: true,
      env: passed(env),
      stdin: input === undefined ? "null" : "piped",
      // What stays behind to keep a clipboard must hold none of this program's streams.
      stdout: maxOutputBytes === 0 ? "null" : "piped",
      stderr: "null",
    }).spawn();
  } catch {
    // Gone by now, or the run may start no programs.
    return { status: "missing" };
  }
  return await follow(child, { input, maxOutputBytes, timeoutMs });
}

async function follow(
  child: Deno.ChildProcess,
  { input, maxOutputBytes, timeoutMs }: {
    readonly input: Uint8Array<ArrayBuffer> | undefined;
    readonly maxOutputBytes: number;
    readonly timeoutMs: number;
  },
): Promise<ToolResult> {
  const stop = new AbortController();
  // What it started may hold its streams when it is gone: nobody waits for that either.
  stop.signal.addEventListener("abort", () => kill(child), { once: true });
  const timer = setTimeout(() => stop.abort(), timeoutMs);
  try {
    const [output, { success }] = await Promise.all([
      maxOutputBytes === 0 ? new Uint8Array() : readOutput(child, maxOutputBytes, stop),
      child.status,
      input === undefined ? undefined : writeInput(child, input, stop.signal),
    ]);
    return success && output !== null ? { status: "done", output } : { status: "failed" };
  } finally {
    clearTimeout(timer);
  }
}

async function writeInput(
  child: Deno.ChildProcess,
  input: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
): Promise<void> {
  const writer = child.stdin.getWriter();
  signal.addEventListener("abort", () => void writer.abort().catch(() => {}), { once: true });
  try {
    await writer.write(input);
    await writer.close();
  } catch {
    // It ended without reading everything, which its status tells about.
  }
}

/** Null for more than the limit, which ends the program. */
async function readOutput(
  child: Deno.ChildProcess,
  maxBytes: number,
  stop: AbortController,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const reader = child.stdout.getReader();
  stop.signal.addEventListener("abort", () => void reader.cancel().catch(() => {}), { once: true });
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  while (true) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > maxBytes) {
      stop.abort();
      return null;
    }
    chunks.push(value);
  }
  return stop.signal.aborted ? null : new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

function passed(env: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => PASSED_NAMES.includes(name.toUpperCase()));
  return Object.fromEntries(kept);
}
