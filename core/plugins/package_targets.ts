import { isObject } from "../config/is_object.ts";

/** Conditions of `exports` and `imports` that are true for a plugin's modules. */
export type Conditions = readonly string[];

/** A key with a `*` fits more than one specifier. */
interface Pattern {
  readonly key: string;
  /** What the `*` stands for. */
  readonly rest: string;
}

/**
 * What a package offers under a name, by the rules of Node: the first condition that holds, of
 * several patterns the longest. Pure.
 *
 * @param offered The value of `exports` or `imports` in its `package.json`.
 * @param name `.`, `./feature` or `#internal`.
 * @param conditions The conditions that hold; `default` always does.
 * @returns What it is to be resolved to, or null if the package does not offer it.
 */
export function packageTarget(
  offered: unknown,
  name: string,
  conditions: Conditions,
): string | null {
  const table = asTable(offered);
  if (Object.hasOwn(table, name) && !name.includes("*")) {
    return choose(table[name], "", conditions) ?? null;
  }
  const pattern = bestPattern(Object.keys(table), name);
  if (pattern === null) return null;
  return choose(table[pattern.key], pattern.rest, conditions) ?? null;
}

/** `exports` may be the target of `.` alone. */
function asTable(offered: unknown): Readonly<Record<string, unknown>> {
  const isTable = isObject(offered) &&
    Object.keys(offered).some((key) => key.startsWith(".") || key.startsWith("#"));
  return isTable ? offered : { ".": offered };
}

function bestPattern(keys: readonly string[], name: string): Pattern | null {
  let best: Pattern | null = null;
  for (const key of keys) {
    const star = key.indexOf("*");
    if (star === -1) continue;
    const [start, end] = [key.slice(0, star), key.slice(star + 1)];
    const fits = name.startsWith(start) && name.endsWith(end) && name.length >= key.length;
    if (!fits || (best !== null && best.key.indexOf("*") >= star)) continue;
    best = { key, rest: name.slice(start.length, name.length - end.length) };
  }
  return best;
}

/** Undefined where no condition holds, so that the next one is tried; null closes the name. */
function choose(target: unknown, rest: string, conditions: Conditions): string | null | undefined {
  if (typeof target === "string") return target.replaceAll("*", () => rest);
  if (target === null) return null;
  if (Array.isArray(target)) {
    for (const each of target) {
      const chosen = choose(each, rest, conditions);
      if (typeof chosen === "string") return chosen;
    }
    return undefined;
  }
  if (!isObject(target)) return undefined;
  for (const [condition, value] of Object.entries(target)) {
    if (condition !== "default" && !conditions.includes(condition)) continue;
    const chosen = choose(value, rest, conditions);
    if (chosen !== undefined) return chosen;
  }
  return undefined;
}
