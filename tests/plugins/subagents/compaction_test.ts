import assert from "node:assert/strict";
import { definePlugin, type RunEvent } from "@alisio/sdk";
import type { BuiltinPlugin } from "../../../core/application_options.ts";
import { calls, says } from "../../support/run_harness.ts";
import { delegates, results, SUBAGENTS, withDelegation } from "./_scene.ts";

/** A plugin that writes down which conversations it is asked and told about. */
function listener(heard: string[]): BuiltinPlugin {
  const plugin = definePlugin({
    id: "listener",
    version: "1.0.0",
    apiVersion: 1,
    setup(api) {
      api.session.onStart(({ sessionId }) => {
        heard.push(`start ${sessionId}`);
        return Promise.resolve(undefined);
      });
      api.compaction.register({
        beforeCompact: ({ sessionId }) => {
          heard.push(`before ${sessionId}`);
          return Promise.resolve({});
        },
        afterCompact: ({ sessionId }) => {
          heard.push(`after ${sessionId}`);
          return Promise.resolve({});
        },
      });
    },
  });
  return { id: "listener", isNeeded: true, load: () => Promise.resolve(plugin) };
}

Deno.test("A long conversation of an agent is made shorter, and no hook of a plugin is told of it", async () => {
  const names = Array.from({ length: 6 }, (_, index) => `f${index}.txt`);
  const files = Object.fromEntries(
    names.map((name) => [`ws/${name}`, `${"word ".repeat(1_600)}\n`]),
  );
  const heard: string[] = [];
  const roles = {
    root: [delegates(["explore", "child"]), says("ok")],
    child: [...names.map((path) => calls([["read_file", { path }]])), says("Read them all")],
    // What is to be summarised begins with a mark of who spoke.
    "---": [
      says(JSON.stringify({ goal: "Read all files", discoveries: ["FACT: they hold words"] })),
    ],
  };
  const config = { limits: { maxContextChars: 50_000 } };
  const application = { plugins: [SUBAGENTS, listener(heard)] };
  await withDelegation(roles, { files, config, application }, async (scene) => {
    const events: RunEvent[] = [];
    scene.application.children?.watch((event) => events.push(event));
    await scene.run();
    const [child] = scene.application.children?.children(scene.session.id) ?? [];
    assert.equal(child?.status, "completed");
    const compacted = events.filter(({ type }) => type === "compaction_completed");
    assert.ok(compacted.length > 0);
    assert.deepEqual([...new Set(compacted.map(({ sessionId }) => sessionId))], [child?.id]);
    assert.match(results(scene.provider.of("root").at(-1))[0] ?? "", /state="completed"/);
    assert.ok(
      scene.provider.requests.some(({ messages }) =>
        JSON.stringify(messages).includes("FACT: they hold words")
      ),
    );
    // What is kept there is a person's, and nobody but another agent spoke here.
    assert.deepEqual(heard, [`start ${scene.session.id}`]);
  });
});
