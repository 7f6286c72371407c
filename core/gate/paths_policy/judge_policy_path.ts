import { comparePrefix } from "./compare_form.ts";
import type {
  PathAccess,
  PathAncestor,
  PathEntry,
  PathIndex,
  PathPolicy,
  PathRule,
  PathVerdict,
  PolicyPathFacts,
} from "./path_policy.ts";

/** Devices that take or give nothing of anybody. */
const WRITABLE_DEVICES: ReadonlySet<string> = new Set(["/dev/null"]);
const READABLE_DEVICES: ReadonlySet<string> = new Set([
  "/dev/null",
  "/dev/zero",
  "/dev/random",
  "/dev/urandom",
]);

/**
 * Decides whether a call may use a path. Pure: the facts were gathered before.
 *
 * The text as written is checked first. Then every absolute path that it stands for is held
 * against every entry, in both of their spellings: the deepest entry decides, and a closed one wins
 * over an open one of the same depth. A folder that is open for the other access only is closed
 * for this one.
 *
 * @param facts The path.
 * @param policy The entries.
 * @param access What the call does with it.
 */
export function judgePolicyPath(
  facts: PolicyPathFacts,
  policy: PathPolicy,
  access: PathAccess,
): PathVerdict {
  const literal = judgeText(facts.requested, policy.platform);
  if (literal !== null) return { allowed: false, rule: literal };
  switch (access) {
    case "read":
    case "write":
      return judgeAccess(facts, policy, access);
    case "read_write": {
      const read = judgeAccess(facts, policy, "read");
      return read.allowed ? judgeAccess(facts, policy, "write") : read;
    }
    case "either": {
      const read = judgeAccess(facts, policy, "read");
      return read.allowed ? read : judgeAccess(facts, policy, "write");
    }
  }
}

/** The rules about the text itself, whatever it leads to. */
function judgeText(requested: string, platform: typeof Deno.build.os): PathRule | null {
  if (requested.includes("\0")) return "invalid";
  const names = requested.split(platform === "windows" ? /[/\\]/ : "/");
  if (names.includes("..") || /\.\.%2f|%2f\.\./i.test(requested)) return "parentFolder";
  const first = names[0] ?? "";
  return first.startsWith("~") && first !== "~" ? "otherHome" : null;
}

function judgeAccess(
  facts: PolicyPathFacts,
  policy: PathPolicy,
  access: "read" | "write",
): PathVerdict {
  if (facts.trouble === "too_many_matches") return { allowed: false, rule: "pattern" };
  if (facts.trouble !== null || facts.real === null) return { allowed: false, rule: "unresolved" };
  if (access === "write" && facts.isOwnFile) return { allowed: false, rule: "ownFiles" };
  for (const spelling of facts.spellings) {
    if (spelling === facts.real) continue;
    const verdict = judgeAbsolute(spelling, [], policy, access);
    if (!verdict.allowed) return verdict;
  }
  return judgeAbsolute(facts.real, facts.ancestors, policy, access);
}

function judgeAbsolute(
  path: string,
  ancestors: readonly PathAncestor[],
  policy: PathPolicy,
  access: "read" | "write",
): PathVerdict {
  const devices = access === "read" ? READABLE_DEVICES : WRITABLE_DEVICES;
  if (devices.has(path)) return { allowed: true, rule: "device" };
  const deepest = findDeepest(path, ancestors, policy, access);
  if (deepest === null) {
    return policy.workspaceOnly
      ? { allowed: false, rule: "workspaceOnly" }
      : { allowed: true, rule: "unrestricted" };
  }
  const { entry } = deepest;
  const rule = entry.kind === "forbidden"
    ? "forbiddenPaths"
    : entry.kind === "root"
    ? "allowedRoots"
    : "workspace";
  return { allowed: deepest.opens, rule, entry: entry.written };
}

interface Match {
  readonly entry: PathEntry;
  readonly opens: boolean;
  /** Names in the path of the entry. */
  readonly depth: number;
}

function findDeepest(
  path: string,
  ancestors: readonly PathAncestor[],
  policy: PathPolicy,
  access: "read" | "write",
): Match | null {
  const index = policy.index[access];
  const named = findByName(path, index, policy.platform);
  const folder = findByFolder(ancestors, index);
  if (folder === null) return named;
  return named === null || folder.depth >= named.depth ? folder : named;
}

/** Looks for every folder on the way to a path, the deepest first. */
function findByName(
  path: string,
  index: PathIndex,
  platform: typeof Deno.build.os,
): Match | null {
  const exact = prefixesOf(comparePrefix(path, "exact", platform));
  const folded = platform === "darwin"
    ? prefixesOf(comparePrefix(path, "folded", platform))
    : exact;
  for (let depth = exact.length - 1; depth >= 0; depth--) {
    // What might be the same folder closes; only what is the same folder for certain opens.
    const closed = index.closed.get(folded[depth] ?? "");
    if (closed !== undefined) return { entry: closed, opens: false, depth };
    const opened = index.opened.get(exact[depth] ?? "");
    if (opened !== undefined) return { entry: opened, opens: true, depth };
  }
  return null;
}

/** Every start of a path that ends in a slash; the index of each is how many names it holds. */
function prefixesOf(path: string): readonly string[] {
  const prefixes: string[] = [];
  for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1)) {
    prefixes.push(path.slice(0, end + 1));
  }
  return prefixes;
}

function findByFolder(ancestors: readonly PathAncestor[], index: PathIndex): Match | null {
  for (const { path, identity } of ancestors) {
    const entry = index.closedFolders.get(identity);
    if (entry === undefined) continue;
    // The ancestors come with the deepest first.
    const depth = path === "/" ? 0 : path.split("/").length - 1;
    return { entry, opens: false, depth };
  }
  return null;
}
