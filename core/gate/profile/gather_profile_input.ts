import type { Effect } from "@alisio/sdk";
import type { JudgedPath } from "../../paths/judged_path.ts";
import { gatherPathFacts, type GatherPathFactsOptions } from "../paths_policy/gather_path_facts.ts";
import type { PathAccess } from "../paths_policy/path_policy.ts";
import type { GradedCommand } from "./command_verdict.ts";
import { declaredAccess, type ProfileInputFacts, type UsedPath } from "./profile_facts.ts";

/** A call whose input was read. */
export interface ReadCall {
  /** Name of the tool. */
  readonly tool: string;
  /** Its effect. */
  readonly effect: Effect;
  /** The paths that the tool declared, as they will be opened. */
  readonly paths: readonly JudgedPath[];
  /** The command that would run; `null` for a tool that runs none of its own. */
  readonly command: GradedCommand | null;
  /** Absolute path of the folder that the command starts in; absent for the workspace. */
  readonly commandFolder?: string;
}

/** What the facts of a call are gathered with. */
export interface GatherProfileInputOptions extends Omit<GatherPathFactsOptions, "base" | "judged"> {
  /** Acting calls that the budget has left. */
  readonly actionsLeft: number;
}

/**
 * Gathers what a profile has to know of the input of one call.
 *
 * @param call The call.
 * @param options Where its paths start from, and what its budget has left.
 */
export async function gatherProfileInput(
  call: ReadCall,
  options: GatherProfileInputOptions,
): Promise<ProfileInputFacts> {
  const { actionsLeft, ...places } = options;
  const access = declaredAccess(call.tool, call.effect);
  const folder = call.commandFolder === undefined ? {} : { base: call.commandFolder };
  const ofCommand = (use: PathAccess) => async (path: string): Promise<UsedPath> => ({
    facts: await gatherPathFacts(path, { ...places, ...folder }),
    access: use,
  });
  const paths = await Promise.all([
    ...call.paths.map(async (judged): Promise<UsedPath> => ({
      facts: await gatherPathFacts(judged.requested, { ...places, judged }),
      access,
    })),
    ...(call.command?.pathArguments ?? []).map(ofCommand("either")),
    ...(call.command?.writeTargets ?? []).map(ofCommand("write")),
  ]);
  return { command: call.command, paths, actionsLeft };
}
