import assert from "node:assert/strict";
import { dataOf, jsonLines, sessionOf, shown, withCli } from "../support/cli_harness.ts";
import { callTurn, messagesOf, startModel, toolResults } from "../support/scripted_model.ts";
import { chatChunk, chatFinish, chatReply, SSE_DONE } from "../support/stub_replies.ts";
import { writeTree } from "../support/temp.ts";
import { assertResumes, useModel } from "./_support.ts";

const TWO_MB = 2 * 1024 * 1024;

/** Arguments as a model wrote them, and what it is told. */
const ARGUMENT_ROWS: readonly (readonly [string, string, string, RegExp])[] = [
  ["cut short", "read_file", '{"path": "a', /^The arguments are not complete JSON, so the call/],
  ["not JSON", "read_file", "path=a.txt", /^The arguments are not complete JSON/],
  ["two objects", "read_file", '{"path":"a.txt"}{"path":"b.txt"}', /not complete JSON/],
  ["missing", "read_file", "", /the input lacks a field: "path"/],
  [
    "a list",
    "read_file",
    '["a.txt"]',
    /^The arguments must be a JSON object .*, but were an array/,
  ],
  ["a text", "read_file", '"a.txt"', /but were a string/],
  ["a number", "read_file", "3", /but were a number/],
  ["null", "read_file", "null", /but were null/],
  ["of a wrong type", "read_file", '{"path": 3}', /"path"/],
  ["unknown", "read_file", '{"file": "a.txt"}', /"file".*"path"|"path".*"file"/s],
  ["too large a number", "read_file", '{"path":"a.txt","limit":1e9}', /"limit"/],
  ["of another tool", "read_file", '{"command":"ls","args":[]}', /"command"/],
  ["none where none are needed", "list_files", "", /"files":\["a\.txt"\]/],
  ["right", "read_file", '{"path":"a.txt"}', /"content":"1: alpha"/],
  [
    "for no tool",
    "read_fil",
    '{"path":"a.txt"}',
    /There is no tool "read_fil"; did you mean "read/,
  ],
  ["for an odd name", "rm -rf /\u0000é", "{}", /There is no tool "rm_-rf/],
  ["for an empty name", "", "{}", /There is no tool "unnamed_tool"/],
  [
    "broken and long",
    "write_file",
    `{"path":"b.txt","expectedHash":null,"content":"${"x".repeat(100_000)}`,
    /^The arguments are not complete JSON, .*\(1000\d\d characters arrived\)/,
  ],
  [
    "broken and huge",
    "write_file",
    `{"path":"b.txt","expectedHash":null,"content":"${"x".repeat(TWO_MB)}`,
    /^Not run: the arguments are too large: 2097\d\d\d characters/,
  ],
];

Deno.test("alisio run answers bad arguments with what is wrong, and goes on (field cases 7, 9, 10 and 13)", async () => {
  await using model = await startModel(
    ARGUMENT_ROWS.map(([, name, args]) => callTurn([name, args])),
  );
  await withCli(async (cli) => {
    await writeTree(cli.workspace, { "a.txt": "alpha\n" });
    await useModel(cli, model);
    const run = await cli.run(["run", "x", "--json", "--allow-write"]);
    assert.equal(run.status, 0, shown(run));
    assert.deepEqual(model.violations, []);
    const results = toolResults(await model.chat(ARGUMENT_ROWS.length));
    for (const [index, [name, , , expected]] of ARGUMENT_ROWS.entries()) {
      assert.match(results[index] ?? "no result", expected, name);
    }
    assert.equal(results.length, ARGUMENT_ROWS.length);
    await assert.rejects(() => Deno.stat(`${cli.workspace}/b.txt`), Deno.errors.NotFound);
    await assertResumes(cli, sessionOf(run));
  });
});

Deno.test("alisio run gives every call an id of its own (field cases 1 and 33)", async () => {
  const read = (id: string, path: string) => ({ id, name: "read_file", arguments: { path } });
  const withoutId = (index: number, path: string) =>
    chatChunk({
      tool_calls: [{
        index,
        type: "function",
        function: { name: "read_file", arguments: JSON.stringify({ path }) },
      }],
    });
  await using model = await startModel([
    chatReply({ calls: [read("call_0", "a.txt"), read("call_1", "b.txt")] }),
    chatReply({ calls: [read("call_0", "b.txt"), read("call_0", "a.txt")] }),
    { steps: [withoutId(0, "a.txt"), withoutId(1, "b.txt"), chatFinish("tool_calls"), SSE_DONE] },
  ]);
  await withCli(async (cli) => {
    await writeTree(cli.workspace, { "a.txt": "alpha\n", "b.txt": "beta\n" });
    await useModel(cli, model);
    const run = await cli.run(["run", "x", "--json"]);
    assert.equal(run.status, 0, shown(run));
    assert.deepEqual(model.violations, []);
    const names = toolResults(await model.chat(3)).map((text) => /alpha|beta/.exec(text)?.[0]);
    assert.deepEqual(names, ["alpha", "beta", "beta", "alpha", "alpha", "beta"]);
    const started = jsonLines(run).filter(({ type }) => type === "tool_started");
    assert.equal(new Set(started.map(({ data }) => data.id)).size, 6);
    await assertResumes(cli, sessionOf(run));
  });
});

Deno.test("alisio run gets over arguments that are too large for the conversation or the tool", async () => {
  const rows: readonly (readonly [number, number, RegExp])[] = [
    [
      TWO_MB,
      800_000,
      /^Not run: the arguments are too large: 2097\d{3} characters, and about 300000 /,
    ],
    [5 * 1024 * 1024, 800_000, /^Not run: the arguments are too large: 5242\d{3} characters/],
    [TWO_MB - 100_000, 8_000_000, /content is 1997152 bytes, limit is 1 MiB; split it/],
  ];
  for (const [size, maxContextChars, answer] of rows) {
    const content = "0123456789abcdef".repeat(size / 16);
    await using model = await startModel([
      callTurn(["write_file", { path: "big.txt", content, expectedHash: null }]),
    ]);
    await withCli(async (cli) => {
      await useModel(cli, model, { limits: { maxContextChars } });
      const run = await cli.run(["run", "x", "--json", "--allow-write"]);
      assert.equal(run.status, 0, shown(run));
      assert.deepEqual(model.violations, []);
      assert.match(toolResults(await model.chat(1))[0] ?? "", answer);
      await assert.rejects(() => Deno.stat(`${cli.workspace}/big.txt`), Deno.errors.NotFound);
      const request = await assertResumes(cli, sessionOf(run));
      const isKept = JSON.stringify(messagesOf(request)).includes(content);
      assert.equal(isKept, maxContextChars > 800_000);
    });
  }
});

Deno.test("alisio run keeps the ends of an answer without end, and goes on with its session", async () => {
  const flood = chatChunk({ content: "0123456789abcde ".repeat(4_096) });
  await using model = await startModel([
    { steps: [chatChunk({ content: "start " }), ...Array(200).fill(flood), { do: "hang" }] },
  ]);
  await withCli(async (cli) => {
    await useModel(cli, model);
    const run = await cli.run(["run", "x", "--json"]);
    assert.equal(run.status, 1, shown({ ...run, stdout: "" }));
    const { code, error } = dataOf(run, "run_failed");
    assert.equal(code, "provider_invalid_response");
    assert.match(String(error), /holds more than 8388608 characters of text/);
    const said = JSON.stringify(messagesOf(await assertResumes(cli, sessionOf(run))));
    assert.match(said, /start 0123.*… \[\d{7} characters left out\] …/);
    assert.ok(said.length < 450_000, `${said.length} characters`);
  });
});
