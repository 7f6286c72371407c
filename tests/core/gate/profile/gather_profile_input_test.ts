import assert from "node:assert/strict";
import { join } from "node:path";
import { judgePath } from "../../../../core/paths/judge_path.ts";
import type { CommandFacts } from "../../../../core/gate/profile/command_facts.ts";
import type { PathAccess } from "../../../../core/gate/paths_policy/path_policy.ts";
import { decideByProfile, profileRules } from "../../../../core/gate/profile/decide_by_profile.ts";
import {
  gatherProfileInput,
  type ReadCall,
} from "../../../../core/gate/profile/gather_profile_input.ts";
import { withTempDir, writeTree } from "../../../support/temp.ts";
import { placedFrom } from "./_profiles.ts";

const COMMAND: CommandFacts = {
  unapproved: "run",
  approved: "run",
  risk: "low",
  rule: "risk:low",
  reason: "it does no harm",
  paths: [],
};

Deno.test("gatherProfileInput() gathers declared paths, path words and write targets", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "ws/sub/a.ts": "a" });
    const { paths, actionsLeft } = await gather(dir, {
      tool: "shell",
      effect: "process",
      paths: [await judged(dir, "sub")],
      command: {
        ...COMMAND,
        paths: [
          { path: "./a.ts", access: "either", isPattern: false },
          { path: "out.txt", access: "write", isPattern: false },
          { path: "*.ts", access: "read", isPattern: true },
        ],
      },
      commandFolder: join(dir, "ws/sub"),
    });
    assert.deepEqual(paths.map(({ facts, access }) => [facts.requested, facts.real, access]), [
      ["sub", join(dir, "ws/sub"), "either"],
      ["./a.ts", join(dir, "ws/sub/a.ts"), "either"],
      ["out.txt", join(dir, "ws/sub/out.txt"), "write"],
      ["*.ts", join(dir, "ws/sub/*.ts"), "read"],
      [join(dir, "ws/sub/a.ts"), join(dir, "ws/sub/a.ts"), "read"],
    ]);
    assert.equal(actionsLeft, 7);
  });
});

/** Path words of a command in a workspace with links; each allowed row has a refused neighbour. */
const ROWS: readonly (readonly [string, PathAccess, string, string])[] = [
  ["S1", "either", "src/main.rs", "allow low"],
  ["S2", "either", "/etc/passwd", "deny forbiddenPaths"],
  ["S2", "either", "../secret", "deny parentFolder"],
  ["S4", "either", "./p", "allow low"],
  ["S5", "either", "~root/.ssh/id_rsa", "deny otherHome"],
  ["S5", "either", "~/.ssh/id_rsa", "deny forbiddenPaths"],
  ["S9", "write", "/dev/null", "allow low"],
  ["S9 neighbour", "write", "/dev/stdout2", "deny forbiddenPaths"],
  ["S13", "either", "link/secret", "deny workspaceOnly"],
  ["S14", "either", "dangling/new", "deny workspaceOnly"],
  ["S14", "either", "loop/new", "deny unresolved"],
  ["S15", "either", "inside/x", "allow low"],
  ["S15", "either", "ref/x", "allow low"],
  ["S15 written", "write", "ref/x", "deny allowedRoots"],
  ["a pattern", "either", "sr*/*.rs", "allow low"],
  ["a pattern that reaches out", "either", "l*/secret", "deny workspaceOnly"],
  ["a pattern of a closed folder", "either", "/e*c/passwd", "deny workspaceOnly"],
  ["a pattern with a path in braces", "either", "{/etc,src}/*", "deny pattern"],
  ["a pattern that climbs", "either", "src/../*", "deny parentFolder"],
];

for (const [row, access, path, expected] of ROWS) {
  Deno.test(`gatherProfileInput() lets a command be answered ${expected} for ${path} (${row})`, async () => {
    await withTempDir(async (dir) => {
      await writeTree(dir, { "ws/src/main.rs": "", "outside/secret": "", "reference/x": "" });
      for (
        const [link, target] of [
          ["link", join(dir, "outside")],
          ["dangling", join(dir, "outside/gone")],
          ["loop", "loop"],
          ["inside", "src"],
          ["ref", join(dir, "reference")],
        ] as const
      ) {
        await Deno.symlink(target, join(dir, "ws", link));
      }
      const { profile, paths } = await placedFrom({
        // Temporary folders lie in a place that is closed by default.
        forbiddenPaths: ["/etc", "/dev", "~/.ssh", "/home"],
        allowedRoots: [{ path: join(dir, "reference"), access: "read-only" }],
      }, join(dir, "ws"));
      const input = await gather(dir, {
        tool: "shell",
        effect: "process",
        paths: [],
        command: { ...COMMAND, paths: [{ path, access, isPattern: path.includes("*") }] },
      });
      const facts = { callApproved: false, sessionApproved: false, input };
      const rules = profileRules(profile, { paths, canAsk: true });
      const verdict = decideByProfile({ tool: "shell", effect: "process", ...facts }, rules);
      assert.equal(`${verdict.decision} ${verdict.rule}`, expected);
    });
  });
}

async function gather(dir: string, call: ReadCall) {
  const workspace = join(dir, "ws");
  return await gatherProfileInput(call, {
    workspace,
    realWorkspace: workspace,
    home: "/home/me",
    isOwnFile: () => false,
    actionsLeft: 7,
  });
}

async function judged(dir: string, path: string) {
  const workspace = join(dir, "ws");
  return await judgePath(path, { workspace, roots: [workspace] });
}
