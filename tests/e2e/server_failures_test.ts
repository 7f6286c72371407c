import assert from "node:assert/strict";
import {
  type CliResult,
  type CliScene,
  dataOf,
  jsonLines,
  sessionOf,
  shown,
  withCli,
} from "../support/cli_harness.ts";
import { callTurn, type ModelTurn, startModel, toolResults } from "../support/scripted_model.ts";
import { chatChunk, chatFinish, chatReply, sse, SSE_DONE } from "../support/stub_replies.ts";
import { jsonReply, type StubReply, type StubStep, textReply } from "../support/stub_server.ts";
import { assertResumes, inParallel, useModel } from "./_support.ts";

/** Rows mostly wait for a server, so more of them than processors run at a time. */
const ROWS_AT_ONCE = 6;

const HTML = { "content-type": "text/html" };
const HANG: StubReply = { steps: [{ do: "hang" }] };

interface FailureRow {
  readonly name: string;
  readonly turns: readonly ModelTurn[];
  readonly limits?: Readonly<Record<string, number>>;
  /** Requests for an answer. */
  readonly sent: number;
  /** Code of `run_failed`. */
  readonly code: string;
  readonly message: RegExp;
}

const ALWAYS = 9;

const FAILURES: readonly FailureRow[] = [
  {
    name: "silence before the headers",
    turns: Array(ALWAYS).fill({ framing: "raw", steps: [{ do: "hang" }] }),
    limits: { firstTokenTimeoutMs: 300 },
    sent: 2,
    code: "timeout",
    message: /sent nothing for 300 ms, 2 time\(s\): .*raise "limits\.firstTokenTimeoutMs"/,
  },
  {
    name: "silence after the headers",
    turns: Array(ALWAYS).fill(HANG),
    limits: { firstTokenTimeoutMs: 300, firstTokenRetries: 0 },
    sent: 1,
    code: "timeout",
    message: /sent nothing for 300 ms, 1 time\(s\)/,
  },
  {
    name: "silence in the middle of an answer",
    turns: Array(ALWAYS).fill({ steps: [chatChunk({ content: "Half" }), { do: "hang" }] }),
    limits: { timeoutMs: 1_500 },
    sent: 1,
    code: "timeout",
    message:
      /longer than 1500 ms of active time, while waiting for model "stub": raise "limits\.tim/,
  },
  {
    name: "keep-alives and nothing else",
    turns: Array(ALWAYS).fill({ steps: keepAlives() }),
    limits: { timeoutMs: 1_500, firstTokenTimeoutMs: 500 },
    sent: 1,
    code: "timeout",
    message: /longer than 1500 ms of active time/,
  },
  {
    name: "no content",
    turns: [textReply("", 204)],
    sent: 1,
    code: "provider_invalid_response",
    message: /it has no content \(HTTP 204\): check the base URL/,
  },
  {
    name: "a document that is null",
    turns: [textReply("null", 200)],
    sent: 1,
    code: "provider_invalid_response",
    message: /it is neither a stream of events nor JSON: "null"/,
  },
  {
    name: "a web page",
    turns: [textReply("<html>Sign in</html>", 200, HTML)],
    sent: 1,
    code: "provider_invalid_response",
    message: /it answered with a web page \(HTTP 200\): check the base URL ".*\/v1"/,
  },
  {
    name: "a web page that is not found",
    turns: [textReply("<html>Not here</html>", 404, HTML)],
    sent: 1,
    code: "provider_invalid_response",
    message: /it answered with a web page \(HTTP 404\)/,
  },
  {
    name: "text that is no stream",
    turns: [textReply("hello", 200)],
    sent: 1,
    code: "provider_invalid_response",
    message: /it is neither a stream of events nor JSON: "hello": check the base URL ".*\/v1"/,
  },
  {
    name: "no key where one is wanted",
    turns: [jsonReply({ error: { message: "No API key" } }, 401)],
    sent: 1,
    code: "provider_authentication",
    message:
      /wants an API key, and none is set \(HTTP 401\): "No API key": set the API key of this/,
  },
  {
    name: "a request that is not allowed",
    turns: [jsonReply({ error: { message: "Not for you" } }, 403)],
    sent: 1,
    code: "provider_permission",
    message:
      /does not allow this request \(HTTP 403\): "Not for you": check what the API key may use/,
  },
  {
    name: "an unknown model",
    turns: [jsonReply({ error: { message: "model 'stub' not found" } }, 404)],
    sent: 1,
    code: "provider_model_not_found",
    message: /does not offer the model "stub" \(HTTP 404\).*: choose a model that the server lists/,
  },
  {
    name: "an unknown address",
    turns: [jsonReply({ detail: "Not Found" }, 404)],
    sent: 1,
    code: "provider_not_found",
    message: /does not know this address \(HTTP 404\).*: check the base URL ".*\/v1"/,
  },
  {
    name: "a refused request",
    turns: [jsonReply({ error: { message: "Bad field" } }, 400)],
    sent: 1,
    code: "provider_invalid_request",
    message: /refuses the request \(HTTP 400\): "Bad field"/,
  },
  {
    name: "an empty account",
    turns: [jsonReply({ error: { code: "insufficient_quota", message: "Pay" } }, 429)],
    sent: 1,
    code: "provider_quota_exceeded",
    message: /quota is used up \(HTTP 429\): "Pay": add credit/,
  },
  {
    name: "a wait that is longer than the run may take",
    turns: [jsonReply({ error: { message: "Slow" } }, 429, { "retry-after": "3600" })],
    sent: 1,
    code: "provider_rate_limited",
    message: /limits the rate of requests \(HTTP 429\): "Slow".*: it asks to wait 3600 s, and the/,
  },
  {
    name: "a server that always fails",
    turns: Array(ALWAYS).fill(jsonReply({ error: { message: "Broken" } }, 500)),
    sent: 5,
    code: "provider_server_error",
    message: /failed \(HTTP 500\): "Broken": try again later/,
  },
  {
    name: "an error inside a stream",
    turns: [{ steps: [sse({ error: { message: "No room", code: "invalid_request" } }), SSE_DONE] }],
    sent: 1,
    code: "provider_invalid_request",
    message: /"No room"/,
  },
  {
    name: "connections that always break",
    turns: Array(ALWAYS).fill({ framing: "raw", steps: [{ do: "reset" }] }),
    sent: 5,
    code: "provider_network",
    message: /the server closed the connection without an answer: check that the server is well/,
  },
];

