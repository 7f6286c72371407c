import type { JsonValue } from "@alisio/sdk";
import { changeConfig } from "./change_config.ts";
import { globalConfigPath } from "./load_config.ts";

/**
 * What a settings menu may change in the person's configuration: how Alisio works. Of what it may
 * do, what it loads, where requests go and what they may cost, only the consent to MCP servers,
 * which the person is asked about.
 */
export const SETTABLE_KEYS = [
  "compaction.auto",
  "compaction.threshold",
  "compaction.keepTurns",
  "compaction.maxOutputTokens",
  "context.claudeMdFallback",
  "context.maxBytes",
  "limits.maxTurns",
  "limits.maxOutputTokens",
  "limits.maxContextChars",
  "limits.timeoutMs",
  "limits.truncationRecoveries",
  "mcp.allow",
  "goal.enabled",
  "goal.maxTurns",
  "goal.maxMinutes",
  "goal.repeatedReplyLimit",
  "goal.noToolTurnsLimit",
  "goal.blockedRepeats",
  "plan.diagrams",
  "plan.maxDiagrams",
  "pluginHooks.timeoutMs",
  "tasks.enabled",
  "tasks.maxPerSession",
  "tasks.maxRunMs",
  "tasks.maxOutputBytes",
  "tasks.retentionDays",
  "tui.paddingX",
  "tui.contentPaddingX",
  "tui.skillSlashCommands",
  "tui.theme",
  "tui.notify",
  "websearch.provider",
  "agents.active",
  "agents.effort",
] as const;

/** A key that a settings menu may change. */
export type SettableKey = typeof SETTABLE_KEYS[number];

/**
 * Changes one setting of the person's configuration.
 *
 * @param configHome The folder of the person's configuration.
 * @param setting The key, and its value; undefined leaves it to the default.
 * @param signal Gives up.
 * @throws {AlisioError} `config_invalid`, `config_unreadable` or `config_unwritable`; nothing is
 * changed then.
 */
export async function changeSetting(
  configHome: string,
  { key, value }: { readonly key: SettableKey; readonly value: JsonValue | undefined },
  signal: AbortSignal,
): Promise<void> {
  if (!SETTABLE_KEYS.includes(key)) {
    throw new TypeError("Cannot change a setting: it is none of those that a menu may change");
  }
  await changeConfig(globalConfigPath(configHome), [{ path: key.split("."), value }], {
    signal,
    folderMode: 0o700,
  });
}
