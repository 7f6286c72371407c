import assert from "node:assert/strict";
import { join } from "node:path";
import { pluginSource } from "../core/plugins/_plugin_files.ts";
import { type CliScene, dataOf, jsonLines, shown, withCli } from "../support/cli_harness.ts";
import { HAS_TERMINAL, IN_TERMINAL, Person } from "../support/person.ts";
import { callTurn, startModel, toolResults } from "../support/scripted_model.ts";
import { responsesReply } from "../support/stub_replies.ts";
import {
  jsonReply,
  type RecordedRequest,
  startStubServer,
  type StubServer,
} from "../support/stub_server.ts";
import { writeTree } from "../support/temp.ts";
import { useModel } from "./_support.ts";

const SEARCH = callTurn(["websearch", { query: "deno permissions" }]);

/** What stands in for an instance of SearXNG. */
async function startSearxng(): Promise<StubServer> {
  return await startStubServer(() =>
    jsonReply({
      query: "deno permissions",
      results: [{ title: "Permissions", url: "https://docs.example/perm", content: "All of them" }],
    })
  );
}

/** Names of the tools, or types of those that have none, that a request offers. */
function offered({ json }: RecordedRequest): readonly string[] {
  const { tools = [] } = json as {
    readonly tools?: readonly {
      readonly type: string;
      readonly name?: string;
      readonly function?: { readonly name: string };
    }[];
  };
  return tools.map(({ type, name, function: own }) => own?.name ?? name ?? type);
}

Deno.test("alisio run --allow-external searches the web behind the second wall", async () => {
  await using searxng = await startSearxng();
  await using model = await startModel([SEARCH]);
  await withCli(async (cli) => {
    await useModel(cli, model, { websearch: { searxngUrl: searxng.origin } });
    const run = await cli.run(["run", "hi", "--json", "--allow-external"]);
    assert.equal(run.status, 0, shown(run));
    const { name, effect } = dataOf(run, "tool_started");
    assert.deepEqual([name, effect], ["websearch", "external"]);
    assert.deepEqual(JSON.parse(toolResults(await model.chat(1))[0] ?? ""), {
      results: [{
        title: "Permissions",
        url: "https://docs.example/perm",
        snippet: "All of them",
      }],
      source: "searxng",
    });
    assert.equal(searxng.requests.length, 1);
  });
});

Deno.test("alisio run without a flag, read-only or as the planner has no search", async () => {
  await using searxng = await startSearxng();
  await withCli(async (cli) => {
    for (
      const [args, config] of [
        [[], {}],
        [["--allow-write", "--allow-process"], {}],
        [["--read-only", "--allow-external"], {}],
        [["--allow-external"], { agents: { active: "plan" } }],
      ] as const
    ) {
      await using model = await startModel([SEARCH]);
      await useModel(cli, model, { websearch: { searxngUrl: searxng.origin }, ...config });
      const run = await cli.run(["run", "hi", "--json", ...args]);
      assert.equal(run.status, 5, shown(run));
      assert.ok(!offered(await model.chat(0)).includes("websearch"), args.join(" "));
      assert.match(
        toolResults(await model.chat(1))[0] ?? "",
        /network|look and change nothing/,
        args.join(" "),
      );
    }
    assert.equal(searxng.requests.length, 0);
  });
});

Deno.test("alisio run shows no key of a search service, whatever goes wrong", async () => {
  const key = "tvly-0123456789abcdef";
  await using model = await startModel([SEARCH]);
  await withCli(async (cli) => {
    await useModel(cli, model, { websearch: { provider: "tavily", apiKeyEnv: "MY_SEARCH" } });
    const run = await cli.run(["run", "hi", "--json", "--allow-external"]);
    assert.equal(run.status, 0, shown(run));
    assert.match(toolResults(await model.chat(1))[0] ?? "", /the variable "MY_SEARCH" is not set/);
    const doctor = await cli.run(["doctor"], { env: { MY_SEARCH: key } });
    assert.match(doctor.stdout, /^Web search +tavily, variable "MY_SEARCH" is set$/m);
    const json = await cli.run(["doctor", "--json"], { env: { MY_SEARCH: key } });
    assert.doesNotMatch(doctor.stdout + doctor.stderr + json.stdout, new RegExp(key));
  });
});

Deno.test("A plugin searches in place of what is configured, and where it fails that searches", async () => {
  const offer = (body: string) =>
    pluginSource(
      "acme.search",
      `api.extensions.register("websearch", { id: "own", search: async (query) => { ${body} } });`,
    );
  await using searxng = await startSearxng();
  await withCli(async (cli) => {
    await writeTree(cli.dir, {
      "good.js": offer(
        `return [{ title: query, url: "https://own.example/", snippet: "mine" }];`,
      ),
      "throws.js": offer(`throw new Error("no wind");`),
      "hangs.js": offer("return await new Promise(() => {});"),
      "lies.js": offer(`return "nothing";`),
    });
    for (
      const [file, source, diagnostic] of [
        ["good.js", "acme.search/own", null],
        ["throws.js", "searxng", /^acme\.search\/own failed: no wind$/],
        ["hangs.js", "searxng", /^acme\.search\/own failed: it did not end within 300 ms$/],
        ["lies.js", "searxng", /^acme\.search\/own failed: it returned no list of results$/],
      ] as const
    ) {
      await using model = await startModel([SEARCH]);
      await useModel(cli, model, {
        websearch: { searxngUrl: searxng.origin },
        pluginHooks: { timeoutMs: 300 },
      });
      const plugin = ["--plugin", join(cli.dir, file)];
      const run = await cli.run(["run", "hi", "--json", "--allow-external", ...plugin]);
      assert.equal(run.status, 0, shown(run));
      const result = JSON.parse(toolResults(await model.chat(1))[0] ?? "");
      assert.equal(result.source, source, file);
      const failed = jsonLines(run).filter(({ type }) => type === "plugin_hook_failed");
      if (diagnostic === null) {
        assert.deepEqual(result.results, [
          { title: "deno permissions", url: "https://own.example/", snippet: "mine" },
        ]);
        assert.deepEqual([result.diagnostic, failed.length], [undefined, 0]);
        continue;
      }
      assert.match(result.diagnostic, diagnostic);
      const { source: plugged, hook, continued } = failed[0]?.data ?? {};
      assert.deepEqual([failed.length, plugged, hook, continued], [
        1,
        "acme.search",
        "websearch",
        true,
      ]);
    }
    assert.equal(searxng.requests.length, 3);
  });
});

