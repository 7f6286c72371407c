import assert from "node:assert/strict";
import { shown, withCli } from "../support/cli_harness.ts";
import { callTurn, messagesOf, type ModelTurn, startModel } from "../support/scripted_model.ts";
import { chatChunk } from "../support/stub_replies.ts";
import { assertResumes, onlySession, sessionIds, useModel } from "./_support.ts";

const UNIX = Deno.build.os !== "windows";
const ENCODER = new TextEncoder();

/** Words, standard input, and the prompt that the model is sent. */
const PROMPTS: readonly (readonly [string, readonly string[], Uint8Array, string])[] = [
  ["a pipe after words", ["review this"], ENCODER.encode("+a\n-b\n"), "review this\n\n+a\n-b"],
  ["a pipe alone", [], ENCODER.encode("  from a pipe\n"), "from a pipe"],
  ["a dash", ["-"], ENCODER.encode("from a pipe\n"), "from a pipe"],
  ["a dash after words", ["look:", "-"], ENCODER.encode("ü\n"), "look:\n\nü"],
  ["an empty pipe after words", ["x"], new Uint8Array(), "x"],
  ["a byte-order mark", [], Uint8Array.of(0xef, 0xbb, 0xbf, 0x61), "a"],
  ["UTF-16 with its mark", ["x"], utf16("ñ\r\n😀", true), "x\n\nñ\r\n😀"],
  ["UTF-16 in the other order", ["x"], utf16("ñ😀", false), "x\n\nñ😀"],
  ["1 MiB", ["x"], new Uint8Array(1024 * 1024).fill(0x61), `x\n\n${"a".repeat(1024 * 1024)}`],
];

Deno.test("alisio run adds standard input to the prompt", async () => {
  await using model = await startModel();
  await withCli(async (cli) => {
    await useModel(cli, model, { limits: { maxContextChars: 4_000_000 } });
    for (const [index, [name, words, stdin, expected]] of PROMPTS.entries()) {
      const run = await cli.run(["run", ...words], { stdin });
      assert.equal(run.status, 0, `${name}: ${shown(run)}`);
      assert.equal(run.stderr, "", name);
      const content = messagesOf(await model.chat(index)).at(-1)?.content;
      assert.ok(content === expected, `${name}: ${String(content).slice(0, 100)}`);
    }
  });
});

Deno.test("alisio run refuses standard input that is empty, too large or no text", async () => {
  const rows: readonly (readonly [readonly string[], Uint8Array, RegExp])[] = [
    [[], new Uint8Array(), /Prompt is empty/],
    [["-"], ENCODER.encode(" \n"), /Prompt is empty/],
    [
      ["x"],
      new Uint8Array(1024 * 1024 + 1).fill(0x61),
      /larger than 1048576 bytes; save it to a f/,
    ],
    [["x"], Uint8Array.of(0x61, 0xff), /it is not UTF-8 text; save it to a file in the workspace/],
    [["-"], Uint8Array.of(0x63, 0x61, 0x66, 0xe9), /it is not UTF-8 text; save it to a file/],
    [["x"], Uint8Array.of(0x61, 0, 0x62), /it is not text: it holds NUL characters; save it/],
    [["x"], utf16("a", true).subarray(2), /it is not text: it holds NUL characters/],
    [["x"], Uint8Array.of(0xff, 0xfe, 0x61), /it is not UTF-16LE text; save/],
    [["x"], Uint8Array.of(0xfe, 0xff, 0xd8, 0), /it is not UTF-16BE text; save/],
    [["x"], Uint8Array.of(0xff, 0xfe, 0, 0, 0x61, 0, 0, 0), /NUL characters/],
  ];
  await using model = await startModel();
  await withCli(async (cli) => {
    await useModel(cli, model);
    for (const [words, stdin, message] of rows) {
      const run = await cli.run(["run", ...words], { stdin });
      assert.equal(run.status, 2, shown(run));
      assert.match(run.stderr, message);
    }
    assert.deepEqual(model.chats, []);
    assert.deepEqual(await sessionIds(cli), []);
  });
});

