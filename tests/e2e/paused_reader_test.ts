import assert from "node:assert/strict";
import { shown, withCli } from "../support/cli_harness.ts";
import { type ModelTurn, startModel } from "../support/scripted_model.ts";
import { chatChunk, chatFinish, SSE_DONE } from "../support/stub_replies.ts";
import { assertResumes, inParallel, onlySession, useModel } from "./_support.ts";

/** Pieces of an answer, each as large as what a pipe holds, or more. */
const PIECE = `${"0123456789abcde\n".repeat(4 * 1024)}`;

/** More than a pipe and the queue of the program take. */
const PIECES_THAT_STALL = 4;

/** How long the program may take to print that much: nothing tells that it waits. */
const STALL_MS = 1_500;

/** An orderly end waits this long for the reader, and the machine may be busy. */
const LIMIT_MS = 12_000;

const UNIX = Deno.build.os !== "windows";

/** Standard output is a pipe that is never read, because it is its own reader. */
const UNREAD: readonly string[] = [
  "bash",
  "-c",
  'p=$(mktemp -u) && mkfifo "$p" && ' +
  'exec 3<>"$p" && rm "$p" && exec "$@" >&3',
  "bash",
];

Deno.test({
  name: "alisio run ends on a signal while nobody reads its output",
  ignore: !UNIX,
  fn: async () => {
    const rows: readonly (readonly [Deno.Signal, number, readonly string[]])[] = [
      ["SIGTERM", 143, []],
      ["SIGINT", 130, ["--json"]],
      ["SIGHUP", 129, ["--quiet"]],
    ];
    await inParallel(rows, 3, async ([signal, status, flags]) => {
      const flood = endlessAnswer();
      await using model = await startModel([flood.turn]);
      await withCli(async (cli) => {
        await useModel(cli, model);
        const run = cli.start(["run", "x", ...flags], { wrap: UNREAD });
        await flood.sent(PIECES_THAT_STALL);
        const startedAt = performance.now();
        run.kill(signal);
        const result = await run.ended;
        assert.deepEqual([result.status, result.signal], [status, null], shown(result));
        assert.ok(performance.now() - startedAt < LIMIT_MS);
        assert.match(result.stderr, new RegExp(`^alisio: Stopped by ${signal}\n`));
        await (await model.chat(0)).closed;
        await assertResumes(cli, await onlySession(cli));
      });
    });
  },
});

Deno.test({
  name: "alisio run ends at once on a second signal while nobody reads its output",
  ignore: !UNIX,
  fn: async () => {
    const flood = endlessAnswer();
    await using model = await startModel([flood.turn]);
    await withCli(async (cli) => {
      await useModel(cli, model);
      const run = cli.start(["run", "x"], { wrap: UNREAD });
      await flood.sent(PIECES_THAT_STALL);
      run.kill("SIGTERM");
      await (await model.chat(0)).closed;
      const startedAt = performance.now();
      run.kill("SIGINT");
      const result = await run.ended;
      assert.equal(result.status, 130, shown(result));
      assert.ok(performance.now() - startedAt < 3_000);
    });
  },
});

Deno.test({
  name: "alisio run loses nothing and tells both outputs in order to a reader that pauses",
  ignore: !UNIX,
  fn: async () => {
    await using model = await startModel([
      answer(3, [["write_file", { path: "a", content: "b", expectedHash: null }]]),
      answer(3),
    ]);
    await withCli(async (cli) => {
      await useModel(cli, model);
      const slow = 'set -o pipefail; "$@" 2>&1 | { sleep 1; cat; }';
      const run = await cli.run(["run", "x"], { wrap: ["bash", "-c", slow, "bash"] });
      assert.equal(run.status, 5, shown(run));
      const [before, refused, after, ...rest] = run.stdout.split(/^(Refused "write_file".*\n)/m);
      assert.equal(before, PIECE.repeat(3));
      assert.match(refused ?? "", /--allow-write/);
      assert.equal(after, PIECE.repeat(3));
      assert.deepEqual(rest, []);
    });
  },
});

Deno.test({
  name: "alisio ends on a signal when it has done everything but print",
  ignore: !UNIX,
  fn: async () => {
    await using model = await startModel([answer(2), answer(2)]);
    await withCli(async (cli) => {
      await useModel(cli, model);
      assert.equal((await cli.run(["run", "x"])).status, 0);
      const session = await onlySession(cli);
      const shows = await cli.run(["sessions", "show", session]);
      assert.ok(shows.stdout.includes(PIECE.repeat(2)), "the answer is not shown whole");
      const rows = [["run", "x"], ["sessions", "show", session], ["sessions", "export", session]];
      await inParallel(rows, 3, async (args) => {
        const run = cli.start(args, { wrap: UNREAD });
        await pause(STALL_MS);
        run.kill("SIGTERM");
        const result = await run.ended;
        assert.equal(result.status, 143, `${args.join(" ")}: ${shown(result)}`);
        assert.ok(result.durationMs < STALL_MS + LIMIT_MS);
      });
      const list = await cli.run(["sessions", "list", "--json"]);
      assert.equal(list.stdout.match(/"state":"idle"/g)?.length, 2, shown(list));
    });
  },
});

/** An answer that never stops, sent as fast as it is taken. */
function endlessAnswer(): {
  readonly turn: ModelTurn;
  /** Waits until so many pieces were sent and had the time to be printed. */
  readonly sent: (pieces: number) => Promise<void>;
} {
  let count = 0;
  let wake = Promise.withResolvers<void>();
  const steps = async function* () {
    for (;;) {
      count += 1;
      wake.resolve();
      wake = Promise.withResolvers<void>();
      yield chatChunk({ content: PIECE });
    }
  };
  return {
    turn: { steps: steps() },
    sent: async (pieces) => {
      while (count < pieces) await wake.promise;
      await pause(STALL_MS);
    },
  };
}

function answer(
  pieces: number,
  calls: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [],
): ModelTurn {
  return {
    steps: [
      ...Array.from({ length: pieces }, () => chatChunk({ content: PIECE })),
      ...calls.map(([name, args], index) =>
        chatChunk({
          tool_calls: [{
            index,
            id: `c${index}`,
            function: { name, arguments: JSON.stringify(args) },
          }],
        })
      ),
      chatFinish(calls.length === 0 ? "stop" : "tool_calls"),
      SSE_DONE,
    ],
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
