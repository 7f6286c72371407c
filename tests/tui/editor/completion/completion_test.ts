import assert from "node:assert/strict";
import type { SlashCommand } from "../../../../tui/commands/slash_command.ts";
import { type PromptEditorScene, withPromptEditor } from "../../../support/prompt_editor_scene.ts";
import { writeTree } from "../../../support/temp.ts";

const COMMANDS: readonly SlashCommand[] = [
  command("help", { argumentHint: "[word]" }),
  command("resume", {
    complete: (typed) =>
      Promise.resolve(
        [
          { value: "0199", label: "0199", description: "first" },
          { value: "0200", label: "0200", description: "second \x1b[31m" },
        ].filter(({ value }) => value.startsWith(typed)),
      ),
  }),
  command("btw", { argumentHint: "<question>", aliases: ["aside"] }),
  command("skill:review", { source: "skill", argumentHint: "<request>" }),
  command("agent:plan", { source: "agent" }),
  command("fails", { complete: () => Promise.reject(new Error("no")) }),
];

function command(name: string, more: Partial<SlashCommand> = {}): SlashCommand {
  return {
    name,
    description: `About ${name}`,
    source: "builtin",
    duringRun: "live",
    run() {},
    ...more,
  };
}

const FILES = {
  "README.md": "",
  "src/main.ts": "",
  "src/my notes.md": "",
  "lib/deep/only.ts": "",
  ".secret": "",
};

async function withEditor(fn: (scene: PromptEditorScene) => Promise<void>): Promise<void> {
  const env = { PATH: Deno.env.get("PATH") ?? "" };
  await withPromptEditor(async (scene, dir) => {
    await writeTree(dir, FILES);
    await fn(scene);
  }, { commands: COMMANDS, env });
}

const menu = (drawn: string) => drawn.slice(0, drawn.indexOf("─")).trimEnd().split("\n");

Deno.test("PromptEditor completes commands at 80 and 40 columns", () =>
  withEditor(async ({ type, draw }) => {
    await type("/");
    assert.deepEqual(menu(draw(80)), [
      "› /help [word]             About help",
      "  /resume                  About resume",
      "  /btw <question>          About btw",
      "  /skill:review <request>  About skill:review",
      "  /agent:plan              About agent:plan",
      "  /fails                   About fails",
    ]);
    await type("re");
    assert.deepEqual(menu(draw(40)), [
      "› /resume               About resume",
      "  /skill:review <requ…  About skill:rev…",
    ]);
    await type("zzz");
    assert.deepEqual(menu(draw(40)), [""]);
  }));

/** What is typed, and what the editor holds and has sent afterwards. */
const CHOICES:
  readonly (readonly [bytes: readonly string[], text: string, sent: readonly string[]])[] = [
    [["/he", "\r"], "", ["/help"]],
    [["/he", "\t"], "/help ", []],
    [["/as", "\r"], "/btw ", []],
    [["/skill", "\r"], "", ["/skill:review"]],
    [["/", "\x1b[B\x1b[B", "\r"], "/btw ", []],
    [["/", "\x1b[A", "\t"], "/fails ", []],
    [["/he", "\x1b", "\r"], "", ["/he"]],
    [["/resume 02", "\r", "\r"], "", ["/resume 0200"]],
    [["/resume ", "\x1b[B", "\t"], "/resume 0200", []],
    [["/fails x", "\r"], "", ["/fails x"]],
    [["text /he", "\r"], "", ["text /he"]],
    [["a\n/he", "\r"], "", ["a\n/he"]],
    [["/he\n"], "/he\n", []],
  ];

for (const [bytes, text, sent] of CHOICES) {
  Deno.test(`PromptEditor chooses commands with ${JSON.stringify(bytes)}`, () =>
    withEditor(async (scene) => {
      for (const each of bytes) await scene.type(each);
      assert.equal(scene.editor.text(), text);
      assert.deepEqual(scene.sent.map(({ prompt }) => prompt), sent);
    }));
}

Deno.test("PromptEditor shows what a menu holds without obeying it", () =>
  withEditor(async ({ type, draw }) => {
    await type("/resume 02");
    assert.deepEqual(menu(draw(80)), ["› 0200  second \\x1b[31m"]);
  }));

Deno.test("PromptEditor completes paths behind @, with quotes where they are needed", () =>
  withEditor(async ({ type, draw, editor, until }) => {
    await type("see @");
    await until(() => editor.isCompleting());
    assert.deepEqual(menu(draw(80)), ["› README.md", "  lib/", "  src/"]);
    await type("mynot");
    await until(() => menu(draw(80))[0] === "› my notes.md  src");
    await type("\r");
    assert.equal(editor.text(), 'see @"src/my notes.md" ');
    await type("and (@src");
    await until(() => menu(draw(80))[0] === "› src/");
    await type("\t");
    await until(() => menu(draw(80))[0] === "› main.ts      src");
    await type("\t");
    assert.equal(editor.text(), 'see @"src/my notes.md" and (@src/main.ts ');
  }));

Deno.test("PromptEditor completes paths with Tab, as a shell does", () =>
  withEditor(async ({ type, draw, editor, until }) => {
    await type("open li");
    await type("\t");
    await until(() => editor.text() === "open lib/deep/only.ts ");
    await type("\x15");
    await type("x src/m");
    await type("\t");
    await until(() => editor.isCompleting());
    assert.deepEqual(menu(draw(80)), ["› main.ts      src", "  my notes.md  src"]);
    await type("a");
    await until(() => menu(draw(80)).length === 1);
    await type("\x1b");
    assert.equal(editor.isCompleting(), false);
  }));

Deno.test("PromptEditor completes paths outside of the workspace with Tab", () =>
  withEditor(async ({ type, editor, until }) => {
    await type("~/sr");
    await type("\t");
    await until(() => editor.isCompleting());
    assert.equal(editor.text(), "~/src/");
    await type("\x15");
    await type("~/.se");
    await type("\t");
    await type("x");
    assert.equal(editor.text(), "~/.sex");
  }));

Deno.test("PromptEditor takes keys while a list of files is not there yet", () =>
  withEditor(async ({ type, editor, sent }) => {
    await type("@R");
    await type("EADME");
    await type("\r");
    assert.equal(editor.text(), "");
    assert.deepEqual(sent, [{ prompt: "@README" }]);
  }));
