import assert from "node:assert/strict";
import type { RunEvent } from "@alisio/sdk";
import { setUpPlugin } from "@alisio/sdk/testing";
import { createHerdrPlugin } from "../../../plugins/herdr/mod.ts";
import { inPane } from "./_scene.ts";

const IGNORED = Deno.build.os === "windows";

function event(type: string, data: Readonly<Record<string, unknown>> = {}): RunEvent {
  return {
    schemaVersion: 1,
    runId: "r",
    sessionId: "s",
    seq: 1,
    timestamp: "2026-12-01T00:00:00Z",
    type,
    data,
  };
}

Deno.test({
  name: "The plugin for Herdr reports each state that an event stands for",
  ignore: IGNORED,
  fn: async () => {
    const rows: readonly (readonly [string, string])[] = [
      ["run_started", "working"],
      ["run_completed", "idle"],
      ["run_cancelled", "idle"],
      ["run_turns_exceeded", "idle"],
      ["run_failed", "blocked"],
    ];
    for (const [type, state] of rows) {
      await inPane(() => ({}), async (herdr, pane) => {
        const say = (notice: string) => assert.fail(notice);
        const plugin = createHerdrPlugin({ pane, reports: true, talks: false, isReady: true, say });
        {
          await using host = await setUpPlugin(plugin);
          // Ready for the person before there is a session.
          await herdr.started(1);
          for (const other of ["text_delta", "tool_started"]) await host.emit(event(other));
          await host.emit(event(type, { error: "no server" }));
          await herdr.started(2);
        }
        const said = herdr.calls.map((args) => args.join(" ").replaceAll(/ --seq \d+/g, ""));
        const start = "pane report-agent w1:p1 --source custom:alisio --agent alisio --state";
        assert.deepEqual(said, [
          `${start} idle`,
          `${start} ${state} --agent-session-id s` +
          (state === "blocked" ? " --message no server" : ""),
          "pane release-agent w1:p1 --source custom:alisio --agent alisio",
        ]);
      });
    }
  },
});

Deno.test("The plugin for Herdr does what it was permitted and no more", async () => {
  const pane = { id: "w1:p1", program: "/nowhere", env: {} };
  const say = () => {};
  const options = { pane, isReady: false, say };
  await using silent = await setUpPlugin(
    createHerdrPlugin({ ...options, reports: true, talks: false }),
  );
  assert.deepEqual(silent.tools.map(({ name }) => name), []);
  await using talking = await setUpPlugin(
    createHerdrPlugin({ ...options, reports: false, talks: true }),
  );
  assert.deepEqual(
    talking.tools.map(({ name }) => name),
    ["herdr_agents", "herdr_prompt", "herdr_read", "herdr_wait"],
  );
});
