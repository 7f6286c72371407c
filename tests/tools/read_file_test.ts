import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { sha256Hex } from "../../core/files/sha256.ts";
import { createReadFileTool } from "../../tools/read_file.ts";
import { DENO } from "../support/paths.ts";
import { withTempDir, writeTree } from "../support/temp.ts";
import { type CallAnswer, callFileTool, OutsideError } from "./_call_file_tool.ts";

const MAX_RESULT_BYTES = 48 * 1024;

function read(
  workspace: string,
  input: Record<string, unknown>,
  roots: readonly string[] = [],
): Promise<CallAnswer> {
  return callFileTool(createReadFileTool(), input, { workspace, roots });
}

function latin1(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

Deno.test("read_file shows numbered lines, and the hash that an edit needs", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "src/a.ts": "one\n\ttwo\nthree" });
    const path = join(dir, "src/a.ts");
    const sha256 = await sha256Hex(await Deno.readFile(path));
    const { json, block } = await read(dir, { path: "src/a.ts" });
    deepStrictEqual(json, {
      path: "src/a.ts",
      sha256,
      startLine: 1,
      content: "1: one\n2: \ttwo\n3: three",
      truncated: false,
    });
    strictEqual(block, null);
    deepStrictEqual((await read(dir, { path, startLine: 2, limit: 1 })).json, {
      path: "src/a.ts",
      sha256,
      startLine: 2,
      content: "2: \ttwo",
      truncated: true,
      nextLine: 3,
    });
  });
});

Deno.test("read_file has a small description", () => {
  const { description, inputSchema } = createReadFileTool();
  ok(JSON.stringify({ description, inputSchema }).length <= 600);
});

Deno.test("read_file says how many lines there are when asked for more", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { empty: "", three: "a\nb\nc\n" });
    deepStrictEqual((await read(dir, { path: "empty" })).json, {
      path: "empty",
      sha256: await sha256Hex(new Uint8Array()),
      startLine: 1,
      content: "",
      truncated: false,
      note: "The file is empty",
    });
    strictEqual((await read(dir, { path: "three", startLine: 3 })).json.content, "3: c");
    const beyond = await read(dir, { path: "three", startLine: 4 });
    deepStrictEqual([beyond.isError, beyond.text], [
      true,
      'Cannot read file "three" from line 4: it has 3 lines',
    ]);
    const wide = await read(dir, { path: "three", startLine: 2, startColumn: 5 });
    strictEqual(
      wide.text,
      'Cannot read file "three" from column 5 of line 2: the line has 1 character',
    );
  });
});

Deno.test("read_file walks a line of 5 MB to its end without losing a character (field case 48)", async () => {
  await withTempDir(async (dir) => {
    const unit = '{"k":"é漢😀\\n"},';
    const text = unit.repeat(5_000_000 / new TextEncoder().encode(unit).length);
    await writeTree(dir, { "a.json": text });
    let place: Record<string, unknown> = {};
    const parts: string[] = [];
    for (let steps = 0;; steps++) {
      ok(steps < 400, "the steps do not end");
      const { json, text: raw } = await read(dir, { path: "a.json", ...place });
      ok(new TextEncoder().encode(raw).length < MAX_RESULT_BYTES);
      const part = String(json.content).replace(/^1: /, "");
      ok(part.length > 0);
      parts.push(part);
      if (json.truncated === false) break;
      strictEqual(json.sha256, null);
      place = { startLine: json.nextLine, startColumn: json.nextColumn };
      deepStrictEqual(json.nextLine, 1);
    }
    ok(parts.join("") === text);
  });
});

Deno.test("read_file goes on in the next line after a long one (field case 48)", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { a: `first\n${"x".repeat(50_000)}\nlast\n` });
    const first = (await read(dir, { path: "a" })).json;
    deepStrictEqual([first.content, first.nextLine, first.nextColumn], ["1: first", 2, undefined]);
    const second = (await read(dir, { path: "a", startLine: 2 })).json;
    strictEqual(second.nextLine, 2);
    const rest = { startLine: 2, startColumn: second.nextColumn };
    const third = (await read(dir, { path: "a", ...rest })).json;
    const left = 50_000 - Number(second.nextColumn) + 1;
    strictEqual(third.content, `2: ${"x".repeat(left)}\n3: last`);
    strictEqual(third.truncated, false);
  });
});

Deno.test("read_file bounds the text that the model gets, escapes included", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      quotes: `${'"\\'.repeat(200)}\n`.repeat(1_000),
      wide: `${"漢".repeat(200)}\n`.repeat(1_000),
    });
    for (const path of ["quotes", "wide"]) {
      const { json, text } = await read(dir, { path, limit: 1_000 });
      ok(new TextEncoder().encode(text).length < MAX_RESULT_BYTES);
      strictEqual(json.truncated, true);
      const shown = String(json.content).split("\n").length;
      strictEqual(json.nextLine, shown + 1);
    }
  });
});

