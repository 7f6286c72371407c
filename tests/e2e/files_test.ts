import assert from "node:assert/strict";
import { join } from "node:path";
import { type CliScene, sessionOf, shown, withCli } from "../support/cli_harness.ts";
import { callTurn, startModel, toolResults } from "../support/scripted_model.ts";
import { writeTree } from "../support/temp.ts";
import { assertResumes, useModel } from "./_support.ts";

const UNIX = Deno.build.os !== "windows";

type Call = readonly [string, Readonly<Record<string, unknown>>];

const read = (path: string, more: Readonly<Record<string, unknown>> = {}): Call => [
  "read_file",
  { path, ...more },
];

const CONTENTS: readonly (readonly [string, Call, RegExp])[] = [
  [
    "a ZIP file",
    read("a.zip"),
    /^Cannot read file "a\.zip" as text: it is binary \(.*, 304 bytes\)/,
  ],
  [
    "a PNG file",
    read("a.png"),
    /^Cannot read file "a\.png" as text: it is binary \(.*PNG.*bytes\)/i,
  ],
  ["UTF-16", read("utf16.txt"), /"content":"1: héllo\\n2: wörld".*UTF-16LE with a byte-order mark/],
  [
    "UTF-16 without a mark",
    read("bare16.txt"),
    /"bare16\.txt" as text: it is binary \(UTF-16 text without a byte-order mark, or/,
  ],
  [
    "a NUL in a text",
    read("nul.js"),
    /"content":"1: const a = \\"\\u0000\\";".*NUL characters are part of the text/,
  ],
  ["Latin-1", read("latin1.txt"), /"content":"1: caf\\\\xe9".*is not UTF-8/],
  ["the workspace itself", read("."), /it is a folder; use list_files to see what is in it/],
  ["an empty file", read("empty.txt"), /"content":"".*The file is empty/],
  [
    "200 MB of nothing",
    read("huge.bin"),
    /^Cannot read file "huge\.bin" as text: it is binary \(.*209715200 bytes\)/,
  ],
  [
    "200 MB of lines",
    read("huge.txt"),
    /"sha256":null,"startLine":1,"content":"1: first\\n2: second/,
  ],
  [
    "one long line",
    read("line.json"),
    /"content":"1: \[1,1.*"truncated":true,"nextLine":1,"nextColumn":\d+/,
  ],
  [
    "its next part",
    read("line.json", { startColumn: 4_999_990 }),
    /"content":"1: .*\]".*"truncated":false/,
  ],
  ["a line that is not there", read("empty.txt", { startLine: 9 }), /from line 9: it has 0 lines/],
  ["a folder", read("folder"), /\/folder": it is a folder; use list_files to see what is in it/],
  [
    "a file that is not there",
    read("a.zipp"),
    /"a\.zipp": it does not exist; similar names there: "a\.zip"/,
  ],
  [
    "a file outside",
    read("/etc/hostname"),
    /^Refused: "\/etc\/hostname" lies outside the workspace/,
  ],
  ["a way out", read("../config/config.json"), /^Refused: .*outside the workspace/],
  ["a name with NUL", read("a\0b"), /^Cannot use path "a\\u0000b": holds a NUL character/],
  ["no name", read(""), /^Path is empty: pass "\." for the workspace/],
  [
    "search over all of it",
    ["search_text", { pattern: "first|héllo|const" }],
    /"file":"huge\.txt","line":1/,
  ],
];

const UNIX_CONTENTS: readonly (readonly [string, Call, RegExp])[] = [
  ["a pipe", read("pipe"), /\/pipe": it is a named pipe/],
  [
    "a search in a pipe",
    ["search_text", { pattern: "x", path: "pipe" }],
    /^Cannot search text in "pipe": it is neither a file nor a folder$/,
  ],
  ["a device through a link", read("zero"), /^Refused: "zero" leads to "\/dev\/zero", outside/],
  ["a link to itself", read("loop"), /\/loop": its symbolic links lead back to themselves/],
];

Deno.test("alisio run reads whatever a file holds, in bounded parts, or says why not (field cases 48, 50 and 51)", async () => {
  const rows = UNIX ? [...CONTENTS, ...UNIX_CONTENTS] : CONTENTS;
  await using model = await startModel(rows.map(([, call]) => callTurn(call)));
  await withCli(async (cli) => {
    await useModel(cli, model);
    await writeContents(cli);
    const run = await cli.run(["run", "x", "--json"]);
    assert.equal(run.status, 5, shown(run));
    assert.deepEqual(model.violations, []);
    const results = toolResults(await model.chat(rows.length));
    for (const [index, [name, , expected]] of rows.entries()) {
      const text = results[index] ?? "no result";
      assert.match(text, expected, `${name}: ${text.slice(0, 300)}`);
      assert.ok(new TextEncoder().encode(text).length <= 48 * 1024, name);
    }
    await assertResumes(cli, sessionOf(run));
  });
});

Deno.test({
  name: "alisio run names, reads, searches and edits files of every name (field cases 54 and 57)",
  ignore: !UNIX,
  fn: async () => {
    const names = [
      "with space.txt",
      "-rf",
      "--pre=touch ran",
      "line\nend.txt",
      "tab\t.txt",
      "ünïcode é.txt",
      "$(touch ran)",
      "'\".txt",
      "folder -x/-y",
    ];
    const turns = [
      callTurn(["list_files", {}]),
      callTurn(["search_text", { pattern: "needle" }]),
      callTurn(["search_text", { pattern: "--pre=touch ran", literal: true }]),
      ...names.map((path) => callTurn(read(path))),
      ...names.map((path) => callTurn(["search_text", { pattern: "needle", path }])),
      callTurn(read("bad\ufffdname.txt"), ["list_files", { path: "folder -x" }]),
      callTurn(["write_file", { path: "-new\nfile", content: "x", expectedHash: null }]),
    ];
    await using model = await startModel(turns);
    await withCli(async (cli) => {
      await useModel(cli, model);
      await writeTree(cli.workspace, Object.fromEntries(names.map((name) => [name, "needle\n"])));
      await createRawName(cli, "bad\\377name.txt");
      const run = await cli.run(["run", "x", "--json", "--allow-write"]);
      assert.equal(run.status, 0, shown(run));
      const results = toolResults(await model.chat(turns.length));
      const [listed = "", found = "", dashed = "", ...rest] = results;
      const shownNames = [
        "with space.txt",
        "-rf",
        "line\\x0aend.txt",
        "tab\\x09.txt",
        "bad\\xffname.txt",
        "folder -x/-y",
      ];
      const { files } = JSON.parse(listed);
      for (const name of shownNames) assert.ok(files.includes(name), `${name} in ${listed}`);
      assert.equal(files.length, names.length + 1);
      assert.equal(JSON.parse(found).matches.length, names.length + 1, found);
      assert.deepEqual(JSON.parse(dashed).matches, []);
      for (const [index, name] of names.entries()) {
        const { path, content } = JSON.parse(rest[index] ?? "");
        assert.deepEqual([path, content], [name, "1: needle"]);
        assert.equal(JSON.parse(rest[names.length + index] ?? "").matches.length, 1, name);
      }
      const [bad, inFolder, written] = rest.slice(2 * names.length);
      assert.match(
        bad ?? "",
        /a name with bytes that are not UTF-8 cannot be passed, so rename the/,
      );
      assert.deepEqual(JSON.parse(inFolder ?? "").files, ["folder -x/-y"]);
      assert.match(written ?? "", /"sha256"/);
      assert.equal(await Deno.readTextFile(join(cli.workspace, "-new\nfile")), "x");
      await assert.rejects(() => Deno.stat(join(cli.workspace, "ran")), Deno.errors.NotFound);
      await assertResumes(cli, sessionOf(run));
    });
  },
});

async function writeContents(cli: CliScene): Promise<void> {
  const utf16 = utf16le("héllo\nwörld\n");
  await writeTree(cli.workspace, {
    "a.zip": bytes("PK\x03\x04", 304),
    "a.png": bytes("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 64),
    "utf16.txt": Uint8Array.of(0xff, 0xfe, ...utf16),
    "bare16.txt": utf16,
    "nul.js": 'const a = "\0";\n',
    "latin1.txt": bytes("caf\xe9\n", 5),
    "empty.txt": "",
    "huge.txt": "first\nsecond\n",
    "line.json": `[${"1,".repeat(2_500_000)}1]`,
    "huge.bin": "",
    "folder/a.txt": "",
  });
  await fillTo(join(cli.workspace, "huge.txt"), 200 * 1024 * 1024);
  await Deno.truncate(join(cli.workspace, "huge.bin"), 200 * 1024 * 1024);
  if (!UNIX) return;
  await new Deno.Command("mkfifo", { args: [join(cli.workspace, "pipe")] }).output();
  await Deno.symlink("/dev/zero", join(cli.workspace, "zero"));
  await Deno.symlink("loop", join(cli.workspace, "loop"));
}

/** Latin-1 text as bytes, with zeros after it. */
function bytes(text: string, size: number): Uint8Array {
  const all = new Uint8Array(size);
  for (let index = 0; index < text.length; index++) all[index] = text.charCodeAt(index);
  return all;
}

function utf16le(text: string): Uint8Array {
  const units = new Uint16Array(text.length);
  for (let index = 0; index < text.length; index++) units[index] = text.charCodeAt(index);
  return new Uint8Array(units.buffer);
}

async function fillTo(path: string, size: number): Promise<void> {
  using file = await Deno.open(path, { append: true });
  const block = new TextEncoder().encode("0123456789abcde\n".repeat(65_536));
  for (let left = size - (await file.stat()).size; left > 0;) {
    left -= await file.write(block.subarray(0, Math.min(left, block.length)));
  }
}

/** A name that is not UTF-8, which the runtime itself cannot pass. */
async function createRawName(cli: CliScene, printed: string): Promise<void> {
  const { success } = await new Deno.Command("sh", {
    args: ["-c", 'printf "needle\\n" > "$(printf "$1")"', "sh", printed],
    cwd: cli.workspace,
  }).output();
  assert.ok(success);
}
