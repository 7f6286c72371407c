import assert from "node:assert/strict";
import { join } from "node:path";
import { shown, withCli } from "../support/cli_harness.ts";
import { callTurn, startModel, toolResults } from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import { useModel } from "./_support.ts";

const MIB = 1024 * 1024;

/** Most memory that a process and those below it have used, in bytes. */
async function peakBytes(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`).catch(() => "");
  const own = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
  const children = await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`).catch(() => "");
  const below = await Promise.all(
    children.trim().split(" ").filter(Boolean).map((id) => peakBytes(Number(id))),
  );
  return Math.max(own, ...below);
}

async function* logFolders(root: string): AsyncIterable<string> {
  for await (const { name, isDirectory } of Deno.readDir(root)) {
    if (isDirectory && !name.startsWith(".")) yield join(root, name);
  }
}

Deno.test({
  name: "alisio run holds a task that prints without end in little memory and a bounded log",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    // Bytes that are no text, without a line end, and what matters at the end.
    const commands = [
      "head -c 400000000 /dev/zero; head -c 100000 /dev/urandom; printf 'é-END'; exit 3",
      "printf 'no line end'",
    ];
    let peaks: readonly number[] = [];
    await withCli(async (cli) => {
      const run = Promise.withResolvers<number>();
      await using model = await startModel([
        callTurn(...commands.map((command) => ["bg_run", { command }] as const)),
        async () => {
          peaks = [await peakBytes(await run.promise)];
          return chatReply({ text: "Started" });
        },
        async () => {
          peaks = [...peaks, await peakBytes(await run.promise)];
          return callTurn(["bg_list", {}]);
        },
        (request) => {
          const list = JSON.parse(toolResults(request).at(-1) ?? "{}").tasks;
          return callTurn(...list.flatMap(({ id, output_bytes: size }: {
            readonly id: string;
            readonly output_bytes: number;
          }) => [
            ["bg_output", { id, offset: Math.max(0, size - 200), limit: 400 }] as const,
          ]));
        },
      ]);
      await useModel(cli, model);
      const started = cli.start(["run", "x", "--allow-process", "--wait-tasks"]);
      run.resolve(started.pid);
      const result = await started.ended;
      assert.equal(result.status, 0, shown(result));
      const [second, first] = toolResults(await model.chat(4)).slice(-2)
        .map((text) => JSON.parse(text));
      assert.deepEqual([second.exit_code, second.text, second.eof], [0, "no line end", true]);
      assert.deepEqual([first.exit_code, first.eof, first.output_truncated], [3, true, true]);
      assert.match(first.text, /é-END$/);
      // deno-lint-ignore no-control-regex -- what must not be there
      assert.doesNotMatch(first.text, /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/);
      const [folder] = await Array.fromAsync(logFolders(join(cli.stateHome, "tasks")));
      const log = await Deno.stat(join(folder ?? "", `${first.id}.log`));
      assert.equal(log.size, first.next_offset);
      assert.ok(log.size < 2 * MIB + 40 * 1024, `${log.size} bytes`);
      const [before = 0, after = 0] = peaks;
      assert.ok(before > 0 && after - before < 200 * MIB, `${before} ${after}`);
    });
  },
});
