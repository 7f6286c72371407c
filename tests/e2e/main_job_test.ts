import assert from "node:assert/strict";
import { join } from "node:path";
import { VERSION } from "../../core/version.ts";
import { dataOf, jsonLines, sessionOf, shown, withCli } from "../support/cli_harness.ts";
import { DENO, ROOT } from "../support/paths.ts";
import {
  callTurn,
  messagesOf,
  type ModelTurn,
  startModel,
  toolResults,
} from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import type { RecordedRequest } from "../support/stub_server.ts";
import { assertResumes, useModel } from "./_support.ts";

const NEXT = "0.99.1";
const AFTER_NEXT = "0.99.2";

/** Searches, reads, edits, tests and looks at the change, each step from the results before it. */
const JOB: readonly ModelTurn[] = [
  callTurn(["search_text", { pattern: "export const VERSION", path: "core" }], ["git_status", {}]),
  (request) => {
    const [found] = JSON.parse(toolResults(request)[0] ?? "").matches;
    return callTurn(["read_file", { path: found.file, startLine: 1, limit: 20 }]);
  },
  (request) => callTurn(["edit_file", editFrom(request, VERSION, NEXT)]),
  callTurn(["run_process", {
    command: DENO,
    args: ["test", "-A", "--no-check", "--no-config", "tests/core/files/sha256_test.ts"],
  }]),
  callTurn(["git_diff", {}]),
];

Deno.test({
  name: "alisio run does a task of five steps in a real repository, and resume continues it",
  ignore: !await hasRepository(),
  fn: async () => {
    await using model = await startModel([
      ...JOB,
      chatReply({ text: "The version is new" }),
      (request) => callTurn(["edit_file", editFrom(request, NEXT, AFTER_NEXT)]),
    ]);
    await withCli(async (cli) => {
      // So many calls would be summed up in a request of its own.
      await useModel(cli, model, { builtinPlugins: { memory: { autoSummary: false } } });
      await git(cli.dir, "clone", "-q", "--local", ROOT, "repository");
      const cwd = join(cli.dir, "repository");
      const flags = ["--json", "--allow-write", "--allow-process"];
      const run = await cli.run(["run", "Raise the version", ...flags], { cwd });
      assert.equal(run.status, 0, shown(run));
      assert.equal(run.stderr, "");
      assert.deepEqual(namesOf(run, "tool_started"), [
        "search_text",
        "git_status",
        "read_file",
        "edit_file",
        "run_process",
        "git_diff",
      ]);
      const completed = jsonLines(run).filter(({ type }) => type === "tool_completed");
      assert.ok(completed.every(({ data }) => data.isError === false), shown(run));
      assert.equal(dataOf(run, "run_completed").text, "The version is new");
      assertSequence(run);

      const [, , , edited = "", tested = "", diff = ""] = toolResults(await model.chat(5));
      assert.match(edited, /"path":"core\/version\.ts"/);
      assert.match(tested, /"exitCode":0.*1 passed/);
      assert.ok(diff.includes(`-export const VERSION = \\"${VERSION}\\"`), diff);
      assert.ok(diff.includes(`+export const VERSION = \\"${NEXT}\\"`), diff);

      const session = sessionOf(run);
      const more = await cli.run(["resume", session, "And once more", ...flags], { cwd });
      assert.equal(more.status, 0, shown(more));
      assert.equal(sessionOf(more), session);
      assert.match(await Deno.readTextFile(join(cwd, "core/version.ts")), /"0\.99\.2"/);
      assert.equal(await git(cwd, "status", "--porcelain"), " M core/version.ts\n");
      assert.deepEqual(model.violations, []);
      assert.equal(model.chats.length, 8);
      assertSamePrefix(model.chats);

      const shownSession = await cli.run(["sessions", "show", session]);
      assert.match(shownSession.stdout, /Raise the version[^]*→ edit_file[^]*And once more/);
    });
  },
});

const MEMORY_TOOLS = [
  "memory_save",
  "memory_search",
  "memory_get",
  "memory_context",
  "memory_timeline",
  "memory_pin",
  "memory_forget",
];

