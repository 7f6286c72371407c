import assert from "node:assert/strict";
import { extensionName, ExtensionRegistry } from "../../../core/plugins/extension_registry.ts";

type Row = readonly [plugin: string, provider: string, priority: number];

const mascot = (id: string) => ({ id, render: () => id });

function registryOf(rows: readonly Row[]): ExtensionRegistry {
  const registry = new ExtensionRegistry();
  for (const [plugin, provider, priority] of rows) {
    registry.register("mascot", plugin, mascot(provider), priority);
  }
  return registry;
}

Deno.test("ranked() chooses by priority, then plugin, then registration, whatever the order of loading", () => {
  const rows: readonly (readonly [readonly Row[], readonly string[]])[] = [
    [[["b", "x", 0], ["a", "x", 1]], ["a/x", "b/x"]],
    [[["a", "x", 0], ["b", "x", 1]], ["b/x", "a/x"]],
    [[["b", "x", 0], ["a", "x", 0]], ["a/x", "b/x"]],
    [[["a.b", "x", 0], ["a", "x", 0], ["Z", "x", 0]], ["Z/x", "a/x", "a.b/x"]],
    [[["a", "2", 0], ["a", "1", 0]], ["a/2", "a/1"]],
    [[["a", "x", -1], ["b", "x", -0.5]], ["b/x", "a/x"]],
  ];
  for (const [given, expected] of rows) {
    assert.deepEqual(registryOf(given).ranked("mascot").map(extensionName), expected);
  }
});

Deno.test("conflicts() names those who tie for the highest priority, and nobody else", () => {
  assert.deepEqual(registryOf([["a", "x", 1], ["b", "x", 0], ["c", "x", 0]]).conflicts(), []);
  assert.deepEqual(
    registryOf([["c", "z", 2], ["b", "y", 2], ["a", "x", 1], ["b", "w", 2]]).conflicts(),
    [{ point: "mascot", winner: "b/y", losers: ["b/w", "c/z"] }],
  );
});

Deno.test("register() keeps points apart, and takes back what it added", () => {
  const registry = new ExtensionRegistry();
  const takeBack = registry.register("mascot", "a", mascot("x"), 0);
  registry.register("websearch", "a", { id: "s", search: () => Promise.resolve([]) }, 2);
  assert.deepEqual(registry.of("a").map(({ point }) => point), ["mascot", "websearch"]);
  assert.deepEqual(registry.ranked("startup-screen"), []);
  takeBack();
  takeBack();
  assert.deepEqual(registry.ranked("mascot"), []);
  assert.equal(registry.of("a").length, 1);
});
