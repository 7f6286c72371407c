import assert from "node:assert/strict";
import { useModel } from "../../e2e/_support.ts";
import { type CliScene, withCli } from "../../support/cli_harness.ts";
import {
  callTurn,
  messagesOf,
  type ModelTurn,
  type ScriptedModel,
  startModel,
} from "../../support/scripted_model.ts";
import { assertStoredScreen } from "../../support/stored_screen.ts";
import { chatReply } from "../../support/stub_replies.ts";
import type { RecordedRequest } from "../../support/stub_server.ts";
import { HAS_TMUX, startTmux, type TmuxTerminal } from "../../support/tmux.ts";
import { ROOT } from "../../support/paths.ts";

const PROMPT = "Use two explore subagents in parallel: one maps the plugin host, the other the " +
  "TUI panel code. Then summarize how plugin panels are rendered.";
const PLAIN = { NO_COLOR: "1", LC_ALL: "C", LANG: "C" };

/** What each session is answered, by a word of its first prompt; in order, the last one again. */
type Roles = Readonly<Record<string, readonly ModelTurn[]>>;

/** A model that many sessions ask at once, in whatever order. */
function startRoles(roles: Roles): Promise<ScriptedModel> {
  const answer = async (request: RecordedRequest) => {
    const messages = messagesOf(request);
    const first = JSON.stringify(messages.find(({ role }) => role === "user")?.content);
    const name = Object.keys(roles).find((each) => first.includes(each));
    const turns = name === undefined ? [] : roles[name] ?? [];
    const turn = turns[messages.filter(({ role }) => role === "assistant").length] ?? turns.at(-1);
    if (turn === undefined) return chatReply({ text: "There is nothing to do" });
    return typeof turn === "function" ? await turn(request) : turn;
  };
  return startModel(Array.from({ length: 100 }, () => answer));
}

const task = (description: string, prompt: string, more: Readonly<Record<string, unknown>> = {}) =>
  ["task", { description, prompt, subagent_type: "explore", ...more }] as const;

/** A report that is given when the test says so. */
function held(text: string, go: Promise<void>): ModelTurn {
  return async () => {
    await go;
    return chatReply({ text });
  };
}

interface AgentsTest {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly roles: Roles;
  /** Answers that are held back; given at the end in any case. */
  readonly holds?: readonly PromiseWithResolvers<void>[];
}

function onScreen(
  name: string,
  { columns = 80, rows = 30, env = {}, args = [], roles, holds = [] }: AgentsTest,
  fn: (
    tmux: TmuxTerminal,
    scene: { readonly model: ScriptedModel; readonly cli: CliScene },
  ) => Promise<void>,
): void {
  Deno.test({
    name,
    ignore: !HAS_TMUX,
    fn: () =>
      withCli(async (cli) => {
        await using model = await startRoles(roles);
        await useModel(cli, model);
        await using tmux = await startTmux(cli, {
          columns,
          rows,
          env,
          args: ["--no-banner", ...args],
        });
        await tmux.sees(/ready/);
        try {
          await fn(tmux, { model, cli });
        } finally {
          for (const { resolve } of holds) resolve();
        }
        await tmux.type("/exit\r");
        assert.equal(await tmux.ended(), 0);
        assert.deepEqual(model.violations, []);
      }),
  });
}

for (
  const [columns, rows, env, size] of [
    [80, 30, {}, "80x30"],
    [40, 20, PLAIN, "40x20 without colours and Unicode"],
  ] as const
) {
  const host = Promise.withResolvers<void>();
  const panels = Promise.withResolvers<void>();
  onScreen(
    `Two explorers in parallel are a tree below the editor while they work, at ${size}`,
    {
      columns,
      rows,
      env,
      holds: [host, panels],
      roles: {
        "in parallel": [
          callTurn(
            task("Map the plugin host", "HOST: map the plugin host"),
            task("Map the panel code", "PANELS: map the panel code"),
          ),
          chatReply({ text: "Plugin panels are rendered as trees." }),
        ],
        HOST: [callTurn(["list_files", { path: "." }]), held("The host is small", host.promise)],
        PANELS: [held("Panels are trees", panels.promise)],
      },
    },
    async (tmux) => {
      await tmux.type(`${PROMPT}\r`);
      await tmux.sees(/Agents {2}2 running/);
      await tmux.sees(/[●*] explore: Map the plug[^]*[●*] explore: Map the pan/);
      await tmux.sees(/a sub-agent is working|Agents/);
      if (columns === 80) {
        await tmux.sees(/explore: Map the plugin host {2}\d+s {2}\S+ {2}list_files/);
        await assertStoredScreen(
          `${ROOT}/tests/tui/screens/agents/80x30_running.txt`,
          bottomOf(await tmux.settled(bottomOf)),
        );
      }
      host.resolve();
      await tmux.sees(/Agents {2}1 running (·|-) 1 finished/);
      panels.resolve();
      await tmux.sees(/Plugin panels are[^]*ready/);
      await tmux.sees(/Agents {2}2 finished/);
      await assertStoredScreen(
        `${ROOT}/tests/tui/screens/agents/${columns}x${rows}_done.txt`,
        bottomOf(await tmux.settled(bottomOf)),
      );
    },
  );
}

/** What is below the conversation. */
function bottomOf(screen: string): string {
  const rows = screen.split("\n");
  const at = rows.findLastIndex((row) => /^ *Agents /.test(row));
  return rows.slice(Math.max(0, at)).join("\n")
    .replaceAll(/ \d+s( |$)/gm, " 0s$1").replaceAll(/(?<= )\d+(\.\d+)?k?(?= {2}list_files)/g, "9");
}