/** A server of the Responses API, and what it was asked for answers. */
async function startResponses(): Promise<
  StubServer & { readonly asked: readonly RecordedRequest[] }
> {
  const asked: RecordedRequest[] = [];
  const server = await startStubServer((request) => {
    if (!request.path.endsWith("/responses")) return jsonReply({ data: [{ id: "stub" }] });
    asked.push(request);
    return responsesReply({ text: "Done" });
  });
  return Object.assign(server, { asked });
}

async function useNative(
  cli: CliScene,
  server: StubServer,
  rest: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await cli.configure({
    provider: { baseURL: server.baseUrl, model: "stub", apiMode: "responses", auth: "none" },
    websearch: { provider: "native", nativeToolType: "web_search_preview" },
    ...rest,
  });
}

Deno.test("With native the model's server searches, where everything external runs unasked", async () => {
  await using server = await startResponses();
  await withCli(async (cli) => {
    for (
      const [args, config, wanted] of [
        [["--allow-external"], {}, true],
        [[], {}, false],
        [["--allow-write", "--allow-process"], {}, false],
        [["--read-only", "--allow-external"], {}, false],
        [["--allow-external"], { agents: { active: "plan" } }, false],
      ] as const
    ) {
      await useNative(cli, server, config);
      const run = await cli.run(["run", "hi", "--json", ...args]);
      assert.equal(run.status, 0, shown(run));
      const tools = offered(server.asked.at(-1) ?? assert.fail("nothing was asked"));
      assert.equal(tools.includes("web_search_preview"), wanted, args.join(" "));
      assert.ok(!tools.includes("websearch"));
      // Nobody is left to wonder why there is no search; whoever wants no effects knows.
      const notices = run.stderr.split("The web is not searched in this run").length - 1;
      assert.equal(notices, wanted || args.includes("--read-only" as never) ? 0 : 1, run.stderr);
    }
  });
});

Deno.test("A plugin that searches takes the place of native too", async () => {
  await using server = await startResponses();
  await withCli(async (cli) => {
    await useNative(cli, server);
    await writeTree(cli.dir, {
      "own.js": pluginSource(
        "acme.search",
        `api.extensions.register("websearch", { id: "own", search: async () => [] });`,
      ),
    });
    const plugin = ["--plugin", join(cli.dir, "own.js")];
    const run = await cli.run(["run", "hi", "--allow-external", ...plugin]);
    assert.equal(run.status, 0, shown(run));
    const tools = offered(server.asked[0] ?? assert.fail("nothing was asked"));
    assert.deepEqual(
      tools.filter((name) => name.startsWith("web")).filter((name) => name !== "webfetch"),
      ["websearch"],
    );
  });
});

Deno.test("With native and another protocol a run ends before anything is asked or stored", async () => {
  await using model = await startModel();
  await withCli(async (cli) => {
    await useModel(cli, model, { websearch: { provider: "native" } });
    const run = await cli.run(["run", "hi", "--allow-external"]);
    assert.equal(run.status, 2, shown(run));
    assert.match(
      run.stderr,
      /"websearch\.provider": "native" .*"provider\.apiMode" to "responses"/,
    );
    assert.equal(model.chats.length, 0);
    const doctor = await cli.run(["doctor"]);
    assert.equal(doctor.status, 1);
    assert.match(doctor.stdout, /^Problem: Cannot use "websearch\.provider": "native"/m);
    const { stdout } = await cli.run(["sessions", "list"]);
    assert.doesNotMatch(stdout, /hi/);
  });
});

Deno.test({
  name: "A person is asked before a search, and permits it behind the second wall",
  ignore: !HAS_TERMINAL,
  fn: async () => {
    await using searxng = await startSearxng();
    await using model = await startModel([SEARCH]);
    await withCli(async (cli) => {
      await useModel(cli, model, { websearch: { searxngUrl: searxng.origin } });
      const person = new Person(cli.start(["--no-tui"], IN_TERMINAL));
      await person.atPrompt();
      await person.type("hi\r");
      await person.answer("y");
      await person.sees(/Done/);
      await person.atPrompt();
      await person.type("\x04");
      const result = await person.run.ended;
      assert.equal(result.status, 0, shown(result));
      assert.match(toolResults(await model.chat(1))[0] ?? "", /docs\.example/);
      assert.equal(searxng.requests.length, 1);
    });
  },
});
