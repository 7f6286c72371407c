import assert from "node:assert/strict";
import { McpError } from "../../../core/mcp/mcp_connection.ts";
import type { McpServer } from "../../../core/mcp/mcp_server.ts";
import { textOf } from "../../tools/mcp/_connect.ts";
import { FREE, withServer } from "./_server.ts";

function toolOf(server: McpServer, name: string) {
  const tool = server.tools.find((each) => each.name === name);
  assert.ok(tool !== undefined, `there is no ${name}`);
  return tool;
}

async function call(server: McpServer, name: string, value = ""): Promise<string> {
  return textOf(await server.callTool(toolOf(server, name), { value }, FREE));
}

function isError(code: McpError["code"], message: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof McpError && error.code === code && message.test(error.message);
}

Deno.test("McpServer connects once for all who ask at the same time", async () => {
  await withServer({}, async ({ server, states }) => {
    const [first, second] = await Promise.all([
      server.connect(FREE.signal),
      server.connect(FREE.signal),
    ]);
    assert.equal(first, second);
    assert.equal(await server.connect(FREE.signal), first);
    const entered = states.filter((state, index) => state !== states[index - 1]);
    assert.deepEqual(entered, ["connecting", "connected"]);
    assert.equal(server.status().state, "connected");
    assert.equal(server.status().serverName, "small");
    assert.deepEqual(server.tools.map(({ name }) => name), ["echo", "change", "die", "slow"]);
  });
});

Deno.test("McpServer lets whoever gives up end their own wait alone", async () => {
  await withServer({ behaviour: (folder) => ({ waitFor: `${folder}/go` }) }, async (scene) => {
    const { server, folder } = scene;
    const impatient = new AbortController();
    const given = server.connect(impatient.signal);
    const patient = server.connect(FREE.signal);
    impatient.abort(new Error("no time"));
    await assert.rejects(given, /no time/);
    assert.equal(server.status().state, "connecting");
    await Deno.writeTextFile(`${folder}/go`, "");
    await patient;
    assert.equal(server.status().state, "connected");
  });
});

Deno.test("McpServer stops connecting when it is disconnected, and connects again afterwards", async () => {
  await withServer({ behaviour: (folder) => ({ waitFor: `${folder}/go` }) }, async (scene) => {
    const { server, folder } = scene;
    const connecting = server.connect(FREE.signal);
    await server.disconnect();
    await assert.rejects(connecting, isError("cancelled", /was disconnected/));
    assert.equal(server.status().state, "disconnected");
    await Deno.writeTextFile(`${folder}/go`, "");
    await server.connect(FREE.signal);
    assert.equal(server.status().state, "connected");
  });
});

Deno.test("McpServer keeps the tools of a server that died, and calls nothing twice", async () => {
  await withServer({ backOffMs: 1 }, async ({ server }) => {
    await server.connect(FREE.signal);
    const before = await call(server, "echo", "a");
    await assert.rejects(call(server, "die"), isError("closed", /ended|exit code 3/));
    assert.equal(server.status().state, "failed");
    assert.match(server.status().errorTail ?? "", /out of luck/);
    assert.equal(server.tools.length, 4);
    const after = await call(server, "echo", "b");
    assert.match(after, /^echo: b/);
    const pidOf = (text: string) => /pid (\d+)/.exec(text)?.[1];
    assert.notEqual(pidOf(after), pidOf(before));
    assert.equal(server.status().state, "connected");
    assert.equal(server.status().errorTail, undefined);
  });
});

Deno.test("McpServer waits longer after each failure, and not for a person", async () => {
  const settings = { command: Deno.execPath(), args: ["eval", "Deno.exit(3)"] };
  await withServer({ settings, backOffMs: 20_000 }, async ({ server }) => {
    await assert.rejects(server.connect(FREE.signal), isError("closed", /exit code 3|ended/));
    await assert.rejects(
      server.connect(FREE.signal),
      isError("unreachable", /it failed 1 times.*try again in (?:20|19) s/),
    );
    await assert.rejects(
      server.connect(FREE.signal, "none"),
      isError("closed", /exit code 3|ended/),
    );
  });
});

Deno.test("McpServer starts nothing any more for who waits while it is switched off", async () => {
  const settings = { command: Deno.execPath(), args: ["eval", "Deno.exit(3)"] };
  await withServer({ settings, backOffMs: 1_000 }, async ({ server, states }) => {
    await assert.rejects(server.connect(FREE.signal), isError("closed", /exit code 3|ended/));
    const waiting = server.connect(FREE.signal);
    await server.setEnabled(false);
    states.length = 0;
    await assert.rejects(waiting, isError("cancelled", /was disconnected/));
    assert.deepEqual([server.status().state, states], ["disabled", []]);
  });
});

Deno.test("McpServer runs no call that was made for another form of a tool", async () => {
  await withServer({}, async ({ server }) => {
    await server.connect(FREE.signal);
    const stale = toolOf(server, "echo");
    await call(server, "change");
    await assert.rejects(
      server.callTool(stale, { value: "a" }, FREE),
      isError("refused", /^Not run: .*changed this tool/),
    );
    assert.match(await call(server, "echo", "b"), /^echo: b \(version 2/);
  });
});

Deno.test("McpServer cancels a call without an answer, and goes on", async () => {
  await withServer({ settings: { callTimeoutMs: 1_000 } }, async ({ server }) => {
    await server.connect(FREE.signal);
    const before = await call(server, "echo", "a");
    await assert.rejects(
      call(server, "slow"),
      isError("timeout", /gave no answer and no news for 1 s/),
    );
    assert.equal(await call(server, "echo", "a"), before);
  });
});

Deno.test("McpServer is used by nobody while it is switched off", async () => {
  await withServer({ settings: { enabled: false } }, async ({ server }) => {
    assert.equal(server.status().state, "disabled");
    await assert.rejects(server.connect(FREE.signal), isError("refused", /switched off/));
    await server.setEnabled(true);
    await server.connect(FREE.signal);
    await server.setEnabled(false);
    assert.deepEqual([server.status().state, server.tools], ["disabled", []]);
    await assert.rejects(server.connect(FREE.signal), isError("refused", /switched off/));
  });
});

Deno.test("McpServer wants a restart only while it is connected with other settings", async () => {
  await withServer({}, async ({ server }) => {
    server.noteConfiguration("changed");
    assert.equal(server.status().state, "disconnected");
    await server.connect(FREE.signal);
    server.noteConfiguration("changed");
    assert.deepEqual([server.status().state, server.status().reason], ["needs_restart", "changed"]);
    assert.match(await call(server, "echo", "a"), /^echo: a/);
    server.noteConfiguration(undefined);
    assert.deepEqual([server.status().state, server.status().reason], ["connected", undefined]);
  });
});

Deno.test("McpServer shows no configured secret, whatever its server wrote (field case 117)", async () => {
  const secret = "sk-sentinel-0000000000";
  const options = {
    redact: (text: string) => text.replaceAll(secret, "[redacted]"),
    behaviour: () => ({ leaks: secret }),
    backOffMs: 1,
  };
  await withServer(options, async ({ server, notices }) => {
    await server.connect(FREE.signal);
    const shown = () =>
      JSON.stringify([server.status(), server.tools, server.instructions, notices]);
    assert.ok(shown().includes("[redacted]"));
    assert.ok(!shown().includes(secret), shown());
    await assert.rejects(call(server, "die"));
    assert.match(server.status().errorTail ?? "", /out of luck \[redacted\]/);
    assert.ok(!shown().includes(secret), shown());
  });
});
