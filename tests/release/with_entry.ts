import type { ChangelogEntry } from "../../core/changelog/entries.ts";

const START = "export const CHANGELOG: readonly ChangelogEntry[] = [\n";

/**
 * The source of the list of changes with one entry more, in front of the others.
 *
 * @param source The module.
 * @param entry The entry.
 */
export function withEntry(source: string, { version, notes }: ChangelogEntry): string {
  const [before, after, ...others] = source.split(START);
  if (before === undefined || after === undefined || others.length > 0) {
    throw new Error("Cannot add an entry: the module does not begin its list as it should");
  }
  const text = notes.replaceAll(/[\\`]|\$\{/g, "\\$&");
  const entry = `  {\n    version: ${JSON.stringify(version)},\n    notes: \`${text}\`,\n  },\n`;
  return before + START + entry + after;
}