Deno.test("alisio run and resume refuse a prompt that no request can hold, before a session", async () => {
  await using model = await startModel();
  await withCli(async (cli) => {
    await useModel(cli, model, { limits: { maxContextChars: 10_000 } });
    const stdin = ENCODER.encode("a".repeat(10_001));
    const refused = /^alisio: Cannot use the prompt: it holds 10001 characters, "limits\.maxCon/;
    const run = await cli.run(["run", "-"], { stdin });
    assert.equal(run.status, 2, shown(run));
    assert.match(run.stderr, refused);
    assert.deepEqual(await sessionIds(cli), []);
    const words = await cli.run(["run", "a".repeat(10_001), "--json"]);
    assert.equal(words.status, 2, shown(words));
    assert.equal(JSON.parse(words.stdout).data.code, "usage");
    assert.deepEqual(model.chats, []);

    assert.equal((await cli.run(["run", "hello"])).status, 0);
    const session = await onlySession(cli);
    const resumed = await cli.run(["resume", session, "-"], { stdin });
    assert.equal(resumed.status, 2, shown(resumed));
    assert.match(resumed.stderr, refused);
    assert.equal(model.chats.length, 1);
  });
});

Deno.test({
  name: "alisio run says that standard input is a directory",
  ignore: !UNIX,
  fn: async () => {
    await using model = await startModel();
    await withCli(async (cli) => {
      await useModel(cli, model);
      for (const words of [["x"], ["-"], []]) {
        const run = await cli.run(["run", ...words], {
          wrap: ["bash", "-c", 'exec "$@" < .', "bash"],
        });
        assert.equal(run.status, 2, shown(run));
        assert.equal(
          run.stderr,
          "alisio: Cannot use standard input: it is a directory; name the directory in the prompt\n",
        );
      }
      assert.deepEqual(model.chats, []);
    });
  },
});

Deno.test("alisio resume says how to pass a prompt when there is none", async () => {
  await withCli(async (cli) => {
    const run = await cli.run(["resume", "abcd"]);
    assert.deepEqual([run.status, run.stderr], [
      2,
      'alisio: Prompt is empty: write alisio resume abcd "<prompt>", or pipe one in\n',
    ]);
  });
});

Deno.test("alisio run goes on without a silent standard input, unless it is all there is", async () => {
  await using model = await startModel();
  await withCli(async (cli) => {
    await useModel(cli, model);
    const waiting = cli.start(["run"], { stdin: "open" });
    await waiting.stdin.write(ENCODER.encode("slow"));
    const [loud, quiet] = await Promise.all([
      cli.run(["run", "x"], { stdin: "open" }),
      cli.run(["run", "x", "--quiet"], { stdin: "open" }),
    ]);
    assert.deepEqual([loud.status, loud.stdout], [0, "Done\n"], shown(loud));
    // What the model is asked is not what it seems, so it is never passed over in silence.
    for (const { stderr } of [loud, quiet]) {
      assert.match(
        stderr,
        /^Standard input stayed silent and was left out; add - to the prompt.*\n$/,
      );
    }
    assert.ok(loud.durationMs > 2_500 && loud.durationMs < 8_000, `${loud.durationMs} ms`);
    assert.deepEqual([quiet.status, quiet.stdout], [0, "Done\n"]);

    assert.equal(model.chats.length, 2);
    await waiting.stdin.write(ENCODER.encode("ly"));
    await waiting.stdin.close();
    assert.equal((await waiting.ended).status, 0);
    assert.equal(messagesOf(await model.chat(2)).at(-1)?.content, "slowly");
  });
});

Deno.test("alisio run does not wait for a standard input that is at its end", async () => {
  await using model = await startModel();
  await withCli(async (cli) => {
    await useModel(cli, model);
    const run = await cli.run(["run", "x"]);
    assert.deepEqual([run.status, run.stdout, run.stderr], [0, "Done\n", ""]);
    assert.ok(run.durationMs < 2_500, `${run.durationMs} ms`);
  });
});

