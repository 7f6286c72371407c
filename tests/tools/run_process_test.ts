import assert from "node:assert/strict";
import { join } from "node:path";
import { createListFilesTool } from "../../tools/list_files.ts";
import { createGitDiffTool } from "../../tools/git_diff.ts";
import { createGitStatusTool } from "../../tools/git_status.ts";
import { createRunProcessTool } from "../../tools/run_process.ts";
import { createSearchTextTool } from "../../tools/search_text.ts";
import { createSchemaValidator } from "../../tools/schema_validator.ts";
import { createShellTool } from "../../tools/shell.ts";
import { RUN_PROCESS, SHELL } from "../../tools/tool_definitions.ts";
import { withTempDir, writeTree } from "../support/temp.ts";
import {
  blockOf,
  type CallOptions,
  callTool,
  errorOf,
  jsonOf,
  programPorts,
} from "./_program_tools.ts";

const unixOnly = { ignore: Deno.build.os === "windows" };

async function runProcess(
  workspace: string,
  input: Record<string, unknown>,
  options: CallOptions = {},
) {
  const tool = createRunProcessTool(programPorts(workspace));
  return await callTool(tool, { args: [], ...input }, workspace, options);
}

async function shell(workspace: string, command: string, options: CallOptions = {}) {
  const tool = createShellTool(programPorts(workspace));
  return await callTool(tool, { command }, workspace, options);
}

Deno.test("run_process and shell take no working directory (field case 77)", () => {
  const validate = createSchemaValidator();
  const inputs = [[RUN_PROCESS, { command: "ls", args: [] }], [SHELL, { command: "ls" }]] as const;
  for (const [{ inputSchema }, input] of inputs) {
    assert.deepEqual(validate(inputSchema, input), []);
    const problems = validate(inputSchema, { ...input, cwd: "../app-secret" });
    assert.deepEqual(problems, [{ field: "cwd", problem: "is not a field" }]);
  }
});

Deno.test("run_process runs a program in the workspace, arguments as given", unixOnly, async () => {
  await withTempDir(async (workspace) => {
    await writeTree(workspace, {
      "say.sh": '#!/bin/sh\npwd; printf "<%s>" "$@"; echo bad >&2; exit 7\n',
    });
    await Deno.chmod(join(workspace, "say.sh"), 0o755);
    const args = ["a b", "$HOME", "*", "-x", ""];
    const result = await runProcess(workspace, { command: "./say.sh", args });
    // An exit code is for the model to judge: the tool itself has not failed.
    assert.deepEqual(jsonOf(result), {
      exitCode: 7,
      endedBy: "exit",
      stdout: `${workspace}\n<a b><$HOME><*><-x><>`,
      stderr: "bad\n",
      truncated: false,
    });
    const { durationMs, ...block } = blockOf(result) as { durationMs: number };
    assert.ok(durationMs >= 0);
    assert.deepEqual(block, {
      kind: "terminal",
      output: `${workspace}\n<a b><$HOME><*><-x><>bad\n`,
      command: "./say.sh 'a b' '$HOME' '*' -x ''",
      cwd: workspace,
      exitCode: 7,
      truncated: false,
    });
  });
});

Deno.test("run_process explains a command line in the wrong place", unixOnly, async () => {
  await withTempDir(async (workspace) => {
    const text = errorOf(await runProcess(workspace, { command: "touch marker other" }));
    assert.match(text, /^Cannot run "touch marker other": "command" is the program alone/);
    assert.ok(text.includes('{"command":"touch","args":["marker","other"]}'), text);
    assert.match(text, /tool shell/);
    assert.deepEqual(await Array.fromAsync(Deno.readDir(workspace)), []);

    // A path may hold spaces.
    await writeTree(workspace, { "my tool": "#!/bin/sh\necho ran\n" });
    await Deno.chmod(join(workspace, "my tool"), 0o755);
    for (const command of ["./my tool", join(workspace, "my tool")]) {
      assert.equal(jsonOf(await runProcess(workspace, { command })).stdout, "ran\n");
    }
  });
});

