import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sha256Hex } from "../../core/files/sha256.ts";
import { createEditFileTool } from "../../tools/edit_file.ts";
import { DENO } from "../support/paths.ts";
import { withTempDir, writeTree } from "../support/temp.ts";
import { type CallAnswer, callFileTool, OutsideError } from "./_call_file_tool.ts";

interface EditCall {
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
  readonly expectedHash?: string;
}

/** Edits with the hash that the file has, unless another is given. */
async function edit(workspace: string, call: EditCall): Promise<CallAnswer> {
  const expectedHash = call.expectedHash ?? await hashOf(join(workspace, call.path));
  return await callFileTool(createEditFileTool(), { ...call, expectedHash }, { workspace });
}

async function hashOf(path: string): Promise<string> {
  return await sha256Hex(await Deno.readFile(path));
}

function latin1(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

async function readLatin1(path: string): Promise<string> {
  return String.fromCharCode(...await Deno.readFile(path));
}

Deno.test("edit_file replaces the only match and shows the change", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "src/a.ts": "one\ntwo\nthree\n" });
    const answer = await edit(dir, { path: "src/a.ts", oldText: "two", newText: "2" });
    strictEqual(await Deno.readTextFile(join(dir, "src/a.ts")), "one\n2\nthree\n");
    deepStrictEqual(answer.json, { path: "src/a.ts", sha256: await hashOf(join(dir, "src/a.ts")) });
    deepStrictEqual(answer.block, {
      kind: "diff",
      patch: "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
      path: "src/a.ts",
      lang: "ts",
    });
  });
});

Deno.test("edit_file has a small description", () => {
  const { description, inputSchema } = createEditFileTool();
  ok(JSON.stringify({ description, inputSchema }).length <= 600);
});

Deno.test("edit_file says what is wrong and changes nothing", async () => {
  await withTempDir(async (dir) => {
    const content = "one\ntwo\n\ttwo words\n";
    await writeTree(dir, { a: content, "a.png": latin1("\x89PNG\r\n\x1a\nabc") });
    const rows: readonly (readonly [EditCall, RegExp])[] = [
      [{ path: "a", oldText: "", newText: "x" }, /oldText is empty/],
      [{ path: "a", oldText: "one", newText: "one" }, /are the same/],
      [{ path: "a", oldText: "two", newText: "x" }, /occurs 2 times, at lines 2, 3; add/],
      [{ path: "a", oldText: "1: one", newText: "x" }, /numbers that read_file shows/],
      [{ path: "a", oldText: "  two words", newText: "x" }, /line 3 on differs only in white/],
      [{ path: "a", oldText: "two word!", newText: "x" }, /nearest line is 3: "two words"/],
      [{ path: "a", oldText: "one", newText: "\ud83d" }, /"newText" holds half of a surrogate/],
      [{ path: "a", oldText: "one", newText: "x", expectedHash: "0".repeat(64) }, /read it again/],
      [{ path: "a", oldText: "one", newText: "x", expectedHash: "abc" }, /"expectedHash" must be/],
      [{ path: "b", oldText: "x", newText: "y", expectedHash: "0".repeat(64) }, /does not exist/],
      [{ path: "a.png", oldText: "abc", newText: "x" }, /it is binary \(PNG image\)/],
      [{ path: "a", oldText: "one", newText: "x".repeat(1_048_576) }, /limit is 1 MiB/],
    ];
    for (const [call, message] of rows) {
      const answer = await edit(dir, call);
      strictEqual(answer.isError, true, answer.text);
      match(answer.text, message);
      strictEqual(answer.block, null);
      strictEqual(await Deno.readTextFile(join(dir, "a")), content);
    }
  });
});

Deno.test("edit_file refuses a file above 1 MiB", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { a: `word ${"x".repeat(1_048_576)}` });
    const answer = await edit(dir, { path: "a", oldText: "word", newText: "text" });
    match(answer.text, /larger than 1 MiB/);
    strictEqual((await Deno.lstat(join(dir, "a"))).size, 1_048_581);
  });
});

interface Row {
  readonly name: string;
  readonly before: string;
  readonly oldText: string;
  readonly newText: string;
  readonly after: string;
}

