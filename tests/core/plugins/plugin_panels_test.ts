import assert from "node:assert/strict";
import type { PanelNode, PanelProvider } from "@alisio/sdk";
import { PluginPanels } from "../../../core/plugins/plugin_ui.ts";

const fails = (plugin: string, error: unknown) => assert.fail(`${plugin}: ${error}`);

Deno.test("PluginPanels asks plugins for their lines, and leaves out what is none", () => {
  const panels = new PluginPanels();
  let nodes: unknown = [{ id: "1", label: "One", status: "running", startedAt: 5, extra: true }, 7];
  const provider = { title: "Jobs", nodes: () => nodes as readonly PanelNode[] };
  const remove = panels.add("acme.one", "jobs", provider);
  assert.deepEqual(panels.list({}, fails), [{
    plugin: "acme.one",
    title: "Jobs",
    nodes: [{ id: "1", label: "One", status: "running", startedAt: 5 }],
  }]);
  nodes = "none";
  assert.deepEqual(panels.list({}, fails), []);
  nodes = [{ id: "1", label: "One", status: "running" }];
  remove();
  assert.deepEqual(panels.list({}, fails), []);
});

Deno.test("PluginPanels takes a panel away that fails, and tells it once", () => {
  const panels = new PluginPanels();
  const failures: string[] = [];
  panels.add("acme.one", "jobs", {
    title: "Jobs",
    nodes: () => {
      throw new Error("no disk");
    },
  });
  const failed = (plugin: string, error: unknown) => void failures.push(`${plugin}: ${error}`);
  assert.deepEqual([panels.list({}, failed), panels.list({}, failed)], [[], []]);
  assert.deepEqual(failures, ["acme.one: Error: no disk"]);
});

Deno.test("PluginPanels refuses what is no panel, and too many of one plugin", () => {
  const panels = new PluginPanels();
  const provider: PanelProvider = { title: "T", nodes: () => [] };
  assert.throws(() => panels.add("acme.one", "", provider), TypeError);
  assert.throws(() => panels.add("acme.one", "id", { title: "T" } as never), TypeError);
  for (let index = 0; index < 4; index++) panels.add("acme.one", `id${index}`, provider);
  assert.throws(() => panels.add("acme.one", "more", provider), TypeError);
  panels.add("acme.two", "id", provider);
});
