/**
 * The value under a key that a command line chose, so that `constructor` finds nothing.
 *
 * @param record A table.
 * @param key Any text.
 */
export function ownValue<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
