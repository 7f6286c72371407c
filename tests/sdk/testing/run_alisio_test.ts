import assert from "node:assert/strict";
import { join } from "node:path";
import { runAlisio, toolName } from "@alisio/sdk/testing";
import { DENO, ROOT } from "../../support/paths.ts";

const ALISIO = [DENO, "run", "-A", "--config", join(ROOT, "deno.json"), join(ROOT, "cli.ts")];
const HELLO = join(ROOT, "examples/plugins/hello/hello.ts");

Deno.test("runAlisio() runs a plugin behind the second wall with a scripted model", async () => {
  const name = await toolName("acme.hello", "hello");
  const { status, events, stderr } = await runAlisio({
    alisio: ALISIO,
    plugin: HELLO,
    files: { "notes/a.txt": "Ada" },
    turns: [
      { calls: [{ name: "read_file", arguments: { path: "notes/a.txt" } }] },
      { calls: [{ name, arguments: { name: "Ada" } }] },
      { text: "Done" },
    ],
  });
  assert.equal(status, 0, stderr);
  const ended = events.filter(({ type }) => type === "tool_completed");
  assert.match(String(ended[0]?.data.preview), /Ada/);
  assert.equal(ended[1]?.data.preview, "Hello, Ada!");
});

Deno.test("runAlisio() says what went wrong, and kills what does not end", async () => {
  const plugin = join(ROOT, "examples/plugins/hello/missing.ts");
  const { status, stderr } = await runAlisio({ alisio: ALISIO, plugin });
  assert.equal(status, 2);
  assert.match(stderr, /Cannot load plugin .*missing\.ts/);
  await assert.rejects(
    () =>
      runAlisio({
        alisio: [DENO, "eval", "setInterval(() => {}, 9)", "--"],
        plugin,
        timeoutMs: 500,
      }),
    /did not end within 500 ms and was killed/,
  );
  await assert.rejects(
    () => runAlisio({ alisio: [DENO, "eval", "console.log('hi')", "--"], plugin }),
    /printed something else than JSON lines: hi/,
  );
});
