import assert from "node:assert/strict";
import { join } from "node:path";
import { dataOf, jsonLines, shown, withCli } from "../support/cli_harness.ts";
import { callTurn, startModel, toolResults } from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import { writeTree } from "../support/temp.ts";
import { sessionIds, useModel } from "./_support.ts";

/** A person's own profile for every run. */
const SUPERVISED = {
  riskProfiles: {
    careful: { level: "supervised", sandboxBackend: "none" },
    loose: { preset: "yolo" },
    quiet: { level: "readonly" },
  },
  agents: { build: { riskProfile: "careful" } },
};

Deno.test("alisio run keeps the programs of a model to the risk profile of the person", async () => {
  const calls = callTurn(
    ["shell", { command: "git --version && env" }],
    ["shell", { command: "git status" }],
    ["shell", { command: "rm -rf x" }],
    ["run_process", { command: "rm", args: ["-rf", "x"] }],
  );
  await using model = await startModel([calls, chatReply({ text: "Done" }), calls]);
  await withCli(async (cli) => {
    await writeTree(cli.workspace, { "x/keep": "" });
    const git = new Deno.Command("git", { args: ["init", "-q"], cwd: cli.workspace });
    assert.ok((await git.output()).success);
    await useModel(cli, model, SUPERVISED);
    const run = await cli.run(["run", "x", "--allow-process", "--json"]);
    assert.equal(run.status, 5, shown(run));
    const done = jsonLines(run).filter(({ type }) => type === "tool_completed")
      .map(({ data }) => [data["isError"], JSON.stringify(data["refused"] ?? "")]);
    assert.deepEqual(done.map(([isError]) => isError), [true, false, true, true], shown(run));
    for (const [, refused] of done.filter(([isError]) => isError)) {
      assert.match(String(refused), /risk-profile:command:list/);
    }
    assert.ok((await Deno.stat(join(cli.workspace, "x/keep"))).isFile);
    const told = JSON.stringify((await model.chat(1)).body);
    assert.match(told, /the command was not run: /);
    assert.doesNotMatch(told, /allowedCommands|riskProfiles|--allow|careful/);
    const said = await cli.run(["run", "x", "--allow-process"]);
    assert.match(
      said.stderr,
      /Refused "shell" \(risk-profile:command:list\): .*"riskProfiles\.careful\.allowedCommands"/,
    );
    assert.deepEqual(model.violations, []);
  });
});

Deno.test("alisio run passes on only the variables that a risk profile names", async () => {
  await using model = await startModel([callTurn(["shell", { command: "printenv" }])]);
  await withCli(async (cli) => {
    await useModel(cli, model, {
      riskProfiles: {
        p: { preset: "yolo", shellEnvPassthrough: ["NAMED_VARIABLE"], shellTimeoutSecs: 5 },
      },
    });
    const env = { NAMED_VARIABLE: "named-1", OTHER_VARIABLE: "other-1" };
    const args = ["run", "x", "--allow-process", "--risk-profile", "p"];
    const run = await cli.run(args, { env });
    assert.equal(run.status, 0, shown(run));
    const told = JSON.stringify((await model.chat(1)).body);
    assert.match(told, /NAMED_VARIABLE=named-1/);
    assert.doesNotMatch(told, /other-1/);
  });
});

Deno.test("alisio run shows neither the model nor the record a secret that a risk profile passes on", async () => {
  const secret = "hunter2/pass+word";
  const commands = [
    "printenv DEPLOY_PASSWORD PLAIN_VARIABLE; printenv DEPLOY_PASSWORD >&2",
    // More than a result holds, so that it goes into a file.
    "yes $DEPLOY_PASSWORD | head -n 20000",
    "printenv DEPLOY_PASSWORD > copy.txt",
  ];
  await using model = await startModel([
    ...commands.map((command) => callTurn(["shell", { command }])),
    callTurn(["read_file", { path: "copy.txt" }], ["search_text", { pattern: "hunter" }]),
  ]);
  await withCli(async (cli) => {
    const profile = { preset: "yolo", shellEnvPassthrough: ["DEPLOY_PASSWORD", "PLAIN_VARIABLE"] };
    await useModel(cli, model, { riskProfiles: { p: profile } });
    const env = { DEPLOY_PASSWORD: secret, PLAIN_VARIABLE: "plain-value-1" };
    const flags = ["--allow-process", "--allow-write", "--risk-profile", "p", "--json"];
    const run = await cli.run(["run", "x", ...flags], { env });
    assert.equal(run.status, 0, shown(run));
    // The program had it; the model has the other one alone.
    assert.equal(await Deno.readTextFile(join(cli.workspace, "copy.txt")), `${secret}\n`);
    const [first = "", ...rest] = toolResults(await model.chat(4));
    assert.match(first, /\[redacted\]\\nplain-value-1/);
    assert.match(rest.join(""), /\[redacted\]/);
    const shows = /hunter2|pass\+word|pass%2Bword/;
    for (const { body } of model.chats) assert.doesNotMatch(JSON.stringify(body), shows);
    assert.doesNotMatch(run.stdout + run.stderr, shows);
    const folders = [cli.stateHome, join(cli.workspace, ".alisio", "cache", "output")];
    for (const folder of folders) {
      const files = await Array.fromAsync(Deno.readDir(folder));
      assert.ok(files.some(({ isFile }) => isFile), folder);
      for (const { name } of files.filter(({ isFile }) => isFile)) {
        assert.doesNotMatch(await Deno.readTextFile(join(folder, name)), shows, name);
      }
    }
  });
});

