import assert from "node:assert/strict";
import { type CliScene, withCli } from "../../support/cli_harness.ts";
import { createTheme } from "../../../tui/theme/create_theme.ts";
import { pluginSource } from "../../core/plugins/_plugin_files.ts";
import { writeTree } from "../../support/temp.ts";
import { HAS_TMUX, startTmux, type TmuxOptions, type TmuxTerminal } from "../../support/tmux.ts";

type Turn = Readonly<Record<string, unknown>>;

/** A question can be answered as soon as this is on the screen. */
const READY_REGEXP = /Enter (?:choose|next|submit)/;

function onScreen(
  name: string,
  turns: readonly Turn[],
  test: (tmux: TmuxTerminal, cli: CliScene) => Promise<void>,
  { config, ...options }: TmuxOptions & { readonly config?: Readonly<Record<string, unknown>> } =
    {},
): void {
  Deno.test({
    name,
    ignore: !HAS_TMUX,
    async fn() {
      await withCli(async (cli) => {
        const script = `${cli.dir}/script.json`;
        await Deno.writeTextFile(script, JSON.stringify({ turns }));
        if (config !== undefined) await cli.configure(config);
        await using tmux = await startTmux(cli, {
          ...options,
          args: ["--model", `scripted/${script}`],
        });
        await tmux.sees(/Workspace/);
        await send(tmux, "Go");
        await test(tmux, cli);
        await tmux.press("C-d");
        assert.equal(await tmux.ended(), 0);
      });
    },
  });
}

function call(name: string, args: unknown): Turn {
  return { calls: [{ name, arguments: args }] };
}

function shell(command: string): Turn {
  return call("shell", { command });
}

/** Types a line, and sends it once it is there. */
async function send(tmux: TmuxTerminal, line: string): Promise<void> {
  await tmux.type(line);
  await tmux.sees(new RegExp(`› ${line}`));
  await tmux.press("Enter");
}

async function answer(tmux: TmuxTerminal, question: RegExp, key: string): Promise<string> {
  await tmux.sees(question);
  const screen = await tmux.sees(READY_REGEXP);
  await tmux.press(key);
  return screen;
}

/** The rows of a question, without the margin. */
function questionOf(screen: string): string {
  const rows = screen.split("\n").map((row) => row.replace(/^ /, ""));
  return rows.slice(
    rows.findIndex((row) => row.startsWith("▞▞")),
    rows.findIndex((row) => READY_REGEXP.test(row)) + 1,
  ).join("\n");
}

onScreen(
  "createQuestions() shows a command whole, and runs it once it is allowed",
  [shell("echo one > one"), shell("echo two > two"), { text: "Both." }],
  async (tmux, cli) => {
    const screen = await answer(tmux, /echo one/, "y");
    assert.equal(
      questionOf(screen).replaceAll(cli.workspace, "WORKSPACE"),
      [
        "▞▞ Allow shell (process)?",
        "│ echo one > one",
        "- in: WORKSPACE",
        '- why: "shell" means running programs',
        "› y  Allow once",
        "  a  Always allow running programs (process) in this session",
        "  e  Deny, and answer in its place",
        "  n  Deny",
        "Enter choose · Esc deny · y/a/e/n answer · Ctrl+C stop",
      ].join("\n"),
    );
    await answer(tmux, /echo two/, "n");
    await tmux.sees(/Both\./);
    assert.equal(await Deno.readTextFile(`${cli.workspace}/one`), "one\n");
    await assert.rejects(Deno.stat(`${cli.workspace}/two`), Deno.errors.NotFound);
  },
);

onScreen(
  "createQuestions() asks at 40 columns and 15 rows",
  [shell("echo one > one"), { text: "Done." }],
  async (tmux, cli) => {
    const screen = await answer(tmux, /echo one/, "Enter");
    assert.match(questionOf(screen), /^▞▞ Allow shell \(process\)\?\n/);
    assert.match(screen, /│ echo one > one\n/);
    await tmux.sees(/Done\./);
    assert.equal(await Deno.readTextFile(`${cli.workspace}/one`), "one\n");
  },
  { columns: 40, rows: 15 },
);

onScreen(
  "createQuestions() asks no more about what is allowed for the session",
  [shell("echo one > one"), shell("echo two > two"), { text: "Both." }],
  async (tmux, cli) => {
    await answer(tmux, /echo one/, "a");
    await tmux.sees(/Both\./);
    assert.equal(await Deno.readTextFile(`${cli.workspace}/two`), "two\n");
  },
);

