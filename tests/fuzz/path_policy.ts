import { dirname, join } from "node:path";
import { gatherPathFacts } from "../../core/gate/paths_policy/gather_path_facts.ts";
import { gatherPatternFacts } from "../../core/gate/paths_policy/gather_pattern_facts.ts";
import { judgePolicyPath } from "../../core/gate/paths_policy/judge_policy_path.ts";
import type { PathPolicy } from "../../core/gate/paths_policy/path_policy.ts";
import { resolvePathPolicy } from "../../core/gate/paths_policy/resolve_path_policy.ts";
import type { RiskProfile } from "../../core/gate/profile/risk_profile.ts";
import { judgePath } from "../../core/paths/judge_path.ts";
import type { JudgedPath } from "../../core/paths/judged_path.ts";
import { PathError } from "../../core/paths/path_error.ts";
import { classifyWindowsPath } from "../../core/paths/windows_path.ts";
import { withTempDir, writeTree } from "../support/temp.ts";
import { createRandom } from "./_random_command.ts";
import { mutatePath, type PathPlaces, randomPath } from "./_random_path.ts";
import type { FuzzOptions } from "./shell_policy.ts";

/** What was tried, and what went wrong. */
export interface PathFuzzReport {
  /** Paths that were tried. */
  readonly tried: number;
  /** Those of them that could be followed. */
  readonly followed: number;
  /** How often a profile permitted one. */
  readonly allowed: number;
  /** Files that were opened because a profile permitted to read them. */
  readonly opened: number;
  /** Paths for which the policy is wrong, each with what happened. */
  readonly failures: readonly string[];
}

/** What every file holds that no profile opens. */
const CLOSED = "closed";

type PathRules = Pick<RiskProfile, "workspaceOnly" | "allowedRoots" | "forbiddenPaths">;

/**
 * Tries paths against the rules for paths, in a throw-away tree with links, cycles, and folders that
 * a profile closes or opens.
 *
 * Nothing may throw but the errors that are meant for a model. A path that is permitted is followed
 * once more, by other means: from the deepest folder on its way that exists, up to the root, the
 * first folder that has a rule must have one that permits it, by device and number. And a file that
 * may be read is read.
 *
 * @param options How many, and which.
 */
export async function fuzzPathPolicy(options: FuzzOptions): Promise<PathFuzzReport> {
  return await withTempDir(async (folder) => {
    const places = { folder, workspace: join(folder, "ws") };
    await buildTree(places);
    return await new PathFuzz(places, await resolveProfiles(places)).run(options);
  });
}

async function buildTree({ folder, workspace }: PathPlaces): Promise<void> {
  await writeTree(folder, {
    "ws/open.txt": "open",
    "ws/src/deep/open.txt": "open",
    "ws/sp ace/open.txt": "open",
    "ws/caf\u00e9/open.txt": "open",
    "ws/..dots/open.txt": "open",
    "ws/-dash": "open",
    "ws/vault2/open.txt": "open",
    "ws/ref/open.txt": "open",
    "ws/vault/key": CLOSED,
    "ws/vault/deep/key": CLOSED,
    "ws/vault/open/open.txt": "open",
    "extra/open.txt": "open",
    "extra/closed/key": CLOSED,
    "out/key": CLOSED,
    "out/deep/key": CLOSED,
    "home/.ssh/key": CLOSED,
  });
  const links: readonly (readonly [string, string])[] = [
    ["out", "../out"],
    ["vaultlink", "vault"],
    ["loop", "src/loop"],
    ["src/loop", "../loop"],
    ["self", "."],
    ["up", ".."],
    ["inner", "src/deep"],
    ["chain", "self/self/vaultlink"],
    ["dangling", "../out/new"],
    ["file_link", "vault/key"],
    ["src/deep/up", "../../.."],
    ["src/deep/key", join(folder, "out/key")],
    ["src/extra", join(folder, "extra")],
    ["../extra/vault", join(workspace, "vault")],
    ["../home/closed", "../extra/closed"],
  ];
  for (const [name, target] of links) await Deno.symlink(target, join(workspace, name));
}

async function resolveProfiles(places: PathPlaces): Promise<ReadonlyMap<string, PathPolicy>> {
  const { folder, workspace } = places;
  const profiles: Readonly<Record<string, PathRules>> = {
    closed: {
      workspaceOnly: true,
      allowedRoots: [
        { path: join(folder, "extra"), access: "read-write" },
        { path: "ref", access: "read-only" },
        { path: "vault/open", access: "read-write" },
      ],
      forbiddenPaths: [join(workspace, "vault"), join(folder, "extra/closed"), "later", "~/.ssh"],
    },
    linked: {
      workspaceOnly: true,
      allowedRoots: [{ path: "vault/open", access: "read-only" }],
      forbiddenPaths: ["vaultlink", join(folder, "extra")],
    },
    open: {
      workspaceOnly: false,
      allowedRoots: [{ path: "vault/open", access: "write-only" }],
      forbiddenPaths: [
        ...["/dev", "/proc", "/etc", join(folder, "out"), join(folder, "home"), "vault"],
        join(folder, "extra/closed"),
      ],
    },
  };
  const policies = new Map<string, PathPolicy>();
  for (const [name, rules] of Object.entries(profiles)) {
    const home = join(folder, "home");
    policies.set(name, await resolvePathPolicy(rules, { workspace, home }));
  }
  return policies;
}

class PathFuzz {
  readonly #places: PathPlaces;
  readonly #policies: ReadonlyMap<string, PathPolicy>;
  readonly #failures: string[] = [];
  #followed = 0;
  #allowed = 0;
  #opened = 0;

