import assert from "node:assert/strict";
import { join } from "node:path";
import { McpServer } from "../../../core/mcp/mcp_server.ts";
import type { QuestionAsker } from "../../../core/tools/user_question.ts";
import { connectMcpServer } from "../../../tools/mcp/connect_mcp_server.ts";
import { withTempDir } from "../../support/temp.ts";
import { serverSettings, textOf } from "../../tools/mcp/_connect.ts";

/** Asks the person in every call, and says in its answer what they did. */
const SERVER = `
const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
const requestedSchema = { type: "object", properties: { sure: { type: "boolean" } } };
let call;
for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  for (const line of chunk.split("\\n").filter((each) => each !== "")) {
    const { id, method, params, result } = JSON.parse(line);
    if (method === "initialize") {
      const { protocolVersion } = params;
      const serverInfo = { name: "asker", version: "1" };
      send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
    } else if (method === "tools/list") {
      send({ id, result: { tools: [{ name: "ask", inputSchema: { type: "object" } }] } });
    } else if (method === "tools/call") {
      call = id;
      send({ id: "q", method: "elicitation/create", params: { message: "Sure?", requestedSchema } });
    } else if (id === "q") {
      send({ id: call, result: { content: [{ type: "text", text: result.action }] } });
    }
  }
}`;

async function callWith(ask: QuestionAsker): Promise<string> {
  return await withTempDir(async (workspace) => {
    const script = join(workspace, "asker.js");
    await Deno.writeTextFile(script, SERVER);
    const args = ["run", "--no-config", "--no-lock", script];
    const server = new McpServer({
      name: "asker",
      settings: serverSettings({ command: Deno.execPath(), args, callTimeoutMs: 400 }),
      connect: connectMcpServer,
      common: {
        workspace,
        roots: [workspace],
        env: Deno.env.toObject(),
        signInFolder: join(workspace, "sign-in"),
        ask,
        hideSecrets: () => {},
      },
      onChanged: () => {},
      notify: () => {},
    });
    try {
      const { signal } = new AbortController();
      await server.connect(signal);
      const tool = server.tools.find(({ name }) => name === "ask");
      assert(tool !== undefined);
      return textOf(await server.callTool(tool, {}, { signal }));
    } finally {
      await server.close();
    }
  });
}

Deno.test("McpServer ends no call while its person thinks about a question of the server", async () => {
  const said = await callWith(async ([question]) => {
    // More than the whole time that a call has without news.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return [{
      header: question?.header ?? "",
      skipped: false,
      selected: ["Decline, answer nothing"],
    }];
  });
  assert.equal(said, "decline");
});
