import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sha256Hex } from "../../core/files/sha256.ts";
import { createWriteFileTool } from "../../tools/write_file.ts";
import { DENO } from "../support/paths.ts";
import { withTempDir, writeTree } from "../support/temp.ts";
import { type CallAnswer, callFileTool, OutsideError } from "./_call_file_tool.ts";

function write(
  workspace: string,
  path: string,
  content: string,
  expectedHash: string | null,
): Promise<CallAnswer> {
  const input = { path, content, expectedHash };
  return callFileTool(createWriteFileTool(), input, { workspace });
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

Deno.test("write_file creates a file with its folders and shows it", async () => {
  await withTempDir(async (dir) => {
    const answer = await write(dir, "new/a.ts", "one\n", null);
    strictEqual(await Deno.readTextFile(join(dir, "new/a.ts")), "one\n");
    deepStrictEqual(answer.json, { path: "new/a.ts", sha256: await hashOf(join(dir, "new/a.ts")) });
    deepStrictEqual(answer.block, {
      kind: "diff",
      patch: "--- /dev/null\n+++ b/new/a.ts\n@@ -0,0 +1,1 @@\n+one\n",
      path: "new/a.ts",
      lang: "ts",
    });
  });
});

Deno.test("write_file has a small description", () => {
  const { description, inputSchema } = createWriteFileTool();
  ok(JSON.stringify({ description, inputSchema }).length <= 600);
});

Deno.test("write_file replaces a file by its hash alone, and the new hash serves the next call (field case 67)", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { a: "one" });
    const path = join(dir, "a");
    const refusals: readonly (readonly [string | null, RegExp])[] = [
      [null, /it exists already; read it with read_file/],
      ["0".repeat(64), /not the one that expectedHash names; read it again/],
      ["null", /null \(without quotes\)/],
    ];
    for (const [expectedHash, message] of refusals) {
      const answer = await write(dir, "a", "two", expectedHash);
      strictEqual(answer.isError, true);
      match(answer.text, message);
      strictEqual(await Deno.readTextFile(path), "one");
    }
    const second = await write(dir, "a", "two", (await hashOf(path)).toUpperCase());
    const third = await write(dir, "a", "three", String(second.json.sha256));
    strictEqual(third.isError, false);
    strictEqual(await Deno.readTextFile(path), "three");
    const missing = await write(dir, "b", "x", "0".repeat(64));
    match(missing.text, /does not exist any more; pass null/);
  });
});

Deno.test("write_file shows no block for identical content", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { a: "one" });
    const hash = await hashOf(join(dir, "a"));
    const answer = await write(dir, "a", "one", hash);
    deepStrictEqual(answer, {
      isError: false,
      text: answer.text,
      block: null,
      json: { path: "a", sha256: hash },
    });
  });
});

Deno.test("write_file stores content exactly, final newline or not (field case 65)", async () => {
  await withTempDir(async (dir) => {
    for (const content of ["", "a", "a\n", "a\n\n", "a\r\nb", "$& $1", "é漢😀\0"]) {
      const answer = await write(dir, `f${content.length}-${content.charCodeAt(0)}`, content, null);
      strictEqual(await Deno.readTextFile(join(dir, String(answer.json.path))), content);
    }
    const lost = await write(dir, "b", "a", null);
    match(String(lost.block?.patch), /\\ No newline at end of file\n$/);
  });
});

interface Row {
  readonly name: string;
  readonly before: string;
  readonly content: string;
  readonly after: string;
  readonly note: string | undefined;
}

/** File contents with one character for each byte. */
const ROWS: readonly Row[] = [
  {
    name: "keeps the byte-order mark of UTF-8 and says so (field case 61)",
    before: "\xef\xbb\xbfold",
    content: "né",
    after: "\xef\xbb\xbfn\xc3\xa9",
    note: "Kept the byte-order mark and stored as UTF-8",
  },
  {
    name: "doubles no byte-order mark (field case 61)",
    before: "\xef\xbb\xbfold",
    content: "\ufeffnew",
    after: "\xef\xbb\xbfnew",
    note: "Kept the byte-order mark and stored as UTF-8",
  },
  {
    name: "keeps UTF-16 (field case 61)",
    before: "\xff\xfeo\0",
    content: "n漢",
    after: "\xff\xfen\0\x22\x6f",
    note: "Kept the byte-order mark and stored as UTF-16LE",
  },
  {
    name: "says that a legacy file became UTF-8",
    before: "caf\xe9",
    content: "café",
    after: "caf\xc3\xa9",
    note: "The file was not UTF-8 before and is UTF-8 now",
  },
  {
    name: "says that line ends changed",
    before: "a\r\nb\r\n",
    content: "a\nc\n",
    after: "a\nc\n",
    note: "Lines ended with CRLF before and end with LF now",
  },
  { name: "says nothing else", before: "a\n", content: "b\n", after: "b\n", note: undefined },
];