Deno.test({
  name: "createQuestions() asks no more about a directory that is allowed for the session",
  ignore: !HAS_TMUX,
  async fn() {
    await withCli(async (cli) => {
      const outside = `${await Deno.realPath(cli.dir)}/outside`;
      await Deno.mkdir(`${outside}/below`, { recursive: true });
      await Deno.writeTextFile(`${outside}/a.txt`, "first file");
      await Deno.writeTextFile(`${outside}/below/b.txt`, "second file");
      const turns = [
        call("read_file", { path: `${outside}/a.txt` }),
        call("read_file", { path: `${outside}/below/b.txt` }),
        { expect: { toolIsError: false }, text: "Both read." },
      ];
      const script = `${cli.dir}/script.json`;
      await Deno.writeTextFile(script, JSON.stringify({ turns }));
      await using tmux = await startTmux(cli, { args: ["--model", `scripted/${script}`] });
      await tmux.sees(/Workspace/);
      await send(tmux, "Go");
      const screen = await answer(tmux, /directory outside the workspace/, "a");
      assert.match(screen, /Always allow this directory and all below it in this session/);
      await tmux.sees(/Both read\./);
    });
  },
});

onScreen(
  "createQuestions() gives the model an answer of the person's own",
  [shell("npm test"), { expect: { lastToolIncludes: "Use deno test." }, text: "As you say." }],
  async (tmux) => {
    await answer(tmux, /npm test/, "e");
    await tmux.sees(/Deny, and answer:/);
    await tmux.type("Use deno test.");
    await tmux.press("Enter");
    await tmux.sees(/As you say\./);
  },
);

onScreen(
  "createQuestions() asks what the model wants to know, with a skip and a way back",
  [
    call("ask_user_question", {
      questions: [
        {
          header: "Store",
          question: "Where is it kept?",
          options: [{ label: "File" }, { label: "Server", recommended: true }],
        },
        {
          header: "Parts",
          question: "What is built?",
          multiSelect: true,
          options: [{ label: "Cart" }, { label: "Login" }],
        },
        {
          header: "Name",
          question: "Which name?",
          options: [{ label: "shop" }, { label: "store" }],
        },
      ],
    }),
    { expect: { toolIsError: false }, text: "Understood." },
  ],
  async (tmux) => {
    const first = await answer(tmux, /Question 1\/3/, "Enter");
    assert.equal(
      questionOf(first),
      [
        "▞▞ Question 1/3 · Store",
        "│ Where is it kept?",
        "  File",
        "› Server (recommended)",
        "  Something else, in your own words",
        "Enter next · Esc skip · Ctrl+C stop",
      ].join("\n"),
    );
    await tmux.sees(/Question 2\/3/);
    await tmux.press("Left");
    await tmux.sees(/Question 1\/3/);
    await tmux.press("Up", "Enter");
    await tmux.sees(/Question 2\/3[^]*\[x\] Cart/);
    await tmux.press("Down", "Space");
    await tmux.sees(/\[x\] Login/);
    await tmux.press("Enter");
    await tmux.sees(/Question 3\/3/);
    await tmux.press("Escape");
    await tmux.sees(/Store: File\n[^]*Parts: Cart, Login\n[^]*Name: _Skipped_[^]*Understood\./);
  },
);

onScreen(
  "createQuestions() takes the place of a menu, which comes back afterwards",
  [{ delayMs: 1_500, ...shell("echo one > one") }, { text: "Done." }],
  async (tmux) => {
    await send(tmux, "/permission");
    await tmux.sees(/Use auto mode/);
    await answer(tmux, /Allow shell/, "y");
    const screen = await tmux.sees(/Use auto mode/);
    assert.doesNotMatch(screen, /Allow shell/);
    await tmux.press("Escape");
    await tmux.sees(/Done\./);
  },
);

onScreen(
  "createQuestions() takes a question back when the run is stopped",
  [shell("echo one > one"), { text: "Again." }],
  async (tmux, cli) => {
    await tmux.sees(/Allow shell/);
    await tmux.press("C-c");
    await tmux.sees(/Taken back, no answer is needed any more: Allow shell/);
    await tmux.seesNo(/▞▞/);
    await assert.rejects(Deno.stat(`${cli.workspace}/one`), Deno.errors.NotFound);
  },
);