Deno.test({
  name: "alisio ends soon when the reader of its output goes away (field case 108)",
  ignore: !UNIX,
  fn: async () => {
    const rows: readonly (readonly [readonly string[], string])[] = [
      [["run", "x", "--json"], "head -n 1"],
      [["run", "x"], "head -c 5"],
      [["run", "x"], "true"],
    ];
    for (const [args, reader] of rows) {
      await using model = await startModel([endless()]);
      await withCli(async (cli) => {
        await useModel(cli, model);
        const run = await cli.run(args, {
          wrap: ["bash", "-c", `"$@" | ${reader}; echo "status \${PIPESTATUS[0]}"`, "bash"],
        });
        assert.match(run.stdout, /status 1\n$/, `${reader}: ${shown(run)}`);
        assert.ok(run.durationMs < 10_000, `${reader}: ${run.durationMs} ms`);
        assert.match(run.stderr, /^alisio: Cannot write to standard output: its reader has gone\n/);
        await (await model.chat(0)).closed;
        const session = await onlySession(cli);
        await assertResumes(cli, session);
      });
    }
  },
});

Deno.test({
  name: "alisio says that its output cannot be written",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    await using model = await startModel();
    await withCli(async (cli) => {
      await useModel(cli, model);
      await cli.run(["run", "x"]);
      const session = await onlySession(cli);
      const commands = [
        ["run", "x"],
        ["run", "x", "--json"],
        ["sessions", "list"],
        ["sessions", "show", session],
        ["sessions", "export", session],
        ["context", "explain", ".", "--json"],
        ["doctor"],
        ["--help"],
        ["run", "--version"],
      ];
      for (const args of commands) {
        const run = await cli.run(args, {
          wrap: ["bash", "-c", '"$@" > /dev/full', "bash"],
        });
        assert.equal(run.status, 1, `${args.join(" ")}: ${shown(run)}`);
        assert.match(run.stderr, /^alisio: Cannot write to standard output: .*[Nn]o space left/);
        assert.doesNotMatch(run.stderr, /\n +at /, args.join(" "));
      }
      const version = await cli.run(["--version"], {
        wrap: ["bash", "-c", '"$@" > /dev/full', "bash"],
      });
      assert.deepEqual([version.status, version.stderr], [1, ""]);
      const piped = await cli.run(["sessions", "show", session], {
        wrap: ["bash", "-c", '"$@" | true; echo "status ${PIPESTATUS[0]}"', "bash"],
      });
      assert.deepEqual([piped.stdout, piped.stderr], ["status 1\n", ""]);
      await assertResumes(cli, session);
    });
  },
});

Deno.test({
  name: "alisio run works without a standard error",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    for (const redirection of ["2> /dev/full", "2>&-"]) {
      await using model = await startModel([callTurn(["shell", { command: "true" }])]);
      await withCli(async (cli) => {
        await useModel(cli, model);
        const wrap = ["bash", "-c", `exec "$@" ${redirection}`, "bash"];
        const run = await cli.run(["run", "x"], { wrap });
        assert.deepEqual([run.status, run.stdout, run.stderr], [5, "Done\n", ""], redirection);
      });
    }
  },
});

function utf16(text: string, littleEndian: boolean): Uint8Array {
  const units = `\ufeff${text}`;
  const view = new DataView(new ArrayBuffer(units.length * 2));
  for (let at = 0; at < units.length; at++) {
    view.setUint16(at * 2, units.charCodeAt(at), littleEndian);
  }
  return new Uint8Array(view.buffer);
}

/** An answer that never stops. */
function endless(): ModelTurn {
  return {
    steps: (async function* () {
      for (;;) {
        yield chatChunk({ content: "on and on " });
        yield { waitMs: 1 };
      }
    })(),
  };
}
