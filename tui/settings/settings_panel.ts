import { changeSetting } from "../../core/config/change_settings.ts";
import { configHome } from "../../core/config/directories.ts";
import { globalConfigPath } from "../../core/config/load_config.ts";
import { errorMessage } from "../../core/errors.ts";
import { ListPicker, type PickerItem } from "../panels/list_picker.ts";
import { askToConfirm } from "../panels/show_panels.ts";
import type { SlashCommand } from "../commands/slash_command.ts";
import { reopenKeepingChoices } from "../commands/reopen.ts";
import type { Stage } from "../stage.ts";
import { listThemes } from "../theme/open_theme.ts";
import { type SettingRow, settingRows } from "./setting_rows.ts";
import { nextValue, type Setting, SETTINGS, type SettingValue } from "./settings.ts";

/** What a line of the menu means: a setting, or a command that it leads to. */
type Line =
  | { readonly kind: "setting"; readonly row: SettingRow }
  | { readonly kind: "command"; readonly command: SlashCommand };

/** Commands that the menu leads to, with what they are called there. */
const LINKS: readonly (readonly [command: string, label: string])[] = [
  ["model", "Provider and model"],
  ["connect", "Connect a provider"],
  ["compact", "Compact the context now"],
  ["plugins", "Plugins"],
  ["skills", "Skills"],
  ["mcps", "MCP servers"],
  ["stats", "Session statistics"],
];

/**
 * Lets the person change settings, which are written at once and count when the menu is closed.
 *
 * @param stage The conversation.
 * @param commands What the menu may lead to.
 */
export async function openSettings(
  stage: Stage,
  commands: readonly SlashCommand[],
): Promise<void> {
  const home = configHome(stage.env);
  const settings = await withThemes(home);
  const readOnly = await readOnlyReason(stage, home);
  const { signal } = new AbortController();
  let loaded = stage.application.loaded;
  let hasChanged = false;
  let writing: Promise<void> | undefined;
  const command = await stage.panels.open<SlashCommand>((done, frame) => {
    const change = async ({ setting, value }: SettingRow) => {
      const { key } = setting;
      try {
        const next = await nextPossible(stage, setting, value);
        if (next === true && !await isAgreed(stage, setting)) return;
        await changeSetting(home, { key, value: next ?? undefined }, signal);
        hasChanged = true;
        loaded = await stage.application.readConfiguration();
        picker.setItems(items());
      } catch (error) {
        stage.say(errorMessage(error), "error");
      } finally {
        writing = undefined;
      }
    };
    const choose = ({ value }: PickerItem<Line>) => {
      if (value.kind === "command") return done(value.command);
      if (readOnly !== null) return stage.say(readOnly, "warning");
      // A key that is held down must not overtake what it wrote before.
      writing ??= change(value.row);
    };
    const items = () => linesOf(settingRows(loaded, settings), commands);
    const picker = new ListPicker<Line>({
      title: `Settings${readOnly === null ? "" : ", read-only"}: ${modelOf(stage)}`,
      items: items(),
      theme: stage.theme,
      frame,
      onChoose: choose,
      onCancel: () => done(undefined),
      confirmHelp: "Enter change",
      keys: [{
        keys: ["space"],
        help: "Space change",
        run: (item) => item === undefined ? undefined : choose(item),
      }],
      detail: ({ value }) => detailOf(value),
    });
    return picker;
  });
  await writing;
  if (hasChanged) await reopenKeepingChoices(stage);
  await command?.run(stage, "");
}

/** With some values no next start would come about: they are passed over, and it is said why. */
async function nextPossible(
  stage: Stage,
  { key, values }: Setting,
  value: SettingValue,
): Promise<SettingValue> {
  const next = nextValue(value, values);
  if (key !== "websearch.provider" || next !== "native") return next;
  const problem = await stage.application.nativeSearchProblem();
  if (problem === null) return next;
  stage.say(problem, "warning");
  return nextValue(next, values);
}

async function isAgreed(stage: Stage, { name, warning }: Setting): Promise<boolean> {
  return warning === undefined ||
    await askToConfirm(stage, { title: `Switch ${name} on?`, body: warning });
}

/** Themes of the person are offered too. */
async function withThemes(home: string): Promise<readonly Setting[]> {
  const themes = await listThemes(home);
  return SETTINGS.map((setting) =>
    setting.key === "tui.theme" ? { ...setting, values: themes } : setting
  );
}

/** Why nothing can be changed; null where it can be tried. */
async function readOnlyReason(stage: Stage, home: string): Promise<string | null> {
  if (stage.application.permissionMode() === "read-only") {
    return "Settings are read-only: start again without --read-only to change them";
  }
  const { state } = await Deno.permissions.query({ name: "write", path: globalConfigPath(home) });
  return state === "granted"
    ? null
    : "Settings are read-only: this run may not write your configuration";
}

function linesOf(
  rows: readonly SettingRow[],
  commands: readonly SlashCommand[],
): readonly PickerItem<Line>[] {
  return [
    ...rows.map((row): PickerItem<Line> => ({
      value: { kind: "setting", row },
      label: row.setting.name,
      description: row.shown,
      group: row.setting.category,
      keywords: `${row.setting.key} ${row.setting.description}`,
    })),
    ...LINKS.flatMap(([name, label]): readonly PickerItem<Line>[] => {
      const command = commands.find((each) => each.name === name);
      return command === undefined ? [] : [{
        value: { kind: "command", command },
        label,
        description: `/${name}`,
        group: "More",
      }];
    }),
  ];
}

function detailOf(line: Line): string {
  if (line.kind === "command") return line.command.description;
  const { setting, shadow } = line.row;
  return `${setting.description} (${setting.key})${shadow === undefined ? "" : `. ${shadow}`}`;
}

function modelOf(stage: Stage): string {
  const model = stage.session()?.model ?? stage.application.loaded.configuration.provider.model;
  return model === "" ? "no model is chosen" : model;
}