Deno.test("read_file tells type and size of binary files, and shows no byte of them (field case 50)", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      "a.zip": latin1("PK\x03\x04\x14\0\0\0plain text"),
      "a.png": latin1("\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
      data: crypto.getRandomValues(new Uint8Array(5_000)),
    });
    const rows: readonly (readonly [string, string])[] = [
      ["a.zip", "ZIP archive, 18 bytes"],
      ["a.png", "PNG image, 16 bytes"],
      ["data", "unknown binary data, 5000 bytes"],
    ];
    for (const [path, type] of rows) {
      const { isError, text } = await read(dir, { path });
      deepStrictEqual([isError, text], [
        true,
        `Cannot read file "${path}" as text: it is binary (${type})`,
      ]);
    }
  });
});

Deno.test("read_file shows a literal NUL as an escape (field case 51)", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "a.js": 'const a = "\0";\nconst b = 1;\n' });
    const { text, json } = await read(dir, { path: "a.js" });
    match(text, /1: const a = \\"\\u0000\\";\\n2: const b/);
    strictEqual(text.includes("\0"), false);
    strictEqual(json.note, "NUL characters are part of the text");
  });
});

Deno.test("read_file hides the byte-order mark and carriage returns (field case 53)", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { a: "\ufefffirst\r\nsecond\r\n" });
    strictEqual((await read(dir, { path: "a" })).json.content, "1: first\n2: second");
  });
});

Deno.test("read_file reads UTF-16 and marks bytes of unknown encodings (field case 92)", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      le: latin1("\xff\xfea\0\x22\x6f\r\0\n\0=\xd8\0\xde"),
      be: latin1("\xfe\xff\0a\x6f\x22\0\r\0\n\xd8=\xde\0"),
      latin: latin1("caf\xe9\nna\xefve\n"),
    });
    for (const path of ["le", "be"]) {
      const { json } = await read(dir, { path });
      strictEqual(json.content, "1: a漢\n2: 😀");
      match(String(json.note), /^Stored as UTF-16/);
    }
    const { json } = await read(dir, { path: "latin" });
    strictEqual(json.content, "1: caf\\xe9\n2: na\\xefve");
    match(String(json.note), /^The file is not UTF-8/);
  });
});

Deno.test("read_file takes the exact name, and a name that looks the same only if unique (field case 54)", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      "a b.txt": "space",
      "a\u00a0b.txt": "no-break",
      "re\u0301sume\u0301.txt": "decomposed",
      "x\u00a0y.txt": "1",
      "x\u2009y.txt": "2",
    });
    strictEqual((await read(dir, { path: "a b.txt" })).json.content, "1: space");
    const exact = await read(dir, { path: "a\u00a0b.txt" });
    deepStrictEqual([exact.json.content, exact.json.note], ["1: no-break", undefined]);
    const similar = await read(dir, { path: "r\u00e9sum\u00e9.txt" });
    deepStrictEqual(similar.json.content, "1: decomposed");
    deepStrictEqual(similar.json.path, "re\u0301sume\u0301.txt");
    match(String(similar.json.note), /"re\\u0301sume\\u0301\.txt", which looks the same$/);
    const ambiguous = await read(dir, { path: "x y.txt" });
    strictEqual(ambiguous.isError, true);
    match(ambiguous.text, /several names look the same: .*"x\\u00a0y\.txt".*pass one of them/);
  });
});

Deno.test("read_file takes no link whose name only looks the same (field case 54)", async () => {
  await withTempDir(async (dir) => {
    const workspace = join(dir, "ws");
    await writeTree(dir, { "secret.txt": "secret", "ws/vault/key.txt": "secret" });
    await Deno.symlink(join(dir, "secret.txt"), join(workspace, "a\u00a0b.txt"));
    await Deno.symlink("vault", join(workspace, "c\u00a0d"));
    for (const path of ["a b.txt", "c d/key.txt"]) {
      const refused = await read(workspace, { path }, [dir]);
      strictEqual(refused.isError, true);
      strictEqual(refused.text.includes("secret"), false);
    }
  });
});

Deno.test("read_file takes no closed file whose name only looks the same (field case 54)", async () => {
  await withTempDir(async (workspace) => {
    await writeTree(workspace, { "caf\u00e9/key": "secret", "open\u00e9/key": "open" });
    const tool = createReadFileTool({ secretFiles: [join(workspace, "caf\u00e9")] });
    const closed = await callFileTool(tool, { path: "cafe\u0301/key" }, { workspace });
    strictEqual(closed.isError, true);
    strictEqual(closed.text.includes("secret"), false);
    const open = await callFileTool(tool, { path: "opene\u0301/key" }, { workspace });
    strictEqual(open.json.content, "1: open");
  });
});