Deno.test("alisio run counts the actions of earlier runs of the hour (row R37)", async () => {
  const write = (path: string) =>
    ["write_file", { path, content: "x", expectedHash: null }] as const;
  const turns = [
    callTurn(["list_files", {}], write("a"), write("b")),
    chatReply({ text: "Done" }),
    callTurn(["list_files", {}], write("c"), write("d")),
  ];
  await using model = await startModel(turns);
  await withCli(async (cli) => {
    await useModel(cli, model, {
      riskProfiles: { p: { maxActionsPerHour: 3, sandboxBackend: "none" } },
      agents: { build: { riskProfile: "p" } },
    });
    const first = await cli.run(["run", "x", "--allow-write"]);
    assert.equal(first.status, 0, shown(first));
    const second = await cli.run(["run", "x", "--allow-write", "--json"]);
    assert.equal(second.status, 5, shown(second));
    assert.equal(dataOf(second, "run_completed")["refusedCalls"], 1);
    assert.match(second.stdout, /"matched":"risk-profile:maxActionsPerHour"/);
    const files = (await Array.fromAsync(Deno.readDir(cli.workspace))).map(({ name }) => name);
    assert.deepEqual(files.toSorted(), ["a", "b", "c"]);
  });
});

Deno.test("alisio run changes nothing under a profile that only reads, behind both walls", async () => {
  const call = callTurn(["write_file", { path: "a", content: "a", expectedHash: null }], ["shell", {
    command: "ls",
  }]);
  await using model = await startModel([call]);
  await withCli(async (cli) => {
    await useModel(cli, model, SUPERVISED);
    const flags = ["--allow-write", "--allow-process", "--risk-profile", "quiet", "--json"];
    const run = await cli.run(["run", "x", ...flags]);
    assert.equal(run.status, 5, shown(run));
    const rules = jsonLines(run).filter(({ type }) => type === "tool_completed")
      .map(({ data }) => JSON.stringify(data["refused"] ?? ""));
    assert.equal(rules.length, 2, shown(run));
    for (const rule of rules) assert.match(rule, /risk-profile:level/, shown(run));
    await assert.rejects(Deno.stat(join(cli.workspace, "a")), Deno.errors.NotFound);
  });
});

Deno.test("alisio run keeps closed what a risk profile names through a link, behind both walls", async () => {
  const calls = callTurn(
    ["read_file", { path: "open/note" }],
    ["read_file", { path: "vault/key" }],
    ["shell", { command: "cat vault/key" }],
  );
  await using model = await startModel([calls]);
  await withCli(async (cli) => {
    await writeTree(cli.workspace, { "vault/key": "secret", "open/note": "note" });
    const link = join(cli.dir, "elsewhere");
    await Deno.symlink(join(cli.workspace, "vault"), link);
    await useModel(cli, model, { riskProfiles: { p: { level: "full", forbiddenPaths: [link] } } });
    const flags = ["--allow-process", "--risk-profile", "p", "--json"];
    const run = await cli.run(["run", "x", ...flags]);
    assert.equal(run.status, 5, shown(run));
    const rules = jsonLines(run).filter(({ type }) => type === "tool_completed")
      .map(({ data }) => /forbiddenPaths/.test(JSON.stringify(data["refused"] ?? "")));
    assert.deepEqual(rules, [false, true, true], shown(run));
  });
});

