import assert from "node:assert/strict";
import { pluginSource } from "../core/plugins/_plugin_files.ts";
import {
  type CliScene,
  dataOf,
  jsonLines,
  sessionOf,
  shown,
  withCli,
} from "../support/cli_harness.ts";
import { messagesOf, type ModelTurn, startModel } from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import { jsonReply } from "../support/stub_server.ts";
import { writeTree } from "../support/temp.ts";
import { onlySession, useModel } from "./_support.ts";

const SUMMARY: ModelTurn = chatReply({
  text: JSON.stringify({ goal: "Ship it", discoveries: ["FACT: the port is 4317"] }),
});

/** Three answers that fill a window of 12,000 tokens together with instructions and tools. */
const ANSWERS: readonly ModelTurn[] = ["one", "two", "three"].map((name) =>
  chatReply({ text: `answer ${name} ${"x".repeat(13_200)}` })
);

const REFUSED: ModelTurn = jsonReply({
  error: {
    message: "This model's maximum context length is 12000 tokens. However, your messages " +
      "resulted in 13000 tokens.",
    type: "invalid_request_error",
    code: "context_length_exceeded",
  },
}, 400);

/** Asks three times, so that the session holds the three answers. */
async function fillSession(cli: CliScene): Promise<string> {
  const first = await cli.run(["run", "prompt one", "--json"]);
  assert.equal(first.status, 0, shown(first));
  const session = sessionOf(first);
  for (const name of ["two", "three"]) {
    const run = await cli.run(["resume", session, `prompt ${name}`]);
    assert.equal(run.status, 0, shown(run));
  }
  return session;
}

const textOf = (request: Parameters<typeof messagesOf>[0]) => JSON.stringify(messagesOf(request));

Deno.test("alisio resume summarises a session that fills the window, and goes on from there", async () => {
  await using model = await startModel(
    [...ANSWERS, SUMMARY, chatReply({ text: "four" }), chatReply({ text: "five" })],
    { entry: { context_length: 12_000 } },
  );
  await withCli(async (cli) => {
    await useModel(cli, model);
    const session = await fillSession(cli);
    const run = await cli.run(["resume", session, "prompt four", "--json"]);
    assert.equal(run.status, 0, shown(run));
    const { before, after, ...facts } = dataOf(run, "compaction_completed");
    assert.ok(Number(before) > 10_200 && Number(after) < 9_000, `${before} ${after}`);
    assert.deepEqual([facts.reason, facts.replaced, facts.structured], ["auto", 4, true]);

    assert.match(textOf(await model.chat(3)), /--- person ---\\nprompt two/);
    const request = textOf(await model.chat(4));
    assert.match(request, /FACT: the port is 4317/);
    assert.match(request, /- prompt one\\n- prompt two/);
    assert.doesNotMatch(request, /answer two/);
    assert.match(request, /answer three/);

    const again = await cli.run(["resume", session, "prompt five"]);
    assert.equal(again.status, 0, shown(again));
    assert.match(textOf(await model.chat(5)), /FACT: the port is 4317/);
    const show = await cli.run(["sessions", "show", session]);
    assert.match(show.stdout, /answer one x+/, "nothing is deleted");
    assert.match(show.stdout, /\(compacted\)/);
    const list = await cli.run(["sessions", "list"]);
    assert.match(list.stdout, / {2}prompt one {2}/);
    assert.deepEqual(model.violations, []);
  });
});

Deno.test("alisio learns the window from a refusal, says so, and knows it in the next session (field case 43)", async () => {
  await using model = await startModel(
    [...ANSWERS, REFUSED, SUMMARY, chatReply({ text: "four" }), ...ANSWERS, SUMMARY],
    { entry: { context_length: 128_000 } },
  );
  await withCli(async (cli) => {
    await useModel(cli, model);
    const session = await fillSession(cli);
    const run = await cli.run(["resume", session, "prompt four"]);
    assert.equal(run.status, 0, shown(run));
    assert.equal(run.stdout, "four\n");
    assert.match(run.stderr, /the model can hold 12000 tokens, not 128000; noted/);
    assert.match(
      run.stderr,
      /^Summarised 4 messages: about \d+ tokens of context are \d+ now; memory: 0 new/m,
    );
    // Another session of the same model is summarised before it is refused.
    const other = await fillSession(cli);
    const next = await cli.run(["resume", other, "prompt four", "--json"]);
    assert.equal(dataOf(next, "compaction_completed").reason, "auto", shown(next));
  });
});

