import assert from "node:assert/strict";
import { join } from "node:path";
import { dataOf, sessionOf, shown, withCli } from "../support/cli_harness.ts";
import { callTurn, messagesOf, startModel, toolResults } from "../support/scripted_model.ts";
import type { StubReply } from "../support/stub_server.ts";
import { writeTree } from "../support/temp.ts";
import { assertResumes, canRun, NAMESPACE, onlySession, sessionIds, useModel } from "./_support.ts";

const UNIX = Deno.build.os !== "windows";
const CAN_MOUNT = await canRun([...NAMESPACE, "mount -t tmpfs tmpfs /mnt"]);

Deno.test("alisio run says why it cannot work in a directory, and asks no server", async () => {
  const rows: readonly (readonly [string, RegExp])[] = [
    [
      "missing",
      /^Cannot work in ".*\/work\/missing": it does not exist; pass an existing director/,
    ],
    [
      "file.txt",
      /^Cannot work in ".*\/work\/file\.txt": it is not a directory; pass one with --cwd/,
    ],
    [
      "file.txt/below",
      /^Cannot work in ".*\/work\/file\.txt\/below": .*; pass an existing directory/,
    ],
    ["loop", /^Cannot work in ".*\/work\/loop": .*; pass an existing directory with --cwd/],
    ["dangling", /^Cannot work in ".*\/work\/dangling": it does not exist/],
  ];
  await using model = await startModel();
  await withCli(async (cli) => {
    await useModel(cli, model);
    await writeTree(cli.workspace, { "file.txt": "" });
    await Deno.symlink("loop", join(cli.workspace, "loop"));
    await Deno.symlink("nowhere", join(cli.workspace, "dangling"));
    await cli.run(["run", "x"]);
    const session = await onlySession(cli);
    for (const [directory, message] of rows) {
      for (const command of [["run", "x"], ["resume", session, "x"]]) {
        const run = await cli.run([...command, "--cwd", directory, "--json"]);
        assert.equal(run.status, 2, `${directory}: ${shown(run)}`);
        const { code, error } = dataOf(run, "error");
        assert.equal(code, "workspace_invalid", directory);
        assert.match(String(error), message);
      }
    }
    assert.equal(model.chats.length, 1);
    assert.deepEqual(await sessionIds(cli), [session]);
    await assertResumes(cli, session);
  });
});

Deno.test({
  name: "alisio run says that a directory may not be read",
  ignore: !UNIX || Deno.uid() === 0,
  fn: async () => {
    await withCli(async (cli) => {
      const closed = join(cli.workspace, "closed");
      await Deno.mkdir(closed, { mode: 0 });
      const runs = [await cli.run(["run", "x", "--cwd", "closed/below", "--json"])];
      // Neither may the names in it be read, nor what they stand for.
      for (const mode of [0, 0o111, 0o444]) {
        await Deno.chmod(closed, mode);
        for (const command of [["run", "x"], ["doctor"], ["trust", "add"], ["setup"]]) {
          runs.push(await cli.run([...command, "--cwd", closed, "--json"]));
        }
      }
      await Deno.chmod(closed, 0o700);
      for (const run of runs) {
        assert.equal(run.status, 2, shown(run));
        assert.match(String(dataOf(run, "error").error), /it may not be read/);
        assert.match(run.stderr, /^alisio: Cannot work in [^\n]*\n$/);
      }
    });
  },
});

/** Calls in a workspace that is gone, and what the model is told. */
const CALLS_IN_NOTHING: readonly (readonly [string, Readonly<Record<string, unknown>>, RegExp])[] =
  [
    [
      "read_file",
      { path: "a.txt" },
      /^Cannot read file "a\.txt": folder ".*\/doomed" does not exist/,
    ],
    ["list_files", {}, /^Cannot list files in "\.": it does not exist/],
    ["search_text", { pattern: "alpha" }, /^Cannot search text in "\.": it does not exist/],
    ["git_status", {}, /working directory ".*\/doomed" is gone/],
    ["git_diff", {}, /working directory ".*\/doomed" is gone/],
    ["context_explain", { path: "a.txt" }, /"files":\[\]/],
    [
      "write_file",
      { path: "b/c.txt", content: "x", expectedHash: null },
      /^Cannot create file "b\/c\.txt": folder ".*\/doomed" does not exist any more/,
    ],
    [
      "edit_file",
      { path: "a.txt", oldText: "a", newText: "b", expectedHash: "0".repeat(64) },
      /^Cannot edit file "a\.txt": it does not exist/,
    ],
    ["run_process", { command: "echo", args: ["x"] }, /working directory ".*\/doomed" is gone/],
    ["shell", { command: "echo x > c.txt" }, /working directory ".*\/doomed" is gone/],
  ];

