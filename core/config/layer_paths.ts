import { dirname, join, resolve } from "../paths/path.ts";
import { isPluginPath } from "../plugins/plugin_entry.ts";
import { isObject } from "./is_object.ts";
import { CONFIG_ROOT, type ConfigKey, type PathForm } from "./config_keys.ts";

/**
 * Makes every path of a configuration file absolute. Pure.
 *
 * Relative paths are resolved against the folder of the file, `~/` against the home folder.
 *
 * @param values Checked content of the file.
 * @param file The file; absolute.
 * @param home The home folder, if it is known.
 */
export function resolveLayerPaths(
  values: Readonly<Record<string, unknown>>,
  file: string,
  home: string | undefined,
): Readonly<Record<string, unknown>> {
  const folder = dirname(file);
  const resolved = resolveIn(CONFIG_ROOT, values, (text, form) => {
    if (!isPath(text, form)) return text;
    if (home !== undefined && /^~(?:[/\\]|$)/.test(text)) return join(home, text.slice(1));
    return resolve(folder, text);
  });
  return resolved as Readonly<Record<string, unknown>>;
}

function resolveIn(
  key: ConfigKey,
  value: unknown,
  resolvePath: (text: string, form: PathForm) => string,
): unknown {
  if (key.type === "section" && isObject(value)) {
    return mapEntries(value, (name, item) => {
      const child = Object.hasOwn(key.keys, name) ? key.keys[name] : undefined;
      return child === undefined ? item : resolveIn(child, item, resolvePath);
    });
  }
  if (key.type === "record" && isObject(value)) {
    return mapEntries(value, (_, item) => resolveIn(key.entry, item, resolvePath));
  }
  if (key.type === "list" && key.path !== undefined && Array.isArray(value)) {
    const form = key.path;
    return value.map((item: unknown) => typeof item === "string" ? resolvePath(item, form) : item);
  }
  if (key.type === "text" && key.path !== undefined && typeof value === "string") {
    return resolvePath(value, key.path);
  }
  return value;
}

function isPath(text: string, form: PathForm): boolean {
  switch (form) {
    case "always":
      return true;
    case "reference":
      return isPluginPath(text);
    case "dotted":
      return /^\.\.?[/\\]/.test(text);
  }
}

function mapEntries(
  value: Readonly<Record<string, unknown>>,
  change: (name: string, item: unknown) => unknown,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, change(name, item)]),
  );
}