Deno.test("run_process says what is missing or wrong", unixOnly, async () => {
  await withTempDir(async (workspace) => {
    const rows: readonly (readonly [Record<string, unknown>, RegExp])[] = [
      [
        { command: "no-such-tool" },
        /^Cannot run "no-such-tool": it is not in PATH; check the name, or/,
      ],
      [{ command: "./nothing.sh" }, /^Cannot run "\.\/nothing\.sh": that file does not exist$/],
      [{ command: "true", args: ["a\0b"] }, /holds a NUL character/],
      [{ command: workspace }, /does not let it be executed/],
    ];
    for (const [input, message] of rows) {
      assert.match(errorOf(await runProcess(workspace, input)), message);
    }
    const tool = createRunProcessTool(
      programPorts(workspace, { environment: () => ({ PATH: workspace }) }),
    );
    const hint = errorOf(await callTool(tool, { command: "rg", args: [] }, workspace));
    assert.match(hint, /install it: .*ripgrep/);
  });
});

Deno.test("run_process and shell end at their limits", unixOnly, async () => {
  await withTempDir(async (workspace) => {
    const result = await runProcess(workspace, {
      command: "/bin/sh",
      args: ["-c", "echo begun; exec sleep 60"],
      timeoutMs: 200,
    });
    const text = errorOf(result);
    const { exitCode, endedBy, stdout, note } = JSON.parse(text);
    assert.deepEqual([exitCode, endedBy, stdout], [null, "timeout", "begun\n"]);
    assert.match(note, /time limit of 200 ms/);
    assert.equal("exitCode" in blockOf(result), false);

    const controller = new AbortController();
    setTimeout(() => controller.abort(), 200);
    const options = { signal: controller.signal };
    const cancelled = errorOf(await shell(workspace, "echo begun; exec sleep 60", options));
    assert.deepEqual(
      [JSON.parse(cancelled).endedBy, JSON.parse(cancelled).stdout],
      ["cancelled", "begun\n"],
    );
  });
});

Deno.test("run_process waits for no input (field case 83)", unixOnly, async () => {
  await withTempDir(async (workspace) => {
    assert.equal(jsonOf(await runProcess(workspace, { command: "cat" })).exitCode, 0);
    const asked = jsonOf(
      await shell(workspace, 'read -p "Ok to proceed? (y) " answer || echo "no answer"'),
    );
    assert.equal(asked.stdout, "no answer\n");
    const clone = jsonOf(
      await shell(workspace, "git clone -q https://user@127.0.0.1:1/private.git; true"),
    );
    assert.match(clone.stderr, /fatal: /);
  });
});

Deno.test("shell runs a command line with bash where there is one", unixOnly, async () => {
  await withTempDir(async (workspace) => {
    const result = await shell(workspace, 'x="a b"; [[ -n $x ]] && echo "$x" | tr a-z A-Z; exit 3');
    assert.deepEqual(jsonOf(result), {
      exitCode: 3,
      endedBy: "exit",
      stdout: "A B\n",
      stderr: "",
      truncated: false,
    });
    const noBash = createShellTool(
      programPorts(workspace, { findExecutable: () => Promise.resolve(null) }),
    );
    const { stdout } = jsonOf(await callTool(noBash, { command: "echo $0" }, workspace));
    assert.equal(stdout, "/bin/sh\n");
    assert.match(errorOf(await shell(workspace, "  ")), /is empty/);
  });
});

Deno.test(
  "shell ends what a command leaves running and says so (field case 85)",
  unixOnly,
  async () => {
    await withTempDir(async (workspace) => {
      const result = jsonOf(await shell(workspace, "sleep 60 & echo done"));
      assert.deepEqual([result.exitCode, result.stdout], [0, "done\n"]);
      assert.match(result.note, /left processes running; they were ended/);
      const crashed = jsonOf(await shell(workspace, "kill -SEGV $$"));
      assert.deepEqual([crashed.exitCode, crashed.signal], [null, "SIGSEGV"]);
      assert.match(crashed.note, /Ended by SIGSEGV/);
    });
  },
);

Deno.test("shell passes no secret of the environment on", unixOnly, async () => {
  await withTempDir(async (workspace) => {
    const { stdout } = jsonOf(await shell(workspace, "env"));
    const names = stdout.trim().split("\n").map((line: string) => line.split("=")[0]);
    for (const name of names) assert.doesNotMatch(name, /KEY|TOKEN|SECRET|^LD_|^DENO_/);
    assert.ok(names.includes("PATH") && names.includes("GIT_TERMINAL_PROMPT"));
  });
});