/** File contents with one character for each byte. */
const ROWS: readonly Row[] = [
  {
    name: "keeps CRLF line ends (field case 59)",
    before: "one\r\ntwo\r\nthree\r\n",
    oldText: "one\ntwo",
    newText: "1\n2\nnew",
    after: "1\r\n2\r\nnew\r\nthree\r\n",
  },
  {
    name: "keeps the byte-order mark and other bytes (field case 61)",
    before: "\xef\xbb\xbfcaf\xc3\xa9 word\n",
    oldText: "word",
    newText: "text",
    after: "\xef\xbb\xbfcaf\xc3\xa9 text\n",
  },
  {
    name: "matches the first line as read_file shows it (field case 53)",
    before: "\xef\xbb\xbffirst\r\nsecond\r\n",
    oldText: "first\nsecond",
    newText: "1st\nsecond",
    after: "\xef\xbb\xbf1st\r\nsecond\r\n",
  },
  {
    name: "keeps Latin-1 bytes (field case 62)",
    before: "caf\xe9 word\n",
    oldText: "word",
    newText: "text",
    after: "caf\xe9 text\n",
  },
  {
    name: "keeps GBK bytes (field case 62)",
    before: "word \xd6\xd0\xce\xc4\n",
    oldText: "word",
    newText: "text",
    after: "text \xd6\xd0\xce\xc4\n",
  },
  {
    name: "keeps a cut character (field case 62)",
    before: "word \xe6\xbc",
    oldText: "word",
    newText: "text",
    after: "text \xe6\xbc",
  },
  {
    name: "keeps a NUL (field case 51)",
    before: 'a = "\0";\nb = 1;\n',
    oldText: "b = 1",
    newText: "b = 2",
    after: 'a = "\0";\nb = 2;\n',
  },
  {
    name: "replaces a NUL that the model sends back (field case 51)",
    before: 'a = "\0";\n',
    oldText: '"\0"',
    newText: '"\\0"',
    after: 'a = "\\0";\n',
  },
  {
    name: "adds no final newline (field case 65)",
    before: "a\nb",
    oldText: "b",
    newText: "c",
    after: "a\nc",
  },
  {
    name: "drops the final newline when asked to (field case 65)",
    before: "a\nb\n",
    oldText: "b\n",
    newText: "c",
    after: "a\nc",
  },
  {
    name: "inserts dollar sequences verbatim (field case 64)",
    before: "pre MARK post",
    oldText: "MARK",
    newText: "$$ $& $` $' $1 $<n>",
    after: "pre $$ $& $` $' $1 $<n> post",
  },
  {
    name: "edits UTF-16 losslessly",
    before: "\xff\xfea\0\r\0\n\0b\0",
    oldText: "a\nb",
    newText: "a\nc",
    after: "\xff\xfea\0\r\0\n\0c\0",
  },
];

for (const { name, before, oldText, newText, after } of ROWS) {
  Deno.test(`edit_file ${name}`, async () => {
    await withTempDir(async (dir) => {
      await writeTree(dir, { a: latin1(before) });
      const answer = await edit(dir, { path: "a", oldText, newText });
      strictEqual(answer.isError, false, answer.text);
      strictEqual(await readLatin1(join(dir, "a")), after);
    });
  });
}

Deno.test("edit_file refuses non-ASCII text in a legacy file, without replacement marks (field case 62)", async () => {
  await withTempDir(async (dir) => {
    for (const before of ["caf\xe9 word\n", "\xd6\xd0 word\n", "word \xe6\xbc"]) {
      await writeTree(dir, { a: latin1(before) });
      const answer = await edit(dir, { path: "a", oldText: "word", newText: "wörd" });
      match(answer.text, /only ASCII text of it can be replaced/);
      strictEqual(await readLatin1(join(dir, "a")), before);
    }
  });
});

Deno.test("edit_file returns the hash for the next edit, and ignores the time of a file (field case 67)", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { a: "one two three" });
    const first = await edit(dir, { path: "a", oldText: "one", newText: "1" });
    await Deno.utime(join(dir, "a"), new Date(), new Date());
    const expectedHash = String(first.json.sha256);
    const second = await edit(dir, { path: "a", oldText: "two", newText: "2", expectedHash });
    strictEqual(second.isError, false);
    const stale = await edit(dir, { path: "a", oldText: "three", newText: "3", expectedHash });
    strictEqual(stale.isError, true);
    strictEqual(await Deno.readTextFile(join(dir, "a")), "1 2 three");
  });
});

