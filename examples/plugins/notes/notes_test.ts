import assert from "node:assert/strict";
import { setUpPlugin, textOf } from "@alisio/sdk/testing";
import plugin from "./notes.ts";

Deno.test("Notes are kept, found by their words, and shown when a session begins", async () => {
  await using host = await setUpPlugin(plugin);
  assert.deepEqual(await host.startSession(), []);
  assert.equal(await host.runCommand("list"), "There are no notes yet");
  const kept = await host.callTool("add_notes", { notes: ["red kite", "blue boat"] });
  assert.equal(textOf(kept), "Kept 2 notes");
  const find = async (words: string) => textOf(await host.callTool("find_notes", { words }));
  assert.equal(await find("kite red"), "- red kite");
  for (const words of ["kite boat", "", '"', "AND NOT", "text:kite*"]) {
    assert.equal(await find(words), "No note holds all of these words", words);
  }
  assert.deepEqual(await host.startSession(), ["The latest notes:\n- blue boat\n- red kite"]);
});

Deno.test("One note that is too long keeps all of them out", async () => {
  await using host = await setUpPlugin(plugin);
  await assert.rejects(
    () => host.callTool("add_notes", { notes: ["short", "x".repeat(2_001)] }),
    /Cannot keep a note of 2001 characters: shorten it/,
  );
  assert.equal(await host.runCommand("list"), "There are no notes yet");
});
