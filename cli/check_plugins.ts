import { CONFIG_KEYS, isPlannedKey } from "../core/config/config_keys.ts";
import { nearestName } from "../core/config/nearest_name.ts";
import { quoted } from "../core/config/quoted.ts";
import { AlisioError } from "../core/errors.ts";

/**
 * Makes sure that every plugin that is to be left out is one: a wrong name would leave it in.
 *
 * @param ids Values of `--disable-plugin`.
 * @throws {AlisioError} `usage` with the ids that there are.
 */
export function assertKnownPlugins(ids: readonly string[]): void {
  const section = CONFIG_KEYS.builtinPlugins;
  const known = section.type === "section" ? Object.keys(section.keys) : [];
  const unknown = ids.find((id) => !known.includes(id));
  if (unknown === undefined) return;
  const offered = known.filter((id) => !isPlannedKey(`builtinPlugins.${id}`));
  const nearest = nearestName(unknown, offered);
  const hint = nearest === undefined ? "" : `; did you mean "${nearest}"?`;
  throw new AlisioError(
    "usage",
    `Unknown plugin ${quoted(unknown)} of "--disable-plugin": the built-in plugins are ` +
      offered.map((id) => `"${id}"`).join(", ") + hint,
  );
}