Deno.test("read_file names what is near when a file is missing", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "src/main.ts": "", "src/other.md": "" });
    const rows: readonly (readonly [string, string])[] = [
      [
        "src/mian.ts",
        'Cannot read file "src/mian.ts": it does not exist; similar names there: "main.ts"',
      ],
      [
        "scr/x",
        'Cannot read file "scr/x": folder "scr" does not exist; similar names there: "src"',
      ],
      [
        "src/qqqqqqqqq",
        'Cannot read file "src/qqqqqqqqq": it does not exist; use list_files to see what there is',
      ],
    ];
    for (const [path, text] of rows) {
      deepStrictEqual(await read(dir, { path }), { isError: true, text, block: null, json: {} });
    }
    match((await read(dir, { path: "bad\ufffdname" })).text, /not UTF-8 cannot be passed/);
  });
});

Deno.test("read_file reads names with spaces, newlines and leading dashes", async () => {
  await withTempDir(async (dir) => {
    for (const name of ["a b", "a\nb", "-rf", "--help"]) {
      await Deno.writeTextFile(join(dir, name), name);
      strictEqual((await read(dir, { path: name })).json.path, name);
    }
  });
});

Deno.test({
  name: "read_file refuses folders, pipes and devices without opening them",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await withTempDir(async (dir) => {
      await new Deno.Command("mkfifo", { args: [join(dir, "fifo")] }).output();
      match((await read(dir, { path: "." })).text, /it is a folder; use list_files/);
      match((await read(dir, { path: "fifo" })).text, /it is a named pipe$/);
      match((await read(dir, { path: "/dev/zero" }, ["/dev"])).text, /it is a device$/);
    });
  },
});

Deno.test("read_file follows a link inside, but none that leads out (field case 75)", async () => {
  await withTempDir(async (dir) => {
    const workspace = join(dir, "ws");
    await writeTree(dir, { "ws/real.txt": "inside", "secret/x": "secret" });
    await Deno.symlink("real.txt", join(workspace, "link.txt"));
    await Deno.symlink(join(dir, "secret"), join(workspace, "out"));
    const { json } = await read(workspace, { path: "link.txt" });
    deepStrictEqual([json.path, json.content], ["real.txt", "1: inside"]);
    const outside = read(workspace, { path: "out/x" });
    await rejects(outside, new OutsideError(join(dir, "secret/x")));
  });
});

Deno.test("read_file shows the absolute path of a file outside the workspace", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "ws/a": "", "more/b": "b" });
    const more = join(dir, "more");
    const { json } = await read(join(dir, "ws"), { path: "../more/b" }, [more]);
    strictEqual(json.path, join(more, "b"));
  });
});

Deno.test("read_file reads far into a file of 200 MB with little memory", async () => {
  await withTempDir(async (dir) => {
    const path = join(dir, "big.log");
    const line = `${"x".repeat(99)}\n`;
    const block = new TextEncoder().encode(line.repeat(10_000));
    using file = await Deno.open(path, { write: true, createNew: true });
    for (let written = 0; written < 200; written++) await file.write(block);
    await Deno.writeTextFile(path, "the end", { append: true });
    const module = new URL("./_call_file_tool.ts", import.meta.url).href;
    const tool = new URL("../../tools/read_file.ts", import.meta.url).href;
    const script = `
      import { callFileTool } from ${JSON.stringify(module)};
      import { createReadFileTool } from ${JSON.stringify(tool)};
      const before = Deno.memoryUsage().rss;
      const input = { path: "big.log", startLine: 2_000_001 };
      const { json } = await callFileTool(createReadFileTool(), input, { workspace: Deno.args[0] });
      console.log(JSON.stringify({ json, grown: Deno.memoryUsage().rss - before }));`;
    const entry = join(dir, "entry.ts");
    await Deno.writeTextFile(entry, script);
    const config = new URL("../../deno.json", import.meta.url).pathname;
    const output = await new Deno.Command(DENO, {
      args: ["run", "-A", "--no-check", `--config=${config}`, entry, dir],
    }).output();
    strictEqual(output.code, 0, new TextDecoder().decode(output.stderr));
    const { json, grown } = JSON.parse(new TextDecoder().decode(output.stdout));
    deepStrictEqual(json, {
      path: "big.log",
      sha256: null,
      startLine: 2_000_001,
      content: "2000001: the end",
      truncated: false,
    });
    ok(grown < 60_000_000, `memory grew by ${grown} bytes`);
  });
});

Deno.test("read_file stops when it is cancelled", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { big: "x".repeat(3_000_000) });
    const signal = AbortSignal.abort(new Error("cancelled by the test"));
    const input = { path: "big", startLine: 2 };
    const call = callFileTool(createReadFileTool(), input, { workspace: dir, signal });
    await rejects(call, { message: "cancelled by the test" });
  });
});
