import assert from "node:assert/strict";
import {
  type CommandTarget,
  isCommand,
  LINE_COMMANDS,
  runCommand,
} from "../../../cli/talk/commands.ts";
import type { CompactionOutcome } from "../../../core/compaction/compactor.ts";
import { AlisioError } from "../../../core/errors.ts";
import type { PermissionMode, PermissionModeLabel } from "../../../core/gate/permission_mode.ts";

/** What commands act on, with what they said and chose. */
function createTarget(options: {
  readonly answer?: boolean;
  readonly refused?: string;
  readonly sandbox?: "bubblewrap";
  readonly mode?: PermissionModeLabel;
  readonly outcome?: CompactionOutcome | "stopped";
  readonly aside?: string;
  readonly isOpen?: boolean;
} = {}) {
  const said: string[] = [];
  const asked: string[] = [];
  const chosen: PermissionMode[] = [];
  let label = options.mode ?? "ask";
  const target: CommandTarget = {
    tools: () => [],
    pluginCommands: () => [
      { name: "acme.hello:greet", argumentHint: "<name>", description: "Greets\u001b[2J" },
      { name: "acme.hello:x" },
    ],
    say: (text) => void said.push(text),
    compact: (focus) => {
      asked.push(focus);
      return Promise.resolve(options.outcome ?? null);
    },
    askAside: (question) => {
      asked.push(question);
      return Promise.resolve(options.aside ?? null);
    },
    showPlans: (words) => Promise.resolve(void asked.push(words.join(" "))),
    showTasks: (words) => Promise.resolve(void asked.push(words.join(" "))),
    mcpServers: () => Promise.resolve("MCP servers: not allowed yet"),
    runAgents: (argument) => Promise.resolve(void asked.push(`agents ${argument}`)),
    runGoal: (argument) => Promise.resolve(void asked.push(argument)),
    leaveSession: () => Promise.resolve(options.isOpen ?? false),
    confirm: (question) => {
      asked.push(question);
      return Promise.resolve(options.answer ?? false);
    },
    permissions: {
      permissionMode: () => label,
      sandboxBackend: () => options.sandbox ?? null,
      setPermissionMode(mode) {
        if (options.refused !== undefined) throw new AlisioError("usage", options.refused);
        chosen.push(mode);
        label = mode;
      },
    },
  };
  return { target, said, asked, chosen };
}

Deno.test("isCommand() takes a slash and one word, and no path", () => {
  for (const line of ["/help", "/", "/permission full", "/x y"]) assert.ok(isCommand(line), line);
  for (
    const line of [
      "help",
      "/etc/hosts",
      "/tmp/a is new",
      "//",
      "/a.b:c",
      " /help",
      "/command a.b:c",
    ]
  ) {
    assert.ok(!isCommand(line), line);
  }
});

