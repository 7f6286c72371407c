import { parse } from "yaml";
import type { YamlParser } from "../core/frontmatter/frontmatter.ts";

/**
 * Creates what reads the fields of skills and prompt templates: plain YAML, in which no tag makes
 * anything but data and aliases cannot grow without bounds.
 */
export function createYamlParser(): YamlParser {
  return (text) => parse(text, { logLevel: "error", maxAliasCount: 100 });
}
