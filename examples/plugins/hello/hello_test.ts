import assert from "node:assert/strict";
import { setUpPlugin, textOf } from "@alisio/sdk/testing";
import plugin from "./hello.ts";

Deno.test("hello greets a person by name", async () => {
  await using host = await setUpPlugin(plugin);
  assert.equal(textOf(await host.callTool("hello", { name: "Ada" })), "Hello, Ada!");
});
