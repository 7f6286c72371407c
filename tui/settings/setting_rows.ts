import {
  CONFIG_ROOT,
  type ConfigKey,
  defaultOf,
  isPlannedKey,
} from "../../core/config/config_keys.ts";
import { isObject } from "../../core/config/is_object.ts";
import type { LoadedConfiguration } from "../../core/config/load_config.ts";
import { formatSetting, type Setting, type SettingValue } from "./settings.ts";

/** A setting with what is in force. */
export interface SettingRow {
  readonly setting: Setting;
  /** What the person's own file says, or else the default; null where there is neither. */
  readonly value: SettingValue;
  /** The value in words, and the one that counts here where that is another one. */
  readonly shown: string;
  /** Why the person's own value does not count, in one sentence; absent where it does. */
  readonly shadow?: string;
}

/**
 * The settings whose features exist, with their values. Pure.
 *
 * @param loaded The configuration.
 * @param settings The settings.
 */
export function settingRows(
  loaded: Pick<LoadedConfiguration, "configuration" | "layers">,
  settings: readonly Setting[],
): readonly SettingRow[] {
  const own = loaded.layers.find(({ source }) => source.layer === "global")?.values ?? {};
  const upper = loaded.layers.find(({ source }) =>
    source.layer === "project" || source.layer === "explicit"
  );
  return settings.filter(({ key }) => !isPlannedKey(key)).map((setting) => {
    const { key } = setting;
    const value = valueAt(own, key) ?? defaultAt(key);
    const effective = valueAt(loaded.configuration, key);
    const shown = formatSetting(setting, value);
    if (value === effective || upper === undefined) return { setting, value, shown };
    const file = upper.source.layer === "project" ? "The project's configuration" : '"--config"';
    const reason = valueAt(upper.values, key) === null
      ? `has "${key.split(".")[0]}" of its own`
      : "sets it";
    return {
      setting,
      value,
      shown: `${shown}, here ${formatSetting(setting, effective)}`,
      shadow: `${file} ${reason}; what is chosen here counts elsewhere`,
    };
  });
}

/** Of a key that holds a text, a number or a truth value. */
function valueAt(values: object, key: string): SettingValue {
  let value: unknown = values;
  for (const name of key.split(".")) value = isObject(value) ? value[name] : undefined;
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? value
    : null;
}

function defaultAt(path: string): SettingValue {
  let key: ConfigKey | undefined = CONFIG_ROOT;
  for (const name of path.split(".")) key = key?.type === "section" ? key.keys[name] : undefined;
  const value = key === undefined ? undefined : defaultOf(key);
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? value
    : null;
}
