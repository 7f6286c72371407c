import type { Effect } from "@alisio/sdk";
import type { JudgedPath } from "../../paths/judged_path.ts";
import { gatherPathFacts, type GatherPathFactsOptions } from "../paths_policy/gather_path_facts.ts";
import { gatherPatternFacts } from "../paths_policy/gather_pattern_facts.ts";
import type { PolicyPathFacts } from "../paths_policy/path_policy.ts";
import type { CommandFacts } from "./command_facts.ts";
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
  readonly command: CommandFacts | null;
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
  const declared = call.paths.map(async (judged): Promise<UsedPath> => ({
    facts: await gatherPathFacts(judged.requested, { ...places, judged }),
    access,
  }));
  const ofCommand = (call.command?.paths ?? []).map(async (used): Promise<readonly UsedPath[]> => {
    const gather = used.isPattern ? gatherPatternFacts : gatherOne;
    const facts = await gather(used.path, { ...places, ...folder });
    return facts.map((each) => ({ facts: each, access: used.access }));
  });
  const paths = [...await Promise.all(declared), ...(await Promise.all(ofCommand)).flat()];
  return { command: call.command, paths, actionsLeft };
}

async function gatherOne(
  path: string,
  options: GatherPathFactsOptions,
): Promise<readonly PolicyPathFacts[]> {
  return [await gatherPathFacts(path, options)];
}
