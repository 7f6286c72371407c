import { isObject } from "../../config/is_object.ts";
import { type Environment, userHome } from "../../config/directories.ts";
import type { LoadedConfiguration } from "../../config/load_config.ts";
import { resolve } from "../../paths/path.ts";
import { CLOSED_PATHS_VARIABLE, parseClosedPaths } from "../../wall/closed_paths.ts";
import { gradeProgramCall } from "../shell/grade_command.ts";
import { type SelectedRiskProfile, selectRiskProfile } from "./select_risk_profile.ts";

/** What the profile of a run is found by. */
export interface ProfileOfRunOptions {
  /** The configuration that was read. */
  readonly loaded: Pick<LoadedConfiguration, "configuration" | "layers">;
  /** `--risk-profile`. */
  readonly flag?: string | undefined;
  /** The directory to work in, as the person gave it. */
  readonly cwd: string;
  /** Environment variables. */
  readonly env: Environment;
}

/** The agent that runs where no file names another. */
const DEFAULT_AGENT = "build";

/**
 * Finds the risk profile of a run, in the same way for the run, for the wall around it and for
 * `doctor`.
 *
 * @param options What it is found by.
 * @throws {AlisioError} `config_invalid` if a profile is wrong or a binding names none, `usage` if
 * the flag names none.
 */
export async function profileOfRun(options: ProfileOfRunOptions): Promise<SelectedRiskProfile> {
  const { loaded: { configuration, layers }, flag } = options;
  return await selectRiskProfile({
    layers,
    agent: configuration.agents.active,
    globalAgent: globalAgent(options),
    agents: [DEFAULT_AGENT, "plan", ...Object.keys(configuration.builtinPlugins.subagents.agents)],
    ...(flag === undefined ? {} : { flag }),
    places: {
      workspace: resolve(options.cwd),
      home: userHome(options.env) ?? null,
      closed: parseClosedPaths(options.env[CLOSED_PATHS_VARIABLE]),
    },
    isHighRiskProgram: (program) => gradeProgramCall(program, []).risk === "high",
  });
}

/** The agent that the person's own file activates, whatever a project says. */
function globalAgent({ loaded: { layers } }: ProfileOfRunOptions): string {
  const agents = layers.find(({ source }) => source.layer === "global")?.values["agents"];
  const active = isObject(agents) ? agents["active"] : undefined;
  return typeof active === "string" ? active : DEFAULT_AGENT;
}
