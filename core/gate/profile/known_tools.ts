import { nearestName } from "../../config/nearest_name.ts";
import { quoted } from "../../config/quoted.ts";
import { READ_ONLY_TOOLS } from "./profile_defaults.ts";
import { CHANGING_TOOLS, COMMAND_TOOLS, OTHER_NAMES } from "./tool_names.ts";

/** Tools that profiles know by name, whether they are there or not. */
const KNOWN_NAMES: ReadonlySet<string> = new Set([
  ...Object.keys(OTHER_NAMES),
  ...Object.values(OTHER_NAMES).flat(),
  ...COMMAND_TOOLS,
  ...CHANGING_TOOLS,
  ...READ_ONLY_TOOLS,
  "ask_user_question",
  "plugin_install",
  "task",
]);

/**
 * The tool that a name means although it is spelled in another way: in other case, or with other
 * separators.
 *
 * @param name The name.
 */
export function misspelledTool(name: string): string | undefined {
  const plain = plainName(name);
  if (KNOWN_NAMES.has(name)) return undefined;
  return [...KNOWN_NAMES].find((known) => plainName(known) === plain);
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, "");
}

/** A list of names in a profile that may hold a name that no tool has. */
type ToolList = "autoApprove" | "alwaysAsk" | "allowedTools" | "excludedTools";

/**
 * Finds what the lists of a profile name that is no tool, so that a list that was to close one does
 * not stay without effect unnoticed.
 *
 * @param profile The profile.
 * @param tools Names of all tools that there are.
 * @returns One sentence each.
 */
export function unknownTools(
  profile: Readonly<Record<ToolList, readonly string[]>> & { readonly alias: string },
  tools: readonly string[],
): readonly string[] {
  const lists: readonly ToolList[] = ["autoApprove", "alwaysAsk", "allowedTools", "excludedTools"];
  return lists.flatMap((list) =>
    profile[list]
      // Which tools an MCP server has is known once it is connected.
      .filter((name) =>
        name !== "*" && !name.startsWith("mcp_") && !KNOWN_NAMES.has(name) && !tools.includes(name)
      )
      .map((name) => {
        const nearest = nearestName(name, tools);
        return `"riskProfiles.${profile.alias}.${list}" names ${
          quoted(name, 80)
        }, and no tool is ` +
          "called that" +
          (nearest === undefined ? "" : `; did you mean "${nearest}"?`);
      })
  );
}
