import assert from "node:assert/strict";
import type { McpServerSettings } from "../../../core/config/configuration.ts";
import { withTempDir } from "../../support/temp.ts";
import {
  callText,
  connect,
  failureOf,
  NO_LIMIT,
  serverSettings,
  withConnection,
} from "./_connect.ts";
import {
  callsTool,
  event,
  eventStream,
  initializeResult,
  jsonAnswer,
  startHttpServer,
  textResult,
} from "./_http_server.ts";

function httpSettings(url: string, settings: Partial<McpServerSettings> = {}): McpServerSettings {
  return serverSettings({ transport: "http", url, callTimeoutMs: 10_000, ...settings });
}

Deno.test("connectMcpServer() speaks Streamable HTTP", async () => {
  await using server = startHttpServer(({ message }) => {
    if (message.method !== "tools/call" || message.params?.["name"] !== "stream") return;
    const { response, send, close } = eventStream();
    const { progressToken } = message.params["_meta"] as { progressToken: number };
    const params = { progressToken, progress: 1, message: "half" };
    send(event({ jsonrpc: "2.0", method: "notifications/progress", params }));
    send(event({ jsonrpc: "2.0", id: message.id, result: textResult("streamed") }));
    close();
    return response;
  });
  const env = { TEST_TOKEN: "a-token-of-the-person", TEST_TEAM: "blue" };
  const settings = httpSettings(server.url, {
    bearerTokenEnv: "TEST_TOKEN",
    headers: { "x-team": "${TEST_TEAM}-1" },
  });
  await withConnection(settings, async (connection, told) => {
    assert.equal(await callText(connection, "echo", { value: "hi" }), "echo hi");
    const progress: unknown[] = [];
    const onProgress = (each: unknown) => progress.push(each);
    await connection.callTool("stream", {}, { ...NO_LIMIT, onProgress });
    assert.deepEqual(progress, [{ progress: 1, message: "half" }]);
    assert.deepEqual(told.hidden, ["a-token-of-the-person", "blue"]);
  }, { options: { env } });
  const [first, ...others] = server.seen;
  assert.equal(first?.headers.get("mcp-session-id"), null);
  for (const { headers } of others) {
    assert.match(headers.get("mcp-session-id") ?? "", /^[0-9a-f-]{36}$/);
    assert.equal(headers.get("mcp-protocol-version"), "2025-06-18");
    assert.equal(headers.get("authorization"), "Bearer a-token-of-the-person");
    assert.equal(headers.get("x-team"), "blue-1");
  }
  assert.equal(server.seen.at(-1)?.method, "DELETE");
});

Deno.test("connectMcpServer() tells a server of one cancelled call and leaves others alone", async () => {
  const slow = eventStream();
  await using server = startHttpServer((seen) =>
    callsTool("slow")(seen) ? slow.response : undefined
  );
  await withConnection(httpSettings(server.url), async (connection) => {
    const stop = new AbortController();
    const cancelled = failureOf(connection.callTool("slow", {}, { signal: stop.signal }));
    const { message } = await server.until(callsTool("slow"));
    const other = callText(connection, "echo", { value: "beside it" });
    stop.abort();
    assert.equal((await cancelled).code, "cancelled");
    assert.equal(await other, "echo beside it");
    const told = await server.until((seen) => seen.message.method === "notifications/cancelled");
    assert.equal(told.message.params?.["requestId"], message.id);
    assert.equal(await callText(connection, "echo", { value: 2 }), "echo 2");
  });
});

Deno.test("connectMcpServer() fails what a restarted server forgot, and goes on with it", async () => {
  const slow = eventStream();
  const server = startHttpServer((seen) => callsTool("slow")(seen) ? slow.response : undefined);
  await withConnection(httpSettings(server.url), async (connection, told) => {
    const call = failureOf(connection.callTool("slow", {}, NO_LIMIT));
    await server.until(callsTool("slow"));
    const startedAt = performance.now();
    await server.stop();
    const broken = await call;
    assert(performance.now() - startedAt < 1_000);
    assert.deepEqual([broken.code, broken.message.split(": ")[1]], [
      "closed",
      "the connection broke before the answer came",
    ]);
    const gone = await failureOf(connection.callTool("echo", {}, NO_LIMIT));
    assert.deepEqual([gone.code, /the connection was refused/.test(gone.message)], [
      "unreachable",
      true,
    ]);
    await using again = startHttpServer(undefined, { port: server.port });
    assert.equal(await callText(connection, "echo", { value: "back" }), "echo back");
    const methods = again.seen.map(({ message }) => message.method);
    assert.deepEqual(methods.filter((method) => method === "initialize").length, 1);
    while (told.changes.length < 3) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.deepEqual(told.changes, ["tools", "resources", "prompts"]);
  });
});

