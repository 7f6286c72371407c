import { configHome } from "../core/config/directories.ts";
import type { LoadedConfiguration } from "../core/config/load_config.ts";
import {
  findProjectInstructions,
  type InstructionSources,
  readInstructionFiles,
} from "../core/context/instruction_files.ts";
import { findProjectRoot, foldersBetween } from "../core/context/project_root.ts";
import { NOTHING_NEEDS_TRUST, type ProjectTrust } from "../core/trust/project_trust.ts";
import type { CommandContext } from "./command_context.ts";

/** What `alisio doctor` finds out about instruction files. */
export interface InstructionFindings {
  /** What a run would leave out, and why; one sentence each. */
  readonly notices: readonly string[];
  /** Why the project is trusted or not, as the rest of a sentence. */
  readonly trustReason: string;
}

/** Enough to find the files while it is not known how the configuration wants them. */
const WITHOUT_CONFIGURATION = { claudeMdFallback: false, maxBytes: 1024 } as const;

/**
 * Finds out which instruction files a run would leave out. Only the project's own files can wait
 * for trust while nothing else of it does.
 *
 * @param context What the command was called with.
 * @param workspace Real path of the workspace.
 * @param trust Whether the project is trusted.
 * @param loaded The configuration, if it can be used.
 */
export async function examineInstructions(
  { env }: CommandContext,
  workspace: string,
  trust: ProjectTrust,
  loaded: LoadedConfiguration | undefined,
): Promise<InstructionFindings> {
  const root = await findProjectRoot(workspace);
  const sources: InstructionSources = {
    configHome: configHome(env),
    root,
    cwd: workspace,
    trusted: trust.state === "trusted",
    ...loaded?.configuration.context ?? WITHOUT_CONFIGURATION,
  };
  const [{ notices }, own] = await Promise.all([
    readInstructionFiles(sources),
    findProjectInstructions(foldersBetween(root, workspace), sources),
  ]);
  return { notices, trustReason: own.length === 0 ? trust.reason : reasonWithFiles(trust) };
}

function reasonWithFiles({ reason }: ProjectTrust): string {
  return reason === NOTHING_NEEDS_TRUST
    ? "nobody has decided on it; its instruction files are left out until it is trusted"
    : reason;
}
