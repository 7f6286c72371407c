import assert from "node:assert/strict";
import type { PanelNode } from "@alisio/sdk";
import type { Application } from "../../../core/application.ts";
import type { PanelAction, PluginPanel } from "../../../core/plugins/plugin_ui.ts";
import { createKeyMap } from "../../../tui/keys/key_map.ts";
import { createTheme } from "../../../tui/theme/create_theme.ts";
import { PluginTrees } from "../../../tui/trees/plugin_trees.ts";
import { KEYS } from "../../support/fake_stage.ts";
import { node, panelOf } from "./_tree.ts";

const PLAIN = createTheme({ depth: "none", unicode: true, background: "dark" });
const CTRL_K = "\x0b";

/** Trees over panels that a test changes, and what became of them. */
class Scene {
  panel: PluginPanel;
  answer = true;
  running = true;
  readonly log: string[] = [];
  readonly trees: PluginTrees;

  constructor(...nodes: readonly PanelNode[]) {
    this.panel = panelOf(...nodes);
    const application = {
      pluginPanels: () => this.panel.nodes.length === 0 ? [] : [this.panel],
      actOnPanel: ({ name, nodeId, sessionId }: PanelAction) => {
        this.log.push(`${name} ${nodeId} in ${sessionId}`);
        return Promise.resolve();
      },
    };
    this.trees = new PluginTrees({
      application: () => application as unknown as Application,
      sessionId: () => "main",
      waiting: () => new Set(["session-asks"]),
      isRunning: () => this.running,
      keys: createKeyMap().keys,
      redraw: () => {},
      view: (sessionId) => this.log.push(`view ${sessionId}`) > 0,
      confirm: (title) => {
        this.log.push(title);
        return Promise.resolve(this.answer);
      },
      hint: (text) => void this.log.push(text),
    });
    this.trees.look();
  }

  rows(rows = 40): readonly string[] {
    return this.trees.rows(PLAIN, { columns: 60, rows }).map((row) => row.trimEnd());
  }

  take(...keys: readonly string[]): readonly boolean[] {
    return keys.map((key) => this.trees.take(key));
  }
}

Deno.test("PluginTrees.look() says only what changes, and time goes on only while something does", () => {
  const scene = new Scene(node("a", { startedAt: 1 }));
  try {
    assert.equal(scene.trees.look(), false);
    assert.equal(scene.trees.isLive, true);
    scene.panel = panelOf(node("a", { startedAt: 1, endedAt: 5, status: "completed" }));
    assert.equal(scene.trees.look(), true);
    assert.equal(scene.trees.look(), false);
    assert.equal(scene.trees.isLive, false);
    scene.running = false;
    assert.deepEqual(scene.rows(), ["Agents  1 finished  Ctrl+X"]);
    scene.panel = panelOf();
    assert.equal(scene.trees.look(), true);
    assert.deepEqual(scene.rows(), []);
    assert.equal(scene.trees.focus(), false);
  } finally {
    scene.trees.close();
  }
});

Deno.test("PluginTrees.take() moves, folds, opens and goes back", () => {
  const scene = new Scene(node("a"), node("b", { parentId: "a" }), node("asks"));
  const { trees } = scene;
  assert.equal(trees.take(KEYS.down), false);
  assert.equal(trees.focus(), true);
  // At once after the key that led here it opens the first one.
  scene.take(KEYS.down);
  assert.deepEqual(scene.log.splice(0), ["view session-a"]);
  scene.take(KEYS.down, KEYS.enter);
  assert.deepEqual(scene.log.splice(0), ["view session-b"]);
  assert.deepEqual(scene.take(KEYS.left, KEYS.left, "q"), [true, true, false]);
  assert.deepEqual(scene.rows().slice(0, 3), [
    "Agents  2 running · 1 waiting",
    "› ● task a  +1",
    "  ◆ task asks  waiting",
  ]);
  scene.take(KEYS.right, KEYS.right);
  assert.match(scene.rows().join("\n"), /› └ ● task b/);
  scene.take(KEYS.end, KEYS.escape);
  assert.equal(trees.isFocused, false);
  trees.close();
});

Deno.test("PluginTrees.take() cancels one at once, and asks where others work for it", async () => {
  const scene = new Scene(
    node("a"),
    node("b", { parentId: "a" }),
    node("old", { status: "completed" }),
  );
  const { trees } = scene;
  trees.focus();
  scene.answer = false;
  scene.take(CTRL_K);
  await Promise.resolve();
  assert.deepEqual(scene.log.splice(0), ["Cancel task a, and all below?"]);
  scene.answer = true;
  scene.take(CTRL_K);
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(scene.log.splice(0), ["Cancel task a, and all below?", "cancel a in main"]);
  scene.take(KEYS.down, CTRL_K, KEYS.down, CTRL_K);
  assert.deepEqual(scene.log.splice(0), ["cancel b in main", "It has ended already"]);
  trees.close();
});

Deno.test("PluginTrees.background() is about what the conversation waits for itself", () => {
  const scene = new Scene(
    node("a"),
    node("b", { parentId: "a" }),
    node("old", { status: "completed" }),
    node("c", { status: "queued" }),
  );
  assert.equal(scene.trees.background(), true);
  assert.deepEqual(scene.log.splice(0), ["background a in main", "background c in main"]);
  scene.panel = panelOf(node("old", { status: "completed" }));
  scene.trees.look();
  assert.equal(scene.trees.background(), false);
  scene.trees.close();
});

Deno.test("PluginTrees keep the keyboard on a line that is there, and give it back with the last", () => {
  const scene = new Scene(node("a"), node("b"));
  scene.trees.focus();
  scene.panel = panelOf(node("b"));
  scene.trees.look();
  assert.match(scene.rows().join("\n"), /› ● task b/);
  scene.panel = panelOf();
  scene.trees.look();
  assert.equal(scene.trees.isFocused, false);
  scene.trees.close();
});
