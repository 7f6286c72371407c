import type { BuiltinPlugin } from "../core/application_options.ts";
import { isAbsolute } from "../core/paths/path.ts";
import type { HerdrPane } from "../plugins/herdr/pane.ts";
import type { GlobalFlags } from "./flags.ts";

/** Id of the plugin for Herdr. */
export const HERDR_PLUGIN = "herdr";

/** Tools that `--allow-agents` brings and permits. */
export const AGENT_TOOLS: readonly string[] = [
  "herdr_agents",
  "herdr_prompt",
  "herdr_read",
  "herdr_wait",
];

/** Further variables that Herdr's program is given; it finds its own files by them. */
const PASSED_NAMES_REGEXP = /^(?:HERDR_.*|HOME|PATH|USER|LOGNAME|LANG|LC_.*|TMPDIR|XDG_.*)$/;

/** What Herdr is used for, and where. */
export interface HerdrUse {
  /** The pane that Alisio runs in. */
  readonly pane: HerdrPane;
  /** Whether Alisio reports what it does. */
  readonly reports: boolean;
  /** Whether the model can talk to other agents. */
  readonly talks: boolean;
}

/**
 * What a run uses Herdr for. Under `--read-only` that is nothing: Herdr's program can do more than
 * report.
 *
 * @param flags The flags of the run.
 * @param env Environment variables.
 * @returns Null outside a pane of Herdr, and where nothing was left of it.
 */
export function herdrUse(
  flags: Pick<GlobalFlags, "readOnly" | "noHerdr" | "allowAgents" | "disablePlugin">,
  env: Readonly<Record<string, string>>,
): HerdrUse | null {
  const { HERDR_PANE_ID: id = "", HERDR_BIN_PATH: program = "", HERDR_SOCKET_PATH = "" } = env;
  if (env.HERDR_ENV !== "1" || id === "" || HERDR_SOCKET_PATH === "") return null;
  // A dash would make a flag of it.
  if (!isAbsolute(program) || id.startsWith("-")) return null;
  const { readOnly, noHerdr, allowAgents, disablePlugin } = flags;
  if (readOnly || disablePlugin.includes(HERDR_PLUGIN) || (noHerdr && !allowAgents)) return null;
  const passed = Object.entries(env).filter(([name]) => PASSED_NAMES_REGEXP.test(name));
  return {
    pane: { id, program, env: Object.fromEntries(passed) },
    reports: !noHerdr,
    talks: allowAgents,
  };
}

/**
 * Why `--allow-agents` permits nothing here.
 *
 * @param flags The flags of the run.
 * @param env Environment variables.
 * @returns Null if it was not given, or works.
 */
export function agentsNotice(
  flags: Parameters<typeof herdrUse>[0],
  env: Readonly<Record<string, string>>,
): string | null {
  if (!flags.allowAgents || herdrUse(flags, env) !== null) return null;
  const reason = flags.readOnly
    ? 'with "--read-only", under which no other agent is talked to'
    : flags.disablePlugin.includes(HERDR_PLUGIN)
    ? `with "--disable-plugin ${HERDR_PLUGIN}"`
    : "outside a pane of Herdr";
  return `"--allow-agents" has no effect ${reason}`;
}

/**
 * The plugin for Herdr, as the application takes it.
 *
 * @param use What it is used for; null if it is not.
 * @param options Whether a person is there, and where to say that reports do not arrive.
 */
export function herdrPlugin(
  use: HerdrUse | null,
  options: { readonly isReady: boolean; readonly say: (notice: string) => void },
): BuiltinPlugin {
  return {
    id: HERDR_PLUGIN,
    isNeeded: use !== null,
    load: async () => {
      if (use === null) throw new TypeError("Cannot load the plugin for Herdr: there is no pane");
      const { createHerdrPlugin } = await import("../plugins/herdr/mod.ts");
      return createHerdrPlugin({ ...use, ...options });
    },
  };
}
