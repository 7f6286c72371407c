/** Options of {@linkcode listNames}. */
export interface ListNamesOptions {
  /** A folder with more entries than this counts as unreadable. */
  readonly maxEntries: number;
}

/**
 * The names in a folder, or null when it cannot be read or holds too many. For hints, which must
 * never fail or delay the answer that they belong to.
 *
 * @param folder Path of the folder.
 * @param options Bounds.
 */
export async function listNames(
  folder: string,
  options: ListNamesOptions,
): Promise<readonly string[] | null> {
  const names: string[] = [];
  try {
    for await (const entry of Deno.readDir(folder)) {
      if (names.length >= options.maxEntries) return null;
      names.push(entry.name);
    }
  } catch {
    return null;
  }
  return names;
}
