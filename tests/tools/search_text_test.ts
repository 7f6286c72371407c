import assert from "node:assert/strict";
import { join } from "node:path";
import { createReadFileTool } from "../../tools/read_file.ts";
import { createSearchTextTool } from "../../tools/search_text.ts";
import { withTempDir, writeTree } from "../support/temp.ts";
import { callTool, errorOf, jsonOf, programPorts, shell, textOf } from "./_program_tools.ts";

const unixOnly = { ignore: Deno.build.os === "windows" };

async function search(workspace: string, input: Record<string, unknown>) {
  return await callTool(createSearchTextTool(programPorts(workspace)), input, workspace);
}

Deno.test("search_text finds lines by regular expression, in order", async () => {
  await withTempDir(async (workspace) => {
    await writeTree(workspace, {
      "b.txt": "nothing\r\nhello world\r\n",
      "a/z.txt": "hello there\n\nHello\nsay hello",
      ".gitignore": "*.log",
      "x.log": "hello\n",
      ".hidden": "hello\n",
    });
    assert.deepEqual(jsonOf(await search(workspace, { pattern: "hel+o" })), {
      matches: [
        { file: "a/z.txt", line: 1, text: "hello there" },
        { file: "a/z.txt", line: 4, text: "say hello" },
        { file: "b.txt", line: 2, text: "hello world" },
      ],
      truncated: false,
    });
    const inFile = jsonOf(await search(workspace, { pattern: "^say", path: "a/z.txt" }));
    assert.deepEqual(inFile.matches, [{ file: "a/z.txt", line: 4, text: "say hello" }]);
    const inFolder = jsonOf(await search(workspace, { pattern: "hello", path: "a" }));
    assert.equal(inFolder.matches.length, 2);
  });
});

Deno.test("search_text finds nothing without an error", async () => {
  await withTempDir(async (workspace) => {
    await writeTree(workspace, { "a.txt": "text\n" });
    const result = await search(workspace, { pattern: "absent" });
    assert.deepEqual(jsonOf(result), { matches: [], truncated: false });
  });
});

Deno.test("search_text takes no pattern for an option (field case 57)", unixOnly, async () => {
  await withTempDir(async (workspace) => {
    const script = join(workspace, "drop.sh");
    await writeTree(workspace, {
      "text.txt": "a --files flag\n-v and --pre=./drop.sh here\n--\n",
      "--hidden": "dashed file\n",
      "drop.sh": `#!/bin/sh\ntouch ${workspace}/marker\ncat "$1"\n`,
    });
    await Deno.chmod(script, 0o755);
    const rows: readonly (readonly [string, number])[] = [
      ["--files", 1],
      ["-v", 1],
      [`--pre=./drop.sh`, 1],
      [`--pre=${script}`, 0],
      ["--", 3],
      ["--no-such-option", 0],
      ["-", 4],
    ];
    for (const literal of [true, false]) {
      for (const [pattern, count] of rows) {
        const { matches } = jsonOf(await search(workspace, { pattern, literal, path: "text.txt" }));
        assert.equal(matches.length, Math.min(count, 3), `${pattern} ${literal}`);
      }
    }
    const dashed = jsonOf(await search(workspace, { pattern: "dashed", path: "--hidden" }));
    assert.deepEqual(dashed.matches, [{ file: "--hidden", line: 1, text: "dashed file" }]);
    await assert.rejects(Deno.stat(join(workspace, "marker")), Deno.errors.NotFound);
  });
});

Deno.test("search_text takes a literal pattern as it is", async () => {
  await withTempDir(async (workspace) => {
    await writeTree(workspace, { "a.txt": "f(x)\nfx\na.b\naxb\n" });
    const literal = jsonOf(await search(workspace, { pattern: "f(x)", literal: true }));
    assert.deepEqual(literal.matches.map((match: { line: number }) => match.line), [1]);
    const dots = jsonOf(await search(workspace, { pattern: "a.b" }));
    assert.deepEqual(dots.matches.map((match: { line: number }) => match.line), [3, 4]);
  });
});

Deno.test("search_text explains a pattern that it cannot use", async () => {
  await withTempDir(async (workspace) => {
    await writeTree(workspace, { "a.txt": "f(\n" });
    const rows: readonly (readonly [string, RegExp])[] = [
      [
        "f(",
        /^Cannot search text for "f\(": regex parse error:[\s\S]*unclosed group[\s\S]*"literal": true/,
      ],
      ["(?=x)", /look-around[\s\S]*"literal": true/],
      ["a\nb", /"pattern" holds a line end/],
      ["", /"pattern" is empty/],
      ["a\0b", /NUL/],
    ];
    for (const [pattern, message] of rows) {
      assert.match(errorOf(await search(workspace, { pattern })), message, pattern);
    }
    assert.equal(
      jsonOf(await search(workspace, { pattern: "f(", literal: true })).matches.length,
      1,
    );
  });
});

