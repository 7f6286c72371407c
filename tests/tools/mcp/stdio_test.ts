import assert from "node:assert/strict";
import type { McpServerSettings } from "../../../core/config/configuration.ts";
import type { McpConnection, McpError } from "../../../core/mcp/mcp_connection.ts";
import type { QuestionAsker } from "../../../core/tools/user_question.ts";
import { withTempDir } from "../../support/temp.ts";
import {
  callText,
  connect,
  failureOf,
  hostileServer,
  NO_LIMIT,
  serverSettings,
  textOf,
  untilGone,
  withConnection,
} from "./_connect.ts";

/** Small enough to be reached in a moment. */
const SMALL = { maxMessageBytes: 64 * 1024, totalFactor: 10 };

async function isUsable(connection: McpConnection): Promise<void> {
  assert.equal(await callText(connection, "echo", { value: "still here" }), "still here");
}

Deno.test("connectMcpServer() speaks to a program", async () => {
  await withConnection(hostileServer("banner"), async (connection, told) => {
    assert.deepEqual(
      [connection.serverName, connection.serverVersion, connection.instructions],
      ["hostile", "1.2.3", "Use echo"],
    );
    const { entries, faults } = await connection.listTools(NO_LIMIT);
    assert.deepEqual([entries.map(({ name }) => name), faults], [["echo", "slow"], []]);
    assert.equal(await callText(connection, "echo", { value: "hello" }), "hello");
    assert.equal(textOf(await connection.readResource("file:///a", NO_LIMIT)), "content of it");
    const resources = await connection.listResources(NO_LIMIT);
    assert.deepEqual(resources, {
      entries: [{ uri: "file:///a", isTemplate: false, name: "a" }],
      faults: ["Resource 2 was left out: it has no usable address"],
    });
    assert.deepEqual((await connection.listPrompts(NO_LIMIT)).entries, [
      { name: "greet", arguments: [{ name: "who", isRequired: true }] },
    ]);
    assert.equal(
      textOf(await connection.getPrompt("greet", { who: "Ada" }, NO_LIMIT)),
      "user: Greet Ada",
    );
    assert.equal(told.diagnostics.length, 2, "two lines of a banner");
  });
});

Deno.test("connectMcpServer() skips what is no message on standard output", async () => {
  const scene = { limits: { ...SMALL, maxMessageBytes: 1024 * 1024 } };
  await withConnection(hostileServer("good"), async (connection, told) => {
    assert.equal(await callText(connection, "noise"), "after the noise");
    assert.equal(await callText(connection, "pieces"), "ä€😀");
    await isUsable(connection);
    assert.deepEqual(told.diagnostics.map((text) => text.slice('MCP server "test": '.length)), [
      "skipped a line of its output that is no message: Welcome to the server",
      "skipped JSON that is no message of the protocol",
      "skipped JSON that is no message of the protocol",
      "skipped JSON that is no message of the protocol",
      "skipped a line of its output that is no message: ��",
      "skipped a line of its output of more than 1 MB",
    ]);
  }, scene);
});

Deno.test("connectMcpServer() refuses a message that is too large for its own call alone", async () => {
  await withConnection(hostileServer("good"), async (connection) => {
    const huge = failureOf(connection.callTool("huge", { value: 50_000_000 }, NO_LIMIT));
    const [error, text] = await Promise.all([
      huge,
      callText(connection, "echo", { value: "beside it" }),
    ]);
    assert.equal(error.code, "too_large");
    assert.equal(text, "beside it");
    await isUsable(connection);
  });
});

