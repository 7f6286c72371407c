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
  /** Where it runs; the directory of this process otherwise. */
  readonly cwd?: string;
  /** Variables beside those that every program gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** What it reads. */
  readonly input?: Uint8Array<ArrayBuffer>;
  /**
   * How much of what it prints is read.
   *
   * @default 0
   */
  readonly maxOutputBytes?: number;
  /**
   * What becomes of a program that prints more, or takes longer: it has failed, or its start counts.
   *
   * @default "fails"
   */
  readonly tooMuch?: "fails" | "is_cut";
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
  const { program, args, input, maxOutputBytes = 0, timeoutMs = TIMEOUT_MS, tooMuch } = tool;
  const path = await findExecutable(program, { path: env.PATH, pathExt: env.PATHEXT, exclude })
    .catch(() => null);
  if (path === null) return { status: "missing" };
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(path, {
      args: [...args],
      clearEnv: true,
      env: { ...passed(env), ...tool.env },
      ...(tool.cwd === undefined ? {} : { cwd: tool.cwd }),
      stdin: input === undefined ? "null" : "piped",
      // What stays behind to keep a clipboard must hold none of this program's streams.
      stdout: maxOutputBytes === 0 ? "null" : "piped",
      stderr: "null",
    }).spawn();
  } catch {
    // Gone by now, or the run may start no programs.
    return { status: "missing" };
  }
  return await follow(child, { input, maxOutputBytes, timeoutMs, isCut: tooMuch === "is_cut" });
}

async function follow(
  child: Deno.ChildProcess,
  { input, maxOutputBytes, timeoutMs, isCut }: {
    readonly input: Uint8Array<ArrayBuffer> | undefined;
    readonly maxOutputBytes: number;
    readonly timeoutMs: number;
    readonly isCut: boolean;
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
    if (stop.signal.aborted) return isCut ? { status: "done", output } : { status: "failed" };
    return success ? { status: "done", output } : { status: "failed" };
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

/** More than the limit ends the program. */
async function readOutput(
  child: Deno.ChildProcess,
  maxBytes: number,
  stop: AbortController,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = child.stdout.getReader();
  stop.signal.addEventListener("abort", () => void reader.cancel().catch(() => {}), { once: true });
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  while (true) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > maxBytes) stop.abort();
    else chunks.push(value);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
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
