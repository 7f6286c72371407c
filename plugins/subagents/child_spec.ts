import type { AgentInfo, ChildSessionSpec, SessionCapabilities } from "@alisio/sdk";
import type { SubagentSettings } from "./subagent_settings.ts";

/** Tools that hand work over. */
export const DELEGATION_TOOLS = ["task", "task_status", "task_wait", "send_message"] as const;

/** Tools that change no file and start no program. */
const LOOKING_TOOLS: ReadonlySet<string> = new Set([
  "read_file",
  "list_files",
  "search_text",
  "git_status",
  "git_diff",
  "context_explain",
  "skill_load",
  "skill_search",
  "skill_resource",
  "ask_user_question",
  "webfetch",
  "websearch",
  "bg_list",
  "bg_output",
  ...DELEGATION_TOOLS,
]);

/** A task that is handed to an agent. */
export interface NewTask {
  readonly id: string;
  /** The session that hands it over. */
  readonly parentId: string;
  /** Sessions above the task. */
  readonly depth: number;
  readonly title: string;
  readonly agent: AgentInfo;
  /** Another model than that of the caller. */
  readonly model?: string;
  /** Another folder than that of the caller. */
  readonly workspace?: string;
}

/**
 * The child session that works on a task. Pure; what its caller has not, the host leaves out.
 *
 * @param task The task.
 * @param settings The limits of every task.
 */
export function childSpec(task: NewTask, settings: SubagentSettings): ChildSessionSpec {
  const { id, parentId, title, agent, model, workspace, depth } = task;
  const { maxTokensPerChild, timeoutMs, maxOutputTokensPerChild } = settings;
  const isLast = depth >= settings.maxDepth;
  return {
    id,
    parentId,
    title,
    agent: agent.id,
    instructions: instructionsOf(agent),
    tools: {
      ...(agent.tools === null ? {} : { allow: allowedTools(agent.tools, agent.skills) }),
      deny: [...agent.disallowedTools, ...(isLast ? DELEGATION_TOOLS : [])],
    },
    ...(model === undefined ? {} : { model }),
    ...(agent.readOnly ? { readOnly: true } : {}),
    permission: agent.permission,
    ...(workspace === undefined ? {} : { workspace }),
    maxTurns: agent.maxTurns ?? settings.maxTurns,
    timeoutMs,
    ...(maxTokensPerChild === undefined ? {} : { maxTokens: maxTokensPerChild }),
    maxOutputTokens: maxOutputTokensPerChild,
  };
}

/**
 * Whether an agent could change something for a caller. Pure; in doubt it could.
 *
 * @param agent The agent.
 * @param caller What its caller may do.
 */
export function mayWrite(agent: AgentInfo, caller: SessionCapabilities): boolean {
  const { readOnly, permission: { write, process }, tools, disallowedTools } = agent;
  if (readOnly || !(caller.write || caller.process)) return false;
  if ((write === "deny" || !caller.write) && (process === "deny" || !caller.process)) return false;
  if (tools === null || tools.includes("*")) return true;
  return tools.some((name) => !LOOKING_TOOLS.has(name) && !disallowedTools.includes(name));
}

/** A skill that it is told to load must be one that it can load. */
function allowedTools(tools: readonly string[], skills: readonly string[]): readonly string[] {
  return skills.length === 0 ? tools : [...new Set([...tools, "skill_load"])];
}

function instructionsOf({ id, prompt, skills }: AgentInfo): string {
  return [
    `You are the agent "${id}". You work alone on one task that another agent handed to you; you ` +
    "see nothing of its conversation. Your last message is your whole report, and all that it " +
    "reads: say plainly what you found or did, and what you could not do.",
    ...(skills.length === 0
      ? []
      : [`Before you begin, load these skills with skill_load: ${skills.join(", ")}.`]),
    prompt,
  ].join("\n\n").trimEnd();
}
