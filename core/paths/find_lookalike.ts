import { isInPlace, isReal } from "./leads_to.ts";
import { listNames } from "./list_names.ts";
import { basename, dirname, join } from "./path.ts";

/** A file whose name only looks like the one that was asked for. */
export type Lookalike =
  | { readonly kind: "none" }
  /** Exactly one file matches; `real` is its real path. */
  | { readonly kind: "unique"; readonly real: string }
  /** Several names match, so that none may be used. */
  | { readonly kind: "ambiguous"; readonly names: readonly string[] };

/** Options of {@linkcode findLookalike}. */
export interface FindLookalikeOptions {
  /**
   * Names of one folder that are compared; a larger folder has no match.
   *
   * @default 20000
   */
  readonly maxEntries?: number;
}

// Every kind of space that file names pick up from typography.
const SPACES_REGEXP = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;

/**
 * Looks for a file that differs from a missing path only in how its accents are composed or in
 * the kind of its spaces. Links are not taken. For reads alone: the caller reports the name that was
 * used, and checks that `real` is a place that it may read.
 *
 * @param missing Real path at which nothing exists.
 * @param options Bounds.
 */
export async function findLookalike(
  missing: string,
  options: FindLookalikeOptions = {},
): Promise<Lookalike> {
  const components: string[] = [];
  let folder = missing;
  while (!(await isPresent(folder))) {
    const parent = dirname(folder);
    if (parent === folder) return { kind: "none" };
    components.unshift(basename(folder));
    folder = parent;
  }
  if (components.length === 0) return { kind: "none" };
  for (const component of components) {
    const maxEntries = options.maxEntries ?? 20_000;
    const matches = matchNames(component, await listNames(folder, { maxEntries }) ?? []);
    if (matches.length > 1) {
      const names = matches.slice(0, 5).filter((name) => isInPlace(join(folder, name)));
      return { kind: "ambiguous", names };
    }
    const name = matches[0];
    if (name === undefined) return { kind: "none" };
    folder = join(folder, name);
  }
  // A link leads to another place than the one that was judged.
  return isReal(folder) ? { kind: "unique", real: folder } : { kind: "none" };
}

function matchNames(wanted: string, names: readonly string[]): readonly string[] {
  if (names.includes(wanted)) return [wanted];
  const normalized = normalizeName(wanted);
  return names.filter((name) => normalizeName(name) === normalized);
}

function normalizeName(name: string): string {
  return name.normalize("NFC").replace(SPACES_REGEXP, " ");
}

async function isPresent(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    // What may not be looked up counts as present, so that the search does not climb past it.
    return !(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory);
  }
}
