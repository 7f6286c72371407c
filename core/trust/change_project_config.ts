import { changeConfig, type ConfigChange } from "../config/change_config.ts";
import { projectConfigPath } from "../config/load_config.ts";
import { AlisioError, errorMessage } from "../errors.ts";
import { quotePath } from "../paths/quote_path.ts";
import { inspectProject, type ProjectInspection } from "./inspect_project.ts";
import { projectTrust } from "./project_trust.ts";
import { compareDigests, PROJECT_CONFIG } from "./trust_resources.ts";
import { writeTrustDecision } from "./trust_store.ts";

/** How {@linkcode changeProjectConfig} goes about it. */
export interface ChangeProjectConfigOptions {
  /** Real path of the workspace. */
  readonly workspace: string;
  /** The folder of what Alisio remembers. */
  readonly stateHome: string;
  /** The home folder, if it is known. */
  readonly home: string | undefined;
  /** `--trust-project`: trust for this run, which is not remembered. */
  readonly trustProjectFlag: boolean;
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
  const { workspace, stateHome, home, trustProjectFlag, signal } = options;
  const { state, resources } = await projectTrust({ workspace, stateHome, trustProjectFlag });
  const isNew = resources.length === 0 && state === "unknown";
  if (state !== "trusted" && !isNew) throw untrusted(workspace);
  const before = await inspectProject(workspace, home);
  const { after } = await changeConfig(projectConfigPath(workspace), changes, { signal });
  if (trustProjectFlag) return null;
  try {
    const written = await inspectProject(workspace, home);
    if (!isOurs(before, written, after)) return ASKED_AGAIN;
    const { digests, referenced, declared } = written;
    const decision = {
      decision: "trusted",
      decidedAt: Date.now(),
      digests,
      referenced,
      declared,
    } as const;
    await writeTrustDecision(stateHome, workspace, decision);
    return null;
  } catch (error) {
    return `${ASKED_AGAIN}: ${errorMessage(error)}`;
  }
}

const ASKED_AGAIN = "Whether the project is trusted is asked again at the next start";

/** Whether nothing differs but the file that was written, and in it nothing but that. */
function isOurs(before: ProjectInspection, after: ProjectInspection, sha256: string): boolean {
  const changes = compareDigests(before.digests, after.digests);
  return changes.every((change) => change.endsWith(` ${PROJECT_CONFIG}`)) &&
    (after.digests[PROJECT_CONFIG] ?? "").endsWith(sha256);
}

function untrusted(workspace: string): AlisioError {
  return new AlisioError(
    "usage",
    `Cannot change the configuration of ${quotePath(workspace)}: the project is not trusted; ` +
      "review it with alisio trust add",
  );
}