Deno.test("connectMcpServer() begins a session that is over anew, once for all calls", async () => {
  let session = "one";
  await using server = startHttpServer(({ method, headers, message }) => {
    if (method !== "POST") return new Response(null, { status: 405 });
    if (message.method === "initialize") {
      return jsonAnswer(message.id, initializeResult("1"), { "mcp-session-id": session });
    }
    if (headers.get("mcp-session-id") !== session) return new Response(null, { status: 404 });
    return message.id === undefined
      ? new Response(null, { status: 202 })
      : jsonAnswer(message.id, textResult(session));
  });
  await withConnection(httpSettings(server.url), async (connection) => {
    session = "two";
    const texts = await Promise.all([1, 2, 3].map(() => callText(connection, "any")));
    assert.deepEqual(texts, ["two", "two", "two"]);
    const starts = server.seen.filter(({ message }) => message.method === "initialize");
    assert.equal(starts.length, 2);
  });
});

Deno.test("connectMcpServer() calls nothing at a server that was replaced", async () => {
  const server = startHttpServer();
  await withConnection(httpSettings(server.url), async (connection) => {
    await server.stop();
    await using other = startHttpServer(undefined, { port: server.port, version: "2" });
    const error = await failureOf(connection.callTool("echo", {}, NO_LIMIT));
    assert.match(error.message, /was replaced by another version/);
    assert.deepEqual(other.seen.filter(callsTool("echo")).length, 1, "the one that was refused");
    assert.match((await connection.closed).reason, /was closed/);
  });
});

Deno.test("connectMcpServer() says that a server needs a sign-in, and does not try on", async () => {
  const challenge = { "www-authenticate": 'Bearer realm="x"' };
  const refuse = () => new Response("no", { status: 401, headers: challenge });
  await using closed = startHttpServer(refuse);
  await using half = startHttpServer(({ message }) =>
    message.method === "tools/list" ? refuse() : undefined
  );
  await withTempDir(async (workspace) => {
    const error = await failureOf(connect(httpSettings(closed.url), workspace));
    assert.equal(error.code, "sign_in_needed");
    const env = { TEST_TOKEN: "a-token-of-the-person" };
    const settings = httpSettings(closed.url, { bearerTokenEnv: "TEST_TOKEN" });
    const wrong = await failureOf(connect(settings, workspace, { options: { env } }));
    assert.match(wrong.message, /does not accept the token of TEST_TOKEN/);
    const unset = await failureOf(connect(settings, workspace, { options: { env: {} } }));
    assert.equal(unset.code, "sign_in_needed");
    assert.match(unset.message, /TEST_TOKEN is not set/);
    const posts = closed.seen.filter(({ method }) => method === "POST");
    assert.equal(posts.length, 2);
  });
  await withConnection(httpSettings(half.url), async (connection) => {
    assert.equal((await failureOf(connection.listTools(NO_LIMIT))).code, "sign_in_needed");
    assert.equal(await callText(connection, "echo", { value: 1 }), "echo 1");
  });
});

Deno.test("connectMcpServer() follows no redirect to another origin, and sends it nothing", async () => {
  await using catcher = startHttpServer();
  for (const status of [301, 302, 303, 307, 308]) {
    await using server = startHttpServer(() =>
      new Response(null, { status, headers: { location: catcher.url } })
    );
    await withTempDir(async (workspace) => {
      const settings = httpSettings(server.url, { headers: { authorization: "${TOKEN}" } });
      const options = { env: { TOKEN: "a-token-of-the-person" } };
      const error = await failureOf(connect(settings, workspace, { options }));
      assert.match(error.message, /which is not followed/);
    });
  }
  assert.deepEqual(catcher.seen, []);
  await using moved = startHttpServer(({ path }) =>
    path === "/mcp" ? new Response(null, { status: 307, headers: { location: "/v2" } }) : undefined
  );
  await withConnection(httpSettings(moved.url), async (connection) => {
    assert.equal(await callText(connection, "echo", { value: 1 }), "echo 1");
  });
  await using circle = startHttpServer(() =>
    new Response(null, { status: 307, headers: { location: "/mcp" } })
  );
  await withTempDir(async (workspace) => {
    const error = await failureOf(connect(httpSettings(circle.url), workspace));
    assert.match(error.message, /leads on more than 3 times/);
  });
});

Deno.test("connectMcpServer() takes no answer above its limit", async () => {
  const piece = new TextEncoder().encode("x".repeat(65_536));
  const endless = (type: string, begin: string) => {
    let isBegun = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(isBegun ? piece : new TextEncoder().encode(begin));
        isBegun = true;
      },
    });
    return new Response(body, { headers: { "content-type": type } });
  };
  await using server = startHttpServer((seen) => {
    if (callsTool("json")(seen)) return endless("application/json", '{"jsonrpc":"');
    if (callsTool("event")(seen)) return endless("text/event-stream", "data: ");
    if (callsTool("field")(seen)) return endless("text/event-stream", "unknown: ");
    return undefined;
  });
  await withConnection(httpSettings(server.url), async (connection) => {
    for (const tool of ["json", "event", "field"]) {
      const error = await failureOf(connection.callTool(tool, {}, NO_LIMIT));
      assert.equal(error.code, "too_large", error.message);
    }
    assert.equal(await callText(connection, "echo", { value: 1 }), "echo 1");
  }, { limits: { maxMessageBytes: 1024 * 1024, totalFactor: 10 } });
});

