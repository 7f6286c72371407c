/** Tools under the names that other documents of the same profiles use. */
export const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  file_read: ["read_file", "search_text"],
  file_list: ["list_files", "search_text"],
  file_write: ["write_file", "edit_file"],
  file_edit: ["edit_file"],
  glob_search: ["list_files"],
  content_search: ["search_text"],
  http: ["webfetch"],
  http_request: ["webfetch"],
  web_fetch: ["webfetch"],
  web_search: ["websearch"],
  memory_recall: ["memory_search"],
};

/** Tools whose input is a command that is graded. */
export const COMMAND_TOOLS: ReadonlySet<string> = new Set(["shell", "run_process", "bg_run"]);

/** Tools that change files, whatever effect one of these names is declared with. */
export const CHANGING_TOOLS: ReadonlySet<string> = new Set(["write_file", "edit_file"]);

/**
 * The tools that the entries of a list mean: as they are, and by the names of this product where
 * another name is used.
 *
 * @param names The entries.
 */
export function expandToolNames(names: readonly string[]): readonly string[] {
  const expanded = names.flatMap((name) => {
    const known = Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : undefined;
    return [name, ...known ?? []];
  });
  return [...new Set(expanded)];
}

/**
 * The tools that a list means whose only purpose is to ask more often: naming the shell names
 * every other way to start the same command.
 *
 * @param names The entries.
 */
export function expandAskedTools(names: readonly string[]): readonly string[] {
  const expanded = expandToolNames(names);
  return expanded.includes("shell") ? [...new Set([...expanded, ...COMMAND_TOOLS])] : expanded;
}

/** A list of tool names in which `*` stands for every name. */
export interface ToolNames {
  /** Whether the list holds `*`. */
  readonly all: boolean;
  /** The names in it. */
  readonly names: ReadonlySet<string>;
}

/**
 * Prepares a list for many look-ups.
 *
 * @param list The names.
 */
export function toolNames(list: readonly string[]): ToolNames {
  return { all: list.includes("*"), names: new Set(list) };
}

/**
 * Whether a list names a tool.
 *
 * @param list The list.
 * @param tool Name of the tool.
 */
export function namesTool(list: ToolNames, tool: string): boolean {
  return list.all || list.names.has(tool);
}
