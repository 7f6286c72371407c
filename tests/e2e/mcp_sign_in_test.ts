import assert from "node:assert/strict";
import { jsonLines, shown, withCli } from "../support/cli_harness.ts";
import { callTurn, type ModelTurn, startModel, toolResults } from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import { useModel } from "./_support.ts";
import { startOAuthScene } from "../tools/mcp/_oauth_service.ts";

Deno.test("alisio mcp login signs in at a server, a run renews that behind the wall, logout ends it", async () => {
  await using scene = startOAuthScene();
  await using model = await startModel([callTurn(["mcp_cloud_echo", { value: "hello" }])]);
  await withCli(async (cli) => {
    await useModel(cli, model, { mcp: { servers: { cloud: { url: scene.server.url } } } });
    const doctor = () => cli.run(["mcp", "doctor", "cloud", "--allow-mcp"]);
    const before = await doctor();
    assert.equal(before.status, 1, shown(before));
    assert.match(before.stdout, /needs authentication\n.*sign in with: alisio mcp login cloud/);
    assert.deepEqual(scene.service.seen, [], "nothing signs in by itself");

    const login = cli.start(["mcp", "login", "cloud", "--json"], {
      env: { SSH_CONNECTION: "", SSH_CLIENT: "", SSH_TTY: "" },
    });
    let url = "";
    const readUrl = (text: string) => (url = /"auth_url","url":"([^"]+)"/.exec(text)?.[1] ?? "");
    await login.outputText({ test: (text) => readUrl(text) !== "" });
    await (await fetch(await scene.visit(url))).body?.cancel();
    const done = await login.ended;
    assert.equal(done.status, 0, shown(done));
    assert.equal(jsonLines(done).at(-1)?.type, "mcp_signed_in");
    const said = done.stdout + done.stderr;
    for (const token of scene.tokens) assert(!said.includes(token));

    const after = await doctor();
    assert.equal(after.status, 0, shown(after));
    assert.match(after.stdout, /^cloud: connected/);

    // The service forgets the token before its time, while it is elsewhere than the server.
    scene.expire();
    const run = await cli.run(["run", "x", "--json", "--allow-mcp"]);
    assert.equal(run.status, 0, shown(run));
    assert.equal(toolResults(await model.chat(1))[0], "echo hello");
    assert.equal(scene.forms.at(-1)?.form.get("grant_type"), "refresh_token");
    for (const token of scene.tokens) assert(!`${run.stdout}${run.stderr}`.includes(token));

    const logout = await cli.run(["mcp", "logout", "cloud"]);
    assert.match(logout.stdout, /Signed out of MCP server "cloud"; the service has revoked/);
    assert.equal((await doctor()).status, 1);
    const nobody = await cli.run(["mcp", "logout", "cloud"]);
    assert.match(nobody.stdout, /Nobody was signed in/);
  });
});

Deno.test("Two runs at once renew one sign-in once, and both go on with it", async () => {
  await using scene = startOAuthScene();
  await withCli(async (cli) => {
    // Which of the two runs asks first is up to the machine.
    const turn: ModelTurn = (request) =>
      toolResults(request).length === 0
        ? callTurn(["mcp_cloud_echo", { value: "hello" }])
        : chatReply({ text: "Done" });
    await using model = await startModel([turn, turn, turn, turn]);
    await useModel(cli, model, {
      mcp: { startupWaitMs: 30_000, servers: { cloud: { url: scene.server.url } } },
    });
    const login = cli.start(["mcp", "login", "cloud", "--json"], {
      env: { SSH_CONNECTION: "", SSH_CLIENT: "", SSH_TTY: "" },
    });
    let url = "";
    const readUrl = (text: string) => (url = /"auth_url","url":"([^"]+)"/.exec(text)?.[1] ?? "");
    await login.outputText({ test: (text) => readUrl(text) !== "" });
    await (await fetch(await scene.visit(url))).body?.cancel();
    assert.equal((await login.ended).status, 0);
    scene.expire();
    const runs = await Promise.all(
      [0, 1].map(() => cli.run(["run", "x", "--json", "--allow-mcp"])),
    );
    for (const run of runs) {
      assert.equal(run.status, 0, shown(run));
      assert.doesNotMatch(run.stderr, /sign in|sign-in/);
    }
    const renewals = scene.forms.filter(({ form }) => form.get("grant_type") === "refresh_token");
    assert.equal(renewals.length, 1);
    const results = model.chats.flatMap((chat) => toolResults(chat));
    assert.deepEqual(results, ["echo hello", "echo hello"]);
  });
});

Deno.test("alisio mcp login refuses what cannot be signed in at", async () => {
  await withCli(async (cli) => {
    await cli.configure({
      mcp: {
        servers: {
          program: { command: "cat" },
          token: { url: "https://token.example/mcp", bearerTokenEnv: "TOKEN" },
        },
      },
    });
    const rows: readonly (readonly [readonly string[], RegExp])[] = [
      [["login"], /Server is missing: write alisio mcp login <server>/],
      [["login", "tokn"], /did you mean "token"/],
      [["login", "program"], /it is a program/],
      [["login", "token"], /bearerTokenEnv/],
      [["login", "token", "--read-only"], /--read-only/],
      [["login", "token", "more"], /Unexpected argument "more"/],
      [["logout", "program"], /it is a program/],
    ];
    for (const [args, reason] of rows) {
      const result = await cli.run(["mcp", ...args]);
      assert.notEqual(result.status, 0, shown(result));
      assert.match(result.stderr, reason);
    }
  });
});
