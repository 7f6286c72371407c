import type { RunEvent } from "../events.ts";

/** One answer of the scripted model. */
export interface ScriptedTurn {
  /** What it says. */
  readonly text?: string;
  /** Tools that it calls. */
  readonly calls?: readonly {
    /** The tool's name as the model knows it: see {@linkcode toolName}. */
    readonly name: string;
    /** The input. */
    readonly arguments: Readonly<Record<string, unknown>>;
  }[];
}

/** A run of the real Alisio with a plugin. */
export interface AlisioRun {
  /**
   * How Alisio is started: a program, and arguments before its own.
   *
   * @default ["alisio"]
   */
  readonly alisio?: readonly string[];
  /** The plugin: an absolute path of a file or a folder. */
  readonly plugin: string;
  /**
   * What the person asks for, or a command of the plugin.
   *
   * @default "Go on"
   */
  readonly prompt?: string;
  /** The model's answers, one after the other. */
  readonly turns?: readonly ScriptedTurn[];
  /**
   * More flags, such as `--allow-external`.
   *
   * @default []
   */
  readonly flags?: readonly string[];
  /**
   * Variables beside `PATH`, `HOME` and those of the runtime; nothing else is passed on.
   *
   * @default {}
   */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Files of the workspace, by relative path.
   *
   * @default {}
   */
  readonly files?: Readonly<Record<string, string>>;
  /**
   * How long it may take.
   *
   * @default 60_000
   */
  readonly timeoutMs?: number;
}

/** How it ended. */
export interface AlisioResult {
  /** Its exit status. */
  readonly status: number;
  /** What it printed as JSON lines, in order. */
  readonly events: readonly RunEvent[];
  /** What it said to the person. */
  readonly stderr: string;
}

/** What a started program keeps of the environment: where it and its parts are found. */
const KEPT: readonly string[] = [
  "PATH",
  "SYSTEMROOT",
  "DENO_DIR",
  "XDG_CACHE_HOME",
  "LOCALAPPDATA",
  "JSR_URL",
];

/**
 * The name by which a model knows a tool of an external plugin.
 *
 * @example The tool of a first plugin
 * ```ts
 * import { toolName } from "@alisio/sdk/testing";
 *
 * console.log(await toolName("acme.hello", "hello")); // p_c9752a296b_hello
 * ```
 *
 * @param plugin The plugin's id.
 * @param tool The tool's own name.
 */
export async function toolName(plugin: string, tool: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(plugin));
  const hex = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );
  return `p_${hex.slice(0, 10)}_${tool}`;
}

/**
 * Runs the real Alisio with a plugin, as a person would, in an empty workspace, with configuration
 * and state of its own. Only the model is scripted; what the plugin does, it does for real, within
 * what the run is permitted. It starts a program: the test needs `--allow-run`, `--allow-env`,
 * `--allow-read` and `--allow-write`.
 *
 * @example A tool, called by a model
 * ```ts
 * import { runAlisio, toolName } from "@alisio/sdk/testing";
 *
 * async function greetsInARun() {
 *   const name = await toolName("acme.hello", "hello");
 *   const { status, events } = await runAlisio({
 *     plugin: new URL("../hello.ts", import.meta.url).pathname,
 *     turns: [{ calls: [{ name, arguments: { name: "Ada" } }] }, { text: "Done" }],
 *   });
 *   const ended = events.find(({ type }) => type === "tool_completed");
 *   return status === 0 && ended?.data.preview === "Hello, Ada!";
 * }
 * ```
 *
 * @param run What is run.
 * @throws {Error} If it cannot be started, or does not end in time; it is killed then.
 */
export async function runAlisio(run: AlisioRun): Promise<AlisioResult> {
  const folder = await Deno.makeTempDir({ prefix: "alisio-plugin-" });
  try {
    const workspace = `${folder}/workspace`;
    await writeFiles(workspace, run.files ?? {});
    await Deno.writeTextFile(`${folder}/script.json`, JSON.stringify({ turns: run.turns ?? [] }));
    const { code, stdout, stderr } = await start(run, folder, workspace);
    const text = new TextDecoder().decode(stdout);
    const shown = new TextDecoder().decode(stderr);
    return { status: code, events: eventsOf(text, shown), stderr: shown };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function start(
  run: AlisioRun,
  folder: string,
  workspace: string,
): Promise<Deno.CommandOutput> {
  const { alisio = ["alisio"], prompt = "Go on", timeoutMs = 60_000 } = run;
  const [program = "alisio", ...before] = alisio;
  const signal = AbortSignal.timeout(timeoutMs);
  const output = await new Deno.Command(program, {
    args: [
      ...before,
      ...["run", prompt, "--json", "--cwd", workspace, "--plugin", run.plugin],
      ...["--model", `scripted/${folder}/script.json`],
      ...run.flags ?? [],
    ],
    clearEnv: true,
    env: {
      ...kept(),
      HOME: folder,
      ALISIO_CONFIG_HOME: `${folder}/config`,
      ALISIO_STATE_HOME: `${folder}/state`,
      ...run.env,
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    signal,
  }).output();
  if (!signal.aborted) return output;
  const said = new TextDecoder().decode(output.stderr).slice(-2_000);
  throw new Error(`"${program}" did not end within ${timeoutMs} ms and was killed: ${said}`);
}

function kept(): Record<string, string> {
  const env = Object.fromEntries(
    KEPT.flatMap((name) => {
      const value = Deno.env.get(name);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
  return { ...env, DENO_DIR: env.DENO_DIR ?? runtimeCache(env) };
}

/** A started program has another home, and would look for all its parts anew. */
function runtimeCache({ XDG_CACHE_HOME, LOCALAPPDATA }: Readonly<Record<string, string>>): string {
  const home = Deno.env.get("HOME") ?? Deno.cwd();
  if (Deno.build.os === "windows") return `${LOCALAPPDATA ?? home}\\deno`;
  if (Deno.build.os === "darwin") return `${home}/Library/Caches/deno`;
  return `${XDG_CACHE_HOME ?? `${home}/.cache`}/deno`;
}

async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    const parent = path.replace(/[^/]*$/, "");
    await Deno.mkdir(`${folder}/${parent}`, { recursive: true });
    await Deno.writeTextFile(`${folder}/${path}`, text);
  }
}

function eventsOf(stdout: string, stderr: string): readonly RunEvent[] {
  const lines = stdout.split("\n").filter((line) => line !== "");
  try {
    return lines.map((line) => JSON.parse(line));
  } catch (error) {
    const said = `${stdout.slice(0, 1_000)}${stderr.slice(-1_000)}`;
    throw new Error(`Alisio printed something else than JSON lines: ${said}`, { cause: error });
  }
}
