import assert from "node:assert/strict";
import { pluginSource } from "../core/plugins/_plugin_files.ts";
import { type CliScene, withCli } from "../support/cli_harness.ts";
import { HAS_TMUX, startTmux, type TmuxOptions, type TmuxTerminal } from "../support/tmux.ts";

interface TerminalTest extends TmuxOptions {
  readonly turns?: readonly Record<string, unknown>[];
  readonly config?: Readonly<Record<string, unknown>>;
  readonly prepare?: (cli: CliScene) => Promise<void>;
  /** @default /Workspace/ */
  readonly opened?: RegExp;
}

function terminalTest(
  name: string,
  { turns = [{ text: "Done." }], config, prepare, opened = /Workspace/, ...options }: TerminalTest,
  fn: (tmux: TmuxTerminal, cli: CliScene) => Promise<void>,
): void {
  Deno.test({
    name,
    ignore: !HAS_TMUX,
    async fn() {
      await withCli(async (cli) => {
        const script = `${cli.dir}/script.json`;
        await Deno.writeTextFile(script, JSON.stringify({ turns }));
        if (config !== undefined) await cli.configure(config);
        await prepare?.(cli);
        const args = ["--model", `scripted/${script}`, ...options.args ?? []];
        await using tmux = await startTmux(cli, { ...options, args });
        await tmux.sees(opened);
        await fn(tmux, cli);
      });
    },
  });
}

/** Process ids of the program, which is the only child of the shell. */
async function programOf(tmux: TmuxTerminal): Promise<number> {
  const text = await Deno.readTextFile(`/proc/${tmux.pid}/task/${tmux.pid}/children`);
  return Number(text.trim().split(" ")[0]);
}

const isLinux = Deno.build.os === "linux";
/** What `stty -a` says of a terminal that echoes and edits lines. */
const COOKED = /(?<![-\w])icanon\b[^]*(?<![-\w])echo\b/;

terminalTest(
  "ScreenLife.suspend() gives the terminal to the shell, and fg comes back to the same screen",
  { inShell: true },
  async (tmux) => {
    await tmux.type("half a prompt");
    const before = await tmux.sees(/half a prompt/);
    await tmux.press("C-z");
    await tmux.sees(/Stopped/);
    assert.doesNotMatch(await tmux.screen(), /half a prompt/);
    await tmux.type("stty -a\r");
    await tmux.sees(COOKED);
    await tmux.type("fg\r");
    await tmux.sees(/half a prompt/);
    assert.equal(await tmux.settled(), before);
    await tmux.type(" more");
    await tmux.sees(/half a prompt more/);
  },
);

terminalTest(
  "ScreenLife draws everything anew after it was stopped from outside",
  {},
  async (tmux) => {
    if (!isLinux) return;
    const program = await programOf(tmux);
    const before = await tmux.settled();
    Deno.kill(program, "SIGSTOP");
    await Deno.writeTextFile(await ttyOf(tmux), "\x1b[?1049l\x1b[2J\x1b[Hgarbage");
    await tmux.sees(/garbage/);
    Deno.kill(program, "SIGCONT");
    await tmux.seesNo(/garbage/);
    assert.equal(await tmux.settled(), before);
  },
);

terminalTest(
  "ScreenLife gives no question what was typed for the shell",
  { inShell: true, turns: [{ calls: [{ name: "shell", arguments: { command: "touch run" } }] }] },
  async (tmux, cli) => {
    await tmux.type("Run it\r");
    await tmux.sees(/Enter choose/);
    await tmux.press("C-z");
    await tmux.sees(/Stopped/);
    await tmux.type("fg\r");
    // As soon as the question is there again, and before anybody can have read it.
    await tmux.sees(/Allow shell/);
    await tmux.type("y");
    await tmux.sees(/typed or pasted answers nothing|Enter choose/);
    await assert.rejects(Deno.stat(`${cli.workspace}/run`), Deno.errors.NotFound);
    await tmux.press("C-c");
    await tmux.sees(/› y[^]* ready/);
  },
);

for (const [signal, status] of [["SIGTERM", 143], ["SIGHUP", 129], ["SIGQUIT", 143]] as const) {
  terminalTest(
    `ScreenLife restores the terminal at ${signal}, while a prompt runs`,
    {
      args: ["--allow-process"],
      turns: [{ calls: [{ name: "shell", arguments: { command: "sleep 60" } }] }],
      then: "; stty -a",
    },
    async (tmux) => {
      if (!isLinux) return;
      await tmux.type("Wait\r");
      await tmux.sees(/running shell/);
      Deno.kill(await programOf(tmux), signal);
      assert.equal(await tmux.ended(), status);
      assert.match(await tmux.sees(COOKED), /Wait/);
    },
  );
}

