import assert from "node:assert/strict";
import type { PanelNode, PanelProvider } from "@alisio/sdk";
import { PluginPanels } from "../../../core/plugins/plugin_ui.ts";

const LINE = { id: "1", label: "One", status: "running", startedAt: 5 };

const fails = (plugin: string, error: unknown) => assert.fail(`${plugin}: ${error}`);

Deno.test("PluginPanels asks plugins for their lines, and leaves out what is none", () => {
  const panels = new PluginPanels();
  let nodes: unknown = [{ ...LINE, sessionId: "s", color: "red", extra: true }, 7];
  const provider = { title: "Jobs", nodes: () => nodes as readonly PanelNode[] };
  const remove = panels.add("acme.one", "jobs", provider);
  assert.deepEqual(panels.list({}, fails), [{
    id: '["acme.one","jobs"]',
    plugin: "acme.one",
    title: "Jobs",
    nodes: [{ ...LINE, sessionId: "s", color: "red" }],
    acts: false,
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
  assert.throws(() => panels.add("acme.two", "id", provider), /has a panel "id" already/);
});

Deno.test("PluginPanels.act() passes on what the person wants, and tells what fails at it", async () => {
  const panels = new PluginPanels();
  const log: string[] = [];
  const failed = (plugin: string, error: unknown) => void log.push(`${plugin}: ${error}`);
  const remove = panels.add("acme.one", "jobs", {
    title: "Jobs",
    nodes: () => [LINE],
    action: (name, nodeId, { sessionId }) => {
      log.push(`${name} ${nodeId} ${sessionId}`);
      if (name === "background") throw new Error("it has none");
    },
  });
  const [panel] = panels.list({}, fails);
  assert.equal(panel?.acts, true);
  const action = { panel: panel?.id ?? "", nodeId: "1", sessionId: "s" };
  await panels.act({ ...action, name: "cancel" }, failed);
  await panels.act({ ...action, name: "background" }, failed);
  await panels.act({ ...action, name: "cancel", panel: "another" }, failed);
  remove();
  await panels.act({ ...action, name: "cancel" }, failed);
  assert.deepEqual(log, ["cancel 1 s", "background 1 s", "acme.one: Error: it has none"]);
});