Deno.test("alisio run closes to its own process what a risk profile closes, and refuses it as before", async () => {
  await withCli(async (cli) => {
    const extra = join(cli.dir, "extra");
    const calls = callTurn(
      ["read_file", { path: "open/note" }],
      ["read_file", { path: "vault/key" }],
      ["read_file", { path: "named/key" }],
      ["read_file", { path: "same" }],
      ["read_file", { path: `${extra}/vault/key` }],
      ["read_file", { path: `${extra}/note` }],
      ["write_file", { path: "vault/new", content: "x", expectedHash: null }],
      ["search_text", { pattern: "word" }],
      ["search_text", { pattern: "word", path: extra }],
    );
    await using model = await startModel([calls]);
    await writeTree(cli.dir, {
      "work/vault/key": "word secret",
      "work/open/note": "word note",
      "work/shelf/key": "another secret",
      "work/shelf/open/note": "word note",
      "extra/vault/key": "word secret",
      "extra/note": "word note",
    });
    await Deno.symlink("vault", join(cli.workspace, "named"));
    await Deno.link(join(cli.workspace, "shelf/key"), join(cli.workspace, "same"));
    await useModel(cli, model, {
      riskProfiles: {
        p: {
          level: "full",
          forbiddenPaths: ["named", "shelf", "shelf/key", "../extra/vault"],
          allowedRoots: [
            { path: "shelf/open", access: "read-write" },
            { path: "../extra", access: "read-write" },
          ],
        },
      },
    });
    const flags = ["--allow-write", "--add-dir", "../extra", "--risk-profile", "p", "--json"];
    const doctor = await cli.run(["doctor", "--permissions", ...flags]);
    const closed = JSON.parse(doctor.stdout).permissions.flags
      .find((flag: string) => flag.startsWith("--deny-read="));
    assert.deepEqual(
      closed.slice("--deny-read=".length).split(",").toSorted(),
      ["extra/vault", "work/named", "work/shelf/key", "work/vault"].map((it) => join(cli.dir, it)),
    );
    const run = await cli.run(["run", "x", ...flags]);
    assert.equal(run.status, 5, shown(run));
    const rules = jsonLines(run).filter(({ type }) => type === "tool_completed")
      .map(({ data }) => {
        const matched = JSON.stringify(data["refused"] ?? "");
        return /forbiddenPaths/.test(matched) ? "closed" : data["isError"] ? matched : "ran";
      });
    const closedFour = ["closed", "closed", "closed", "closed"];
    assert.deepEqual(rules, ["ran", ...closedFour, "ran", "closed", "ran", "ran"], shown(run));
    const told = JSON.stringify((await model.chat(1)).body);
    assert.match(told, /word note/);
    assert.doesNotMatch(told, /secret/);
  });
});

Deno.test("alisio run lets a project choose only a stricter risk profile", async () => {
  await using model = await startModel();
  await withCli(async (cli) => {
    await useModel(cli, model, SUPERVISED);
    const project = (agents: unknown) =>
      writeTree(cli.workspace, { ".alisio/config.json": JSON.stringify({ agents }) });
    const profile = async (): Promise<unknown> => {
      const report = await cli.run(["doctor", "--trust-project", "--json"]);
      return JSON.parse(report.stdout).riskProfile;
    };
    const careful = { name: "careful", level: "supervised", source: "global" };
    await project({ build: { riskProfile: "loose" } });
    assert.deepEqual(await profile(), careful);
    const run = await cli.run(["run", "x", "--trust-project"]);
    assert.equal(run.status, 0, shown(run));
    assert.match(run.stderr, /Ignored risk profile "loose" of .*: it permits more than "careful"/);
    await project({ active: "other" });
    assert.deepEqual(await profile(), careful);
    await project({ build: { riskProfile: "quiet" } });
    assert.deepEqual(await profile(), { name: "quiet", level: "readonly", source: "project" });
  });
});