Deno.test("connectMcpServer() takes up a stream that the server ended on purpose", async () => {
  await using server = startHttpServer((seen) => {
    if (callsTool("long")(seen)) {
      const { response, send, close } = eventStream();
      send("id: 7\nretry: 50\ndata:\n\n");
      close();
      return response;
    }
    if (seen.headers.get("last-event-id") !== "7") return undefined;
    const { message } = server.seen.find(callsTool("long")) ?? seen;
    return eventStream(event({ jsonrpc: "2.0", id: message.id, result: textResult("at last") }))
      .response;
  });
  await withConnection(httpSettings(server.url), async (connection) => {
    assert.equal(await callText(connection, "long"), "at last");
  });
});

Deno.test("connectMcpServer() fails a call whose answer never comes, with a reason", async () => {
  await using server = startHttpServer((seen) => {
    if (callsTool("accepted")(seen)) return new Response(null, { status: 202 });
    if (callsTool("page")(seen)) {
      return new Response("<html>", { headers: { "content-type": "text/html" } });
    }
    if (callsTool("other")(seen)) return jsonAnswer(999, textResult("for nobody"));
    if (callsTool("nothing")(seen)) {
      return new Response("", { headers: { "content-type": "application/json" } });
    }
    if (callsTool("ended")(seen)) {
      const { response, close } = eventStream();
      close();
      return response;
    }
    if (callsTool("busy")(seen)) {
      return Response.json({ error: { message: "Too \x1b[31mmany" } }, { status: 429 });
    }
    return undefined;
  });
  await withConnection(httpSettings(server.url), async (connection) => {
    const rows = [
      ["accepted", "protocol", /took the request without an answer/],
      ["page", "protocol", /content of another type/],
      ["other", "protocol", /sent no answer/],
      ["nothing", "protocol", /sent no answer/],
      ["ended", "closed", /ended before the answer came/],
      ["busy", "refused", /status 429: Too \\x1b\[31mmany/],
    ] as const;
    for (const [tool, code, message] of rows) {
      const error = await failureOf(connection.callTool(tool, {}, NO_LIMIT));
      assert.equal(error.code, code, error.message);
      assert.match(error.message, message);
    }
  });
});

Deno.test("connectMcpServer() hears what a server says of its own accord", async () => {
  const own = eventStream();
  await using server = startHttpServer(({ method }) => method === "GET" ? own.response : undefined);
  const changed = Promise.withResolvers<string>();
  await withConnection(httpSettings(server.url), async () => {
    await server.until(({ method }) => method === "GET");
    own.send(event({ jsonrpc: "2.0", method: "notifications/tools/list_changed" }));
    own.send("data: no message\n\n");
    own.send(event({ jsonrpc: "2.0", id: "p", method: "ping" }));
    assert.equal(await changed.promise, "tools");
    await server.until(({ message }) => String(message.id) === "p");
  }, { options: { onChanged: changed.resolve } });
});

Deno.test("connectMcpServer() speaks the form of HTTP before Streamable HTTP", async () => {
  const streams: ReturnType<typeof eventStream>[] = [];
  await using server = startHttpServer(({ method, path, message }) => {
    if (method === "GET") {
      const stream = eventStream("event: endpoint\ndata: /messages?session=1\n\n");
      streams.push(stream);
      return stream.response;
    }
    if (path !== "/messages") return new Response(null, { status: 405 });
    const send = (result: unknown) =>
      streams.at(-1)?.send(event({ jsonrpc: "2.0", id: message.id, result }, "event: message\n"));
    if (message.method === "initialize") send(initializeResult("1"));
    else if (callsTool("echo")({ message } as never)) send(textResult("old echo"));
    else if (callsTool("refused")({ message } as never)) return new Response(null, { status: 400 });
    return new Response("Accepted", { status: 202 });
  });
  for (const transport of ["http", "sse"] as const) {
    await withConnection(httpSettings(server.url, { transport }), async (connection) => {
      assert.equal(await callText(connection, "echo"), "old echo");
      const refused = await failureOf(connection.callTool("refused", {}, NO_LIMIT));
      assert.equal(refused.code, "refused");
      const slow = failureOf(connection.callTool("slow", {}, NO_LIMIT));
      await server.until(callsTool("slow"));
      streams.at(-1)?.close();
      assert.equal((await slow).code, "closed");
      assert.match((await connection.closed).reason, /ended the connection/);
    });
  }
});

Deno.test("connectMcpServer() sends no messages where a stream says, if that is another origin", async () => {
  await using catcher = startHttpServer();
  await using server = startHttpServer(({ method }) =>
    method === "GET"
      ? eventStream(`event: endpoint\ndata: ${catcher.url}\n\n`).response
      : new Response(null, { status: 404 })
  );
  await withTempDir(async (workspace) => {
    const settings = httpSettings(server.url, { transport: "sse" });
    assert.match(
      (await failureOf(connect(settings, workspace))).message,
      /which is not the server that was configured/,
    );
  });
  assert.deepEqual(catcher.seen, []);
});
