import assert from "node:assert/strict";
import { join } from "node:path";
import { onlySession, useModel } from "../e2e/_support.ts";
import { withCli } from "../support/cli_harness.ts";
import { ROOT } from "../support/paths.ts";
import { callTurn, startModel } from "../support/scripted_model.ts";
import { assertStoredScreen, withoutChance } from "../support/stored_screen.ts";
import { chatChunk, chatFinish, chatReply, SSE_DONE } from "../support/stub_replies.ts";
import type { StubReply } from "../support/stub_server.ts";
import { HAS_TMUX, startTmux, type TmuxTerminal } from "../support/tmux.ts";

const SCREENS = join(ROOT, "tests/tui/screens");

const ANSWER_START = "The folder holds **two** files:\n\n- `notes.md`, which is a list\n- ";
const ANSWER_END = "`main.ts`\n\n```ts\nconst answer = 42;\n```\n";

/** In a narrow window it depends on the digits of a number what of the last row is left out. */
function withoutCounts(screen: string, columns: number): string {
  return columns > 40 ? screen : screen.replaceAll(/( {2}run \S+)? {2}~?\S+ \/ \?.*$/gm, "");
}

const QUESTION = {
  questions: [{
    header: "Colour",
    question: "Which colour should the button have?",
    options: [
      { label: "Blue", description: "As the others", recommended: true },
      { label: "Red", description: "To be seen" },
    ],
  }],
};

/** An answer that stops in the middle until the test lets it go on. */
function haltingReply(goOn: Promise<void>): StubReply {
  return {
    headers: { "content-type": "text/event-stream" },
    steps: (async function* () {
      yield chatChunk({ role: "assistant", content: "" });
      yield chatChunk({ content: ANSWER_START });
      await goOn;
      yield chatChunk({ content: ANSWER_END });
      yield chatFinish("stop");
      yield SSE_DONE;
    })(),
  };
}

/** Waits until a question takes answers, which is a moment after it is shown. */
async function asked(tmux: TmuxTerminal): Promise<void> {
  await tmux.sees(/▞▞ Allow/);
  await tmux.seesNo(/One moment/);
}

const shell = (command: string): StubReply => callTurn(["shell", { command }]);

for (const [columns, rows] of [[80, 24], [120, 40], [40, 15]] as const) {
  const size = `${columns}x${rows}`;
  Deno.test({
    name: `The screens of a conversation at ${size} are as stored`,
    ignore: !HAS_TMUX,
    fn: () =>
      withCli(async (cli) => {
        const goOn = Promise.withResolvers<void>();
        await using model = await startModel([
          haltingReply(goOn.promise),
          shell("echo made > made"),
          chatReply({ text: "It is made." }),
          shell("rm made"),
          chatReply({ text: "Then it stays." }),
          shell("echo one"),
          shell("echo two"),
          chatReply({ text: "Both ran." }),
          callTurn(["ask_user_question", QUESTION]),
          chatReply({ text: "Blue it is." }),
          shell("sleep 60"),
        ]);
        // What is left would be summed up, and remembered on the next screen.
        await useModel(cli, model, { builtinPlugins: { memory: { autoSummary: false } } });
        const shows = async (step: string, tmux: TmuxTerminal): Promise<void> =>
          await assertStoredScreen(
            join(SCREENS, size, `${step}.txt`),
            withoutCounts(await tmux.settled(withoutChance), columns),
          );
        const send = async (tmux: TmuxTerminal, text: string): Promise<void> => {
          await tmux.type(text);
          await tmux.press("Enter");
        };
        {
          await using tmux = await startTmux(cli, { columns, rows, args: ["--no-banner"] });
          await tmux.sees(/ready/);
          await shows("01_open", tmux);
          await tmux.type("What is in this folder?");
          await tmux.sees(/this folder\?/);
          await shows("02_prompt", tmux);
          await tmux.press("Enter");
          await tmux.sees(/which is a list/);
          await tmux.sees(/writing the answer/);
          await shows("03_stream", tmux);
          goOn.resolve();
          await tmux.sees(/ready/);
          await shows("04_answer", tmux);
          await send(tmux, "Make it");
          await asked(tmux);
          await shows("05_approval", tmux);
          await tmux.type("y");
          await tmux.sees(/It is made\./);
          await tmux.sees(/ready/);
          await shows("06_approved", tmux);
          await send(tmux, "Remove it");
          await asked(tmux);
          await tmux.type("n");
          await tmux.sees(/Then it stays\./);
          await tmux.sees(/ready/);
          await shows("07_denied", tmux);
          await send(tmux, "Run both");
          await asked(tmux);
          await tmux.type("a");
          await tmux.sees(/Both ran\./);
          await tmux.sees(/ready/);
          await shows("08_granted", tmux);
          await send(tmux, "Ask me");
          await tmux.sees(/Which colour/);
          await tmux.seesNo(/One moment/);
          await shows("09_question", tmux);
          await tmux.press("Enter");
          await tmux.sees(/Blue it is\./);
          await tmux.sees(/ready/);
          await shows("10_answered", tmux);
          await send(tmux, "Wait");
          await tmux.sees(/running shell/);
          await tmux.press("Escape");
          await tmux.sees(/ready/);
          await shows("11_interrupted", tmux);
          await tmux.resize(60, 20);
          await shows("12_resized", tmux);
          await tmux.resize(columns, rows);
          await tmux.settled();
          await tmux.press("C-d");
          assert.equal(await tmux.ended(), 0);
          await assertStoredScreen(join(SCREENS, size, "13_left.txt"), await tmux.history());
        }
        assert.equal(await Deno.readTextFile(join(cli.workspace, "made")), "made\n");
        await using again = await startTmux(cli, {
          columns,
          rows,
          args: ["resume", await onlySession(cli)],
        });
        await again.sees(/Blue it is\./);
        await shows("14_resumed", again);
        assert.deepEqual(model.violations, []);
      }),
  });
}
