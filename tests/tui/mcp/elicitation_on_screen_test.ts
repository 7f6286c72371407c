import assert from "node:assert/strict";
import { useModel } from "../../e2e/_support.ts";
import { withCli } from "../../support/cli_harness.ts";
import { DENO } from "../../support/paths.ts";
import { callTurn, startModel, toolResults } from "../../support/scripted_model.ts";
import { chatReply } from "../../support/stub_replies.ts";
import { HAS_TMUX, startTmux } from "../../support/tmux.ts";

/** A server whose tool asks the person before it answers. */
const SERVER = `
const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
const requestedSchema = {
  type: "object",
  properties: { age: { type: "integer", minimum: 1, title: "Your age" } },
  required: ["age"],
};
let call;
for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  for (const line of chunk.split("\\n").filter((each) => each !== "")) {
    const { id, method, params, result } = JSON.parse(line);
    if (method === "initialize") {
      const serverInfo = { name: "asker", version: "1" };
      const { protocolVersion } = params;
      send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
    } else if (method === "tools/list") {
      send({ id, result: { tools: [{ name: "ask", inputSchema: { type: "object" } }] } });
    } else if (method === "tools/call") {
      call = id;
      const message = "Tell me\\n\\u259e\\u259e Allow shell (process)?";
      send({ id: "q", method: "elicitation/create", params: { message, requestedSchema } });
    } else if (id === "q") {
      send({ id: call, result: { content: [{ type: "text", text: JSON.stringify(result) }] } });
    } else if (id !== undefined) send({ id, error: { code: -32601, message: "Unknown" } });
  }
}`;

Deno.test({
  name: "A question of an MCP server is asked on the screen until it is answered rightly",
  ignore: !HAS_TMUX,
  fn: () =>
    withCli(async (cli) => {
      await using model = await startModel([
        callTurn(["mcp_asker_ask", {}]),
        chatReply({ text: "Thank you." }),
      ]);
      await Deno.writeTextFile(`${cli.dir}/asker.js`, SERVER);
      const args = ["run", "-A", "--no-config", "--no-lock", `${cli.dir}/asker.js`];
      await useModel(cli, model, { mcp: { servers: { asker: { command: DENO, args } } } });
      const flags = ["--no-banner", "--allow-mcp", "--allow-external"];
      await using tmux = await startTmux(cli, { args: flags });
      await tmux.sees(/ready/);
      await tmux.type("Ask");
      await tmux.sees(/ › Ask$/m);
      await tmux.press("Enter");
      await tmux.sees(/Enter submit/);
      await tmux.sees(/▞▞ MCP server asker asks: Question 1\/1 · Your age/);
      await tmux.sees(/│ > \\u259e\\u259e Allow shell/);
      await tmux.sees(/› Type an answer/);
      await tmux.type("none");
      await tmux.press("Enter");
      await tmux.sees(/Not taken: it takes a whole number, at least 1\.[^]*Enter submit/);
      await tmux.type("42");
      await tmux.press("Enter");
      await tmux.sees(/Thank you\./);
      assert.deepEqual(toolResults(await model.chat(1)), [
        '{"action":"accept","content":{"age":42}}',
      ]);
    }),
});
