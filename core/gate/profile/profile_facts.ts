import type { Effect } from "@alisio/sdk";
import type { PathAccess, PolicyPathFacts } from "../paths_policy/path_policy.ts";
import type { CommandVerdict } from "./command_facts.ts";
import { CHANGING_TOOLS } from "./tool_names.ts";

/** A path of a call and what the call does with it. */
export interface UsedPath {
  /** What was found out about it. */
  readonly facts: PolicyPathFacts;
  /** What the call does with it. */
  readonly access: PathAccess;
}

/** What a profile has to know of the input of a call. */
export interface ProfileInputFacts {
  /** What is said of the command that would run; `null` for a tool that runs none of its own. */
  readonly command: CommandVerdict | null;
  /** The paths of the call, those of its command included. */
  readonly paths: readonly UsedPath[];
  /** Acting calls that the budget has left. */
  readonly actionsLeft: number;
}

/** Everything that a profile's decision about a call rests on. */
export interface ProfileFacts {
  /** Name of the tool. */
  readonly tool: string;
  /** Its effect. */
  readonly effect: Effect;
  /** `null` when the question is about the tool in general, for menus and listings. */
  readonly input: ProfileInputFacts | null;
  /** Whether a person approved exactly this call. */
  readonly callApproved: boolean;
  /** Whether a person approved the tool for the session. */
  readonly sessionApproved: boolean;
}

/**
 * What a call of a tool does with the paths that it declares.
 *
 * @param tool Name of the tool.
 * @param effect Its effect.
 */
export function declaredAccess(tool: string, effect: Effect): PathAccess {
  switch (effect) {
    case "read":
      return "read";
    case "write":
      // An edit tells whether a text is in the file.
      return tool === "edit_file" ? "read_write" : "write";
    case "process":
      return "either";
    case "external":
    case "internal":
      return "read_write";
  }
}

/** Tools of the network that only look. */
const READING_NETWORK_TOOLS: ReadonlySet<string> = new Set(["webfetch", "websearch"]);

/** Process tools that only look at what was started before. */
const WATCHING_TOOLS: ReadonlySet<string> = new Set(["bg_list", "bg_output"]);

/**
 * Whether a call does anything but look.
 *
 * @param tool Name of the tool.
 * @param effect Its effect.
 */
export function isActing(tool: string, effect: Effect): boolean {
  switch (effect) {
    case "read":
    case "internal":
      return CHANGING_TOOLS.has(tool);
    case "external":
      return !READING_NETWORK_TOOLS.has(tool);
    case "write":
    case "process":
      return true;
  }
}

/**
 * Whether a call takes one action from the budget.
 *
 * @param tool Name of the tool.
 * @param effect Its effect.
 */
export function consumesAction(tool: string, effect: Effect): boolean {
  return isActing(tool, effect) && !WATCHING_TOOLS.has(tool);
}