terminalTest(
  "ScreenLife leaves nothing running at SIGQUIT",
  {
    args: ["--allow-process"],
    turns: [{ calls: [{ name: "shell", arguments: { command: "echo pid $$; sleep 60" } }] }],
  },
  async (tmux) => {
    if (!isLinux) return;
    await tmux.type("Wait\r");
    const [, pid] = /pid (\d+)/.exec(await tmux.sees(/pid \d/)) ?? [];
    Deno.kill(await programOf(tmux), "SIGQUIT");
    await tmux.ended();
    await assert.rejects(Deno.stat(`/proc/${pid}`), Deno.errors.NotFound);
  },
);

async function installPlugin(cli: CliScene, body: string): Promise<void> {
  const path = `${cli.dir}/p.js`;
  await Deno.writeTextFile(
    path,
    pluginSource("acme.hostile", `api.commands.register("go", async () => { ${body} });`),
  );
  await cli.configure({ plugins: [path] });
}

for (
  const [what, body, status, said] of [
    ["a plugin that ends the program", "Deno.exit(7);", 1, /acme\.hostile/],
    ["a plugin that throws later", 'setTimeout(() => { throw new Error("late"); });', 0, /late/],
  ] as const
) {
  terminalTest(`ScreenLife leaves a usable terminal after ${what}`, {
    prepare: (cli) => installPlugin(cli, body),
    then: "; stty -a",
  }, async (tmux) => {
    await tmux.type("/acme.hostile:go\r");
    await tmux.sees(said);
    if (status === 0) {
      await tmux.type("still here");
      await tmux.sees(/still here/);
      await tmux.press("C-u");
      await tmux.press("C-d");
    }
    assert.equal(await tmux.ended(), status);
    await tmux.sees(COOKED);
  });
}