Deno.test(
  "run_process keeps head and tail and names the log (field case 91)",
  unixOnly,
  async () => {
    await withTempDir(async (workspace) => {
      const script = "seq 1 20000; echo 'error: the last line'";
      const result = await runProcess(workspace, { command: "/bin/sh", args: ["-c", script] });
      const { stdout, truncated } = jsonOf(result);
      assert.equal(truncated, true);
      assert.match(stdout, /^1\n2\n/);
      assert.match(stdout, /error: the last line\n$/);
      const folder = join(workspace, ".alisio", "cache", "output");
      const [{ name } = { name: "" }] = await Array.fromAsync(Deno.readDir(folder));
      assert.match(name, /^call-1-[0-9a-f]{8}\.log$/);
      const path = join(folder, name);
      assert.ok(stdout.includes(JSON.stringify(path)));
      assert.equal((await Deno.readTextFile(path)).split("\n").length, 20_002);
      const block = blockOf(result);
      assert.ok(block.kind === "terminal");
      assert.deepEqual([block.output.length, block.truncated], [108_894 + 21, false]);
    });
  },
);

Deno.test("shell bounds results that grow in JSON, both streams kept", unixOnly, async () => {
  await withTempDir(async (workspace) => {
    const flood = `yes '"' | head -c 100000; yes '"' | head -c 100000 >&2; echo end; echo end >&2`;
    const result = await shell(workspace, flood);
    const [part] = result.content;
    assert.ok(part?.type === "text" && part.text.length < 48_000, "fits");
    const { stdout, stderr, truncated } = jsonOf(result);
    assert.equal(truncated, true);
    for (const text of [stdout, stderr]) {
      assert.ok(text.length > 5_000);
      assert.match(text, /^"\n"\n[^]*\[output cut: [^\]]*of 100004 bytes[^\]]*\][^]*\nend\n$/);
      assert.equal(text.match(/\[output cut/g)?.length, 1);
    }
  });
});

Deno.test("shell shows no control sequence to a terminal (field case 155)", unixOnly, async () => {
  await withTempDir(async (workspace) => {
    const output = "\\033[31mred\\033[0m \\033]0;title\\007 \\033[2J 10%%\\r20%%\\r\\n \\233x";
    const result = await shell(workspace, `printf '${output}'`);
    const expected = "red \\x1b]0;title\\x07 \\x1b[2J 10%\r20%\r\n \\x9bx";
    assert.equal(jsonOf(result).stdout, expected);
    const block = blockOf(result);
    assert.ok(block.kind === "terminal");
    assert.equal(block.output, expected.replace("\r20", "\n20"));
  });
});

Deno.test("run_process and shell say when the workspace is gone", unixOnly, async () => {
  await withTempDir(async (folder) => {
    const workspace = join(folder, "gone");
    assert.match(errorOf(await shell(workspace, "true")), /working directory ".*gone" is gone/);
    assert.match(
      errorOf(await runProcess(workspace, { command: "true" })),
      /working directory ".*gone" is gone/,
    );
  });
});

Deno.test("program tools describe themselves in few bytes", () => {
  const ports = programPorts("/");
  const tools = [
    createListFilesTool(ports),
    createSearchTextTool(ports),
    createGitStatusTool(ports),
    createGitDiffTool(ports),
    createRunProcessTool(ports),
    createShellTool(ports),
  ];
  const effects = tools.map((tool) => [tool.name, tool.effect]);
  assert.deepEqual(effects, [
    ["list_files", "read"],
    ["search_text", "read"],
    ["git_status", "read"],
    ["git_diff", "read"],
    ["run_process", "process"],
    ["shell", "process"],
  ]);
  for (const { name, description, inputSchema } of tools) {
    const bytes = JSON.stringify({ name, description, parameters: inputSchema }).length;
    assert.ok(bytes < 600, `${name}: ${bytes}`);
    assert.equal(inputSchema["additionalProperties"], false);
  }
});