Deno.test("alisio run says why a server cannot be used, and its session goes on with another one", async () => {
  await inParallel(FAILURES, ROWS_AT_ONCE, async (row) => {
    await using model = await startModel(row.turns);
    await withCli(async (cli) => {
      await useModel(cli, model, row.limits === undefined ? {} : { limits: row.limits });
      const run = await cli.run(["run", "x", "--json"]);
      await assertFailed(cli, run, row);
      assert.equal(model.chats.length, row.sent, row.name);
    });
  });
});

Deno.test("alisio run says that nobody listens, and its session goes on once somebody does", async () => {
  const gone = await startModel();
  await gone[Symbol.asyncDispose]();
  await withCli(async (cli) => {
    await useModel(cli, gone);
    const run = await cli.run(["run", "x", "--json"]);
    await assertFailed(cli, run, {
      name: "refused",
      code: "provider_network",
      message:
        /Cannot reach the model server at "127\.0\.0\.1:\d+": the connection is refused: start/,
    });
    const retries = jsonLines(run).filter(({ type }) => type === "request_retry");
    assert.deepEqual(retries.map(({ data }) => [data.attempt, data.of, data.reason]), [
      [1, 4, "network"],
      [2, 4, "network"],
      [3, 4, "network"],
      [4, 4, "network"],
    ]);
  });
});

interface PassingRow {
  readonly name: string;
  readonly first: StubReply;
  readonly reason: string;
  /** What the server asked for; the program's own pause otherwise. */
  readonly waitMs?: number;
}