Deno.test("search_text shows at most 100 matches a file and says so", async () => {
  await withTempDir(async (workspace) => {
    await writeTree(workspace, { "a.txt": "x\n".repeat(100), "b.txt": "x\n".repeat(101) });
    const found = jsonOf(await search(workspace, { pattern: "x" }));
    assert.equal(found.matches.length, 200);
    assert.deepEqual(found.filesWithMoreMatches, ["b.txt"]);
    assert.equal(found.truncated, true);
    assert.equal(jsonOf(await search(workspace, { pattern: "x", path: "a.txt" })).truncated, false);
  });
});

Deno.test("search_text bounds the result and says so", async () => {
  await withTempDir(async (workspace) => {
    const line = `needle ${"word ".repeat(60)}\n`;
    const names = Array.from({ length: 300 }, (_, index) => `f${1000 + index}.txt`);
    await writeTree(workspace, Object.fromEntries(names.map((name) => [name, line])));
    const result = await search(workspace, { pattern: "needle" });
    assert.ok(textOf(result).length < 48_000);
    const found = jsonOf(result);
    assert.ok(found.matches.length > 50 && found.matches.length < 300);
    assert.equal(found.truncated, true);
    assert.match(found.note, /There are more matches/);
    assert.equal(found.matches[0].file, "f1000.txt");
  });
});

Deno.test("search_text clips long lines around the match", async () => {
  await withTempDir(async (workspace) => {
    await writeTree(workspace, {
      "start.txt": `needle${"é".repeat(5_000)}\n`,
      "middle.txt": `${"é".repeat(5_000)}needle${"é".repeat(5_000)}\n`,
      "end.txt": `${"é".repeat(5_000)}needle\n`,
    });
    for (const name of ["start", "middle", "end"]) {
      const found = jsonOf(await search(workspace, { pattern: "needle", path: `${name}.txt` }));
      const [match] = found.matches;
      assert.match(match.text, /needle/, name);
      assert.match(
        match.text,
        name === "start" ? /^needleé+…$/ : name === "end" ? /^…é+needle$/ : /^…é+needleé+…$/,
      );
      assert.ok(match.text.length < 410, name);
    }
  });
});

Deno.test("search_text survives a file of one enormous line", async () => {
  await withTempDir(async (workspace) => {
    await writeTree(workspace, {
      "huge.txt": `${"x".repeat(10_000_000)}needle${"x".repeat(10_000_000)}\n`,
      "small.txt": "needle\n",
    });
    assert.deepEqual(jsonOf(await search(workspace, { pattern: "needle" })).matches, [
      { file: "huge.txt", line: null, text: "[line too long to show]" },
      { file: "small.txt", line: 1, text: "needle" },
    ]);
  });
});

Deno.test("search_text skips binary files and names them (field case 50)", async () => {
  await withTempDir(async (workspace) => {
    const zip = Uint8Array.from([0x50, 0x4b, 3, 4, 0, 0, ...new TextEncoder().encode("needle\n")]);
    await writeTree(workspace, {
      "a.zip": zip,
      "late.bin": new Uint8Array([...new TextEncoder().encode("needle\nx\n"), 0, 1, 2]),
      "text.txt": "needle\n",
    });
    const found = jsonOf(await search(workspace, { pattern: "needle" }));
    assert.deepEqual(found.matches, [{ file: "text.txt", line: 1, text: "needle" }]);
    const named = jsonOf(await search(workspace, { pattern: "needle", path: "a.zip" }));
    assert.deepEqual(named.matches, []);
    assert.deepEqual(named.binaryFilesSkipped, ["a.zip"]);
  });
});

Deno.test("search_text shows bytes and controls as escapes (field cases 92, 155)", async () => {
  await withTempDir(async (workspace) => {
    await writeTree(workspace, {
      "esc.txt": "needle \x1b]0;title\x07\n",
      "latin.txt": Uint8Array.from([...new TextEncoder().encode("needle caf"), 0xe9, 0x0a]),
    });
    assert.deepEqual(jsonOf(await search(workspace, { pattern: "needle" })).matches, [
      { file: "esc.txt", line: 1, text: "needle \\x1b]0;title\\x07" },
      { file: "latin.txt", line: 1, text: "needle caf\\xe9" },
    ]);
  });
});

