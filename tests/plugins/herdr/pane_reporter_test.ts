import assert from "node:assert/strict";
import { join } from "node:path";
import { PaneReporter } from "../../../plugins/herdr/pane_reporter.ts";
import { withTempDir } from "../../support/temp.ts";
import { inPane } from "./_scene.ts";

const IGNORED = Deno.build.os === "windows";
const IDENTITY = ["--source", "custom:alisio", "--agent", "alisio"];

Deno.test({
  name: "PaneReporter reports with rising numbers, keeps the newest state, and releases the pane",
  ignore: IGNORED,
  fn: () =>
    inPane(() => ({}), async (herdr, pane) => {
      const said: string[] = [];
      const reporter = new PaneReporter(pane, { now: () => 1000, say: (text) => said.push(text) });
      reporter.report({ state: "idle" });
      // Before the first report is over, two more are due, of which one is no longer true.
      reporter.report({ state: "working", session: "s-1" });
      reporter.report({ state: "blocked", session: "s-1", message: "no\nmodel\u001b[2J" });
      await herdr.started(2);
      await reporter.close();
      reporter.report({ state: "working" });
      await reporter.close();
      const start = ["pane", "report-agent", "w1:p1", ...IDENTITY, "--state"];
      assert.deepEqual(herdr.calls, [
        [...start, "idle", "--seq", "1000"],
        [
          ...[...start, "blocked", "--seq", "1001", "--agent-session-id", "s-1"],
          ...["--message", "no model [2J"],
        ],
        ["pane", "release-agent", "w1:p1", ...IDENTITY, "--seq", "1002"],
      ]);
      assert.deepEqual(said, []);
    }),
});

Deno.test("PaneReporter that never reported has nothing to release", async () => {
  const reporter = new PaneReporter({ id: "p", program: "/nowhere", env: {} }, {
    run: () => assert.fail("started"),
    say: () => assert.fail("said"),
  });
  await reporter.close();
});

Deno.test({
  name: "PaneReporter says once that reports fail, and goes on trying",
  ignore: IGNORED,
  fn: () =>
    inPane(() => ({ code: 3, stderr: "no such\n pane" }), async (herdr, pane) => {
      const said: string[] = [];
      const reporter = new PaneReporter(pane, { say: (text) => said.push(text) });
      reporter.report({ state: "working" });
      await herdr.started(1);
      reporter.report({ state: "idle" });
      await herdr.started(2);
      await reporter.close();
      assert.equal(herdr.calls.length, 3);
      assert.deepEqual(said, [
        "Cannot report to Herdr what Alisio does: its program ended with status 3 and said: " +
        "no such pane; the work goes on, and --no-herdr leaves the reports out",
      ]);
    }),
});

Deno.test({
  name: "PaneReporter ends a program that does not answer, and what holds its streams open",
  ignore: IGNORED,
  fn: () =>
    withTempDir(async (dir) => {
      const program = join(dir, "herdr");
      await Deno.writeTextFile(program, "#!/bin/sh\nsleep 20 &\nexec sleep 20\n");
      await Deno.chmod(program, 0o755);
      const said: string[] = [];
      const pane = { id: "p", program, env: { PATH: Deno.env.get("PATH") ?? "" } };
      const reporter = new PaneReporter(pane, { say: (text) => said.push(text) });
      reporter.report({ state: "working" });
      const startedAt = performance.now();
      await reporter.close();
      assert.ok(performance.now() - startedAt < 6_000);
      assert.match(said.join("\n"), /^Cannot report .*: it was cancelled;/);
    }),
});
