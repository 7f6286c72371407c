import type { RootAccess } from "../profile/risk_profile.ts";
import { comparePrefix } from "./compare_form.ts";
import type {
  PathAccess,
  PathAncestor,
  PathEntry,
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
  readonly depth: number;
}

function findDeepest(
  path: string,
  ancestors: readonly PathAncestor[],
  policy: PathPolicy,
  access: "read" | "write",
): Match | null {
  const exact = comparePrefix(path, "exact", policy.platform);
  const folded = comparePrefix(path, "folded", policy.platform);
  let best: Match | null = null;
  for (const entry of policy.entries) {
    const opens = entry.access !== null && opensFor(entry.access, access);
    // What might be the same folder closes; only what is the same folder for certain opens.
    const depth = opens
      ? depthOf(entry.exact, exact)
      : Math.max(depthOf(entry.folded, folded), depthByIdentity(entry, ancestors));
    if (depth === 0) continue;
    if (best === null || depth > best.depth || (depth === best.depth && !opens)) {
      best = { entry, opens, depth };
    }
  }
  return best;
}

function opensFor(open: RootAccess, access: "read" | "write"): boolean {
  if (open === "read-write") return true;
  return access === "read" ? open === "read-only" : open === "write-only";
}

/** How much of the path an entry covers; 0 if it does not. */
function depthOf(prefixes: readonly string[], subject: string): number {
  let depth = 0;
  for (const prefix of prefixes) {
    if (prefix.length > depth && subject.startsWith(prefix)) depth = prefix.length;
  }
  return depth;
}

function depthByIdentity(entry: PathEntry, ancestors: readonly PathAncestor[]): number {
  if (entry.identity === null) return 0;
  let depth = 0;
  for (const { path, identity } of ancestors) {
    // One more for the slash that ends a prefix; the root folder is that slash.
    if (identity === entry.identity) depth = Math.max(depth, path === "/" ? 1 : path.length + 1);
  }
  return depth;
}
