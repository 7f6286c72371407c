import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { type CliScene, jsonLines, sessionOf, shown, withCli } from "../support/cli_harness.ts";
import { callTurn, messagesOf, startModel, toolResults } from "../support/scripted_model.ts";
import { writeTree } from "../support/temp.ts";
import { useModel } from "./_support.ts";

const IGNORE = Deno.build.os === "windows";
const WRITE = { path: "b.txt", content: "1", expectedHash: null };

/** Joined, so that scanners pass over this file. */
const KEY = `ghp_${"AbCdEfGhIj0123456789KlMnOpQrSt"}abcdef`;
const TOKEN = "an-ordinary-looking-value";

/** What the audit says, in the words that matter here. */
async function audit(
  cli: CliScene,
  ...args: readonly string[]
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const run = await cli.run(["audit", "--json", ...args]);
  assert.equal(run.status, 0, shown(run));
  return run.stdout.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}

function facts({ tool, outcome, rule, source, channel, summary }: Record<string, unknown>) {
  return [tool, outcome, rule, source, channel, summary];
}

Deno.test("alisio audit shows what a run was allowed and refused, and outlasts the session", async () => {
  await using model = await startModel([
    callTurn(["read_file", { path: "a.txt" }]),
    callTurn(["write_file", WRITE]),
  ]);
  await withCli(async (cli) => {
    await writeTree(cli.workspace, { "a.txt": "alpha\n" });
    await useModel(cli, model);
    const run = await cli.run(["run", "x", "--json"]);
    assert.equal(run.status, 5, shown(run));
    const session = sessionOf(run);
    const expected = [
      ["read_file", "allowed", "flags:read", "policy", "headless", "a.txt"],
      ["write_file", "blocked", "flags:write", "policy", "headless", "b.txt"],
    ];
    const rows = await audit(cli, "--session", session);
    assert.deepEqual(rows.map(facts), expected);
    const blocked = jsonLines(run).filter(({ type }) => type.startsWith("autonomy:"));
    assert.deepEqual(blocked.map(({ type, data }) => [type, data]), [["autonomy:blocked", {
      level: "WARN",
      id: rows[1]?.["callId"],
      tool: "write_file",
      path: "b.txt",
      channel: "headless",
      reason: rows[1]?.["reason"],
      rule: "flags:write",
    }]]);
    assert.equal((await cli.run(["sessions", "delete", session, "--yes"])).status, 0);
    assert.deepEqual(await audit(cli), rows);
    assert.deepEqual((await audit(cli, "--decision", "blocked")).map(facts), expected.slice(1));
    assert.deepEqual((await audit(cli, "--tool", "read_file")).map(facts), expected.slice(0, 1));
    assert.deepEqual(await audit(cli, "--since", "1h"), rows);

    const database = new DatabaseSync(join(cli.stateHome, "sessions.sqlite"));
    try {
      assert.throws(() => database.exec("DELETE FROM decisions"), /never deleted/);
      assert.throws(() => database.exec("UPDATE decisions SET rule = ''"), /never changed/);
    } finally {
      database.close();
    }
    const lines = (await cli.run(["audit"])).stdout;
    assert.match(lines, /^\d{4}-.* {2}allowed {2}read_file +flags:read +policy {2}a\.txt\n/);
  });
});

Deno.test({
  name: "alisio audit is read while a run writes, and after it was killed",
  ignore: IGNORE,
  fn: async () => {
    await using model = await startModel((server) => [
      callTurn(["read_file", { path: "a.txt" }]),
      callTurn(["shell", { command: `${server.report("busy")}; sleep 60` }]),
    ]);
    await withCli(async (cli) => {
      await writeTree(cli.workspace, { "a.txt": "alpha\n" });
      await useModel(cli, model);
      const run = cli.start(["run", "x", "--json", "--allow-process"]);
      await model.reported("busy");
      const names = async () => (await audit(cli)).map((row) => [row["tool"], row["outcome"]]);
      const expected = [["read_file", "allowed"], ["shell", "allowed"]];
      assert.deepEqual(await names(), expected);
      run.kill("SIGKILL");
      await run.ended;
      assert.deepEqual(await names(), expected);
    });
  },
});

Deno.test("R33: no secret of a call appears in the audit or in events", async () => {
  await using model = await startModel([
    callTurn(["read_file", { path: `${KEY}.txt` }]),
    callTurn(["write_file", { ...WRITE, path: `${TOKEN}/${KEY}` }]),
    callTurn(["shell", { command: `curl -H "X-Api-Key: hunter" --token hunter ${KEY} ${TOKEN}` }]),
    callTurn(["run_process", { command: "git", args: ["push", "--password", "hunter", TOKEN] }]),
  ]);
  await withCli(async (cli) => {
    await useModel(cli, model);
    const run = await cli.run(["run", "x", "--json"], { env: { DEPLOY_TOKEN: TOKEN } });
    assert.equal(run.status, 5, shown(run));
    const shownRows = await cli.run(["audit", "--json"]);
    assert.equal(jsonLines(shownRows).length, 4, shown(shownRows));
    for (
      const text of [run.stdout, run.stderr, shownRows.stdout, (await cli.run(["audit"])).stdout]
    ) {
      for (const secret of [KEY, TOKEN, "hunter"]) assert.ok(!text.includes(secret), text);
      assert.ok(text === run.stderr || text.includes("[redacted]"), text);
    }
  });
});

Deno.test("alisio run gives results receipts where the configuration asks for them", async () => {
  await using model = await startModel([callTurn(["read_file", { path: "a.txt" }])]);
  await withCli(async (cli) => {
    await writeTree(cli.workspace, { "a.txt": "alpha\n" });
    const receipts = { enabled: true, show_in_response: true };
    await useModel(cli, model, { agent: { tool_receipts: receipts } });
    const run = await cli.run(["run", "x"]);
    assert.equal(run.status, 0, shown(run));
    const request = await model.chat(1);
    const [result = ""] = toolResults(request);
    const [, receipt = ""] = /\n\[receipt: (zc-receipt-\d{10}-[\w-]{43})\]$/.exec(result) ?? [];
    assert.notEqual(receipt, "", result);
    assert.equal(run.stdout.replace(/\n+/g, "\n"), `Done\nReceipts:\nread_file: ${receipt}\n`);
    const [system] = messagesOf(request);
    assert.match(String(system?.["content"]), /\n- .*\[receipt: zc-receipt-…\]/);
  });
});
