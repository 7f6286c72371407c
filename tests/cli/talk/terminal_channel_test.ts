import assert from "node:assert/strict";
import { createTerminalChannel } from "../../../cli/talk/terminal_channel.ts";
import { QUESTION_MARK } from "../../../core/text/question_mark.ts";
import type {
  ApprovalChoice,
  ApprovalQuestion,
  ApprovalReply,
} from "../../../core/gate/approval.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";
import { sha256Hex } from "../../../core/files/sha256.ts";
import { type FakeTerminal, type FakeTerminalOptions, openFakeTerminal } from "./_fake_terminal.ts";

const ALL: readonly ApprovalChoice[] = ["once", "session", "edit", "deny"];
const CTRL_C = "\x03";
const CTRL_D = "\x04";

/** The line on which an answer is typed. */
const ASKS = new RegExp(`${QUESTION_MARK} [a-z/]+: $`);

function question(
  tool: string,
  input: Readonly<Record<string, unknown>>,
  rest: Partial<ApprovalQuestion> = {},
): ApprovalQuestion {
  return {
    sessionId: "s",
    agentPath: [],
    summary: { paths: [], programs: [] },
    callId: "c",
    tool,
    effect: tool === "shell" ? "process" : "write",
    arguments: JSON.stringify(input),
    subject: { kind: "effect" },
    reason: "it has an effect",
    choices: ALL,
    ...rest,
  };
}

const shell = (command: string, rest: Partial<ApprovalQuestion> = {}): ApprovalQuestion =>
  question("shell", { command }, rest);

interface Scene extends FakeTerminal {
  readonly stop: AbortController;
  ask(about: ApprovalQuestion): Promise<ApprovalReply>;
}

interface SceneOptions extends FakeTerminalOptions {
  readonly workspace?: string;
  readonly sandbox?: string | null;
}

function openScene(options: SceneOptions = {}): Scene {
  const fake = openFakeTerminal(options);
  const { workspace = "/ws", sandbox = null } = options;
  const stop = new AbortController();
  const channel = createTerminalChannel({
    ...fake.ports,
    place: () => ({ workspace, roots: [workspace], env: {}, sandbox }),
  });
  return { ...fake, stop, ask: (about) => channel.ask(about, { signal: stop.signal }) };
}

/** Asks, types an answer when it is time, and answers what became of it. */
async function answerWith(
  keys: string,
  about: ApprovalQuestion = shell("make"),
): Promise<ApprovalReply> {
  const scene = openScene();
  const answer = scene.ask(about);
  await scene.until(ASKS);
  await scene.type(keys);
  const given = await answer;
  await scene.hangUp();
  return given;
}

Deno.test("createTerminalChannel() takes y and a for a yes, and everything else for a no", async () => {
  const rows: readonly (readonly [string, ApprovalReply])[] = [
    ["y\r", "once"],
    ["YES\r", "once"],
    [" y \r", "once"],
    ["a\r", "session"],
    ["Always\r", "session"],
    ["\r", "deny"],
    ["n\r", "deny"],
    ["no\r", "deny"],
    ["ye\r", "deny"],
    ["y y\r", "deny"],
    ["yes please\r", "deny"],
    ["allow\r", "deny"],
    ["1\r", "deny"],
    ["v\r", "deny"],
    ["constructor\r", "deny"],
    ["y\u200b\r", "deny"],
    ["\x1b[200~y\n\x1b[201~\r", "deny"],
    ["\x1b[200~y\nwhat was copied\x1b[201~\r", "deny"],
    ["x\x7fy\r", "once"],
    [CTRL_D, "deny"],
    [`y${CTRL_C}`, "deny"],
  ];
  for (const [keys, expected] of rows) {
    assert.equal(await answerWith(keys), expected, JSON.stringify(keys));
  }
});

Deno.test("createTerminalChannel() takes no answer that is not on offer", async () => {
  const onceOnly = shell("make", { choices: ["once", "deny"] });
  assert.equal(await answerWith("a\r", onceOnly), "deny");
  assert.equal(await answerWith("e\r", onceOnly), "deny");
  assert.equal(await answerWith("y\r", onceOnly), "once");
  const none = shell("make", { choices: ["deny"] });
  assert.equal(await answerWith("y\r", none), "deny");
});

Deno.test("createTerminalChannel() denies when the input is closed while it asks (R9)", async () => {
  const scene = openScene();
  const answer = scene.ask(shell("make"));
  await scene.until(ASKS);
  await scene.type("y");
  await scene.hangUp();
  const nobody = { undecided: "unavailable" };
  assert.deepEqual(await answer, nobody);
  assert.deepEqual(await scene.ask(shell("make")), nobody, "nor is anybody there for a second one");
});