Deno.test("alisio run stops at a risk profile that it cannot keep", async () => {
  await using model = await startModel();
  await withCli(async (cli) => {
    await useModel(cli, model, {
      riskProfiles: { boxed: { sandboxBackend: "firejail" }, free: { sandboxEnabled: false } },
    });
    const unknown = await cli.run(["run", "x", "--risk-profile", "fre"]);
    assert.equal(unknown.status, 2, shown(unknown));
    assert.match(unknown.stderr, /names no risk profile, found "fre"; did you mean "free"\?/);
    const boxed = await cli.run(["run", "x", "--risk-profile", "boxed", "--allow-process"]);
    assert.equal(boxed.status, 2, shown(boxed));
    assert.match(boxed.stderr, /it asks for the sandbox "firejail"/);
    assert.deepEqual([model.requests, await sessionIds(cli)], [[], []]);
    const unboxed = await cli.run(["run", "x", "--risk-profile", "boxed"]);
    assert.equal(unboxed.status, 0, shown(unboxed));
    assert.doesNotMatch(unboxed.stderr, /sandbox/);
    const free = await cli.run(["run", "x", "--risk-profile", "free", "--allow-process"]);
    assert.equal(free.status, 0, shown(free));
    assert.doesNotMatch(free.stderr, /sandbox/);
    await useModel(cli, model, { riskProfiles: { free: { level: "read_only" } } });
    const wrong = await cli.run(["run", "x"]);
    assert.equal(wrong.status, 2, shown(wrong));
    assert.match(wrong.stderr, /"riskProfiles\.free\.level" must be /);
  });
});

Deno.test("alisio run says by which rule of a risk profile no program starts", async () => {
  const calls = callTurn(["run_process", { command: "git", args: ["status"] }]);
  await using model = await startModel([calls, chatReply({ text: "Done" }), calls]);
  await withCli(async (cli) => {
    await useModel(cli, model, SUPERVISED);
    for (
      const [args, rule] of [[[], /flags:process/], [
        ["--allow-process", "--risk-profile", "quiet"],
        /risk-profile:level/,
      ]] as const
    ) {
      const run = await cli.run(["run", "x", "--json", ...args]);
      const done = jsonLines(run).find(({ type }) => type === "tool_completed");
      assert.match(JSON.stringify(done?.data["refused"] ?? ""), rule, shown(run));
      assert.doesNotMatch(run.stdout, /--allow-read/);
    }
  });
});

Deno.test("alisio run changes nothing while an agent is active that only looks, behind both walls", async () => {
  const call = callTurn(
    ["write_file", { path: "a", content: "a", expectedHash: null }],
    ["shell", { command: "touch a" }],
    ["list_files", {}],
  );
  await using model = await startModel([call, chatReply({ text: "Done" }), call]);
  await withCli(async (cli) => {
    await useModel(cli, model, { agents: { active: "plan" } });
    const flags = ["--allow-write", "--allow-process"];
    const run = await cli.run(["run", "x", "--json", ...flags]);
    assert.equal(run.status, 5, shown(run));
    const rules = jsonLines(run).filter(({ type }) => type === "tool_completed")
      .map(({ data }) => JSON.stringify(data["refused"] ?? ""));
    assert.deepEqual(rules.map((rule) => /agent:read-only/.test(rule)), [true, true, false]);
    await assert.rejects(Deno.stat(join(cli.workspace, "a")), Deno.errors.NotFound);
    const offered = JSON.stringify((await model.chat(0)).json);
    assert.ok(!offered.includes('"name":"shell"') && offered.includes('"name":"list_files"'));
    assert.doesNotMatch(JSON.stringify((await model.chat(1)).json), /agents\.active/);
    const said = await cli.run(["run", "x", ...flags]);
    assert.match(said.stderr, /Refused "shell" \(agent:read-only\): .*with "agents\.active"/);
    const doctor = await cli.run(["doctor", "--json", ...flags]);
    const { write, run: programs } = JSON.parse(doctor.stdout).secondWall;
    assert.equal(programs.length, 2, shown(doctor));
    assert.ok(!write.includes(cli.workspace), shown(doctor));
  });
});

Deno.test("alisio run keeps to the tools of the active agent, and says that an agent is unknown", async () => {
  const call = callTurn(["list_files", {}], ["read_file", { path: "a" }]);
  await using model = await startModel([call]);
  await withCli(async (cli) => {
    await writeTree(cli.workspace, { a: "x" });
    const definition = { description: "d", prompt: "p", mode: "primary", tools: ["read_file"] };
    const builtinPlugins = { subagents: { agents: { narrow: definition } } };
    await useModel(cli, model, { agents: { active: "narrow" }, builtinPlugins });
    const run = await cli.run(["run", "x", "--json"]);
    assert.equal(run.status, 5, shown(run));
    assert.match(run.stdout, /"matched":"agent:tools"/);
    assert.equal(dataOf(run, "run_completed")["refusedCalls"], 1);
    await useModel(cli, model, { agents: { active: "plna" } });
    const unknown = await cli.run(["run", "x"]);
    assert.match(unknown.stderr, /There is no agent "plna".*did you mean "plan"\?/);
  });
});
