import type { LoadedConfiguration } from "../../core/config/load_config.ts";
import { errorMessage } from "../../core/errors.ts";
import type { CatalogPlugin } from "../../core/plugins/plugin_catalog.ts";
import { ListPicker, type PickerItem } from "../panels/list_picker.ts";
import { askToConfirm } from "../panels/show_panels.ts";
import type { Stage } from "../stage.ts";
import type { Section } from "./layout.ts";
import { showSections } from "./show_sections.ts";

/** Where plugins stand that say nothing of what they do. */
const GENERAL = "General";

/** A plugin, and what files say of it. */
export interface CatalogRow {
  readonly plugin: CatalogPlugin;
  /** What it will be after the next start. */
  readonly isEnabled: boolean;
  /** Whether that is not what it is now. */
  readonly needsRestart: boolean;
}

/**
 * Lets the person look at plugins and switch them on and off.
 *
 * @param stage The conversation.
 */
export async function openPluginCatalog(stage: Stage): Promise<void> {
  const { application } = stage;
  const plugins = await application.pluginCatalog();
  const { signal } = new AbortController();
  let now = await application.readConfiguration();
  let switching: Promise<void> | undefined;
  await stage.panels.open<never>((done, frame) => {
    const items = () => catalogItems(catalogRows(plugins, { inForce: application.loaded, now }));
    const change = async (row: CatalogRow) => {
      try {
        if (!await switchPlugin(stage, row, signal)) return;
        now = await application.readConfiguration();
        picker.setItems(items());
      } catch (error) {
        stage.say(errorMessage(error), "error");
      } finally {
        switching = undefined;
      }
    };
    const picker = new ListPicker<CatalogRow>({
      title: "Plugins",
      items: items(),
      theme: stage.theme,
      frame,
      emptyText: "There is no plugin",
      confirmHelp: "Enter details",
      onChoose: ({ value }) => void showPlugin(stage, value),
      onCancel: () => done(undefined),
      keys: [{
        keys: ["space"],
        help: "Space switch on or off",
        run: (item) => {
          if (item !== undefined) switching ??= change(item.value);
        },
      }],
      detail: ({ value }) => detailOf(value),
    });
    return picker;
  });
  await switching;
}

/**
 * Plugins with what files say of them. Pure.
 *
 * @param plugins The plugins.
 * @param loaded The configuration that is in force, and the one that files make now.
 */
export function catalogRows(
  plugins: readonly CatalogPlugin[],
  loaded: {
    readonly inForce: Pick<LoadedConfiguration, "configuration">;
    readonly now: Pick<LoadedConfiguration, "configuration">;
  },
): readonly CatalogRow[] {
  return plugins.map((plugin) => {
    const isEnabled = isSwitchedOn(plugin, loaded.now);
    return { plugin, isEnabled, needsRestart: isEnabled !== isSwitchedOn(plugin, loaded.inForce) };
  });
}

/**
 * Lines of the catalog: by the first category of each plugin, and those without one last. Pure.
 *
 * @param rows The plugins.
 */
export function catalogItems(rows: readonly CatalogRow[]): readonly PickerItem<CatalogRow>[] {
  const items = rows.map((value): PickerItem<CatalogRow> => {
    const { id, name, version, categories, source, description = "" } = value.plugin;
    return {
      value,
      label: name ?? id,
      description: source.kind === "built-in" ? "built in" : `external ${version ?? ""}`.trimEnd(),
      mark: markOf(value),
      group: categories[0] === undefined ? GENERAL : `${categories[0]} ›`,
      keywords: `${id} ${categories.join(" ")} ${description}`,
    };
  });
  return items.sort((a, b) => compare(rank(a.group), rank(b.group)));
}

/**
 * What is told of one plugin. Pure.
 *
 * @param row The plugin.
 */