Deno.test("edit_file refuses a file that changed after it was read (field case 68)", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { a: "one two" });
    const expectedHash = await hashOf(join(dir, "a"));
    await writeTree(dir, { a: "one two and more" });
    const answer = await edit(dir, { path: "a", oldText: "one", newText: "1", expectedHash });
    match(answer.text, /not the one that expectedHash names; read it again/);
    strictEqual(await Deno.readTextFile(join(dir, "a")), "one two and more");
  });
});

Deno.test({
  name: "edit_file keeps the mode and refuses a read-only file (field case 71, field case 73)",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await withTempDir(async (dir) => {
      await writeTree(dir, { run: "one" });
      await Deno.chmod(join(dir, "run"), 0o755);
      await edit(dir, { path: "run", oldText: "one", newText: "two" });
      strictEqual(((await Deno.lstat(join(dir, "run"))).mode ?? 0) & 0o777, 0o755);
      await Deno.chmod(join(dir, "run"), 0o555);
      const answer = await edit(dir, { path: "run", oldText: "two", newText: "three" });
      match(answer.text, /it is read-only/);
      strictEqual(await Deno.readTextFile(join(dir, "run")), "two");
    });
  },
});

Deno.test("edit_file changes the target of a link inside, and none outside (field case 75)", async () => {
  await withTempDir(async (dir) => {
    const workspace = join(dir, "ws");
    await writeTree(dir, { "ws/real": "one", "secret/x": "one" });
    await Deno.symlink("real", join(workspace, "link"));
    await Deno.symlink(join(dir, "secret"), join(workspace, "out"));
    const answer = await edit(workspace, { path: "link", oldText: "one", newText: "two" });
    strictEqual(answer.json.path, "real");
    strictEqual((await Deno.lstat(join(workspace, "link"))).isSymlink, true);
    strictEqual(await Deno.readTextFile(join(workspace, "real")), "two");
    const outside = edit(workspace, { path: "out/x", oldText: "one", newText: "two" });
    await rejects(outside, new OutsideError(join(dir, "secret/x")));
    strictEqual(await Deno.readTextFile(join(dir, "secret/x")), "one");
  });
});

Deno.test("edit_file shows no block when the line ends make the change nothing", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { a: "a\r\nb\r\n" });
    const answer = await edit(dir, { path: "a", oldText: "a\r\nb", newText: "a\nb" });
    deepStrictEqual([answer.isError, answer.block], [false, null]);
    strictEqual(await Deno.readTextFile(join(dir, "a")), "a\r\nb\r\n");
  });
});

Deno.test("edit_file loses no update when two processes edit at once (field case 70)", async () => {
  const rounds = 30;
  const script = fileURLToPath(new URL("./_edit_file_child.ts", import.meta.url));
  await withTempDir(async (dir) => {
    const path = join(dir, "a");
    const children = [0, 1].map(() =>
      new Deno.Command(DENO, {
        args: ["run", "-A", "--no-check", script, dir, "a"],
        stdin: "piped",
        stdout: "piped",
        stderr: "inherit",
      }).spawn()
    );
    const writers = children.map((child) => child.stdin.getWriter());
    const readers = children.map((child) => child.stdout.getReader());
    for (let round = 0; round < rounds; round++) {
      await Deno.writeTextFile(path, "first\nsecond\n");
      const hash = await hashOf(path);
      // Both wait for their line, which comes to both at once.
      const orders = ["first", "second"].map((oldText) =>
        new TextEncoder().encode(
          `${JSON.stringify({ hash, oldText, newText: `new ${oldText}` })}\n`,
        )
      );
      await Promise.all(writers.map((writer, index) => writer.write(orders[index])));
      const answers = await Promise.all(readers.map((reader) => reader.read()));
      const failed = answers.map(({ value }) => new TextDecoder().decode(value).trim());
      deepStrictEqual([...failed].sort(), ["false", "true"]);
      const expected = failed[0] === "false" ? "new first\nsecond\n" : "first\nnew second\n";
      strictEqual(await Deno.readTextFile(path), expected);
    }
    await Promise.all(writers.map((writer) => writer.close()));
    await Promise.all(readers.map((reader) => reader.cancel()));
    await Promise.all(children.map((child) => child.status));
  });
});