terminalTest("ForeignOutput keeps what a plugin prints from the screen, and tells it", {
  prepare: (cli) =>
    installPlugin(
      cli,
      String.raw`
        const bytes = (text) => new TextEncoder().encode(text + "\x1b[2J\x1b]0;taken\x07▞▞ Allow");
        console.log("first %s", "\x1b[2J"); console.table([{ a: 1 }]); console.error("second");
        Deno.stdout.writeSync(bytes("third")); await Deno.stderr.write(bytes("fourth"));
        (await import("node:process")).default.stdout.write("fifth");
        return "returned";
      `,
    ),
}, async (tmux) => {
  const title = await tmux.tells("#{pane_title}");
  await tmux.type("/acme.hostile:go\r");
  const screen = await tmux.sees(/fifth/);
  assert.match(screen, /Alisio Code[^]*Printed by a plugin or a package: first \\x1b\[2J/);
  assert.match(screen, /second[^]*third\\x1b\[2J\\x1b\]0;taken\\x07\\u259e/);
  assert.match(screen, /· returned/);
  assert.doesNotMatch(screen, /▞/);
  assert.equal(await tmux.tells("#{pane_title}"), title);
});

terminalTest("EntryPainter says that one part cannot be shown, and shows the others", {
  prepare: (cli) =>
    installPlugin(
      cli,
      `const before = String.prototype.replace;
       String.prototype.replace = function (...args) {
         if (String(this).includes("BROKEN")) throw new Error("no replacement");
         return before.apply(this, args);
       };
       return "BROKEN";`,
    ),
}, async (tmux) => {
  await tmux.type("/acme.hostile:go\r");
  await tmux.sees(/✗ This part of the conversation cannot be shown: no replacement/);
  await tmux.type("Go on\r");
  await tmux.sees(/Done\./);
});

terminalTest("FrameGuard gives the screen up where no frame can be drawn", {
  prepare: (cli) =>
    installPlugin(
      cli,
      `Intl.Segmenter.prototype.segment = () => { throw new Error("no segments"); };
       return "x".repeat(200) + "한글";`,
    ),
  then: "; stty -a",
}, async (tmux) => {
  await tmux.type("/acme.hostile:go\r");
  assert.equal(await tmux.ended(), 1);
  assert.match(await tmux.sees(COOKED), /alisio: no segments/);
});

terminalTest("ForeignOutput prints what was not told yet when the program ends", {
  prepare: (cli) => installPlugin(cli, 'console.log("last words"); Deno.exit(0);'),
  then: "; stty -a",
}, async (tmux) => {
  await tmux.type("/acme.hostile:go\r");
  assert.equal(await tmux.ended(), 1);
  assert.match(await tmux.sees(COOKED), /last words/);
});

terminalTest(
  "The screen shows panels of plugins",
  {
    prepare: async (cli) => {
      const path = `${cli.dir}/p.js`;
      await Deno.writeTextFile(
        path,
        pluginSource(
          "acme.shown",
          `api.ui.panel("jobs", { title: "Jobs", nodes: () => [
            { id: "a", label: "Index", status: "running", tokens: 1200 },
            { id: "b", parentId: "a", label: "Read", status: "completed" },
          ] });`,
        ),
      );
      await cli.configure({ plugins: [path] });
    },
  },
  async (tmux) => {
    await tmux.sees(/Jobs {2}1 running · 1 finished {2}Ctrl\+X\n +● Index {2}1\.2k\n +└ ✓ Read\n/);
  },
);

terminalTest(
  "AlternateScreen follows every size of the window down to one cell",
  { turns: [{ text: "A wide answer ".repeat(40) }] },
  async (tmux) => {
    await tmux.type("Go\r");
    await tmux.sees(/wide answer/);
    const before = await tmux.settled();
    for (const [columns, rows] of [[40, 15], [10, 5], [2, 2], [1, 1], [3, 1], [120, 40]] as const) {
      await tmux.resize(columns, rows);
    }
    await tmux.sees(/Alisio Code/);
    await tmux.resize(80, 24);
    // What the terminal itself makes of the smaller window has no header.
    await tmux.sees(/^ Alisio Code[^]*wide answer/);
    assert.equal(await tmux.settled(), before);
    await tmux.type("typed");
    await tmux.sees(/typed/);
  },
);

terminalTest(
  "InlineScreen leaves the conversation in the scrollback of the terminal",
  { config: { tui: { screen: "inline" } }, turns: [{ text: "First." }, { text: "Second." }] },
  async (tmux) => {
    await tmux.type("one\r");
    await tmux.sees(/First\./);
    await tmux.type("two\r");
    await tmux.sees(/Second\./);
    await tmux.type("draft");
    await tmux.sees(/draft/);
    await tmux.resize(50, 24);
    await tmux.resize(80, 24);
    await tmux.press("C-u");
    await tmux.press("C-d");
    assert.equal(await tmux.ended(), 0);
    const shown = await tmux.history();
    assert.match(shown, /one[^]*First\.[^]*two[^]*Second\.[^]*The session is kept/);
    assert.doesNotMatch(shown, /draft|mode: ask/);
  },
);

for (
  const [why, options] of [
    ["--no-tui", { args: ["--no-tui"] }],
    ["TERM=dumb", { env: { TERM: "dumb" } }],
  ] as const
) {
  terminalTest(
    `runTalk() holds a conversation in lines with ${why}`,
    { ...options, opened: /Ctrl\+D leaves/ },
    async (tmux) => {
      await tmux.type("Go\r");
      await tmux.sees(/Done\./);
      await tmux.press("C-d");
      assert.equal(await tmux.ended(), 0);
    },
  );
}

terminalTest(
  "The screen shows no colour under NO_COLOR",
  { env: { NO_COLOR: "1" } },
  async (tmux) => {
    await tmux.type("Go\r");
    await tmux.sees(/Done\./);
    await tmux.settled();
    // deno-lint-ignore no-control-regex -- colours are what this looks for
    assert.doesNotMatch(await tmux.colouredScreen(), /\x1b\[(?:\d+;)*(?:3[0-7]|9[0-7]|4[0-7]|38)/);
  },
);

async function ttyOf(tmux: TmuxTerminal): Promise<string> {
  return await Deno.readLink(`/proc/${tmux.pid}/fd/0`);
}

terminalTest(
  "App shows what a command and a key say, wherever the person was reading",
  { turns: [{ text: Array.from({ length: 90 }, (_, row) => `- item ${row}`).join("\n") }] },
  async (tmux) => {
    await tmux.type("list them");
    await tmux.press("Enter");
    await tmux.sees(/item 89/);
    await tmux.press("PageUp");
    await tmux.sees(/more below: Ctrl\+End/);
    await tmux.type("/nothing");
    await tmux.settled();
    await tmux.press("Enter");
    assert.doesNotMatch(await tmux.sees(/Unknown command "\/nothing"/), /more below/);
    await tmux.press("PageUp");
    await tmux.sees(/more below/);
    await tmux.press("C-c");
    assert.doesNotMatch(await tmux.sees(/Press Ctrl\+C again to leave/), /more below/);
  },
);

terminalTest(
  "StatusTracker tells the reasoning effort as it is chosen",
  { columns: 160 },
  async (tmux) => {
    const choose = async (level: string): Promise<void> => {
      await tmux.type(`/effort ${level}`);
      await tmux.settled();
      await tmux.press("Escape");
      await tmux.settled();
      await tmux.press("Enter");
    };
    await choose("high");
    await tmux.sees(/agent: build · mode: ask · .* · effort: high/);
    await tmux.type("Hi");
    await tmux.press("Enter");
    await tmux.sees(/Done\.[^]* · effort: high/);
    await choose("auto");
    await tmux.seesNo(/effort: high/);
  },
);
