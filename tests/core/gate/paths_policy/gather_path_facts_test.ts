import assert from "node:assert/strict";
import { join } from "node:path";
import { gatherPathFacts } from "../../../../core/gate/paths_policy/gather_path_facts.ts";
import { judgePolicyPath } from "../../../../core/gate/paths_policy/judge_policy_path.ts";
import type { PathAccess } from "../../../../core/gate/paths_policy/path_policy.ts";
import {
  expandPath,
  resolvePathPolicy,
} from "../../../../core/gate/paths_policy/resolve_path_policy.ts";
import { isProtectedPath } from "../../../../core/paths/protected_paths.ts";
import { judgePath } from "../../../../core/paths/judge_path.ts";
import type { AllowedRoot } from "../../../../core/gate/profile/risk_profile.ts";
import { withTempDir, writeTree } from "../../../support/temp.ts";

interface Setup {
  readonly workspace?: string;
  readonly workspaceOnly?: boolean;
  readonly roots?: readonly string[];
  readonly readOnly?: readonly string[];
  readonly forbidden?: readonly string[];
}

type Row = readonly [
  name: string,
  setup: Setup,
  path: string,
  access: PathAccess,
  expected: "allow" | "deny",
];

/** Paths that start with `@/` are below the temporary folder. */
const ROWS: readonly Row[] = [
  ["a file of the workspace", {}, "src/a.ts", "write", "allow"],
  ["a new file below missing folders (P30)", {}, "new/dir/f", "write", "allow"],
  ["the same outside", {}, "@/other/new/dir/f", "write", "deny"],
  ["an absolute path inside", {}, "@/ws/src/a.ts", "read", "allow"],
  ["the empty path", {}, "", "read", "allow"],
  ["a link out of the workspace (P19)", {}, "out/secret", "read", "deny"],
  ["a new file behind a link out", {}, "out/new/f", "write", "deny"],
  ["a link to an allowed root (P21)", { roots: ["@/other"] }, "out/secret", "read", "allow"],
  [
    "a link to a root that is open for reading",
    { readOnly: ["@/other"] },
    "out/secret",
    "write",
    "deny",
  ],
  [
    "a link to a closed part of an allowed root",
    {
      roots: ["@/other"],
      forbidden: ["@/other/keys"],
    },
    "out/keys/k",
    "read",
    "deny",
  ],
  ["a link inside", {}, "in/a.ts", "write", "allow"],
  ["a link inside to a closed folder", { forbidden: ["src"] }, "in/a.ts", "read", "deny"],
  ["a closed link by its target (P20)", { forbidden: ["@/ws/in"] }, "src/a.ts", "read", "deny"],
  ["a dangling link out", {}, "dangling", "write", "deny"],
  ["what lies behind a dangling link out", {}, "dangling/f", "write", "deny"],
  ["a cycle (P22)", {}, "loop/x", "read", "deny"],
  ["a cycle where nothing is restricted", { workspaceOnly: false }, "loop/x", "write", "deny"],
  [
    "the real path of a workspace behind a link (P23)",
    { workspace: "@/link" },
    "@/ws/src/a.ts",
    "write",
    "allow",
  ],
  ["its other spelling", { workspace: "@/link" }, "@/link/src/a.ts", "write", "allow"],
  ["a neighbour of its real path", { workspace: "@/link" }, "@/ws2/a", "read", "deny"],
  ["below the home folder", { roots: ["~/notes"] }, "~/notes/n", "read", "allow"],
  ["elsewhere in the home folder", { roots: ["~/notes"] }, "~/other", "read", "deny"],
  ["its own configuration (P28)", { workspaceOnly: false }, ".alisio/config.json", "write", "deny"],
  ["reading it", { workspaceOnly: false }, ".alisio/config.json", "read", "allow"],
  ["its cache", {}, ".alisio/cache/x", "write", "allow"],
  ["the null device (P24)", {}, "/dev/null", "write", "allow"],
  ["a file as a folder", {}, "src/a.ts/x", "read", "allow"],
];

for (const [name, setup, path, access, expected] of ROWS) {
  Deno.test(`gatherPathFacts() makes ${access} of ${name} ${expected === "allow" ? "allowed" : "denied"}`, async () => {
    await withMachine(async (dir) => {
      const verdict = await judge(dir, setup, path, access);
      assert.equal(verdict.allowed, expected === "allow", verdict.rule);
    });
  });
}

Deno.test("gatherPathFacts() judges what will be opened when that is known", async () => {
  await withMachine(async (dir) => {
    const workspace = join(dir, "ws");
    const judged = await judgePath("in/a.ts", { workspace, roots: [workspace] });
    // The link is turned after the path was resolved.
    await Deno.remove(join(workspace, "in"));
    await Deno.symlink(join(dir, "other"), join(workspace, "in"));
    const options = { ...optionsFor(dir, {}), judged };
    assert.equal((await gatherPathFacts("in/a.ts", options)).real, join(workspace, "src/a.ts"));
    const again = await gatherPathFacts("in/a.ts", optionsFor(dir, {}));
    assert.equal(again.real, join(dir, "other/a.ts"));
  });
});

Deno.test("gatherPathFacts() reads a tilde as the home folder and as a name", async () => {
  await withMachine(async (dir) => {
    const { spellings, real } = await gatherPathFacts("~/x", optionsFor(dir, {}));
    assert.deepEqual([...spellings].sort(), [join(dir, "home/x"), join(dir, "ws/~/x")]);
    assert.equal(real, join(dir, "home/x"));
    const unknown = await gatherPathFacts("~/x", { ...optionsFor(dir, {}), home: null });
    assert.deepEqual([unknown.real, unknown.trouble], [null, "home_unknown"]);
  });
});