Deno.test("connectMcpServer() takes a line that never ends without keeping it", async () => {
  await withConnection(hostileServer("good"), async (connection) => {
    const stop = new AbortController();
    const before = Deno.memoryUsage().rss;
    const marker = await Deno.makeTempFile();
    const call = failureOf(
      connection.callTool("endless_line", { value: marker }, { signal: stop.signal }),
    );
    // All that it writes has been taken by then, but for what a pipe holds.
    while (await Deno.readTextFile(marker) !== "written") {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await Deno.remove(marker);
    // Its answer is a part of the line.
    const echo = failureOf(connection.callTool("echo", { value: 1 }, { signal: stop.signal }));
    stop.abort();
    assert.deepEqual([(await call).code, (await echo).code], ["cancelled", "cancelled"]);
    assert(Deno.memoryUsage().rss - before < 150 * 1024 * 1024);
  }, { limits: SMALL });
});

Deno.test("connectMcpServer() fails a call within a second of the death of the server", async () => {
  for (const [tool, reason] of [["die", "ended with exit code 3"], ["kill", "ended by SIGKILL"]]) {
    const settings = hostileServer("good", { env: { KEY: "secret-of-the-server" } });
    await withConnection(settings, async (connection) => {
      const slow = failureOf(connection.callTool("slow", {}, NO_LIMIT));
      const startedAt = performance.now();
      const error = await failureOf(connection.callTool(String(tool), {}, NO_LIMIT));
      assert(performance.now() - startedAt < 1_000);
      assert.equal(error.code, "closed");
      assert.match(error.message, new RegExp(String(reason)));
      assert.equal((await slow).code, "closed");
      const closed = await connection.closed;
      if (tool === "die") {
        assert.match(error.message, /fatal: \\x1b\[2Jout of luck, \[redacted\]/);
        assert.equal(closed.errorTail, "fatal: \\x1b[2Jout of luck, [redacted]");
      }
      assert.equal((await failureOf(connection.listTools(NO_LIMIT))).code, "closed");
    });
  }
});

/** A server that shakes hands, and then does something else than serve. */
function shellServer(after: string): McpServerSettings {
  const info = '{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{}}';
  const script = `read -r line; echo '{"jsonrpc":"2.0","id":0,"result":${info}}'; ${after}`;
  return serverSettings({ command: "/bin/sh", args: ["-c", script] });
}

Deno.test("connectMcpServer() ends a connection whose server closes a stream", async () => {
  const rows = [
    ["read -r line; read -r line; exec 1>&-; exec sleep 600", "closed its output"],
    ["exec 0<&-; exec sleep 600", "closed its input"],
  ] as const;
  for (const [after, reason] of rows) {
    await withConnection(shellServer(after), async (connection) => {
      const error = await failureOf(connection.callTool("any", {}, NO_LIMIT));
      assert.deepEqual([error.code, (await connection.closed).reason], [
        "closed",
        `MCP server "test" ${reason}`,
      ]);
    });
  }
});

Deno.test("connectMcpServer() takes no answer for another one", async () => {
  await withConnection(hostileServer("good"), async (connection, told) => {
    assert.equal(await callText(connection, "twice"), "first");
    assert.equal(await callText(connection, "unknown"), "mine");
    await isUsable(connection);
    assert.equal(told.diagnostics.length, 3);
    const malformed = await failureOf(connection.callTool("malformed", {}, NO_LIMIT));
    assert.equal(malformed.code, "refused");
    const refused = await failureOf(connection.callTool("error", {}, NO_LIMIT));
    assert.equal(
      refused.message,
      'Cannot call tool "error" of MCP server "test": the server answered with error -32000: Boom ' +
        "\\x1b[31m secret-of-the-server",
    );
  });
});

Deno.test("connectMcpServer() cancels one call and leaves the others alone", async () => {
  await withConnection(hostileServer("good"), async (connection) => {
    const stop = new AbortController();
    const slow = failureOf(connection.callTool("slow", {}, { signal: stop.signal }));
    await isUsable(connection);
    stop.abort();
    assert.equal((await slow).code, "cancelled");
    const [id] = JSON.parse(await callText(connection, "cancelled"));
    assert.equal(typeof id, "number");
    // The server answers what was cancelled all the same, and nobody takes it.
    assert.equal(await callText(connection, "answer_slow"), "answered");
    await isUsable(connection);
  });
});

Deno.test("connectMcpServer() lets no call go on without news, nor for ever with them", async () => {
  const settings = hostileServer("good", { callTimeoutMs: 1_000 });
  await withConnection(settings, async (connection) => {
    const late = await failureOf(connection.callTool("slow", {}, NO_LIMIT));
    assert.equal(late.code, "timeout");
    const seen: (string | undefined)[] = [];
    const result = await connection.callTool("progress", { steps: 5, everyMs: 300 }, {
      ...NO_LIMIT,
      onProgress: ({ message }) => seen.push(message),
    });
    assert.equal(textOf(result), "done");
    assert.deepEqual(seen.at(-1), "step 5");
    const endless = { steps: 1_000, everyMs: 100 };
    const error = await failureOf(connection.callTool("progress", endless, NO_LIMIT));
    assert.match(error.message, /longer than 4 seconds in all/);
    await isUsable(connection);
  }, { limits: { ...SMALL, totalFactor: 4 } });
});

Deno.test("connectMcpServer() survives a flood of notifications and of requests", async () => {
  await withConnection(hostileServer("good"), async (connection, told) => {
    assert.equal(await callText(connection, "flood"), "flooded");
    assert.equal(await callText(connection, "requests"), "asked");
    await isUsable(connection);
    assert(told.diagnostics.length <= 13, String(told.diagnostics.length));
    assert(told.changes.length >= 1 && told.changes.length < 500, String(told.changes.length));
  });
});

Deno.test("connectMcpServer() answers what a server may ask, and refuses the rest", async () => {
  await withConnection(hostileServer("good"), async (connection) => {
    const ask = async (method: string) =>
      JSON.parse(await callText(connection, "ask", { value: method }));
    assert.deepEqual((await ask("ping")).result, {});
    const { roots: [root] } = (await ask("roots/list")).result;
    assert.match(root.uri, /^file:\/\/\/.*alisio-test-/);
    assert.equal((await ask("sampling/createMessage")).error.code, -32_601);
    assert.equal((await ask("__proto__")).error.code, -32_601);
  });
});

Deno.test("connectMcpServer() reads all pages of a list, and stops where they never end", async () => {
  await withConnection(hostileServer("pages"), async (connection) => {
    const { entries, faults } = await connection.listTools(NO_LIMIT);
    assert.deepEqual([entries.length, faults], [10, []]);
  });
  await withConnection(hostileServer("circle"), async (connection) => {
    const { entries, faults } = await connection.listTools(NO_LIMIT);
    assert.deepEqual([entries.length, faults], [2, [
      "The list of tools was cut short: the server goes round in a circle",
      "2 of the tools were listed twice",
    ]]);
  });
  await withConnection(hostileServer("endless"), async (connection) => {
    const { entries, faults } = await connection.listTools(NO_LIMIT);
    assert.deepEqual([entries.length, faults], [100, [
      "The list of tools was cut short: it has more than 100 pages",
    ]]);
  });
});

Deno.test("connectMcpServer() leaves out invalid entries and keeps the others", async () => {
  await withConnection(hostileServer("invalid"), async (connection) => {
    const { entries, faults } = await connection.listTools(NO_LIMIT);
    assert.deepEqual(entries.map(({ name }) => name), ["echo", "slow", "bare"]);
    assert.deepEqual(entries[2], { name: "bare", inputSchema: {} });
    assert.deepEqual(faults, [
      "Tool 3 was left out: it has no name",
      'Tool "listed" was left out: its inputSchema is no object',
    ]);
  });
});

Deno.test("connectMcpServer() gives a program its own environment and nothing else", async () => {
  const settings = hostileServer("good", {
    envAllow: ["ALISIO_TEST_PASSED"],
    env: { OWN: "of this server", API_KEY: "a-key-of-the-server" },
  });
  const env = { ...Deno.env.toObject(), ALISIO_TEST_PASSED: "1", ALISIO_TEST_KEPT: "1" };
  await withConnection(settings, async (connection, told) => {
    const seen = JSON.parse(await callText(connection, "env"));
    assert.deepEqual(
      [seen.OWN, seen.API_KEY, seen.ALISIO_TEST_PASSED, seen.ALISIO_TEST_KEPT],
      ["of this server", "a-key-of-the-server", "1", undefined],
    );
    assert.deepEqual(told.hidden, ["a-key-of-the-server"]);
  }, { options: { env } });
});

Deno.test("connectMcpServer() ends the program and all that it started", async () => {
  await withTempDir(async (workspace) => {
    for (const mode of ["good", "stubborn"]) {
      const connection = await connect(hostileServer(mode), workspace);
      const pids = [await callText(connection, "pid"), await callText(connection, "child")];
      await connection.close();
      for (const pid of pids) await untilGone(Number(pid));
      assert.equal((await connection.closed).reason, 'MCP server "test" was closed');
    }
  });
});

Deno.test("connectMcpServer() says why there is no connection", async () => {
  const rows: readonly [Parameters<typeof connect>[0], McpError["code"], RegExp][] = [
    [serverSettings({ command: "no-such-program-here" }), "unreachable", /is not in PATH/],
    [serverSettings({ command: "./missing" }), "unreachable", /does not exist/],
    [hostileServer("exit"), "closed", /exit code 1; .*cannot open its database/],
    [hostileServer("refuse"), "refused", /error -32600: No \\x1b\[31mentry/],
    [hostileServer("future"), "protocol", /speaks version "2099-01-01"/],
    [hostileServer("never", { timeoutMs: 1_000 }), "timeout", /not ready within 1 seconds/],
  ];
  await withTempDir(async (workspace) => {
    for (const [settings, code, message] of rows) {
      const error = await failureOf(connect(settings, workspace));
      assert.equal(error.code, code, error.message);
      assert.match(error.message, message);
    }
    const stop = new AbortController();
    const cancelled = failureOf(
      connect(hostileServer("never"), workspace, { options: { signal: stop.signal } }),
    );
    stop.abort();
    assert.equal((await cancelled).code, "cancelled");
  });
});

Deno.test("connectMcpServer() bounds the instructions of a server", async () => {
  await withConnection(hostileServer("long"), (connection) => {
    assert((connection.instructions ?? "").length < 9_000);
    return Promise.resolve();
  });
});

Deno.test("connectMcpServer() puts questions of the server to the person, who takes their time", async () => {
  const settings = hostileServer("good", { callTimeoutMs: 1_000 });
  const ask: QuestionAsker = async ([question]) => {
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    return [{ header: question?.header ?? "", skipped: false, selected: ["Decline"] }];
  };
  await withConnection(settings, async (connection) => {
    const answer = JSON.parse(await callText(connection, "ask", { value: "elicitation/create" }));
    assert.deepEqual(answer.result, { action: "decline" });
  }, { options: { ask } });
  await withConnection(settings, async (connection) => {
    const answer = JSON.parse(await callText(connection, "ask", { value: "elicitation/create" }));
    assert.equal(answer.error.code, -32_601);
  });
});
