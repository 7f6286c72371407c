import assert from "node:assert/strict";
import { setUpPlugin, textOf } from "@alisio/sdk/testing";
import plugin from "./journal.ts";

Deno.test("Decisions of a summary are kept, and the latest stand behind it", async () => {
  await using host = await setUpPlugin(plugin);
  const { requests, additions } = await host.compact({
    extracted: { decisions: ["SQLite: one file", "", 7, "no ORM: the queries are few"] },
  });
  assert.deepEqual(Object.keys(requests[0]?.outputFields ?? {}), ["decisions"]);
  assert.deepEqual(additions, [{
    injectContext: "Decisions in this project:\n- SQLite: one file\n- no ORM: the queries are few",
    report: { summary: "2 decisions kept" },
  }]);
  const read = async () => textOf(await host.callTool("read_journal"));
  assert.equal(await read(), "- SQLite: one file\n- no ORM: the queries are few");
  // The same decision is one, however often it is summarised.
  await host.compact({ extracted: { decisions: ["SQLite: one file"] } });
  assert.equal((await read()).split("\n").length, 2);
});

Deno.test("A summary without the field adds nothing", async () => {
  await using host = await setUpPlugin(plugin);
  for (const extracted of [{}, { decisions: "none" }, { decisions: { a: 1 } }]) {
    const { additions } = await host.compact({ extracted });
    assert.deepEqual(additions, [{ report: { summary: "0 decisions kept" } }]);
  }
});
