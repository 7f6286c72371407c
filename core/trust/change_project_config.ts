import { changeConfig, type ConfigChange } from "../config/change_config.ts";
import { projectConfigPath } from "../config/load_config.ts";
import { keepTrust, type KeepTrustOptions } from "./keep_trust.ts";
import { PROJECT_CONFIG } from "./trust_resources.ts";

/** How {@linkcode changeProjectConfig} goes about it. */
export interface ChangeProjectConfigOptions extends KeepTrustOptions {
  /** Gives up. */
  readonly signal: AbortSignal;
}

/**
 * Changes values in the configuration of a project that is trusted, or that has nothing yet that
 * needs trust. A decision about the project is carried over to what was written, and to nothing
 * else: where anything else has changed meanwhile, the person is asked again at the next start.
 *
 * @param changes What is changed.
 * @param options Which project.
 * @returns What the person should know, if there is anything.
 * @throws {AlisioError} `usage` if the project is not trusted; `config_*` if the file is not valid,
 * or cannot be written. Nothing is changed then.
 */
export async function changeProjectConfig(
  changes: readonly ConfigChange[],
  options: ChangeProjectConfigOptions,
): Promise<string | null> {
  const { workspace, signal } = options;
  return await keepTrust({
    resource: PROJECT_CONFIG,
    subject: "the configuration",
    make: async () => (await changeConfig(projectConfigPath(workspace), changes, { signal })).after,
  }, options);
}
