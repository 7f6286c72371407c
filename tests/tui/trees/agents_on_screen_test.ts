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
        await useModel(cli, model, {
          builtinPlugins: { subagents: { parallelWrites: "shared" } },
        });
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
        await tmux.sees(/explore: Map the plugin host {2}\d+s {2}list_files/);
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

{
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  onScreen(
    "Agents are gone into, looked at, cancelled, sent to the background and resumed",
    {
      holds: [first, second],
      roles: {
        "in parallel": [
          callTurn(
            task("Map the plugin host", "HOST: map the plugin host"),
            task("Map the panel code", "PANELS: map the panel code"),
          ),
          chatReply({ text: "I go on meanwhile." }),
          chatReply({ text: "One agent reported." }),
        ],
        HOST: [callTurn(["list_files", { path: "." }]), held("The host is small", first.promise)],
        PANELS: [held("Panels are trees", second.promise)],
      },
    },
    async (tmux, { model }) => {
      const send = async (line: string) => {
        await tmux.type(line);
        await tmux.sees(new RegExp(`^ › ${RegExp.escape(line)}$`, "m"));
        await tmux.press("Enter");
      };
      await tmux.type(`${PROMPT}\r`);
      await tmux.sees(/Agents {2}2 running[^]*list_files/);
      // Down, with nothing typed, leads into the tree; typing leads out.
      await tmux.press("Down");
      await tmux.sees(/› ● explore: Map the plugin[^]*Enter open · Esc back · Ctrl\+K cancel/);
      await tmux.type("half");
      await tmux.sees(/^ › half$/m);
      await tmux.seesNo(/Enter open/);
      await tmux.press("C-u");
      await tmux.seesNo(/half/);
      await tmux.press("C-x");
      await tmux.sees(/› ● explore: Map the plugin/);
      await tmux.press("Enter");
      await tmux.sees(/explore: Map the plugin host running[^]*HOST: map[^]*Esc back · 1\/2/);
      await assertStoredScreen(
        `${ROOT}/tests/tui/screens/agents/80x30_view.txt`,
        rowsOfView(await tmux.settled(rowsOfView)),
      );
      await tmux.press("Right");
      await tmux.sees(/explore: Map the panel code running[^]*PANELS: map[^]*2\/2/);
      await tmux.press("Escape");
      await tmux.seesNo(/2\/2/);
      await tmux.press("C-x");
      await tmux.press("End");
      await tmux.sees(/› ● explore: Map the panel/);
      await tmux.press("C-k");
      await tmux.sees(/− explore: Map the panel code {2}cancelled/);
      await tmux.press("C-b");
      await tmux.sees(/I go on meanwhile\.[^]*ready/);
      await tmux.sees(/Agents {2}1 running · 1 finished/);
      await tmux.press("Escape");
      await tmux.sees(/Agents {2}1 running · 1 finished {2}Ctrl\+X/);
      // The conversation goes on, and what would stop an agent is refused.
      await send("/reload");
      await tmux.sees(/Cannot reload[^]*an agent works/);
      first.resolve();
      await tmux.sees(/Agents {2}2 finished/);
      await send("How is it going?");
      await tmux.sees(/One agent reported\.[^]*ready/);
      const last = model.chats.at(-1);
      assert.match(last?.body ?? "", /task-notification[^]*The host is small/);
      await send("/agents list");
      const screen = await tmux.sees(/completed {4}explore: Map the plugin host/);
      const [, id = ""] = /(\w{8}) {2}cancelled {4}explore: Map the panel/.exec(screen) ?? [];
      await send(`/agents resume ${id}`);
      await tmux.sees(/explore: Map the panel code goes on in the background/);
      second.resolve();
      await tmux.sees(/Agents {2}2 finished/);
      await send(`/agents open ${id}`);
      await tmux.sees(/explore: Map the panel code completed[^]*Panels are trees/);
      await tmux.press("Escape");
      await tmux.seesNo(/Panels are trees/);
      await send("/agents open nothing");
      await tmux.sees(/no such task/);
    },
  );
}

const MADE = { path: "made.txt", content: "made\n", expectedHash: null };

onScreen(
  "Agents that ask at once are asked about one after the other, each by its own name",
  {
    rows: 40,
    roles: {
      "Ask for me": [
        callTurn(
          task("explore › the model asks: nothing", "ONE", { subagent_type: "general" }),
          task("Write the second file", "TWO", { subagent_type: "general" }),
        ),
        chatReply({ text: "Both answered." }),
      ],
      ONE: [callTurn(["write_file", MADE]), chatReply({ text: "One is written" })],
      TWO: [
        callTurn(["write_file", { ...MADE, path: "other.txt" }]),
        chatReply({ text: "Two is not" }),
      ],
    },
  },
  async (tmux, { cli }) => {
    await tmux.type("Ask for me\r");
    for (const [key, left] of [["y", /1 waiting/], ["n", /Agents {2}2 finished/]] as const) {
      const asked = await tmux.sees(/▞▞ general asks: Allow write_file \(write\)/);
      assert.equal(asked.match(/▞▞/g)?.length, 1);
      if (key === "y") await tmux.sees(/Agents {2}2 waiting/);
      await tmux.seesNo(/One moment/);
      await tmux.press(key);
      await tmux.sees(left);
    }
    await tmux.sees(/Both answered\.[^]*ready/);
    const files = (await Array.fromAsync(Deno.readDir(cli.workspace))).map(({ name }) => name);
    assert.equal(files.filter((name) => /^(made|other)\.txt$/.test(name)).length, 1);
  },
);

/** What is shown in place of the editor. */
function rowsOfView(screen: string): string {
  const rows = screen.split("\n");
  return rows.slice(rows.findIndex((row) => /^ *explore: /.test(row)))
    .join("\n").replaceAll(/ \d+s(?= |$)/gm, " 0s").replaceAll(/~\d\S*(?= \/)/g, "~1k")
    .replaceAll(/[\d.]+k? tokens/g, "9 tokens");
}

/** What is below the conversation. */
function bottomOf(screen: string): string {
  const rows = screen.split("\n");
  const at = rows.findLastIndex((row) => /^ *Agents /.test(row));
  return rows.slice(Math.max(0, at)).join("\n")
    .replaceAll(/ \d+s(?= |$)/gm, " 0s").replaceAll(/~\d\S*(?= \/)/g, "~1k");
}