Deno.test("createTerminalChannel() denies when its question is taken back (R39)", async () => {
  const scene = openScene();
  const answer = scene.ask(shell("make"));
  await scene.until(ASKS);
  scene.stop.abort();
  assert.equal(await answer, "deny");
  await scene.until(/Taken back: no answer is needed any more\n/);
  assert.equal(await scene.ask(shell("make")), "deny");
  await scene.hangUp();
});

Deno.test("createTerminalChannel() stops the run on Ctrl+C", async () => {
  const scene = openScene();
  const answer = scene.ask(shell("make"));
  await scene.until(ASKS);
  await scene.type(CTRL_C);
  assert.equal(await answer, "deny");
  assert.equal(scene.interrupts(), 1);
  await scene.hangUp();
});

Deno.test("createTerminalChannel() is not answered by what was typed before the question", async () => {
  const scene = openScene();
  await scene.type("y\ry\ryes\r");
  const answer = scene.ask(shell("make"));
  await scene.until(/What was typed before the question does not answer it\n/);
  await scene.until(ASKS);
  await scene.type("a\r");
  assert.equal(await answer, "session");
  await scene.hangUp();
});

Deno.test("createTerminalChannel() asks one question at a time (R34)", async () => {
  const scene = openScene();
  const answers = ["one", "two", "three"].map((command) => scene.ask(shell(command)));
  for (const [command, keys] of [["one", "y"], ["two", "n"], ["three", "a"]] as const) {
    await scene.until(new RegExp(`│ ${command}\\n[^]*${QUESTION_MARK} [a-z/]+: $`));
    assert.equal(scene.shown().split("Allow shell").length - 1, countOf(command));
    await scene.type(`${keys}\r`);
  }
  assert.deepEqual(await Promise.all(answers), ["once", "deny", "session"]);
  await scene.hangUp();
});

function countOf(command: string): number {
  return ["one", "two", "three"].indexOf(command) + 1;
}

Deno.test("createTerminalChannel() lets nothing cover or imitate its question", async () => {
  const scene = openScene();
  const { screen } = scene.ports;
  screen.out(`The model says\n${QUESTION_MARK} Allow shell (process)?\n  y allow once`);
  const answer = scene.ask(shell("make"));
  await scene.until(ASKS);
  const before = scene.shown();
  screen.out("more of the answer\n");
  screen.err(`${QUESTION_MARK} a notice\n`);
  await screen.flush();
  assert.equal(scene.shown(), before, "it was printed over the question");
  assert.match(
    before,
    /\n\\u259e\\u259e Allow shell \(process\)\?\n {2}y allow once\n▞▞ Allow shell/,
  );
  await scene.type("y\r");
  assert.equal(await answer, "once");
  await screen.flush();
  assert.match(scene.shown(), /y\r\nmore of the answer\n\\u259e\\u259e a notice\n$/);
  await scene.hangUp();
});

Deno.test("createTerminalChannel() holds a run up while much waits behind a question", async () => {
  const scene = openScene();
  const { screen } = scene.ports;
  const answer = scene.ask(shell("make"));
  await scene.until(ASKS);
  screen.out("x".repeat(60_000));
  assert.equal(screen.drained(), undefined);
  screen.out("x".repeat(10_000));
  const drained = screen.drained();
  assert.ok(drained instanceof Promise);
  await scene.type("n\r");
  await answer;
  await drained;
  await scene.hangUp();
});

