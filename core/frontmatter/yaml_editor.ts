import type { JsonValue } from "@alisio/sdk";

/** One field that is to be changed. */
export interface YamlChange {
  /** Names from the outside in, such as `["alisio", "displayName"]`. */
  readonly path: readonly string[];
  /** Its value; undefined takes it out. */
  readonly value: JsonValue | undefined;
}

/**
 * Changes fields of YAML. Given to core, which brings no library for it.
 *
 * What is not changed stays byte for byte where that can be, comments included; where it cannot,
 * as in a mapping in braces, only how the rest is spelled may change. A field that has its value
 * already is left alone.
 *
 * @param text Fields, `name: value`; may be empty.
 * @param changes What is changed, in order.
 * @returns The text, which ends in a line break unless it is empty.
 * @throws {Error} If the text is no YAML, or holds no fields.
 */
export type YamlEditor = (text: string, changes: readonly YamlChange[]) => string;