  constructor(places: PathPlaces, policies: ReadonlyMap<string, PathPolicy>) {
    this.#places = places;
    this.#policies = policies;
  }

  async run({ count, seed }: FuzzOptions): Promise<PathFuzzReport> {
    const random = createRandom(seed);
    let previous = "src/open.txt";
    for (let index = 0; index < count; index++) {
      const fresh = randomPath(random, this.#places);
      const path = random() < 0.5 ? mutatePath(fresh, previous, random) : fresh;
      previous = fresh;
      try {
        await this.#try(path);
      } catch (error) {
        this.#failures.push(`${shown(path)} threw ${error}`);
      }
    }
    return {
      tried: count,
      followed: this.#followed,
      allowed: this.#allowed,
      opened: this.#opened,
      failures: this.#failures,
    };
  }

  async #try(path: string): Promise<void> {
    const { folder, workspace } = this.#places;
    classifyWindowsPath(path);
    const roots = [workspace, join(folder, "extra")];
    await judgeOrNull(path, { workspace, roots, platform: "windows" });
    const judged = await judgeOrNull(path, { workspace, roots });
    if (judged !== null) {
      this.#followed++;
      await this.#checkJudged(path, judged, roots);
    }
    const surroundings = {
      workspace,
      realWorkspace: workspace,
      home: join(folder, "home"),
      isOwnFile: () => false,
    };
    await gatherPatternFacts(path, surroundings);
    // As a file tool names a path, and as a command does.
    const facts = [
      await gatherPathFacts(path, surroundings),
      ...(judged === null ? [] : [await gatherPathFacts(path, { ...surroundings, judged })]),
    ];
    for (const [name, policy] of this.#policies) {
      for (const each of facts) {
        for (const access of ["read", "write"] as const) {
          if (!judgePolicyPath(each, policy, access).allowed) continue;
          this.#allowed++;
          if (each.real === null) this.#failures.push(`${name}: ${shown(path)} leads nowhere`);
          else await this.#checkAllowed(`${name}: ${shown(path)}`, each.real, policy, access);
        }
        judgePolicyPath(each, policy, "either");
        judgePolicyPath(each, policy, "read_write");
      }
    }
  }

  /** What is said to lie in a root must lie in one. */
  async #checkJudged(path: string, judged: JudgedPath, roots: readonly string[]): Promise<void> {
    if (judged.root === null) return;
    const way = await wayTo(judged.real);
    const open = await Promise.all(roots.map(identityOf));
    if (!way.some(({ identity }) => open.includes(identity))) {
      this.#failures.push(`${shown(path)} is said to lie in ${judged.root}, but leads elsewhere`);
    }
  }

  async #checkAllowed(
    what: string,
    real: string,
    policy: PathPolicy,
    access: "read" | "write",
  ): Promise<void> {
    if (real === "/dev/null" || real === "/dev/zero" || real.endsWith("random")) return;
    const closer = await findCloser(real, policy, access);
    if (closer !== null) this.#failures.push(`${what} may be used for ${access}, but ${closer}`);
    if (access === "write") return;
    const content = await readSmall(real);
    if (content === null) return;
    this.#opened++;
    if (content.includes(CLOSED)) this.#failures.push(`${what} opens a closed file, ${real}`);
  }
}

/** Why a path is closed, as far as the folders on its way tell; null if it is open. */
async function findCloser(
  real: string,
  policy: PathPolicy,
  access: "read" | "write",
): Promise<string | null> {
  for (const { path, identity } of await wayTo(real)) {
    const rules = [];
    for (const entry of policy.entries) {
      for (const alias of entry.aliases) {
        const isSame = identity === null
          ? alias.replace(/\/$/, "") === path
          : await identityOf(alias) === identity;
        if (isSame) rules.push(entry);
      }
    }
    if (rules.length === 0) continue;
    const isClosed = rules.some((entry) =>
      entry.access === null || (entry.access !== "read-write" && entry.access !== `${access}-only`)
    );
    return isClosed ? `${path} is closed` : null;
  }
  return policy.workspaceOnly ? "nothing on its way is open" : null;
}

interface Step {
  readonly path: string;
  /** Null where nothing exists yet. */
  readonly identity: string | null;
}

/** A path and the folders that it really lies in, up to the root. */
async function wayTo(path: string): Promise<readonly Step[]> {
  const missing: Step[] = [];
  let deepest = path;
  while (await identityOf(deepest) === null) {
    missing.push({ path: deepest, identity: null });
    deepest = dirname(deepest);
  }
  const way: Step[] = [];
  for (let real = await Deno.realPath(deepest);; real = dirname(real)) {
    way.push({ path: real, identity: await identityOf(real) });
    if (real === "/") return [...missing, ...way];
  }
}

async function identityOf(path: string): Promise<string | null> {
  try {
    const { dev, ino } = await Deno.stat(path);
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}

async function readSmall(path: string): Promise<string | null> {
  try {
    const { isFile, size } = await Deno.stat(path);
    return isFile && size < 1_000 ? await Deno.readTextFile(path) : null;
  } catch {
    return null;
  }
}

async function judgeOrNull(
  path: string,
  options: Parameters<typeof judgePath>[1],
): Promise<JudgedPath | null> {
  try {
    return await judgePath(path, options);
  } catch (error) {
    if (error instanceof PathError) return null;
    throw error;
  }
}

function shown(path: string): string {
  return JSON.stringify(path.length > 300 ? `${path.slice(0, 300)}…` : path);
}
