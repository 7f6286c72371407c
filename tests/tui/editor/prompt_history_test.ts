import assert from "node:assert/strict";
import { PromptHistory, promptHistoryPath } from "../../../tui/editor/prompt_history.ts";
import { withPromptEditor } from "../../support/prompt_editor_scene.ts";
import { withTempDir } from "../../support/temp.ts";

const redact = (text: string) => text.replaceAll("hunter2", "[redacted]");

Deno.test("PromptHistory keeps prompts of a workspace for its owner alone", () =>
  withTempDir(async (dir) => {
    const path = await promptHistoryPath(`${dir}/state`, dir);
    const history = new PromptHistory({ path, redact });
    await history.load();
    await history.add("first");
    await history.add("with\nlines and hunter2");
    await history.add("first");
    await history.add("   ");
    await history.add("x".repeat(32_769));
    const expected = ["first", "with\nlines and [redacted]"];
    assert.deepEqual(history.entries, expected);
    const again = new PromptHistory({ path, redact });
    await again.load();
    assert.deepEqual(again.entries, expected);
    if (Deno.build.os === "windows") return;
    assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
    assert.equal(((await Deno.stat(`${dir}/state/history`)).mode ?? 0) & 0o777, 0o700);
  }));

Deno.test("promptHistoryPath() tells workspaces apart, whatever they are called by", () =>
  withTempDir(async (dir) => {
    await Deno.mkdir(`${dir}/one`);
    await Deno.mkdir(`${dir}/two`);
    await Deno.symlink(`${dir}/one`, `${dir}/link`);
    const path = (name: string) => promptHistoryPath("/state", `${dir}/${name}`);
    assert.equal(await path("link"), await path("one"));
    assert.notEqual(await path("two"), await path("one"));
  }));

Deno.test("PromptHistory loses nothing when several add at once", () =>
  withTempDir(async (dir) => {
    const path = `${dir}/history/x.jsonl`;
    const writers = Array.from({ length: 5 }, () => new PromptHistory({ path, redact }));
    await Promise.all(writers.flatMap((writer, index) =>
      Array.from({ length: 10 }, (_, turn) => writer.add(`prompt ${index}.${turn}`))
    ));
    const reader = new PromptHistory({ path, redact });
    await reader.load();
    assert.equal(reader.entries.length, 50);
  }));

Deno.test("PromptHistory reads past what is no entry, and stays bounded", () =>
  withTempDir(async (dir) => {
    const path = `${dir}/x.jsonl`;
    const entry = (prompt: string) => `\n${JSON.stringify({ prompt })}`;
    const long = Array.from({ length: 700 }, (_, index) => entry(`${index} ${"y".repeat(4_000)}`));
    await Deno.writeTextFile(path, `not json${entry("old")}${long.join("")}\n{"prompt": 7}\n{"pro`);
    const history = new PromptHistory({ path, redact });
    await history.load();
    assert.equal(history.entries.length, 500);
    assert.match(history.entries[0] ?? "", /^699 /);
    await history.add("new");
    assert.ok((await Deno.stat(path)).size < 2_200_000);
    const again = new PromptHistory({ path, redact });
    await again.load();
    assert.equal(again.entries[0], "new");
    assert.equal(again.entries.length, 500);
  }));

Deno.test("PromptHistory goes on without a file that can be read or written", () =>
  withTempDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/file`, "");
    const missing = () => promptHistoryPath(dir, `${dir}/missing`);
    for (const path of [() => `${dir}/file/x.jsonl`, missing, () => dir]) {
      const history = new PromptHistory({ path: path(), redact });
      await history.load();
      await history.add("kept in memory");
      assert.deepEqual(history.entries, ["kept in memory"]);
    }
  }));

Deno.test("PromptEditor goes through earlier prompts, and loses no draft", () =>
  withPromptEditor(async ({ type, editor }) => {
    for (const prompt of ["one", "two\nlines", "/help"]) {
      editor.setText(prompt);
      await type("\r");
    }
    await type("a draft");
    await type("\x1b[A");
    assert.equal(editor.text(), "a draft");
    const seen: string[] = [];
    for (const key of ["\x1b[A", "\x1b[A", "\x1b[A", "\x1b[A", "\x1b[B", "\x10", "\x0e"]) {
      await type(key);
      seen.push(editor.text());
    }
    assert.deepEqual(seen, [
      "/help",
      "two\nlines",
      "one",
      "one",
      "two\nlines",
      "one",
      "two\nlines",
    ]);
    await type("\x0e\x0e");
    assert.equal(editor.text(), "a draft");
    await type("\x0e");
    assert.equal(editor.text(), "a draft");
  }));

Deno.test("PromptEditor makes an earlier prompt a draft once it is changed", () =>
  withPromptEditor(async ({ type, editor }) => {
    editor.setText("one");
    await type("\r");
    await type("draft");
    await type("\x10");
    await type("X");
    await type("\x0e");
    assert.equal(editor.text(), "Xone");
    await type("\x1f\x1f");
    assert.equal(editor.text(), "draft");
  }));
