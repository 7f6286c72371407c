import { configHome, stateHome } from "../core/config/directories.ts";
import { loadConfiguration, type LoadedConfiguration } from "../core/config/load_config.ts";
import { resolve } from "../core/paths/path.ts";
import { visibleName } from "../core/process/visible_text.ts";
import { projectTrust } from "../core/trust/project_trust.ts";
import { resolveWorkspace } from "../core/workspace.ts";
import type { CommandContext } from "./command_context.ts";

/** A project as a command finds it that opens no application. */
export interface FoundProject {
  /** Real path of the workspace. */
  readonly workspace: string;
  /** The folder of the person's configuration. */
  readonly home: string;
  /** Whether the project's own files may instruct a model. */
  readonly trusted: boolean;
  readonly loaded: LoadedConfiguration;
}

/**
 * Reads the trust and the configuration of the project that a command is called in, and says what is
 * worth knowing of them.
 *
 * @param context What the command was called with.
 * @throws {AlisioError} If the workspace or the configuration is not usable.
 */
export async function readProject(context: CommandContext): Promise<FoundProject> {
  const { env, flags, cwd } = context;
  const workspace = resolveWorkspace(cwd);
  const explicit = flags.config === undefined ? undefined : resolve(cwd, flags.config);
  const trust = await projectTrust({
    workspace,
    stateHome: stateHome(env),
    trustProjectFlag: flags.trustProject,
    ...(explicit === undefined ? {} : { explicitConfig: explicit }),
  });
  const home = configHome(env);
  const trusted = trust.state === "trusted";
  const loaded = await loadConfiguration({
    configHome: home,
    workspace,
    trusted,
    env,
    ...(explicit === undefined ? {} : { explicitPath: explicit }),
  });
  for (const notice of [...trust.notices, ...loaded.notices]) {
    if (!flags.quiet) context.err(`${visibleName(notice)}\n`);
  }
  return { workspace, home, trusted, loaded };
}