const PASSING: readonly PassingRow[] = [
  {
    name: "a rate limit with a wait",
    first: jsonReply({ error: { message: "Slow" } }, 429, { "retry-after": "1" }),
    reason: "rate_limited",
    waitMs: 1_000,
  },
  {
    name: "a rate limit with a wait in milliseconds",
    first: jsonReply({ error: { message: "Slow" } }, 429, { "retry-after-ms": "900" }),
    reason: "rate_limited",
    waitMs: 900,
  },
  { name: "a rate limit", first: jsonReply({}, 429), reason: "rate_limited" },
  { name: "a timeout of the server", first: jsonReply({}, 408), reason: "server_error" },
  { name: "an internal error", first: jsonReply({}, 500), reason: "server_error" },
  { name: "a page of a gateway", first: textReply("<html>", 502, HTML), reason: "server_error" },
  { name: "an overload", first: jsonReply({}, 503), reason: "overloaded" },
  { name: "a reset", first: { framing: "raw", steps: [{ do: "reset" }] }, reason: "network" },
  {
    name: "a cut in the status line",
    first: { framing: "raw", steps: ["HTTP/1.1 2", { do: "cut" }] },
    reason: "network",
  },
  {
    name: "a cut in the headers",
    first: { framing: "raw", steps: ["HTTP/1.1 200 OK\r\ncontent-ty", { do: "cut" }] },
    reason: "network",
  },
  {
    name: "a cut after the headers",
    first: { steps: [{ do: "cut" }] },
    reason: "stream_interrupted",
  },
  {
    name: "a cut in the first event",
    first: { steps: [chatChunk({ content: "Never" }).slice(0, 30), { do: "cut" }] },
    reason: "stream_interrupted",
  },
];

Deno.test("alisio run sends again what fails before an answer begins, and waits as the server asks", async () => {
  await inParallel(PASSING, ROWS_AT_ONCE, async ({ name, first, reason, waitMs }) => {
    await using model = await startModel([first]);
    await withCli(async (cli) => {
      await useModel(cli, model);
      const run = await cli.run(["run", "x", "--json"]);
      assert.equal(run.status, 0, `${name}: ${shown(run)}`);
      const retries = jsonLines(run).filter(({ type }) => type === "request_retry");
      assert.deepEqual(retries.map(({ data }) => data.reason), [reason], name);
      const retry = retries[0]?.data ?? {};
      if (waitMs !== undefined) assert.equal(retry.afterMs, waitMs, name);
      const [sent, again] = model.chats;
      assert.equal(model.chats.length, 2, name);
      assert.equal(again?.body, sent?.body, name);
      const pause = (again?.receivedAt ?? 0) - (sent?.receivedAt ?? 0);
      // The timers of two processes differ by a millisecond.
      assert.ok(pause >= Number(retry.afterMs) - 2, `${name}: ${pause} of ${retry.afterMs} ms`);
      await assertResumes(cli, sessionOf(run));
    });
  });
});

