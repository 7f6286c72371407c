import assert from "node:assert/strict";
import { setUpPlugin } from "@alisio/sdk/testing";
import plugin, { kiteMascot } from "./kite_mascot.ts";

const TERMINAL = { color: false, unicode: true, columns: 80, interactive: true };

Deno.test("kite-mascot offers its mascot, and its screen where that is asked for", async () => {
  await using host = await setUpPlugin(plugin);
  assert.deepEqual(host.extensions, [{ point: "mascot", provider: kiteMascot, priority: 10 }]);
  await using both = await setUpPlugin(plugin, { options: { screen: "small" } });
  assert.deepEqual(both.extensions.map(({ point, provider }) => `${point} ${provider.id}`), [
    "mascot kite",
    "startup-screen kite.small",
  ]);
});

Deno.test("The kite respects what the screen can show", () => {
  const draw = (terminal: Partial<typeof TERMINAL>) =>
    [kiteMascot.render({ terminal: { ...TERMINAL, ...terminal }, version: "1.0.0" })].flat();
  assert.equal(draw({}).length, 5);
  assert.equal(draw({ columns: 30 }).length, 1);
  assert.match(draw({ unicode: false }).join(""), /^[ -~]+$/);
  // deno-lint-ignore no-control-regex -- the colour
  assert.match(draw({ color: true })[0] ?? "", /^\x1b\[35m.*\x1b\[0m$/);
});
