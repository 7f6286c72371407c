import assert from "node:assert/strict";
import { join } from "node:path";
import { shown, withCli } from "../support/cli_harness.ts";
import { freePort } from "../support/free_port.ts";
import { callTurn, startModel, toolResults } from "../support/scripted_model.ts";
import { writeTree } from "../support/temp.ts";
import { offeredServerTools } from "./_mcp.ts";
import { canRun, useModel } from "./_support.ts";

/** Where `.ci/run` installs the servers. */
const FOLDER = Deno.env.get("ALISIO_TEST_MCP_SERVERS") ?? "";
const isThere = FOLDER !== "" && await canRun(["node", "--version"]);

function program(path: string, args: readonly string[] = []): Readonly<Record<string, unknown>> {
  return { command: "node", args: [join(FOLDER, "node_modules", path), ...args] };
}

function server(name: string, args: readonly string[] = []): Readonly<Record<string, unknown>> {
  return program(`@modelcontextprotocol/server-${name}/dist/index.js`, args);
}

/** A server that answers over HTTP. */
interface HttpServer extends AsyncDisposable {
  readonly port: number;
}

/** Starts `server-everything` in one of its forms of HTTP, and waits until it listens. */
async function startEverything(form: "streamableHttp" | "sse"): Promise<HttpServer> {
  const { command, args } = server("everything", [form]);
  const port = freePort();
  const child = new Deno.Command(String(command), {
    args: args as string[],
    env: { PORT: String(port) },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const errors = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let said = "";
  while (!/port \d+/.test(said)) {
    const { done, value } = await errors.read();
    if (done) throw new Error(`It does not listen: ${said}`);
    said += value;
  }
  const draining = (async () => {
    while (!(await errors.read()).done);
  })();
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await Promise.all([child.status, draining]);
    },
  };
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

Deno.test({
  name: "alisio run uses servers of npm for browsers and a linter, with what they say without one",
  ignore: !isThere,
  async fn() {
    await withCli(async (cli) => {
      const file = join(cli.workspace, "a.js");
      await writeTree(cli.workspace, {
        "a.js": "const unused = 1;\n",
        "eslint.config.mjs": 'export default [{ rules: { "no-unused-vars": "error" } }];\n',
      });
      await using model = await startModel([
        callTurn(
          ["mcp_lint_lint-files", { filePaths: [file] }],
          ["mcp_play_browser_navigate", { url: "http://127.0.0.1:1/" }],
          ["mcp_chrome_list_pages", {}],
        ),
      ]);
      await useModel(cli, model, {
        mcp: {
          startupWaitMs: 30_000,
          maxToolChars: 400_000,
          servers: {
            lint: program("@eslint/mcp/src/mcp-cli.js"),
            play: program("@playwright/mcp/cli.js", ["--executable-path", "/nonexistent/browser"]),
            chrome: program("chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js", [
              "--executable-path=/nonexistent/browser",
            ]),
          },
        },
      });
      const run = await cli.run(["run", "x", "--json", "--allow-mcp"]);
      assert.equal(run.status, 0, shown(run));
      assert.deepEqual(model.violations, []);
      const offered = offeredServerTools(await model.chat(0));
      for (const prefix of ["mcp_play_browser_", "mcp_chrome_", "mcp_lint_"]) {
        assert.ok(offered.some((name) => name.startsWith(prefix)), prefix);
      }
      assert.ok(offered.length > 50, String(offered.length));
      const [lint = "", play = "", chrome = ""] = toolResults(await model.chat(1));
      assert.match(lint, /no-unused-vars/);
      assert.match(play, /\/nonexistent\/browser/);
      assert.match(chrome, /nonexistent|browser/i);
    });
  },
});

for (const [form, path] of [["streamableHttp", "mcp"], ["sse", "sse"]] as const) {
  Deno.test({
    name: `alisio run uses server-everything over HTTP, in the form ${form}`,
    ignore: !isThere,
    async fn() {
      await using everything = await startEverything(form);
      await using model = await startModel([
        callTurn(
          ["mcp_everything_echo", { message: "hello" }],
          ["mcp_everything_get-sum", { a: 20, b: 22 }],
          ["mcp_everything_get-tiny-image", {}],
          ["mcp_everything_get-structured-content", { location: "Chicago" }],
          ["mcp_everything_trigger-long-running-operation", { duration: 1, steps: 4 }],
          ["mcp_resource", { server: "everything" }],
          ["mcp_prompt", { server: "everything", name: "simple-prompt" }],
        ),
      ]);
      await withCli(async (cli) => {
        const url = `http://127.0.0.1:${everything.port}/${path}`;
        await useModel(cli, model, {
          mcp: {
            startupWaitMs: 30_000,
            maxToolChars: 200_000,
            servers: { everything: { url, ...form === "sse" ? { transport: "sse" } : {} } },
          },
        });
        const run = await cli.run(["run", "x", "--json", "--allow-mcp"]);
        assert.equal(run.status, 0, shown(run));
        assert.deepEqual(model.violations, []);
        const results = toolResults(await model.chat(1));
        const expected = [
          /Echo: hello/,
          /42/,
          /image/,
          /temperature/i,
          /completed/i,
          /"resources":\[/,
          /prompt/i,
        ];
        for (const [index, pattern] of expected.entries()) {
          assert.match(results[index] ?? "", pattern);
        }
      });
    },
  });
}
