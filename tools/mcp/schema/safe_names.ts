/** Names that every provider takes. */
const SAFE_NAME_REGEXP = /^[a-zA-Z0-9_-]{1,64}$/;

const MAX_STEM_CHARS = 56;

/** Gives properties names that providers take: one name for each name of a server. */
export class SafeNames {
  readonly #safe = new Map<string, string>();
  readonly #taken = new Set<string>();

  /**
   * The name that a model uses.
   *
   * @param name The name at the server.
   * @param siblings Names beside it, which are not taken twice.
   */
  of(name: string, siblings: Readonly<Record<string, unknown>>): string {
    if (SAFE_NAME_REGEXP.test(name)) return name;
    const known = this.#safe.get(name);
    if (known !== undefined && !Object.hasOwn(siblings, known)) return known;
    const plain = name.slice(0, 200).replaceAll(/[^a-zA-Z0-9_-]+/g, "_").slice(0, MAX_STEM_CHARS)
      .replace(/^_+|_+$/g, "");
    const stem = plain === "" ? "field" : plain;
    let safe = stem;
    for (let count = 2; this.#taken.has(safe) || Object.hasOwn(siblings, safe); count++) {
      safe = `${stem}_${count}`;
    }
    this.#taken.add(safe);
    this.#safe.set(name, safe);
    return safe;
  }
}