Deno.test("alisio run sends a first request of bounded size", async () => {
  await using model = await startModel();
  await withCli(async (cli) => {
    await useModel(cli, model);
    await cli.run(["run", "hello"]);
    await cli.run(["run", "hello", "--allow-write", "--allow-process"]);
    const [readOnly, all] = model.chats.map(({ body }) => new TextEncoder().encode(body).length);
    assert.ok(readOnly !== undefined && readOnly <= 10_000, `${readOnly} bytes`);
    assert.ok(all !== undefined && all <= 18_000, `${all} bytes`);
    assert.deepEqual(toolNames(model.chats[0]), [
      "read_file",
      "list_files",
      "search_text",
      "git_status",
      "git_diff",
      "context_explain",
      "task",
      "task_status",
      "task_wait",
      "send_message",
      ...MEMORY_TOOLS,
    ]);
    assert.deepEqual(toolNames(model.chats[1]).slice(6), [
      "write_file",
      "edit_file",
      "run_process",
      "shell",
      "bg_run",
      "bg_list",
      "bg_output",
      "bg_stop",
      "execute",
      "plugin_install",
      "task",
      "task_status",
      "task_wait",
      "send_message",
      ...MEMORY_TOOLS,
    ]);
  });
});

Deno.test("alisio run stops at the turn limit with status 3, and resume continues", async () => {
  const looking: readonly ModelTurn[] = [1, 2, 3].map((offset) =>
    callTurn(["list_files", { offset }])
  );
  await using model = await startModel([...looking, callTurn(["list_files", { offset: 9 }])]);
  await withCli(async (cli) => {
    await useModel(cli, model, { limits: { maxTurns: 3 } });
    const run = await cli.run(["run", "x", "--json"]);
    assert.equal(run.status, 3, shown(run));
    assert.deepEqual(dataOf(run, "run_turns_exceeded"), { turns: 3, maxTurns: 3 });
    assert.equal(jsonLines(run).at(-1)?.type, "run_turns_exceeded");
    const session = sessionOf(run);
    assert.equal(
      run.stderr,
      `Stopped at the turn limit; go on with: alisio resume ${session} "continue"\n`,
    );
    assert.equal(model.chats.length, 3);
    const more = await cli.run(["resume", session, "continue"]);
    assert.deepEqual([more.status, more.stdout], [0, "Done\n"], shown(more));
    assert.deepEqual(model.violations, []);
    assert.equal(toolResults(await assertResumes(cli, session)).length, 4);
  });
});

/** An edit of the version, with the hash that the last result names. */
function editFrom(
  request: RecordedRequest,
  from: string,
  to: string,
): Readonly<Record<string, unknown>> {
  const hashes = toolResults(request).flatMap((text) =>
    /"path":"core\/version\.ts","sha256":"([0-9a-f]{64})"/.exec(text)?.[1] ?? []
  );
  return { path: "core/version.ts", oldText: from, newText: to, expectedHash: hashes.at(-1) };
}

/** Each request repeats the bytes of the one before it up to the end of its conversation. */
function assertSamePrefix(requests: readonly RecordedRequest[]): void {
  for (const [index, request] of requests.entries()) {
    const next = requests[index + 1];
    if (next === undefined) break;
    const { body } = request;
    const conversation = JSON.stringify(messagesOf(request)).slice(0, -1);
    const end = body.indexOf(conversation) + conversation.length;
    assert.ok(end > conversation.length, "the conversation is in the body as JSON writes it");
    assert.equal(next.body.slice(0, end), body.slice(0, end), `request ${index + 1}`);
    assert.equal(restOf(next.body), restOf(body), `request ${index + 1}`);
  }
}

/** A body without its conversation. */
function restOf(body: string): string {
  const { messages: _, ...rest } = JSON.parse(body);
  return JSON.stringify(rest);
}

/** Events are numbered without a gap, and the stored ones in one order. */
function assertSequence(run: { readonly stdout: string }): void {
  const events = run.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(events.map(({ seq }) => seq), events.map((_, index) => index + 1));
  const stored = events.flatMap(({ eventId }) => eventId === undefined ? [] : Number(eventId));
  assert.deepEqual(stored, stored.toSorted((a, b) => a - b));
  assert.equal(new Set(stored).size, stored.length);
}

function namesOf(run: { readonly stdout: string }, type: string): readonly unknown[] {
  return jsonLines(run).filter((line) => line.type === type).map(({ data }) => data.name);
}

function toolNames(request: RecordedRequest | undefined): readonly unknown[] {
  const { tools } = JSON.parse(request?.body ?? "{}");
  return tools.map((tool: { readonly function: { readonly name: string } }) => tool.function.name);
}

async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command("git", {
    args: [...args],
    cwd,
    stdin: "null",
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

async function hasRepository(): Promise<boolean> {
  return await Deno.stat(join(ROOT, ".git")).then(() => true, () => false);
}
