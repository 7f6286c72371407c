import type { AgentInfo } from "@alisio/sdk";

const LOOKING = [
  "read_file",
  "list_files",
  "search_text",
  "git_status",
  "git_diff",
  "context_explain",
] as const;
const SKILL_TOOLS = ["skill_search", "skill_load", "skill_resource"] as const;

const COMMON = {
  disallowedTools: [],
  mode: "subagent",
  permission: {},
  hidden: false,
  background: false,
  skills: [],
  origin: "builtin",
} as const;

/** The agents that are always there, unless somebody defines another one with such a name. */
export const BUILTIN_AGENTS: readonly AgentInfo[] = [
  {
    ...COMMON,
    id: "general",
    description: "Work of several steps: research, changes of code and their verification. Has " +
      "every tool of its caller.",
    prompt:
      "Do the whole task, verify what you changed, and stay within what was asked. Say what " +
      "you did, where, how you know that it works, and what is left.",
    tools: null,
    readOnly: false,
  },
  {
    ...COMMON,
    id: "explore",
    description: "Fast, read-only exploration of the code: finds where and how something is done " +
      "and answers with the paths.",
    prompt:
      "Find what is asked for, and change nothing. Search first, read only what matters, and " +
      "name a path (and a line, where it helps) for every claim. Say what you looked for and did " +
      "not find.",
    tools: [...LOOKING, ...SKILL_TOOLS],
    readOnly: true,
  },
  {
    ...COMMON,
    id: "plan",
    description: "Read-only planning of an implementation: ordered steps with their files and " +
      "risks. Never edits.",
    prompt: "Look at the code and write a plan, and change nothing. Give ordered steps; name the " +
      "files that each one touches, how it is verified, and what may go wrong.",
    tools: LOOKING,
    readOnly: true,
  },
];