Deno.test({
  name: "alisio run gets over a workspace that is deleted meanwhile, and its session goes on",
  ignore: !UNIX,
  fn: async () => {
    const go = Promise.withResolvers<void>();
    await using model = await startModel([
      afterWaiting(
        go.promise,
        callTurn(...CALLS_IN_NOTHING.map(([name, input]) => [name, input] as const)),
      ),
    ]);
    await withCli(async (cli) => {
      await useModel(cli, model);
      const doomed = join(cli.dir, "doomed");
      await writeTree(doomed, { "a.txt": "alpha\n" });
      const run = cli.start(["run", "x", "--json", "--allow-write", "--allow-process"], {
        cwd: doomed,
      });
      await model.chat(0);
      await Deno.remove(doomed, { recursive: true });
      go.resolve();
      const result = await run.ended;
      assert.equal(result.status, 0, shown(result));
      const results = toolResults(await model.chat(1));
      for (const [index, [name, , expected]] of CALLS_IN_NOTHING.entries()) {
        assert.match(results[index] ?? "no result", expected, name);
      }
      await assert.rejects(() => Deno.stat(doomed), Deno.errors.NotFound);
      const session = sessionOf(result);
      assert.equal((await cli.run(["resume", session, "y", "--cwd", doomed])).status, 2);
      await assertResumes(cli, session);
    });
  },
});

Deno.test({
  name: "alisio run reports what it did although the directory that it was started in is gone",
  ignore: !UNIX,
  fn: async () => {
    const go = Promise.withResolvers<void>();
    await using model = await startModel([
      afterWaiting(
        go.promise,
        callTurn(
          ["write_file", { path: "b.txt", content: "x", expectedHash: null }],
          ["shell", { command: "cat b.txt" }],
          ["search_text", { pattern: "x" }],
        ),
      ),
    ]);
    await withCli(async (cli) => {
      await useModel(cli, model);
      const doomed = join(cli.dir, "doomed");
      await Deno.mkdir(doomed);
      const flags = ["--json", "--allow-write", "--allow-process", "--cwd", cli.workspace];
      const run = cli.start(["run", "x", ...flags], { cwd: doomed });
      await model.chat(0);
      await Deno.remove(doomed);
      go.resolve();
      const result = await run.ended;
      assert.equal(result.status, 0, shown(result));
      const [written = "", printed = "", found = ""] = toolResults(await model.chat(1));
      assert.match(written, /"sha256"/);
      assert.deepEqual(JSON.parse(printed), {
        exitCode: 0,
        endedBy: "exit",
        stdout: "x",
        stderr: "",
        truncated: false,
      });
      assert.equal(JSON.parse(found).matches.length, 1);
      await assertResumes(cli, sessionOf(result));
    });
  },
});

Deno.test({
  name:
    "alisio run reports a full disk to the model, and leaves nothing half written (field case 74)",
  ignore: !CAN_MOUNT,
  fn: async () => {
    const content = "x".repeat(300_000);
    await using model = await startModel([
      callTurn(["write_file", { path: "small.txt", content: "fits", expectedHash: null }]),
      callTurn(["write_file", { path: "large.txt", content, expectedHash: null }]),
      callTurn(["list_files", {}], ["shell", { command: "ls -A" }]),
    ]);
    await withCli(async (cli) => {
      await useModel(cli, model);
      const mount = `mount -t tmpfs -o size=64k tmpfs '${cli.workspace}' && ` +
        `cd '${cli.workspace}' && exec "$@"`;
      const run = await cli.run(["run", "x", "--json", "--allow-write", "--allow-process"], {
        wrap: [...NAMESPACE, mount, "sh"],
      });
      assert.equal(run.status, 0, shown(run));
      const [small = "", large = "", listed = "", all = ""] = toolResults(await model.chat(3));
      assert.match(small, /"sha256"/);
      assert.match(
        large,
        /^Cannot write file ".*\/large\.txt": no space is left on its disk; the file is unchanged$/,
      );
      assert.deepEqual(JSON.parse(listed).files, ["small.txt"]);
      assert.equal(JSON.parse(all).stdout, "small.txt\n");
      await assertResumes(cli, sessionOf(run));
    });
  },
});

Deno.test({
  name: "alisio run takes both spellings of a workspace that is a symbolic link (field case 78)",
  ignore: !UNIX,
  fn: async () => {
    await withCli(async (cli) => {
      const link = join(cli.dir, "link");
      await Deno.symlink(cli.workspace, link);
      await writeTree(cli.workspace, { "a.txt": "alpha\n" });
      const paths = ["a.txt", join(link, "a.txt"), join(cli.workspace, "a.txt")];
      await using model = await startModel(paths.map((path) => callTurn(["read_file", { path }])));
      await useModel(cli, model);
      const run = await cli.run(["run", "x", "--json", "--cwd", link]);
      assert.equal(run.status, 0, shown(run));
      const request = await model.chat(paths.length);
      assert.ok(toolResults(request).every((text) => text.includes('"content":"1: alpha"')));
      assert.ok(String(messagesOf(request)[0]?.content).includes(`Workspace: ${cli.workspace} `));
    });
  },
});

/** A reply that begins once something has happened. */
function afterWaiting(wait: Promise<void>, reply: StubReply): StubReply {
  const { steps } = reply;
  assert.ok(Array.isArray(steps));
  return { ...reply, steps: [{ wait }, ...steps] };
}