export function pluginSections(row: CatalogRow): readonly Section[] {
  const { plugin, isEnabled, needsRestart } = row;
  const { source } = plugin;
  const fields: readonly (readonly [name: string, text: string])[] = [
    ["id", plugin.id],
    ["version", plugin.version ?? ""],
    ["state", stateOf(row)],
    ["after restart", needsRestart ? isEnabled ? "enabled" : "disabled" : ""],
    ["failure", plugin.failure ?? ""],
    ["categories", plugin.categories.join(", ") || GENERAL],
    ["source", source.kind === "built-in" ? "comes with Alisio" : source.label],
    ["tools", plugin.tools.join(", ")],
    ["commands", plugin.commands.map((name) => `/${name}`).join(", ")],
    ["providers", plugin.providers.join(", ")],
    ["action", actionOf(row)],
  ];
  return [{
    heading: plugin.description ?? "",
    entries: fields.filter(([, text]) => text !== "").map(([name, text]) => ({ name, text })),
  }];
}

async function showPlugin(stage: Stage, row: CatalogRow): Promise<void> {
  await showSections(stage, row.plugin.name ?? row.plugin.id, pluginSections(row));
}

/** Whether anything was written. */
async function switchPlugin(
  stage: Stage,
  row: CatalogRow,
  signal: AbortSignal,
): Promise<boolean> {
  const { plugin } = row;
  const isEnabled = !row.isEnabled;
  const refusal = await refusalOf(stage, row);
  if (refusal !== null) {
    stage.say(refusal, "warning");
    return false;
  }
  if (plugin.source.kind === "external") {
    const isAgreed = await askToConfirm(stage, {
      title: `Switch ${plugin.id} ${isEnabled ? "on" : "off"} in this project?`,
      body: "A plugin is code that runs as a part of Alisio, with all of its permissions.\n" +
        `It comes from ${plugin.source.label}.\n` +
        "This is written to .alisio/config.json of the project, and counts from the next start on.",
    });
    if (!isAgreed) return false;
  }
  const remark = await stage.application.switchPlugin(plugin, isEnabled, signal);
  if (remark !== null) stage.say(remark, "warning");
  return true;
}

/** Why a plugin cannot be switched; null where it can be tried. */
async function refusalOf(stage: Stage, { plugin, isEnabled }: CatalogRow): Promise<string | null> {
  const { application } = stage;
  const name = `plugin "${plugin.id}"`;
  if (application.permissionMode() === "read-only") {
    return `Cannot switch ${name}: this run changes nothing; start again without --read-only`;
  }
  if (plugin.state === "failed") {
    return `Cannot switch ${name}: it could not be loaded, so that its id is not known`;
  }
  const { state } = application.trust;
  if (plugin.source.kind === "external" && state !== "trusted") {
    return `Cannot switch ${name}: the project is not trusted; review it with alisio trust add`;
  }
  if (!isEnabled) return null;
  const active = (await application.chosenModel(stage.session()?.model))?.registration;
  return active !== undefined && [plugin.id, ...plugin.providers].includes(active)
    ? `Cannot switch ${name} off: the model is asked through it; choose another model first`
    : null;
}

function isSwitchedOn(
  { id, source }: CatalogPlugin,
  { configuration }: Pick<LoadedConfiguration, "configuration">,
): boolean {
  const entries: Readonly<Record<string, { readonly enabled?: boolean } | undefined>> =
    source.kind === "built-in"
      ? { ...configuration.builtinPlugins }
      : configuration.pluginOverrides;
  return !Object.hasOwn(entries, id) || entries[id]?.enabled !== false;
}

function markOf({ plugin, isEnabled, needsRestart }: CatalogRow): string {
  if (plugin.state === "failed") return "[!]";
  if (needsRestart) return "[*]";
  return isEnabled ? "[x]" : "[ ]";
}

function stateOf({ plugin }: CatalogRow): string {
  return plugin.state === "failed" ? "could not be loaded" : plugin.state;
}

function actionOf({ plugin, isEnabled }: CatalogRow): string {
  if (plugin.state === "failed") return "";
  return `Space in the list switches it ${isEnabled ? "off" : "on"}, from the next start on`;
}

function detailOf({ plugin, isEnabled, needsRestart }: CatalogRow): string {
  if (plugin.failure !== undefined) return plugin.failure;
  const next = needsRestart ? `${isEnabled ? "On" : "Off"} from the next start on. ` : "";
  return next + (plugin.description ?? plugin.id);
}

/** Those without a category come last. */
function rank(group: string | undefined): string {
  return group === GENERAL || group === undefined ? "\uffff" : group;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