Deno.test("alisio sessions compact summarises at a wish, and says why it does not", async () => {
  await using model = await startModel([
    ...ANSWERS,
    SUMMARY,
    jsonReply({ error: { message: "no such model" } }, 404),
  ]);
  await withCli(async (cli) => {
    await useModel(cli, model, { compaction: { keepTurns: 1 } });
    const session = await fillSession(cli);
    const done = await cli.run(["sessions", "compact", session.slice(0, 8), "the", "port"]);
    assert.equal(done.status, 0, shown(done));
    assert.equal(done.stdout, "");
    assert.match(
      done.stderr,
      /^Summarised 4 messages: about \d+ tokens of context are \d+ now; memory: .*\n$/,
    );
    assert.match(textOf(await model.chat(3)), /kept in view above all: the port\\n/);

    const again = await cli.run(["sessions", "compact", session, "--json"]);
    assert.equal(again.status, 0, shown(again));
    assert.deepEqual(jsonLines(again).map(({ type }) => type), ["compaction_skipped"]);
    assert.equal(model.chats.length, 4);

    const other = await cli.run(["sessions", "compact", session, "--cwd", cli.dir, "--quiet"]);
    assert.deepEqual([other.status, other.stderr], [0, ""], shown(other));
    const missing = await cli.run(["sessions", "compact", "ffffffff"]);
    assert.equal(missing.status, 2, shown(missing));
    assert.match(missing.stderr, /Cannot find session "ffffffff"/);
  });
});

Deno.test("alisio sessions compact ends with status 1 and changes nothing where the server fails", async () => {
  await using model = await startModel([
    ...ANSWERS,
    jsonReply({ error: { message: "no such model" } }, 404),
  ]);
  await withCli(async (cli) => {
    await useModel(cli, model, { compaction: { keepTurns: 1 } });
    const session = await fillSession(cli);
    const before = await cli.run(["sessions", "show", session]);
    const run = await cli.run(["sessions", "compact", session]);
    assert.equal(run.status, 1, shown(run));
    assert.match(run.stderr, /^The conversation could not be summarised: /m);
    assert.equal((await cli.run(["sessions", "show", session])).stdout, before.stdout);
  });
});

Deno.test("A session whose summary was cut short by SIGKILL opens again", async () => {
  await using model = await startModel(
    [...ANSWERS, { steps: [{ do: "hang" }] }, SUMMARY, chatReply({ text: "four" })],
    { entry: { context_length: 12_000 } },
  );
  await withCli(async (cli) => {
    await useModel(cli, model);
    const session = await fillSession(cli);
    const killed = cli.start(["resume", session, "prompt four", "--json"]);
    await killed.event("compaction_started");
    await model.chat(3);
    killed.kill("SIGKILL");
    await killed.ended;
    assert.equal(await onlySession(cli), session);
    const run = await cli.run(["resume", session, "go on", "--json"]);
    assert.equal(run.status, 0, shown(run));
    assert.equal(dataOf(run, "run_completed").text, "four");
    assert.equal(dataOf(run, "compaction_completed").structured, true);
    assert.match(textOf(await model.chat(5)), /prompt four.*go on/);
    assert.deepEqual(model.violations, []);
  });
});

Deno.test("Hooks of a compaction that throw or hang are named, and the run goes on", async () => {
  const summary = chatReply({ text: JSON.stringify({ goal: "Ship it", notes: ["a", "b"] }) });
  await using model = await startModel(
    [...ANSWERS, summary, chatReply({ text: "four" })],
    { entry: { context_length: 12_000 } },
  );
  await withCli(async (cli) => {
    await useModel(cli, model, { pluginHooks: { timeoutMs: 200 } });
    const hooks = (code: string) => `api.compaction.register({ ${code} });`;
    await writeTree(cli.dir, {
      "good.js": pluginSource(
        "my.notes",
        hooks(`async beforeCompact() { return { outputFields: { notes: "short strings" } }; },
          async afterCompact({ extracted, messages, signal }) {
            return { report: { summary: \`notes: \${extracted.notes.length}\` } };
          }`),
      ),
      "throws.js": pluginSource("acme.throws", hooks('beforeCompact() { throw new Error("no"); }')),
      "hangs.js": pluginSource("acme.hangs", hooks("afterCompact: () => new Promise(() => {})")),
    });
    const session = await fillSession(cli);
    const plugins = ["good", "throws", "hangs"].flatMap((name) => ["--plugin", `../${name}.js`]);
    // It takes part in a compaction too, and not always within the short limit above.
    const flags = [...plugins, "--json", "--disable-plugin", "memory"];
    const run = await cli.run(["resume", session, "prompt four", ...flags]);
    assert.equal(run.status, 0, shown(run));
    assert.deepEqual(dataOf(run, "compaction_completed").plugins, { "my.notes": "notes: 2" });
    const failed = jsonLines(run).filter(({ type }) => type === "plugin_hook_failed");
    assert.deepEqual(failed.map(({ data }) => [data.source, data.hook, data.error]), [
      ["acme.throws", "compaction.beforeCompact", "no"],
      ["acme.hangs", "compaction.afterCompact", "it did not end within 200 ms"],
    ]);
    assert.equal(dataOf(run, "run_completed").text, "four");
  });
});