Deno.test("alisio run runs no call of an answer that is cut anywhere, and asks again (field case 19)", async () => {
  const text = "I write the file now";
  const answer = chatReply({
    text,
    calls: [{ id: "w", name: "write_file", arguments: newFile("cut.txt") }],
  });
  const body = textOf(answer.steps);
  const bytes = new TextEncoder().encode(body);
  const begin = body.indexOf(chatChunk({ content: text.slice(0, 7) })) + 1;
  const finish = body.indexOf(chatFinish("tool_calls"));
  const offsets = spread(begin + 200, finish + 20, 60);
  // The program pauses after each cut, so several runs share the offsets.
  const groups = [0, 1, 2, 3, 4, 5].map((group) =>
    offsets.filter((_, index) => index % 6 === group)
  );
  await inParallel(groups, groups.length, async (group) => {
    const turns = group.flatMap((offset, index): readonly ModelTurn[] => [
      { steps: [bytes.slice(0, offset), index % 2 === 0 ? { do: "cut" } : { do: "reset" }] },
      callTurn(["list_files", { limit: index + 1 }]),
    ]);
    await using model = await startModel(turns);
    await withCli(async (cli) => {
      // The summary at the end would be one request more.
      await useModel(cli, model, { builtinPlugins: { memory: { autoSummary: false } } });
      const run = await cli.run(["run", "x", "--json", "--allow-write"]);
      assert.equal(run.status, 0, shown(run));
      assert.deepEqual(model.violations, []);
      assert.equal(model.chats.length, 2 * group.length + 1);
      assert.equal(dataOf(run, "run_completed").text, "Done");
      const reasons = jsonLines(run).filter(({ type }) => type === "truncation_recovery")
        .map(({ data }) => data.reason);
      assert.deepEqual(reasons, Array(group.length).fill("stream_interrupted"));
      const started = jsonLines(run).filter(({ type }) => type === "tool_started");
      assert.ok(started.every(({ data }) => data.name === "list_files"));
      assert.deepEqual(await Array.fromAsync(Deno.readDir(cli.workspace)), []);
      await assertResumes(cli, sessionOf(run));
    });
  });
});

Deno.test("alisio run takes an answer that is cut after its finish reason", async () => {
  const answer = chatReply({
    calls: [{ id: "w", name: "write_file", arguments: newFile("whole.txt") }],
  });
  const body = textOf(answer.steps).replace(SSE_DONE, "");
  for (const action of ["cut", "reset"] as const) {
    await using model = await startModel([{ steps: [body, { do: action }] }]);
    await withCli(async (cli) => {
      await useModel(cli, model);
      const run = await cli.run(["run", "x", "--json", "--allow-write"]);
      assert.equal(run.status, 0, shown(run));
      assert.equal(model.chats.length, 2);
      assert.equal(await Deno.readTextFile(`${cli.workspace}/whole.txt`), "x");
      assert.match(toolResults(await model.chat(1))[0] ?? "", /"sha256"/);
    });
  }
});

Deno.test("alisio run gives up on a stream that always breaks, and its session goes on", async () => {
  const broken: StubReply = { steps: [chatChunk({ content: "Half" }), { do: "cut" }] };
  await using model = await startModel(Array(ALWAYS).fill(broken));
  await withCli(async (cli) => {
    await useModel(cli, model);
    const run = await cli.run(["run", "x", "--json"]);
    await assertFailed(cli, run, {
      name: "always cut",
      code: "provider_stream_interrupted",
      message: /stopped before its end/,
    });
    assert.equal(model.chats.length, 3);
    assert.deepEqual(model.violations, []);
  });
});

async function assertFailed(
  cli: CliScene,
  run: CliResult,
  expected: Pick<FailureRow, "name" | "code" | "message">,
): Promise<void> {
  const { name } = expected;
  assert.equal(run.status, 1, `${name}: ${shown(run)}`);
  const { code, error } = dataOf(run, "run_failed");
  assert.equal(code, expected.code, `${name}: ${error}`);
  assert.match(String(error), expected.message, name);
  assert.equal(jsonLines(run).at(-1)?.type, "run_failed", name);
  const session = sessionOf(run);
  assert.equal(
    run.stderr,
    `alisio: ${error}\nThe session is kept: alisio resume ${session} "…"\n`,
    name,
  );
  await assertResumes(cli, session);
}

async function* keepAlives(): AsyncGenerator<StubStep> {
  for (;;) {
    yield ": still here\n\n";
    yield { waitMs: 100 };
  }
}

function newFile(path: string): Readonly<Record<string, unknown>> {
  return { path, content: "x", expectedHash: null };
}

function textOf(steps: StubReply["steps"]): string {
  assert.ok(Array.isArray(steps));
  return steps.join("");
}

/** Numbers from the first to the last, evenly spread. */
function spread(first: number, last: number, count: number): readonly number[] {
  const step = (last - first) / (count - 1);
  return Array.from({ length: count }, (_, index) => Math.round(first + index * step));
}
