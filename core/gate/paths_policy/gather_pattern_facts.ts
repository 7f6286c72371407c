import { dirname, join, resolve } from "../../paths/path.ts";
import { gatherPathFacts, type GatherPathFactsOptions } from "./gather_path_facts.ts";
import type { PolicyPathFacts } from "./path_policy.ts";
import { expandPath } from "./resolve_path_policy.ts";

/** More files than this are not looked at one by one, and the pattern is refused. */
const MAX_MATCHES = 500;

/** More entries of folders than this are not compared, and the pattern is refused. */
const MAX_ENTRIES = 20_000;

const WILDCARD_REGEXP = /[*?[\]{}!+@()\\]/;

/**
 * Gathers the facts of everything that a pattern of a shell may stand for: the text itself, and
 * every file that it may match. What a shell would leave out, such as hidden files, is counted in,
 * so that no verdict rests on a shell's options.
 *
 * @param pattern The pattern as the command has it.
 * @param options Where it starts from.
 */
export async function gatherPatternFacts(
  pattern: string,
  options: GatherPathFactsOptions,
): Promise<readonly PolicyPathFacts[]> {
  const literal = await gatherPathFacts(pattern, options);
  const base = options.base ?? options.workspace;
  const absolute = expandPath(pattern, { ...options, workspace: base });
  if (absolute === null || literal.trouble === "invalid_path") return [literal];
  // Braces that hold a slash have been expanded before, or are of a form that is not read here.
  const matches = /\{[^}]*[/\\]/.test(pattern) ? null : await findMatches(absolute);
  if (matches === null) return [{ ...literal, real: null, trouble: "too_many_matches" }];
  const facts = await Promise.all(matches.map((match) => gatherPathFacts(match, options)));
  return [literal, ...facts];
}

/** Paths that a pattern may match; `null` if there are too many to look at. */
async function findMatches(pattern: string): Promise<readonly string[] | null> {
  const names: string[] = [];
  let start = resolve(pattern);
  while (WILDCARD_REGEXP.test(start)) {
    names.unshift(start.slice(dirname(start).length).replace(/^[/\\]/, ""));
    start = dirname(start);
  }
  const budget = { entries: MAX_ENTRIES };
  let found = [start];
  for (const name of names) {
    const next: string[] = [];
    for (const folder of found) {
      const matches = await matchesIn(folder, name, budget);
      if (matches === null) return null;
      next.push(...matches);
      if (next.length > MAX_MATCHES) return null;
    }
    found = next;
  }
  return names.length === 0 ? [] : found;
}

async function matchesIn(
  folder: string,
  name: string,
  budget: { entries: number },
): Promise<readonly string[] | null> {
  const mayMatch = nameRegExp(name);
  const matches: string[] = [];
  try {
    for await (const entry of Deno.readDir(folder)) {
      if (budget.entries-- <= 0) return null;
      if (!mayMatch.test(entry.name)) continue;
      matches.push(join(folder, entry.name));
      if (matches.length > MAX_MATCHES) return null;
    }
  } catch {
    // Not a folder, or none that may be looked into: nothing in it is matched.
  }
  return matches;
}

/** What a name of a pattern may match at most: every special form counts as any text. */
function nameRegExp(name: string): RegExp {
  if (/[{}()[\]\\]/.test(name) || name.includes("**")) return /^/;
  const source = name.split("").map((character) => {
    if (character === "*") return ".*";
    return character === "?" ? "." : RegExp.escape(character);
  });
  return new RegExp(`^${source.join("")}$`, "su");
}