Deno.test("search_text finds lines in every encoding that ripgrep reads", async () => {
  await withTempDir(async (workspace) => {
    const text = "é\nneedle é\r\n";
    const codes = Array.from(text, (character) => character.charCodeAt(0));
    await writeTree(workspace, {
      "u16be.txt": Uint8Array.from([0xfeff, ...codes].flatMap((it) => [it >> 8, it & 0xff])),
      "u16le.txt": Uint8Array.from([0xfeff, ...codes].flatMap((it) => [it & 0xff, it >> 8])),
      "u8.txt": `\ufeff${text}`,
    });
    const { matches } = jsonOf(await search(workspace, { pattern: "needle" }));
    assert.deepEqual(
      matches,
      ["u16be.txt", "u16le.txt", "u8.txt"].map((file) => ({ file, line: 2, text: "needle é" })),
    );
  });
});

Deno.test("search_text shows bytes as read_file shows them (field case 92)", async () => {
  await withTempDir(async (workspace) => {
    const bytes = Uint8Array.from({ length: 128 }, (_, index) => 0x80 + index);
    await writeTree(workspace, { "bytes": bytes });
    const [match] = jsonOf(await search(workspace, { pattern: "(?-u)^." })).matches;
    const read = jsonOf(await callTool(createReadFileTool(), { path: "bytes" }, workspace));
    assert.equal(`1: ${match.text}`, read.content);
  });
});

Deno.test("search_text reads names of any bytes", unixOnly, async () => {
  await withTempDir(async (workspace) => {
    const { success } = await new Deno.Command("/bin/sh", {
      args: [
        "-c",
        `for f in "$(printf 'new\\nline')" "$(printf 'bad\\377')" ./-dash 'a b'; do echo needle > "$f"; done`,
      ],
      cwd: workspace,
    }).output();
    assert.ok(success);
    const { matches } = jsonOf(await search(workspace, { pattern: "needle" }));
    assert.deepEqual(
      matches.map((match: { file: string }) => match.file),
      ["-dash", "a b", "bad\\xff", "new\\x0aline"],
    );
  });
});

Deno.test(
  "search_text follows no link out of the workspace (field cases 56, 75)",
  unixOnly,
  async () => {
    await withTempDir(async (folder) => {
      const workspace = join(folder, "app");
      await writeTree(folder, { "app/sub/file": "needle\n", "outside/secret": "needle\n" });
      await Deno.symlink("..", join(workspace, "sub", "loop"));
      await Deno.symlink("../outside", join(workspace, "out"));
      const { matches } = jsonOf(await search(workspace, { pattern: "needle" }));
      assert.deepEqual(matches, [{ file: "sub/file", line: 1, text: "needle" }]);
    });
  },
);

Deno.test({
  name: "search_text goes on past what it cannot read and says so",
  // The administrator can read everything.
  ignore: Deno.build.os === "windows" || Deno.uid() === 0,
  async fn() {
    await withTempDir(async (workspace) => {
      await writeTree(workspace, { "closed.txt": "needle\n", "open.txt": "needle\n" });
      await Deno.chmod(join(workspace, "closed.txt"), 0);
      const found = jsonOf(await search(workspace, { pattern: "needle" }));
      assert.deepEqual(found.matches, [{ file: "open.txt", line: 1, text: "needle" }]);
      assert.match(found.note, /closed\.txt.*[Pp]ermission/);
    });
  },
});

Deno.test("search_text says what is missing", async () => {
  await withTempDir(async (workspace) => {
    const missing = errorOf(await search(workspace, { pattern: "x", path: "nowhere" }));
    assert.equal(missing, 'Cannot search text in "nowhere": it does not exist');
    const ports = programPorts(workspace, { findExecutable: () => Promise.resolve(null) });
    const tool = createSearchTextTool(ports);
    const unavailable = errorOf(await callTool(tool, { pattern: "x" }, workspace));
    assert.match(unavailable, /ripgrep \(rg\) is not in PATH; .*ripgrep/);
  });
});

Deno.test("search_text opens nothing but files and folders (field case 51)", unixOnly, async () => {
  await withTempDir(async (workspace) => {
    await shell(workspace, "mkfifo pipe");
    const tool = createSearchTextTool(programPorts(workspace));
    for (const path of ["pipe", "/dev/zero", "/dev/null"]) {
      const result = await callTool(tool, { pattern: "x", path }, workspace, { roots: ["/"] });
      const expected = `Cannot search text in "${path}": it is neither a file nor a folder`;
      assert.equal(errorOf(result), expected);
    }
    // A pipe that is only met on the way is no text.
    await writeTree(workspace, { "a.txt": "x" });
    assert.equal(jsonOf(await search(workspace, { pattern: "x" })).matches.length, 1);
  });
});

