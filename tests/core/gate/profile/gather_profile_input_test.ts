import assert from "node:assert/strict";
import { join } from "node:path";
import { judgePath } from "../../../../core/paths/judge_path.ts";
import type { GradedCommand } from "../../../../core/gate/profile/command_verdict.ts";
import { decideByProfile, profileRules } from "../../../../core/gate/profile/decide_by_profile.ts";
import {
  gatherProfileInput,
  type ReadCall,
} from "../../../../core/gate/profile/gather_profile_input.ts";
import { withTempDir, writeTree } from "../../../support/temp.ts";
import { placedFrom } from "./_profiles.ts";

const COMMAND: GradedCommand = {
  grade: "low",
  admitted: "by_name",
  refusal: null,
  pathArguments: [],
  writeTargets: [],
};

Deno.test("gatherProfileInput() gathers declared paths, path words and write targets", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "ws/sub/a.ts": "a" });
    const { paths, actionsLeft } = await gather(dir, {
      tool: "shell",
      effect: "process",
      paths: [await judged(dir, "sub")],
      command: { ...COMMAND, pathArguments: ["./a.ts"], writeTargets: ["out.txt"] },
      commandFolder: join(dir, "ws/sub"),
    });
    assert.deepEqual(paths.map(({ facts, access }) => [facts.requested, facts.real, access]), [
      ["sub", join(dir, "ws/sub"), "either"],
      ["./a.ts", join(dir, "ws/sub/a.ts"), "either"],
      ["out.txt", join(dir, "ws/sub/out.txt"), "write"],
    ]);
    assert.equal(actionsLeft, 7);
  });
});

/** Path words of a command in a workspace with links; each allowed row has a refused neighbour. */
const ROWS: readonly (readonly [string, "pathArguments" | "writeTargets", string, string])[] = [
  ["S1", "pathArguments", "src/main.rs", "allow low"],
  ["S2", "pathArguments", "/etc/passwd", "deny forbiddenPaths"],
  ["S2", "pathArguments", "../secret", "deny parentFolder"],
  ["S4", "pathArguments", "./p", "allow low"],
  ["S5", "pathArguments", "~root/.ssh/id_rsa", "deny otherHome"],
  ["S5", "pathArguments", "~/.ssh/id_rsa", "deny forbiddenPaths"],
  ["S9", "writeTargets", "/dev/null", "allow low"],
  ["S9 neighbour", "writeTargets", "/dev/stdout2", "deny forbiddenPaths"],
  ["S13", "pathArguments", "link/secret", "deny workspaceOnly"],
  ["S14", "pathArguments", "dangling/new", "deny workspaceOnly"],
  ["S14", "pathArguments", "loop/new", "deny unresolved"],
  ["S15", "pathArguments", "inside/x", "allow low"],
  ["S15", "pathArguments", "ref/x", "allow low"],
  ["S15 written", "writeTargets", "ref/x", "deny allowedRoots"],
];

for (const [row, kind, path, expected] of ROWS) {
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
        command: { ...COMMAND, [kind]: [path] },
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
