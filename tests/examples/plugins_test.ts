import assert from "node:assert/strict";
import { join } from "node:path";
import { runAlisio, toolName } from "@alisio/sdk/testing";
import { useModel } from "../e2e/_support.ts";
import { sessionOf, shown, withCli } from "../support/cli_harness.ts";
import { DENO, ROOT } from "../support/paths.ts";
import { callTurn, messagesOf, startModel, toolResults } from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import { writeTree } from "../support/temp.ts";

const ALISIO = [DENO, "run", "-A", "--config", join(ROOT, "deno.json"), join(ROOT, "cli.ts")];
const EXAMPLES = join(ROOT, "examples/plugins");

Deno.test("examples/plugins/notes keeps and finds notes behind the second wall", async () => {
  const [add, find] = await Promise.all([
    toolName("acme.notes", "add_notes"),
    toolName("acme.notes", "find_notes"),
  ]);
  const { status, events, stderr } = await runAlisio({
    alisio: ALISIO,
    plugin: join(EXAMPLES, "notes/notes.ts"),
    flags: ["--allow-external"],
    turns: [
      { calls: [{ name: add, arguments: { notes: ["red kite"] } }] },
      { calls: [{ name: find, arguments: { words: "kite" } }] },
      { text: "Done" },
    ],
  });
  assert.equal(status, 0, stderr);
  const ended = events.filter(({ type }) => type === "tool_completed");
  assert.deepEqual(ended.map(({ data }) => data.preview), ["Kept 1 notes", "- red kite"]);
});

Deno.test("examples/plugins/custom-provider answers in a run, through a profile", async () => {
  const body = '{"message":{"content":"Served natively"}}\n{"done":true}\n';
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response(body),
  );
  await withCli(async (cli) => {
    const values = { baseURL: `http://127.0.0.1:${server.addr.port}` };
    const profiles = { mine: { provider: "ollama-native", values } };
    const active = { profile: "mine", model: "m" };
    await writeTree(cli.dir, { "config/providers.json": JSON.stringify({ active, profiles }) });
    const plugin = join(EXAMPLES, "custom-provider/ollama_native.ts");
    const run = await cli.run(["run", "hi", "--plugin", plugin]);
    assert.deepEqual([run.status, run.stdout], [0, "Served natively\n"], run.stderr);
  });
});

Deno.test("examples/plugins/custom-websearch is the one who searches the web", async () => {
  await withCli(async (cli) => {
    const plugin = join(EXAMPLES, "custom-websearch/brave_websearch.ts");
    const args = ["plugins", "doctor", "--plugin", plugin];
    const found = await cli.run(args, { env: { BRAVE_SEARCH_API_KEY: "key-0123456789" } });
    assert.match(found.stdout, /^websearch: brave-websearch\/brave$/m, found.stderr);
    const missing = await cli.run(args);
    assert.equal(missing.status, 1);
    assert.match(missing.stderr, /its setup failed: set the variable BRAVE_SEARCH_API_KEY/);
  });
});

Deno.test("examples/plugins/journal keeps what a summary holds, behind the second wall", async () => {
  const decisions = ["SQLite: one file is enough"];
  const text = JSON.stringify({ goal: "Ship it", decisions });
  const answer = chatReply({ text: `answer ${"x".repeat(3_000)}` });
  const read = await toolName("acme.journal", "read_journal");
  const three = chatReply({ text: "three" });
  const turns = [answer, answer, chatReply({ text }), three, callTurn([read, {}])];
  await using model = await startModel(turns);
  await withCli(async (cli) => {
    await useModel(cli, model, { compaction: { keepTurns: 1 } });
    const plugin = ["--plugin", join(EXAMPLES, "journal/journal.ts")];
    const first = await cli.run(["run", "one", "--json", ...plugin]);
    const session = sessionOf(first);
    await cli.run(["resume", session, "two", ...plugin]);
    const compacted = await cli.run(["sessions", "compact", session, ...plugin]);
    assert.equal(compacted.status, 0, shown(compacted));
    assert.match(
      compacted.stderr,
      /are \d+ now; (?:memory: .*; )?acme\.journal: 1 decisions kept\n$/,
    );
    await cli.run(["resume", session, "three", ...plugin]);
    const sent = messagesOf(await model.chat(3)).map(({ content }) => String(content)).join();
    assert.match(sent, /# From plugin acme\.journal\n\nDecisions in this project:\n- SQLite: one/);
    // What was kept is there for other sessions.
    await cli.run(["run", "what was decided?", ...plugin]);
    assert.deepEqual(toolResults(await model.chat(5)), ["- SQLite: one file is enough"]);
  });
});