Deno.test("runCommand() lists every command of the table", async () => {
  const { target, said } = createTarget();
  assert.equal(await runCommand("/help", target), "go on");
  for (const { name, summary } of LINE_COMMANDS) {
    assert.ok(said.join().includes(name) && said.join().includes(summary), name);
  }
  assert.match(said.join(), /^ {2}\/acme\.hello:greet <name> +Greets\\x1b\[2J$/m);
  assert.match(said.join(), /^ {2}\/acme\.hello:x$/m);
});

Deno.test("runCommand() leaves on /exit, and names what is near an unknown command", async () => {
  const { target, said } = createTarget();
  assert.equal(await runCommand("/exit", target), "leave");
  assert.equal(await runCommand("/tols", target), "go on");
  assert.equal(await runCommand("/somethingelse", target), "go on");
  assert.deepEqual(said, [
    'Unknown command "/tols": did you mean /tools?',
    'Unknown command "/somethingelse": see /help',
  ]);
});

Deno.test("runCommand() says where a command of the whole screen is", async () => {
  const { target, said } = createTarget();
  for (const line of ["/connect", "/models x", "/settings"]) await runCommand(line, target);
  const where = "is a command of the whole screen: start alisio without --no-tui for it";
  assert.deepEqual(said, [
    `"/connect" ${where}, or write "alisio connect" in a shell`,
    `"/models" ${where}, or choose one with "--model"`,
    `"/settings" ${where}`,
  ]);
});

Deno.test("runCommand() hands over what follows /goal and /tasks", async () => {
  const { target, asked } = createTarget();
  await runCommand("/goal Make  it work budget=5k", target);
  await runCommand("/tasks stop 2", target);
  assert.deepEqual(asked, ["Make it work budget=5k", "stop 2"]);
});

Deno.test("runCommand() shows and chooses a permission mode", async () => {
  const { target, said, asked, chosen } = createTarget();
  await runCommand("/permission", target);
  await runCommand("/permission auto", target);
  await runCommand("/permission most", target);
  assert.deepEqual(chosen, ["auto"]);
  assert.deepEqual(asked, []);
  assert.deepEqual(said, [
    "Permission mode ask: write ask, process ask, external ask",
    "Permission mode auto: write on, process ask, external ask\n" +
    "Grants for the session are forgotten",
    'Unknown mode "most": choose ask, auto, full',
  ]);
});

Deno.test("runCommand() chooses full only when the person confirms what it means", async () => {
  const refused = createTarget({ answer: false });
  await runCommand("/permission full", refused.target);
  assert.deepEqual(refused.chosen, []);
  assert.match(refused.said.join(), /^Nothing changed: Permission mode ask/);
  const [question = ""] = refused.asked;
  assert.match(question, /Writes, commands and the network will run unasked/);
  assert.match(question, /not a sandbox/);
  assert.match(question, /your own permissions/);
  assert.match(question, /outside the workspace and protected files are still asked about/);
  const confirmed = createTarget({ answer: true });
  await runCommand("/permission full", confirmed.target);
  assert.deepEqual(confirmed.chosen, ["full"]);
});

Deno.test("runCommand() says of full that the sandbox stays, where there is one", async () => {
  const { target, asked } = createTarget({ sandbox: "bubblewrap" });
  await runCommand("/permission full", target);
  const [question = ""] = asked;
  assert.match(question, /Programs stay in the sandbox "bubblewrap"; tools of plugins are not/);
  assert.doesNotMatch(question, /not a sandbox|your own permissions/);
});

Deno.test("runCommand() says why a mode cannot be chosen, and asks for no confirmation of it", async () => {
  const refused = "Cannot change it: --read-only was given";
  const readOnly = createTarget({ mode: "read-only", answer: true, refused });
  await runCommand("/permission full", readOnly.target);
  assert.deepEqual([readOnly.asked, readOnly.said], [[], [refused]]);
  const { target, said } = createTarget({ refused: "Cannot change it: --read-only was given" });
  assert.equal(await runCommand("/permission auto", target), "go on");
  assert.deepEqual(said, ["Cannot change it: --read-only was given"]);
});

Deno.test("/btw passes the question on, and says what was answered", async () => {
  const answered = createTarget({ aside: "Port 8080" });
  assert.equal(await runCommand("/btw which  port?", answered.target), "go on");
  assert.deepEqual([answered.asked, answered.said], [["which port?"], ["Port 8080"]]);
  const { target, said } = createTarget();
  await runCommand("/btw", target);
  await runCommand("/btw which?", target);
  await runCommand("/btw which?", createTarget({ aside: "stopped" }).target);
  assert.deepEqual(said, [
    "Usage: /btw <question>",
    "There is no conversation yet; a side question is about one",
  ]);
});

Deno.test("/new says whether there was a session to leave", async () => {
  for (
    const [isOpen, words] of [
      [true, "A new session begins with your next prompt"],
      [false, "The session is new already"],
    ] as const
  ) {
    const { target, said } = createTarget({ isOpen });
    assert.equal(await runCommand("/new", target), "go on");
    assert.deepEqual(said, [words]);
  }
});

Deno.test("/compact passes on what is to be kept in view, and says what became of it", async () => {
  const completed = {
    status: "completed",
    before: 9_000,
    after: 2_000,
    replaced: 12,
    structured: true,
    partial: true,
    plugins: { "acme.notes": "notes: 3" },
  } as const;
  const rows: readonly (readonly [CompactionOutcome | "stopped" | undefined, readonly string[]])[] =
    [
      [undefined, ["There is nothing to summarise yet"]],
      ["stopped", []],
      [completed, [
        "Summarised 12 messages: about 9000 tokens of context are 2000 now; the output limit cut " +
        "the summary; acme.notes: notes: 3",
      ]],
      [{ status: "skipped", before: 1, detail: "too short" }, [
        "The conversation is not summarised: too short",
      ]],
      [{ status: "failed", before: 1, error: "no model" }, [
        "The conversation could not be summarised: no model",
      ]],
    ];
  for (const [outcome, expected] of rows) {
    const { target, said, asked } = createTarget(outcome === undefined ? {} : { outcome });
    assert.equal(await runCommand("/compact the  port", target), "go on");
    assert.deepEqual([asked, said], [["the port"], expected]);
  }
});

Deno.test("runCommand() passes /agents on, and lists it once", async () => {
  const { target, said, asked } = createTarget();
  await runCommand("/agents resume 1a2b  go on", target);
  assert.deepEqual(asked, ["agents resume 1a2b go on"]);
  const commands = [...target.pluginCommands(), { name: "agents" }];
  await runCommand("/help", { ...target, pluginCommands: () => commands });
  assert.equal(said[0]?.match(/^ {2}\/agents/gm)?.length, 1);
});
