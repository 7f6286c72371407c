import assert from "node:assert/strict";
import { BACKENDS } from "../core/sandbox/_world.ts";
import { type CliScene, sessionOf, shown, withCli } from "../support/cli_harness.ts";
import { callTurn, startModel, toolResults } from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import type { RecordedRequest, StubHandler } from "../support/stub_server.ts";
import { writeTree } from "../support/temp.ts";
import { useModel } from "./_support.ts";

function results(request: RecordedRequest): readonly Readonly<Record<string, unknown>>[] {
  return toolResults(request).map((text) => JSON.parse(text));
}

/** Asks until the output of the first task holds a text, and answers something else then. */
function untilPrinted(text: string, then: StubHandler): readonly StubHandler[] {
  const ask: StubHandler = (request) =>
    callTurn(["bg_output", { id: results(request)[0]?.["id"] }]);
  let isOver = false;
  const again: StubHandler = async (request) => {
    if (isOver) return chatReply({ text: "Done" });
    isOver = String(results(request).at(-1)?.["text"]).includes(text);
    if (isOver) return await then(request);
    await new Promise((resolve) => setTimeout(resolve, 50));
    return await ask(request);
  };
  return [ask, ...Array.from({ length: 90 }, () => again)];
}

/** Whether a process whose command line holds a mark runs anywhere on this machine. */
async function runs(mark: string): Promise<boolean> {
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const line = await Deno.readTextFile(`/proc/${name}/cmdline`).catch(() => "");
    if (line.replaceAll("\0", " ").startsWith(`sleep ${mark}`)) return true;
  }
  return false;
}

async function ends(mark: string): Promise<boolean> {
  for (let look = 0; await runs(mark); look++) {
    if (look === 200) return false;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return true;
}

/** A number of seconds that no other process sleeps. */
function newMark(): string {
  return `6${crypto.getRandomValues(new Uint32Array(1))[0]}`;
}

const useSandbox = async (cli: CliScene, baseUrl: string, sandbox: string) => {
  await writeTree(cli.dir, { outside: "outside\n" });
  await useModel(cli, { baseUrl }, { sandbox });
};

for (const backend of BACKENDS) {
  Deno.test(`alisio run keeps a background task in the sandbox "${backend}", and ends it whole`, async () => {
    const [mark, fled] = [newMark(), newMark()];
    await withCli(async (cli) => {
      const command =
        `cat '${cli.dir}/outside' && echo OPEN; ls '${cli.stateHome}' && echo OPEN; ` +
        `touch made && echo OPEN; setsid sleep ${fled} & (trap '' TERM; exec sleep ${mark}) & ` +
        `echo up; wait`;
      let alive: readonly boolean[] = [];
      await using model = await startModel([
        callTurn(["bg_run", { command }]),
        ...untilPrinted("up", async () => {
          alive = await Promise.all([mark, fled].map(runs));
          return chatReply({ text: "Done" });
        }),
      ]);
      await useSandbox(cli, model.baseUrl, backend);
      const run = await cli.run(["run", "x", "--allow-process"]);
      const printed = results(await model.chat(model.chats.length - 1)).at(-1)?.["text"];
      assert.doesNotMatch(String(printed), /OPEN/);
      assert.equal(run.status, 0, shown(run));
      assert.deepEqual(alive, [true, true]);
      assert.ok(await ends(mark) && await ends(fled));
    });
  });

  Deno.test(`alisio leaves nothing of a task in the sandbox "${backend}" when it is killed`, async () => {
    const [mark, fled] = [newMark(), newMark()];
    await withCli(async (cli) => {
      const killed = Promise.withResolvers<void>();
      await using model = await startModel([
        callTurn(["bg_run", {
          command: `setsid sleep ${fled} & (trap '' TERM; exec sleep ${mark}) & echo up; wait`,
        }]),
        ...untilPrinted("up", () => {
          killed.resolve();
          return { steps: [{ do: "hang" }] };
        }),
      ]);
      await useSandbox(cli, model.baseUrl, backend);
      const run = cli.start(["run", "x", "--allow-process", "--json"]);
      await killed.promise;
      assert.ok(await runs(mark) && await runs(fled));
      run.kill("SIGKILL");
      const dead = await run.ended;
      assert.ok(await ends(mark), "the task");
      assert.ok(await ends(fled), "what left its group");
      await using later = await startModel([callTurn(["bg_list", {}])]);
      const next = await cli.run(
        ["resume", sessionOf(dead), "y", "--allow-process", "--base-url", later.baseUrl],
      );
      assert.equal(next.status, 0, shown(next));
      const { tasks } = results(await later.chat(1)).at(-1) as {
        tasks: readonly { readonly status: string }[];
      };
      assert.deepEqual(tasks.map(({ status }) => status), ["lost"]);
    });
  });
}
