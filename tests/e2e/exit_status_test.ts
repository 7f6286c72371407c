import assert from "node:assert/strict";
import { type CliResult, dataOf, jsonLines, shown, withCli } from "../support/cli_harness.ts";
import { callTurn, startModel } from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import { assertResumes, onlySession, useModel } from "./_support.ts";

const WRITE = ["write_file", { path: "a.txt", content: "x", expectedHash: null }] as const;
const READ = ["list_files", {}] as const;

/** The events that end a run. */
function ends(run: CliResult): readonly string[] {
  return jsonLines(run).map(({ type }) => type).filter((type) => /^(run_[^sw]|error)/.test(type));
}

Deno.test("alisio run ends with a status of its own after a refused call, and says how to permit it (field case 108)", async () => {
  const rows = [
    { name: "refused", turn: callTurn(WRITE), flags: [], status: 5, refused: 1 },
    { name: "refused twice", turn: callTurn(WRITE, READ, WRITE), flags: [], status: 5, refused: 2 },
    { name: "permitted", turn: callTurn(WRITE), flags: ["--allow-write"], status: 0 },
    { name: "a failed call", turn: callTurn(["read_file", { path: "no" }]), flags: [], status: 0 },
    { name: "no tool", turn: callTurn(["delete_all", {}]), flags: [], status: 0 },
    {
      name: "outside",
      turn: callTurn(["read_file", { path: "/" }]),
      flags: [],
      status: 5,
      refused: 1,
    },
  ];
  for (const { name, turn, flags, status, refused } of rows) {
    await using model = await startModel([turn, chatReply({ text: "All done" }), turn]);
    await withCli(async (cli) => {
      await useModel(cli, model);
      const run = await cli.run(["run", "x", "--json", ...flags]);
      assert.equal(run.status, status, `${name}: ${shown(run)}`);
      assert.deepEqual(ends(run), ["run_completed"], name);
      assert.equal(dataOf(run, "run_completed")["refusedCalls"], refused, name);
      const said = await cli.run(["run", "x", ...flags]);
      assert.equal(said.status, status, `${name}: ${shown(said)}`);
      const isSaid = /Refused "\w+" \(.*\): to permit it, .*--(allow-write|add-dir)/.test(
        said.stderr,
      );
      assert.equal(isSaid, status === 5, `${name}: ${shown(said)}`);
    });
  }
});

Deno.test("alisio run keeps the status of a run that stops or fails after a refused call", async () => {
  const failing = { status: 400, steps: ['{"error":{"message":"no"}}'] };
  await using model = await startModel([callTurn(WRITE), callTurn(WRITE), failing]);
  await withCli(async (cli) => {
    await useModel(cli, model, { limits: { maxTurns: 1 } });
    const stopped = await cli.run(["run", "x", "--json"]);
    assert.equal(stopped.status, 3, shown(stopped));
    assert.equal(dataOf(stopped, "run_turns_exceeded")["refusedCalls"], 1);
    await useModel(cli, model);
    const failed = await cli.run(["run", "x", "--json"]);
    assert.equal(failed.status, 1, shown(failed));
    assert.deepEqual(ends(failed), ["run_failed"]);
  });
});

Deno.test("alisio resume ends with the same status after a refused call", async () => {
  await using model = await startModel([chatReply({ text: "Hello" }), callTurn(WRITE)]);
  await withCli(async (cli) => {
    await useModel(cli, model);
    assert.equal((await cli.run(["run", "x"])).status, 0);
    const session = await onlySession(cli);
    const resumed = await cli.run(["resume", session, "y", "--json"]);
    assert.equal(resumed.status, 5, shown(resumed));
    // A refusal of an earlier run says nothing of this one.
    await assertResumes(cli, session);
  });
});

Deno.test("alisio run ends with a status for each other way to fail, and marks it (field case 108)", async () => {
  await using model = await startModel([{
    status: 401,
    steps: ['{"error":{"message":"bad key"}}'],
  }]);
  await withCli(async (cli) => {
    await cli.configure({ provider: { baseURL: model.baseUrl } });
    const unset = await cli.run(["run", "x", "--json"]);
    assert.equal(unset.status, 2, shown(unset));
    assert.deepEqual(ends(unset), ["error"]);
    assert.match(unset.stderr, /^alisio: .*--model/s);
    await useModel(cli, model);
    const failed = await cli.run(["run", "x", "--json"]);
    assert.equal(failed.status, 1, shown(failed));
    assert.deepEqual(ends(failed), ["run_failed"]);
    assert.equal(dataOf(failed, "run_failed")["code"], "provider_authentication");
    assert.match(failed.stderr, /^alisio: .*/);
  });
});