Deno.test("search_text reads no ignore file without end (field case 51)", unixOnly, async () => {
  const rows = [
    [".ignore", "ln -s /dev/zero .ignore"],
    [".gitignore", "mkfifo .gitignore"],
    ["deep/er/.gitignore", "mkdir -p deep/er; mkfifo deep/er/.gitignore"],
    [".rgignore", "dd if=/dev/zero of=.rgignore bs=1 count=0 seek=1073741824"],
    [".hidden/.ignore", "mkdir .hidden; mkfifo .hidden/.ignore; echo '!.hidden/' > .ignore"],
    ...(Deno.build.os === "linux" ? [[".ignore", "ln -s /proc/self/pagemap .ignore"]] : []),
  ];
  for (const [file, script = ""] of rows) {
    await withTempDir(async (workspace) => {
      await writeTree(workspace, { "a.txt": "x\n" });
      await shell(workspace, script);
      const message = errorOf(await search(workspace, { pattern: "x" }));
      const expected = `the ignore file "${file}" is no plain file of usual size; look in a folder`;
      assert.ok(message.includes(expected), `${script}: ${message}`);
    });
  }
  await withTempDir(async (folder) => {
    const workspace = join(folder, "a", "b");
    await writeTree(workspace, { "x.txt": "x\n" });
    await shell(folder, "mkfifo .ignore");
    assert.match(errorOf(await search(workspace, { pattern: "x" })), /\/\.ignore" is no plain/);
  });
});

Deno.test("search_text obeys linked ignore files, and never quotes them", unixOnly, async () => {
  await withTempDir(async (folder) => {
    const workspace = join(folder, "app");
    await writeTree(folder, {
      "secret": 'password {"abc\n*.log\n',
      "app/a.log": "x\n",
      "app/a.txt": "x\n",
    });
    await Deno.symlink("../secret", join(workspace, ".ignore"));
    await Deno.symlink("nowhere", join(workspace, ".gitignore"));
    const result = await search(workspace, { pattern: "x" });
    assert.deepEqual(jsonOf(result), {
      matches: [{ file: "a.txt", line: 1, text: "x" }],
      truncated: false,
    });
  });
});

Deno.test("search_text obeys .git/info/exclude if it is a plain file", unixOnly, async () => {
  await withTempDir(async (workspace) => {
    await writeTree(workspace, {
      ".git/info/exclude": "/local/\n*.tmp\n",
      "local/a": "x\n",
      "sub/local/a": "x\n",
      "sub/b.tmp": "x\n",
    });
    const files = async (input: Record<string, unknown>) =>
      jsonOf(await search(workspace, { pattern: "x", ...input })).matches
        .map(({ file }: { file: string }) => file);
    assert.deepEqual(await files({}), ["sub/local/a"]);
    assert.deepEqual(await files({ path: "sub" }), ["sub/local/a"]);
    await shell(workspace, "rm .git/info/exclude; mkfifo .git/info/exclude");
    assert.deepEqual(await files({ path: "sub" }), ["sub/b.tmp", "sub/local/a"]);
    // Where a .git file leads is not looked at either.
    await shell(workspace, "rm -r .git; mkdir data; mkfifo data/commondir");
    await writeTree(workspace, { ".git": "gitdir: data\n" });
    assert.deepEqual(await files({ path: "sub" }), ["sub/b.tmp", "sub/local/a"]);
  });
});

Deno.test("search_text does not blame the pattern when ripgrep is ended", unixOnly, async () => {
  await withTempDir(async (folder) => {
    const workspace = join(folder, "app");
    await writeTree(folder, {
      "rg": '#!/bin/sh\nprintf \'%s\' "$*" > "$0.args"\nkill -BUS $$\n',
      "app/a.txt": "x\n",
    });
    await Deno.chmod(join(folder, "rg"), 0o755);
    const ports = programPorts(workspace, {
      findExecutable: () => Promise.resolve(join(folder, "rg")),
    });
    const result = await callTool(createSearchTextTool(ports), { pattern: "x" }, workspace);
    assert.equal(
      errorOf(result),
      'Cannot search text in ".": ripgrep was ended by SIGBUS before it was done; ' +
        "call again, or for a smaller folder",
    );
    // It would be, by every file that is cut while it is mapped into memory.
    assert.match(await Deno.readTextFile(join(folder, "rg.args")), / --no-mmap /);
  });
});
