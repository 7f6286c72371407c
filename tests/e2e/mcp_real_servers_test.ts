import assert from "node:assert/strict";
import { join } from "node:path";
import { shown, withCli } from "../support/cli_harness.ts";
import { callTurn, startModel, toolResults } from "../support/scripted_model.ts";
import { offeredServerTools } from "./_mcp.ts";
import { canRun, useModel } from "./_support.ts";

/** Where `.ci/run` installs the servers. */
const FOLDER = Deno.env.get("ALISIO_TEST_MCP_SERVERS") ?? "";
const isThere = FOLDER !== "" && await canRun(["node", "--version"]);

function server(name: string, args: readonly string[] = []): Readonly<Record<string, unknown>> {
  const main = join(FOLDER, "node_modules", "@modelcontextprotocol", `server-${name}`, "dist");
  return { command: "node", args: [join(main, "index.js"), ...args] };
}

Deno.test({
  name: "alisio run uses servers of npm that many people use",
  ignore: !isThere,
  async fn() {
    await using model = await startModel((self) => [
      callTurn(
        ["mcp_everything_echo", { message: "hello" }],
        ["mcp_everything_get-sum", { a: 20, b: 22 }],
        ["mcp_everything_get-tiny-image", {}],
        ["mcp_files_read_text_file", { path: "note.txt" }],
        ["mcp_memory_create_entities", {
          entities: [{ name: "Ada", entityType: "person", observations: ["writes programs"] }],
        }],
        ["mcp_memory_search_nodes", { query: "Ada" }],
        ["mcp_thinking_sequentialthinking", {
          thought: "one step",
          nextThoughtNeeded: false,
          thoughtNumber: 1,
          totalThoughts: 1,
        }],
        ["mcp_resource", { server: "everything" }],
        ["mcp_prompt", { server: "everything" }],
        ["mcp_files_read_text_file", { path: `${self.baseUrl}/../../etc/passwd` }],
      ),
    ]);
    await withCli(async (cli) => {
      await Deno.writeTextFile(join(cli.workspace, "note.txt"), "what is in the note");
      await useModel(cli, model, {
        mcp: {
          startupWaitMs: 30_000,
          maxToolChars: 200_000,
          servers: {
            everything: server("everything"),
            files: server("filesystem", [cli.workspace]),
            memory: {
              ...server("memory"),
              env: { MEMORY_FILE_PATH: join(cli.dir, "memory.json") },
            },
            thinking: server("sequential-thinking"),
          },
        },
      });
      const run = await cli.run(["run", "x", "--json", "--allow-mcp"]);
      assert.equal(run.status, 0, shown(run));
      assert.deepEqual(model.violations, []);
      assert.ok(offeredServerTools(await model.chat(0)).length > 30);
      const request = await model.chat(1);
      const results = toolResults(request);
      const expected = [
        /Echo: hello/,
        /42/,
        /image/,
        /what is in the note/,
        /Ada/,
        /writes programs/,
        /thoughtNumber/,
        /"resources":\[/,
        /"prompts":\[/,
        /denied|outside|ENOENT/i,
      ];
      for (const [index, pattern] of expected.entries()) {
        assert.match(results[index] ?? "", pattern);
      }
      assert.doesNotMatch(JSON.stringify(request.json), /iVBORw0KGgo[\w+/=]{500}/);
    });
  },
});