for (const { name, before, content, after, note } of ROWS) {
  Deno.test(`write_file ${name}`, async () => {
    await withTempDir(async (dir) => {
      await writeTree(dir, { a: latin1(before) });
      const answer = await write(dir, "a", content, await hashOf(join(dir, "a")));
      strictEqual(answer.json.note, note);
      strictEqual(await readLatin1(join(dir, "a")), after);
      strictEqual(answer.json.sha256, await hashOf(join(dir, "a")));
    });
  });
}

Deno.test("write_file refuses what no file can hold, and content above 1 MiB", async () => {
  await withTempDir(async (dir) => {
    const limit = 1_048_576;
    match((await write(dir, "a", "\udc00", null)).text, /half of a surrogate pair/);
    match((await write(dir, "a", "é".repeat(limit / 2 + 1), null)).text, /limit is 1 MiB/);
    strictEqual((await write(dir, "a", "é".repeat(limit / 2), null)).isError, false);
    strictEqual((await Deno.lstat(join(dir, "a"))).size, limit);
  });
});

Deno.test({
  name: "write_file refuses folders, pipes and read-only files (field case 73)",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await withTempDir(async (dir) => {
      await new Deno.Command("mkfifo", { args: [join(dir, "fifo")] }).output();
      await writeTree(dir, { "folder/x": "", fixed: "one" });
      await Deno.chmod(join(dir, "fixed"), 0o444);
      match((await write(dir, "folder", "x", null)).text, /it is a folder$/);
      match((await write(dir, "fifo", "x", null)).text, /it is a named pipe$/);
      match((await write(dir, "folder/x/y", "x", null)).text, /is not a folder$/);
      const answer = await write(dir, "fixed", "two", await hashOf(join(dir, "fixed")));
      match(answer.text, /it is read-only; a person has to change its mode first$/);
      strictEqual(await Deno.readTextFile(join(dir, "fixed")), "one");
    });
  },
});

Deno.test("write_file never takes a name that only looks the same (field case 54)", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "a\u00a0b": "old" });
    const hash = await hashOf(join(dir, "a\u00a0b"));
    match((await write(dir, "a b", "new", hash)).text, /does not exist any more/);
    strictEqual((await write(dir, "a b", "new", null)).isError, false);
    strictEqual(await Deno.readTextFile(join(dir, "a\u00a0b")), "old");
  });
});

Deno.test("write_file reaches nothing outside through links (field case 75, field case 77)", async () => {
  await withTempDir(async (dir) => {
    const workspace = join(dir, "app");
    await writeTree(dir, { "app/x": "", "app-secret/x": "old" });
    await Deno.symlink(join(dir, "app-secret"), join(workspace, "out"));
    await Deno.symlink(join(dir, "app-secret/new"), join(workspace, "dangling"));
    const rows: readonly (readonly [string, string])[] = [
      ["out/x", "app-secret/x"],
      ["out/new/deep/file", "app-secret/new/deep/file"],
      ["dangling", "app-secret/new"],
      ["../app-secret/x", "app-secret/x"],
    ];
    for (const [path, real] of rows) {
      const outside = write(workspace, path, "x", null);
      await rejects(outside, new OutsideError(join(dir, real)));
    }
    strictEqual(await Deno.readTextFile(join(dir, "app-secret/x")), "old");
    await rejects(Deno.lstat(join(dir, "app-secret/new")), Deno.errors.NotFound);
  });
});

Deno.test({
  name: "write_file tells the model that the disk is full (field case 74)",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await withTempDir(async (dir) => {
      const child = fileURLToPath(new URL("./_write_file_child.ts", import.meta.url));
      const limited = 'trap "" XFSZ; ulimit -f 512; exec "$@"';
      const { stdout, stderr } = await new Deno.Command("sh", {
        args: ["-c", limited, "sh", DENO, "run", "-A", "--no-check", "--cached-only", child, dir],
      }).output();
      const text = new TextDecoder().decode(stdout);
      ok(text !== "", new TextDecoder().decode(stderr));
      const answer: CallAnswer = JSON.parse(text);
      strictEqual(answer.isError, true);
      match(answer.text, /the limit on the size of files is reached; the file is unchanged$/);
      for await (const { name } of Deno.readDir(dir)) throw new Error(`Left behind: ${name}`);
    });
  },
});