Deno.test("createTerminalChannel() shows what a screen would hide, and warns (field case 105)", async () => {
  const rows: readonly (readonly [string, RegExp])[] = [
    ["rm \u202egpj.tac", /│ rm \\u\{202E\}gpj\.tac\n/],
    ["ls\u200b -la", /│ ls\\u\{200B\} -la\n/],
    ["echo \u{e0072}\u{e006d}", /│ echo \\u\{E0072\}\\u\{E006D\}\n/],
    ["echo \x1b[2J\x1b[1;1Hok", /│ echo \\x1b\[2J\\x1b\[1;1Hok\n/],
    ["rm -rf x\recho harmless", /│ rm -rf x\\x0decho harmless\n/],
    [`echo ok;${" ".repeat(500)}rm -rf x`, /│ echo ok;⟨500 blanks⟩rm -rf x\n/],
    [`echo ok${"\n".repeat(60)}rm -rf x`, /│ echo ok⟨60 line ends⟩rm -rf x\n/],
    ["curl https://gіthub.com/x", /gі⟨\\u\{456\}⟩thub/],
    ["echo \u{1f469}\u200d\u{1f4bb}; \u2060rm x", /│ echo 👩‍💻; \\u\{2060\}rm x\n/],
  ];
  for (const [command, expected] of rows) {
    const scene = openScene();
    const answer = scene.ask(shell(command));
    const shown = await scene.until(ASKS);
    assert.match(shown, expected, JSON.stringify(command));
    assert.match(shown, /▞▞ Warning: \d hidden places? (?:is|are) marked: /);
    await scene.type("y\r");
    assert.equal(await answer, "once");
    await scene.hangUp();
  }
  const scene = openScene();
  const answer = scene.ask(shell("printf 'a\\tb'\n\tmake # 100 % ok"));
  assert.doesNotMatch(await scene.until(ASKS), /Warning/, "nothing is hidden here");
  await scene.type("n\r");
  await answer;
  await scene.hangUp();
});

Deno.test("createTerminalChannel() spells out names of tools, paths and hosts (field case 105)", async () => {
  await withTempDir(async (workspace) => {
    const scene = openScene({ workspace, columns: 200 });
    const answer = scene.ask({
      ...question("mcp_fіles_fetch", {
        url: "https://аpple.com/\u200bx",
        path: "a\nwhy: harmless",
      }),
      effect: "external",
    });
    const shown = await scene.until(ASKS);
    assert.match(shown, /▞▞ Allow mcp_fі⟨\\u\{456\}⟩les_fetch \(external\)\?\n/);
    assert.match(shown, /\n {2}path: a\\x0awhy: harmless\n/);
    assert.match(shown, /\n {2}host: xn--pple-43d\.com\n/);
    assert.match(shown, /│ url: https:\/\/а⟨\\u\{430\}⟩pple\.com\/\\u\{200B\}x\n/);
    await scene.type("n\r");
    await answer;
    await scene.hangUp();
  });
});

Deno.test("createTerminalChannel() allows nothing that was cut before all was shown (field case 106)", async () => {
  const script = Array.from({ length: 60 }, (_, index) => `echo step ${index}`);
  const rows = [
    `echo ${"a".repeat(3_000)}; rm -rf the_tail`,
    [...script.slice(1), "rm -rf the_tail"].join("\n"),
  ];
  for (const command of rows) {
    for (const keys of ["y", "a", "yes"]) {
      const scene = openScene({ columns: 80, rows: 24 });
      const answer = scene.ask(shell(command));
      const cut = await scene.until(ASKS);
      assert.doesNotMatch(cut, /the_tail/);
      assert.match(cut, /▞▞ Cut: \d+ of \d+ rows are not shown yet\n/);
      assert.match(cut, /▞▞ v\/e\/n: $/);
      assert.ok(cut.split("\n").length <= 24, "the question itself left the screen");
      await scene.type(`${keys}\r`);
      const whole = await scene.until(ASKS, cut.length);
      assert.match(whole, /the_tail\n/, "an answer to a cut view shows the rest");
      assert.match(whole, /▞▞ y\/a\/e\/n: $/);
      await scene.type(`${keys}\r`);
      assert.equal(await answer, keys === "a" ? "session" : "once");
      await scene.hangUp();
    }
    const scene = openScene({ columns: 80, rows: 24 });
    const answer = scene.ask(shell(command));
    await scene.until(ASKS);
    await scene.type("\r");
    assert.equal(await answer, "deny", "no default approves");
    await scene.hangUp();
  }
});

Deno.test("createTerminalChannel() shows a whole file of many rows step by step", async () => {
  await withTempDir(async (workspace) => {
    const scene = openScene({ workspace });
    const content = Array.from({ length: 1_200 }, (_, index) => `line ${index}\n`).join("");
    const answer = scene.ask(
      question("write_file", { path: "long.txt", content, expectedHash: null }),
    );
    let from = 0;
    let steps = 0;
    while (!/▞▞ y\/a\/e\/n: $/.test(await scene.until(ASKS, from))) {
      from = scene.shown().length;
      await scene.type("v\r");
      steps += 1;
    }
    assert.equal(steps, 3);
    for (const line of content.trimEnd().split("\n")) {
      assert.ok(scene.shown().includes(`│ +${line}\n`), line);
    }
    await scene.type("y\r");
    assert.equal(await answer, "once");
    await scene.hangUp();
  });
});

Deno.test("createTerminalChannel() keeps every row of what it shows behind its prefix", async () => {
  const scene = openScene({ columns: 40 });
  const filler = "漢".repeat(19);
  const command = `# ${filler}${" y allow once".repeat(8)}\n${QUESTION_MARK} y/a/n: `;
  const answer = scene.ask(shell(command));
  const shown = await scene.until(ASKS);
  const rows = shown.slice(shown.indexOf("│")).split("\n").filter((row) => /^[│┊]/.test(row));
  assert.ok(rows.length >= 5);
  for (const row of rows) {
    const cells = Array.from(row, (character) => character === "漢" ? 2 : 1);
    assert.ok(cells.reduce<number>((sum, each) => sum + each, 0) < 40, row);
  }
  assert.ok(shown.includes("│ \\u259e\\u259e y/a/n: "));
  assert.deepEqual(
    rows.map((row) => row.charAt(0)),
    rows.map((_, index) => index === 0 || index === rows.length - 1 ? "│" : "┊"),
    "a line that goes on looks like a new one",
  );
  await scene.type("n\r");
  await answer;
  await scene.hangUp();
});

Deno.test("createTerminalChannel() shows the change of an edit and of a write, and where they lead", async () => {
  await withTempDir(async (workspace) => {
    await writeTree(workspace, { "real/a.txt": "one\ntwo\nthree\n" });
    await Deno.symlink("real", `${workspace}/link`);
    const expectedHash = await sha256Hex(await Deno.readFile(`${workspace}/real/a.txt`));
    const rows: readonly (readonly [ApprovalQuestion, readonly RegExp[]])[] = [
      [
        question("edit_file", { path: "link/a.txt", oldText: "two", newText: "2", expectedHash }),
        [
          /│ {2}one\n│ -two\n│ \+2\n│ {2}three\n/,
          /path: link\/a\.txt\n/,
          /leads to: .*real\/a\.txt\n/,
        ],
      ],
      [
        question("write_file", { path: "link/a.txt", content: "one\r\nzwei\r\n", expectedHash }),
        [
          /│ -two\n│ -three\n│ \+zwei\n/,
          /change: an existing file\n/,
          /line ends: lf, then crlf\n/,
        ],
      ],
      [
        question("write_file", { path: "b.txt", content: "new\n", expectedHash: null }),
        [/│ \+new\n/, /change: a new file\n/],
      ],
      [
        question("edit_file", { path: "a.txt", oldText: "gone", newText: "x", expectedHash }),
        [/│ path: a\.txt\n│ oldText: gone\n│ newText: x\n/],
      ],
    ];
    for (const [about, patterns] of rows) {
      const scene = openScene({ workspace, columns: 200 });
      const answer = scene.ask(about);
      const shown = await scene.until(ASKS);
      for (const pattern of patterns) assert.match(shown, pattern);
      await scene.type("n\r");
      await answer;
      await scene.hangUp();
    }
  });
});

Deno.test("createTerminalChannel() shows the bounds of a program's arguments, and every other input", async () => {
  const scene = openScene({ columns: 200 });
  const answer = scene.ask(
    question("run_process", { command: "rm", args: ["-rf", "a b", "it's"], timeoutMs: 5 }),
  );
  const shown = await scene.until(ASKS);
  assert.match(shown, /│ rm -rf 'a b' 'it'\\''s'\n/);
  assert.match(shown, /\n {2}timeoutMs: 5\n/);
  assert.match(shown, /\n {2}program: not found in PATH\n/);
  await scene.type("n\r");
  await answer;
  await scene.hangUp();
});

Deno.test("createTerminalChannel() says which sandbox a command would run in", async () => {
  const asked = [
    question("shell", { command: "ls" }),
    question("run_process", { command: "ls", args: [] }),
  ];
  for (const about of asked) {
    for (const [sandbox, isNamed] of [["bubblewrap", true], [null, false]] as const) {
      const scene = openScene({ sandbox });
      const answer = scene.ask(about);
      assert.equal((await scene.until(ASKS)).includes("\n  sandbox: bubblewrap\n"), isNamed);
      await scene.type("n\r");
      await answer;
      await scene.hangUp();
    }
  }
});

Deno.test("createTerminalChannel() says what it means to install a plugin", async () => {
  const scene = openScene({ columns: 200 });
  const answer = scene.ask(question("plugin_install", { spec: "npm:a; b" }));
  const shown = await scene.until(ASKS);
  assert.match(shown, /│ alisio install 'npm:a; b' --yes\n/);
  assert.match(
    shown,
    /means: code that every later start loads, in all projects, with your rights\n/,
  );
  await scene.type("n\r");
  await answer;
  await scene.hangUp();
});

Deno.test("createTerminalChannel() breaks its own lines between words, and lets no name break them", async () => {
  const scene = openScene({ columns: 40 });
  const answer = scene.ask(
    { ...question("a\n▞▞ b", {}), subject: { kind: "directory", path: "/srv" } },
  );
  const shown = await scene.until(ASKS);
  assert.ok(
    shown.startsWith(
      "▞▞ Allow a\\x0a\\u259e\\u259e b (write) to\n▞▞ reach a directory outside the\n▞▞ workspace?\n",
    ),
    shown,
  );
  await scene.type("n\r");
  await answer;
  await scene.hangUp();
});

Deno.test("createTerminalChannel() lets no value of an input look like a field", async () => {
  const scene = openScene();
  const answer = scene.ask(
    question("mcp_send", { text: "x\npath: /safe", "a\nb": 1, list: [1], path: "/etc" }),
  );
  const shown = await scene.until(ASKS);
  const fields = '│ text:\n│   x\n│   path: /safe\n│ "a\\nb": 1\n│ list:\n│   [\n│     1\n│   ]\n' +
    "│ path: /etc\n";
  assert.ok(shown.includes(fields), shown);
  await scene.type("n\r");
  await answer;
  await scene.hangUp();
});

Deno.test("createTerminalChannel() says what an answer for the session covers", async () => {
  const rows: readonly (readonly [ApprovalQuestion["subject"], RegExp, RegExp])[] = [
    [
      { kind: "effect" },
      /Allow shell \(process\)\?/,
      /a always allow running programs \(process\) in/,
    ],
    [{ kind: "tool", tool: "shell" }, /Allow shell/, /a always allow every call of shell in/],
    [
      { kind: "directory", path: "/srv/data" },
      /Allow shell \(process\) to reach a directory outside the workspace\?\n {2}directory: \/srv\/data\n/,
      /a always allow this directory and all below it in this session/,
    ],
    [
      { kind: "protected", path: "/ws/.git/config" },
      /to change a protected file\?\n {2}file: \/ws\/\.git\/config\n/,
      /n deny/,
    ],
  ];
  for (const [subject, title, scope] of rows) {
    const scene = openScene({ columns: 120 });
    const answer = scene.ask(shell("make", { subject }));
    const shown = await scene.until(ASKS);
    assert.match(shown, title);
    assert.match(shown, scope);
    await scene.type("n\r");
    await answer;
    await scene.hangUp();
  }
});

Deno.test("createTerminalChannel() passes on what the person answers in place of a call", async () => {
  for (const end of [".\r", CTRL_D]) {
    const scene = openScene();
    const answer = scene.ask(shell("make"));
    await scene.until(ASKS);
    await scene.type("e\r");
    await scene.until(/a line with only a dot ends it\n> $/);
    await scene.type(`use the second target\r\rand nothing else\r${end}`);
    assert.deepEqual(await answer, {
      replacement: "use the second target\n\nand nothing else",
    });
    await scene.hangUp();
  }
});

Deno.test("createTerminalChannel() asks again when the person gives up an answer of their own", async () => {
  for (const keys of [`half an answer\r${CTRL_C}`, ".\r"]) {
    const scene = openScene();
    const answer = scene.ask(shell("make"));
    const { length } = await scene.until(ASKS);
    await scene.type("e\r");
    await scene.until(/> $/, length);
    const from = scene.shown().length;
    await scene.type(keys);
    await scene.until(ASKS, from);
    await scene.type("n\r");
    assert.equal(await answer, "deny");
    assert.equal(scene.interrupts(), 0);
    await scene.hangUp();
  }
});

Deno.test("createTerminalChannel() names the agent that asks, and programs that are not what they seem", async () => {
  const scene = openScene({ columns: 120 });
  const answer = scene.ask(shell("ls", {
    agentPath: ["general", "explore"],
    summary: {
      command: "ls",
      paths: [],
      programs: [{ name: "ls", path: "/ws/bin/ls" }, { name: "gone", path: null }],
    },
  }));
  const shown = await scene.until(ASKS);
  assert.match(shown, /▞▞ general › explore asks: Allow shell \(process\)\?\n/);
  assert.match(shown, /\n {2}starts: ls, which is \/ws\/bin\/ls\n/);
  assert.match(shown, /\n {2}starts: gone, which is not known\n/);
  await scene.type("n\r");
  await answer;
  await scene.hangUp();
});
