import assert from "node:assert/strict";
import { PluginStatuses } from "../../../core/plugins/plugin_ui.ts";
import { withScene } from "../../support/application_scene.ts";

Deno.test("PluginStatuses keeps short texts by plugin and key, within bounds", () => {
  const statuses = new PluginStatuses();
  statuses.set("a", "x", "one", "more");
  statuses.set("b", "x", "two");
  statuses.set("a", "x", "t".repeat(100));
  assert.deepEqual(statuses.list(), [
    { plugin: "a", key: "x", text: `${"t".repeat(80)}…` },
    { plugin: "b", key: "x", text: "two" },
  ]);
  statuses.set("b", "x", undefined);
  statuses.set("b", "x", undefined);
  for (let at = 0; at < 8; at++) statuses.set("b", `k${at}`, "t");
  assert.throws(() => statuses.set("b", "k8", "t"), /at most 8 texts/);
  statuses.set("b", "k7", "again");
  for (const wrong of [["", "t"], ["k".repeat(201), "t"], ["k", 3]] as const) {
    assert.throws(() => statuses.set("c", wrong[0], wrong[1] as string), TypeError);
  }
  statuses.removeOf("b");
  assert.deepEqual(statuses.list().map(({ plugin }) => plugin), ["a"]);
});

Deno.test("Application.pluginStatuses() has what plugins show, until they are closed", async () => {
  const plugin = `export default { apiVersion: 1, id: "acme", version: "1.0.0", setup(api) {
    api.ui.status("mem", "mem 3", "of 10");
    api.ui.status("gone", "x");
    api.ui.status("gone", undefined);
  } };`;
  await withScene({ "ws/p.js": plugin }, async ({ open, folder }) => {
    const application = await open({ plugin: [`${folder}/ws/p.js`] });
    assert.deepEqual(application.pluginStatuses(), [
      { plugin: "acme", key: "mem", text: "mem 3", detail: "of 10" },
    ]);
    await application.close();
    assert.deepEqual(application.pluginStatuses(), []);
  });
});
