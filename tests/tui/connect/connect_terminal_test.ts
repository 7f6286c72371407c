import assert from "node:assert/strict";
import { join } from "node:path";
import { withCli } from "../../support/cli_harness.ts";
import { HAS_TMUX, startTmux, type TmuxTerminal } from "../../support/tmux.ts";

const KEY = "key-of-the-test-0000";

/** A server that wants a key, lists two models and answers whatever it is asked. */
async function withServer(fn: (address: string) => Promise<void>): Promise<void> {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    if (request.headers.get("authorization") !== `Bearer ${KEY}`) {
      return Response.json({ error: { message: "wrong key" } }, { status: 401 });
    }
    if (new URL(request.url).pathname === "/v1/models") {
      return Response.json({ data: [{ id: "alpha", context_window: 9_000 }, { id: "beta" }] });
    }
    const delta = { choices: [{ index: 0, delta: { content: "Hello from the test" } }] };
    const end = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
    const events = [JSON.stringify(delta), JSON.stringify(end), "[DONE]"];
    return new Response(events.map((data) => `data: ${data}\n\n`).join(""), {
      headers: { "content-type": "text/event-stream" },
    });
  });
  try {
    await fn(`http://127.0.0.1:${server.addr.port}/v1`);
  } finally {
    await server.shutdown();
  }
}

/** Types a command, leaves the menu that opens, and sends it. */
async function command(tmux: TmuxTerminal, line: string): Promise<void> {
  await tmux.type(line);
  await tmux.settled();
  await tmux.press("Escape");
  await tmux.settled();
  await tmux.press("Enter");
}

for (const columns of [80, 40]) {
  Deno.test({
    name:
      `Whoever opens Alisio for the first time connects a server and talks to it, ${columns} wide`,
    ignore: !HAS_TMUX,
    fn: async () => {
      await withServer(async (address) =>
        await withCli(async (cli) => {
          await using tmux = await startTmux(cli, { columns, rows: 24 });
          await tmux.sees(/Welcome\. Alisio needs a model[\s\S]*Which provider\?/);
          await tmux.type("compatible");
          await tmux.press("Enter");
          await tmux.sees(/Base URL[\s\S]*API key/);
          await tmux.paste(`"${address}/chat/completions"`);
          await tmux.settled();
          await tmux.press("Enter");
          await tmux.sees(/Leave it empty to name a/);
          await tmux.paste(KEY);
          const form = await tmux.sees(/API key .*\*{8}/);
          assert.ok(!form.includes(KEY), form);
          await tmux.settled();
          await tmux.press("C-s");
          await tmux.sees(/Which model\?[\s\S]*alpha[\s\S]*beta/);
          await tmux.press("Enter");
          await tmux.sees(/New sessions use\s+local-\d+\/alpha/);
          await tmux.type("Hi");
          await tmux.press("Enter");
          await tmux.sees(/Hello from the test/);
          await command(tmux, "/model");
          await tmux.sees(/Model of new sessions[\s\S]*\* alpha[\s\S]*beta/);
          await tmux.press("Down", "Enter");
          await tmux.sees(/New sessions use\s+local-\d+\/beta/);
          await tmux.press("C-d");
          assert.equal(await tmux.ended(), 0);
          const saved = JSON.parse(await Deno.readTextFile(join(cli.configHome, "providers.json")));
          assert.equal(saved.active.model, "beta");
          assert.ok(!(await tmux.history()).includes(KEY));
        })
      );
    },
  });
}

Deno.test({
  name: "A person who does not want to connect a provider yet gets to the prompt with Esc",
  ignore: !HAS_TMUX,
  fn: async () => {
    await withCli(async (cli) => {
      await using tmux = await startTmux(cli);
      await tmux.sees(/Which provider\?/);
      await tmux.press("Escape");
      await tmux.sees(/\/connect begins anew/);
      await tmux.type("Hi there");
      await tmux.settled();
      await tmux.press("Enter");
      await tmux.sees(/No model is connected yet: \/connect chooses one[^]*\n › Hi there\n/);
      await tmux.press("C-c");
      await tmux.seesNo(/\n › Hi there\n/);
      await command(tmux, "/connect");
      await tmux.sees(/Which provider\?/);
      await tmux.press("Escape");
      await tmux.seesNo(/Which provider\?/);
      await tmux.press("C-d");
      assert.equal(await tmux.ended(), 0);
    });
  },
});
