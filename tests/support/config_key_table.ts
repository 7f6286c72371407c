import {
  type ConfigKey,
  type ConfigKeyLine,
  defaultOf,
  listConfigKeys,
} from "../../core/config/config_keys.ts";

/** What a page says of a configuration key, besides its meaning. */
export interface ConfigKeyRow {
  /** Its path, with code marks. */
  readonly key: string;
  /** Type and range. */
  readonly value: string;
  /** Its default, with code marks, or an empty text. */
  readonly default: string;
  /** Which files may set it. */
  readonly file: "any" | "global";
}

/**
 * The rows that the page of configuration keys must have.
 *
 * @param kind Keys that work in this release, or those of later features.
 */
export function configKeyRows(kind: "working" | "planned"): readonly ConfigKeyRow[] {
  return listConfigKeys().filter(({ planned }) => planned === (kind === "planned")).map(toRow);
}

function toRow({ path, key, globalOnly }: ConfigKeyLine): ConfigKeyRow {
  const value = defaultOf(key);
  return {
    key: `\`${path}\``,
    value: formatType(key),
    default: value === undefined ? "" : `\`${JSON.stringify(value)}\``,
    file: globalOnly ? "global" : "any",
  };
}

function formatType(key: ConfigKey): string {
  switch (key.type) {
    case "boolean":
      return "`true` or `false`";
    case "integer":
    case "number": {
      const { minimum, maximum = minimum - 1 } = key;
      const noun = key.type === "integer" ? "whole number" : "number";
      if (maximum === minimum) return `\`${minimum}\``;
      return maximum > minimum ? `${noun}, ${minimum} to ${maximum}` : `${noun}, from ${minimum}`;
    }
    case "text":
      return (key.expected ?? "text") + (key.nullable === true ? ", or `null`" : "");
    case "choice":
      return key.values.map((value) => `\`${value}\``).join(", ");
    case "url":
      return key.httpsOnly === true ? "address, `https` unless local" : "`http` or `https` address";
    case "list":
      return key.single === true
        ? `${key.expected ?? "text"}, or a list`
        : `list: ${key.expected ?? "texts"}`;
    case "record":
    case "section":
    case "object":
      return "object";
  }
}
