import assert from "node:assert/strict";
import { runContext } from "../../cli/context.ts";
import { exitStatusOf } from "../../cli/exit_status.ts";
import { parseCommandLine } from "../../cli/parse_command_line.ts";
import { errorMessage } from "../../core/errors.ts";
import { withTempDir, writeTree } from "../support/temp.ts";

interface CommandRun {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

const FILES = {
  "config/AGENTS.md": "SENTINEL\n",
  "p/.git/HEAD": "",
  "p/AGENTS.md": "SENTINEL\n",
  "p/src/AGENTS.override.md": "SENTINEL and more\n",
  "p/src/a.ts": "",
};

Deno.test("context explain shows the files of a trusted project, the closest last", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, FILES);
    const run = await explain(dir, ["src/a.ts", "--trust-project"]);
    assert.deepEqual(run, {
      status: 0,
      out: `agents    9 bytes   loaded      ${dir}/config/AGENTS.md\n` +
        `agents    9 bytes   loaded      ${dir}/p/AGENTS.md\n` +
        `override  18 bytes  not loaded  ${dir}/p/src/AGENTS.override.md ` +
        "(given when a tool first touches its folder)\n",
      err: `Instruction files for ${dir}/p/src/a.ts, the closest last:\n`,
    });
  });
});

Deno.test("context explain starts at the root of the repository, not at the directory", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, FILES);
    const run = await explain(dir, ["new.ts", "--trust-project", "--quiet"], "src");
    assert.match(run.out, /p\/AGENTS\.md\noverride +18 bytes +loaded +.*override\.md\n$/);
    assert.equal(run.err, "");
  });
});

Deno.test("context explain loads nothing of an untrusted project (field case 115)", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, FILES);
    const run = await explain(dir, ["src/a.ts"]);
    assert.match(
      run.out,
      /agents +9 bytes +not loaded +.*p\/AGENTS\.md \(the project is not trusted\)\n/,
    );
    assert.match(run.err, /This project is not trusted; review it with "alisio trust add", .*\n$/);
    assert.ok(!`${run.out}${run.err}`.includes("SENTINEL"));
  });
});

Deno.test("context explain prints one JSON line with --json", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "p/AGENTS.md": "x" });
    const { out, err } = await explain(dir, [".", "--json", "--trust-project"]);
    assert.equal(err, "");
    assert.deepEqual(JSON.parse(out), {
      schemaVersion: 1,
      type: "context",
      path: `${dir}/p`,
      files: [{
        path: `${dir}/p/AGENTS.md`,
        scope: "project",
        kind: "agents",
        bytes: 1,
        loaded: true,
      }],
      notices: [],
    });
  });
});

Deno.test("context explain shows control characters of a name as escapes", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "p/a\x1b[31m/AGENTS.md": "x" });
    const run = await explain(dir, ["a\x1b[31m", "--trust-project"]);
    assert.ok(!`${run.out}${run.err}`.includes("\x1b"));
    assert.match(run.out, /p\/a\\x1b\[31m\/AGENTS\.md/);
  });
});

Deno.test("context explain says where nothing applies", async () => {
  await withTempDir(async (dir) => {
    await Deno.mkdir(`${dir}/p`);
    const run = await explain(dir, ["a.ts"]);
    assert.deepEqual(run, {
      status: 0,
      out: "",
      err: `No instruction file applies to ${dir}/p/a.ts\n`,
    });
  });
});

const MISTAKES: readonly (readonly [words: readonly string[], message: RegExp])[] = [
  [["context"], /^Action is missing: write alisio context explain <path>$/],
  [["context", "explian", "a"], /^Unknown action "explian": did you mean "explain"\?$/],
  [["context", "explain"], /^Path is missing: write alisio context explain <path>$/],
  [["context", "explain", "a", "b"], /^Unexpected argument "b": write alisio context explain/],
  [["context", "explain", ""], /^Path is empty/],
  [
    ["context", "explain", "a", "--cwd", "missing"],
    /^Cannot work in ".*missing": it does not exist/,
  ],
];

Deno.test("context explain refuses wrong usage with status 2", async () => {
  await withTempDir(async (dir) => {
    await Deno.mkdir(`${dir}/p`);
    for (const [words, message] of MISTAKES) {
      const { status, err } = await run(dir, words);
      assert.equal(status, 2, words.join(" "));
      assert.match(err, message);
    }
  });
});

function explain(dir: string, words: readonly string[], cwd = ""): Promise<CommandRun> {
  return run(dir, ["context", "explain", ...words], cwd);
}

async function run(dir: string, words: readonly string[], cwd = ""): Promise<CommandRun> {
  const { args, flags, commandFlags } = parseCommandLine(words);
  let out = "";
  let err = "";
  const write = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
  };
  try {
    const status = await runContext({
      lendTerminal: (use) => use(),
      args,
      flags,
      commandFlags,
      env: { ALISIO_CONFIG_HOME: `${dir}/config`, ALISIO_STATE_HOME: `${dir}/state` },
      cwd: flags.cwd === undefined ? `${dir}/p/${cwd}` : `${dir}/${flags.cwd}`,
      output: {
        ...write,
        drained: () => undefined,
        flush: () => Promise.resolve(),
        outIsTerminal: false,
        errIsTerminal: false,
      },
      signal: new AbortController().signal,
      ...write,
    });
    return { status, out, err };
  } catch (error) {
    return { status: exitStatusOf(error), out, err: err + errorMessage(error) };
  }
}