onScreen(
  "createQuestions() takes no paste for an answer, and keeps it",
  [shell("echo one > one"), { text: "Done." }],
  async (tmux) => {
    await tmux.sees(READY_REGEXP);
    await tmux.paste("y\ny");
    await tmux.sees(/What was typed or pasted answers nothing/);
    await tmux.press("n");
    await tmux.sees(/Done\.[^]*y\n[^]*y\n/);
    await tmux.press("C-c");
  },
);
onScreen(
  "createQuestions() shows what a model writes as text that cannot be taken for a question",
  [
    {
      text: "▞▞ Allow shell (process)?\n› y  Allow once",
      ...shell("printf '\\033]0;x\\007' # ▞▞"),
    },
    { text: "Done." },
  ],
  async (tmux) => {
    const screen = await answer(tmux, /Enter choose/, "n");
    assert.equal(screen.split("▞▞").length, 2);
    assert.match(screen, /│ printf '\\033\]0;x\\007' # \\u259e\\u259e/);
    await tmux.sees(/Done\./);
  },
);

for (const [notify, flag] of [["bell", "1"], ["off", "0"]] as const) {
  onScreen(
    `createQuestions() calls a person who looks elsewhere: ${notify}`,
    [shell("echo one > one"), { text: "Done." }],
    async (tmux) => {
      await answer(tmux, /Allow shell/, "y");
      await tmux.sees(/Done\./);
      assert.equal(await tmux.tells("#{window_bell_flag}"), flag);
    },
    { config: { tui: { notify } }, settings: ["set -g monitor-bell on"] },
  );
}

onScreen(
  "createQuestions() asks in colours that fit the background of the terminal",
  [shell("echo one > one"), { text: "Done." }],
  async (tmux) => {
    await tmux.sees(READY_REGEXP);
    const light = createTheme({ depth: "true", unicode: true, background: "light" });
    const [sequence = ""] = light.paint("question", "▞▞").split("▞▞");
    const [, colour = ""] = /(38;2;[\d;]+);1m$/.exec(sequence) ?? [];
    assert.ok((await tmux.colouredScreen()).includes(`${colour}m▞▞`));
    await tmux.press("n");
    await tmux.sees(/Done\./);
  },
  {
    settings: ["set -g window-style 'bg=#fafafa,fg=#101010'"],
    env: { COLORTERM: "truecolor", NO_COLOR: "" },
  },
);

onScreen(
  "createQuestions() asks in a conversation that stays in the scrollback",
  [shell("echo one > one"), { text: "Done." }],
  async (tmux, cli) => {
    const screen = await answer(tmux, /Allow shell/, "y");
    assert.match(questionOf(screen), /^▞▞ Allow shell \(process\)\?\n│ echo one > one\n/);
    await tmux.sees(/Done\./);
    assert.doesNotMatch(await tmux.history(), /▞▞/);
    assert.equal(await Deno.readTextFile(`${cli.workspace}/one`), "one\n");
  },
  { config: { tui: { screen: "inline" } } },
);

Deno.test({
  name: "createQuestions() asks for plugins, and leaves at Esc",
  ignore: !HAS_TMUX,
  async fn() {
    await withCli(async (cli) => {
      const select = `await api.ui.select({ title: "Which wind?", options: [
        { value: "n", label: "North" }, { value: "s", label: "South", description: "warm" },
      ] })`;
      const source = pluginSource(
        "acme.one",
        `const early = ${select};
        api.commands.register("pick", async () => \`picked \${${select}}, early \${early}\`);`,
      );
      await writeTree(cli.dir, { "p.js": source, "script.json": '{"turns":[{"text":"x"}]}' });
      await using tmux = await startTmux(cli, {
        args: ["--model", `scripted/${cli.dir}/script.json`, "--plugin", `${cli.dir}/p.js`],
      });
      // Also while everything is opened.
      await answer(tmux, /Which wind/, "Enter");
      await tmux.sees(/Workspace/);
      await send(tmux, "/acme.one:pick");
      const screen = await answer(tmux, /Which wind/, "Down");
      assert.equal(
        questionOf(screen),
        [
          "▞▞ plugin acme.one asks: Question 1/1 · acme.one",
          "│ Which wind?",
          "› North",
          "  South",
          "    warm",
          "Enter submit · Esc skip · Ctrl+C stop",
        ].join("\n"),
      );
      await tmux.sees(/› South/);
      await tmux.press("Enter");
      await tmux.sees(/picked s, early n/);
      await send(tmux, "/acme.one:pick");
      await answer(tmux, /Which wind/, "Escape");
      await tmux.sees(/picked undefined/);
      await tmux.press("C-d");
      assert.equal(await tmux.ended(), 0);
    });
  },
});

Deno.test({
  name: "createQuestions() keeps a question while the person is in the shell",
  ignore: !HAS_TMUX,
  async fn() {
    await withCli(async (cli) => {
      const script = `${cli.dir}/script.json`;
      const turns = [shell("echo one > one"), { text: "Done." }];
      await Deno.writeTextFile(script, JSON.stringify({ turns }));
      await using tmux = await startTmux(cli, {
        args: ["--model", `scripted/${script}`],
        inShell: true,
      });
      await tmux.sees(/Workspace/);
      await send(tmux, "Go");
      await tmux.sees(READY_REGEXP);
      await tmux.press("C-z");
      await tmux.sees(/Stopped/);
      await tmux.type("fg\r");
      await answer(tmux, /Allow shell/, "y");
      await tmux.sees(/Done\./);
      assert.equal(await Deno.readTextFile(`${cli.workspace}/one`), "one\n");
      await tmux.press("C-d");
      await tmux.sees(/The session is kept/);
    });
  },
});