Deno.test("gatherPathFacts() starts relative paths of a command from its folder", async () => {
  await withMachine(async (dir) => {
    const options = { ...optionsFor(dir, {}), base: join(dir, "ws/src") };
    assert.equal((await gatherPathFacts("a.ts", options)).real, join(dir, "ws/src/a.ts"));
  });
});

Deno.test("gatherPathFacts() tells folders by what they are, not by their names", async () => {
  await withMachine(async (dir) => {
    const { ancestors } = await gatherPathFacts("src/missing", optionsFor(dir, {}));
    const { dev, ino } = await Deno.stat(join(dir, "ws/src"));
    assert.deepEqual(ancestors[0], { path: join(dir, "ws/src"), identity: `${dev}:${ino}` });
    assert.equal(ancestors.at(-1)?.path, "/");
    const policy = await resolvePathPolicy(
      { workspaceOnly: true, allowedRoots: [], forbiddenPaths: ["in"] },
      { workspace: join(dir, "ws"), home: null },
    );
    assert.equal(policy.entries[1]?.identity, `${dev}:${ino}`);
  });
});

Deno.test("gatherPathFacts() refuses what cannot be looked at, and does not throw", async () => {
  await withMachine(async (dir) => {
    const rows = [
      ["a\0b", "invalid_path"],
      ["x".repeat(300), "path_too_long"],
      ["a/".repeat(1_000), "path_too_long"],
      ["loop", "path_loop"],
    ];
    for (const [path = "", trouble] of rows) {
      const facts = await gatherPathFacts(path, optionsFor(dir, {}));
      assert.deepEqual([facts.trouble, facts.real], [trouble, null], path.slice(0, 20));
    }
  });
});

Deno.test("resolvePathPolicy() leaves out what is below an unknown home, and keeps cycles closed", async () => {
  await withMachine(async (dir) => {
    const workspace = join(dir, "ws");
    const policy = await resolvePathPolicy({
      workspaceOnly: true,
      allowedRoots: [{ path: "~/notes", access: "read-write" }],
      forbiddenPaths: ["~/.ssh", "loop", "missing"],
    }, { workspace, home: null });
    assert.deepEqual(policy.entries.map(({ aliases }) => aliases), [
      [workspace],
      [join(workspace, "loop")],
      [join(workspace, "missing")],
    ]);
  });
});

Deno.test("resolvePathPolicy() closes what is known of paths that cannot be looked at, and opens nothing", async () => {
  await withMachine(async (dir) => {
    const workspace = join(dir, "ws");
    const closed = ["gone", "opened"].map((name) => ({
      path: join(workspace, name),
      real: "/elsewhere",
      identity: "1:2",
    }));
    const { entries } = await resolvePathPolicy({
      workspaceOnly: true,
      allowedRoots: [{ path: "opened", access: "read-write" }],
      forbiddenPaths: ["gone", "other"],
    }, { workspace, home: null, closed });
    assert.deepEqual(entries.slice(1).map(({ aliases, identity }) => [aliases, identity]), [
      [[join(workspace, "opened")], null],
      [[join(workspace, "gone"), "/elsewhere"], "1:2"],
      [[join(workspace, "other")], null],
    ]);
  });
});

Deno.test("expandPath() joins to the workspace and expands only its own tilde", () => {
  const places = { workspace: "/ws", home: "/home/me" };
  const rows = [
    ["a", "/ws/a"],
    ["/a/../b", "/b"],
    ["~", "/home/me"],
    ["~/a", "/home/me/a"],
    ["~you/a", "/ws/~you/a"],
    ["a/~/b", "/ws/a/~/b"],
    ["", "/ws"],
  ];
  for (const [written = "", expected] of rows) assert.equal(expandPath(written, places), expected);
});

async function judge(dir: string, setup: Setup, path: string, access: PathAccess) {
  const options = optionsFor(dir, setup);
  const policy = await resolvePathPolicy({
    workspaceOnly: setup.workspaceOnly ?? true,
    allowedRoots: [
      ...rootsOf(dir, setup.roots, "read-write"),
      ...rootsOf(dir, setup.readOnly, "read-only"),
    ],
    forbiddenPaths: (setup.forbidden ?? []).map((entry) => below(dir, entry)),
  }, options);
  return judgePolicyPath(await gatherPathFacts(below(dir, path), options), policy, access);
}

function optionsFor(dir: string, setup: Setup) {
  const realWorkspace = join(dir, "ws");
  return {
    workspace: below(dir, setup.workspace ?? "@/ws"),
    realWorkspace,
    home: join(dir, "home"),
    isOwnFile: (real: string) =>
      isProtectedPath(real, {
        workspace: realWorkspace,
        own: [join(dir, "config"), join(dir, "state")],
      }),
  };
}

function rootsOf(
  dir: string,
  paths: readonly string[] | undefined,
  access: AllowedRoot["access"],
): readonly AllowedRoot[] {
  return (paths ?? []).map((path) => ({ path: below(dir, path), access }));
}

function below(dir: string, path: string): string {
  return path.startsWith("@/") ? join(dir, path.slice(2)) : path;
}

async function withMachine(test: (dir: string) => Promise<void>): Promise<void> {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      "ws/src/a.ts": "a",
      "ws2/a": "a",
      "other/secret": "s",
      "other/keys/k": "k",
      "home/notes/n": "n",
    });
    await Deno.symlink(join(dir, "other"), join(dir, "ws/out"));
    await Deno.symlink("src", join(dir, "ws/in"));
    await Deno.symlink(join(dir, "gone"), join(dir, "ws/dangling"));
    await Deno.symlink("loop", join(dir, "ws/loop"));
    await Deno.symlink("ws", join(dir, "link"));
    await test(dir);
  });
}
