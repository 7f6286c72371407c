/** Tools of this product under the names that definitions for other agents use, in lower case. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  read: ["read_file"],
  notebookread: ["read_file"],
  ls: ["list_files"],
  list: ["list_files"],
  glob: ["list_files"],
  grep: ["search_text"],
  edit: ["edit_file"],
  multiedit: ["edit_file"],
  patch: ["edit_file"],
  write: ["write_file"],
  bash: ["shell", "run_process"],
  task: ["task", "task_status", "task_wait", "send_message"],
  skill: ["skill_load", "skill_resource", "skill_search"],
  webfetch: ["webfetch"],
  websearch: ["websearch"],
  question: ["ask_user_question"],
  askuserquestion: ["ask_user_question"],
  exitplanmode: ["exit_plan"],
  bashoutput: ["bg_output"],
  killshell: ["bg_stop"],
  killbash: ["bg_stop"],
};

/** Tools of other agents that there is nothing like here. */
const UNKNOWN_HERE: ReadonlySet<string> = new Set([
  "todowrite",
  "todoread",
  "notebookedit",
  "slashcommand",
]);

/** What the tools of a definition mean here. */
export interface AgentTools {
  /** Names of tools, `*` among them where every tool is meant. */
  readonly names: readonly string[];
  /** Whether programs were limited to some commands, which this product asks about instead. */
  readonly limitsCommands: boolean;
  /** Names that nothing here corresponds to. */
  readonly unknown: readonly string[];
}

/**
 * Reads a list of tools, in this product's names or in those of other agents. Pure.
 *
 * @param entries The entries, such as `Read`, `read_file` or `Bash(git:*)`.
 */
export function readAgentTools(entries: readonly string[]): AgentTools {
  const names = new Set<string>();
  const unknown: string[] = [];
  let limitsCommands = false;
  for (const entry of entries) {
    const [, name = entry, scope] = /^([^(]+)\((.*)\)$/.exec(entry) ?? [];
    const key = name.trim().toLowerCase();
    const known = Object.hasOwn(OTHER_NAMES, key) ? OTHER_NAMES[key] : undefined;
    if (UNKNOWN_HERE.has(key)) {
      unknown.push(name);
      continue;
    }
    limitsCommands ||= scope !== undefined && key === "bash";
    for (const each of known ?? [mcpName(name.trim())]) names.add(each);
  }
  return { names: [...names], limitsCommands, unknown };
}

/** `mcp__server__tool` elsewhere. */
function mcpName(name: string): string {
  return name.startsWith("mcp__") ? name.replaceAll("__", "_") : name;
}
