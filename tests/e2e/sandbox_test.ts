import assert from "node:assert/strict";
import { join } from "node:path";
import { BACKENDS } from "../core/sandbox/_world.ts";
import { type CliScene, jsonLines, shown, withCli } from "../support/cli_harness.ts";
import { linkPackages, startRegistry } from "../support/local_registry.ts";
import { DENO } from "../support/paths.ts";
import { callTurn, startModel, toolResults } from "../support/scripted_model.ts";
import { withTempDir, writeTree } from "../support/temp.ts";
import { useModel } from "./_support.ts";

const linuxOnly = { ignore: Deno.build.os !== "linux" };

/** Prints which of some attempts work. */
function script(cli: CliScene): string {
  const attempts = {
    read: "cat a.txt",
    write: "touch new",
    commit: "git -c user.name=a -c user.email=a@b commit -qm x --allow-empty",
    config: `cat '${cli.configHome}/config.json'`,
    state: `ls '${cli.stateHome}'`,
    outside: `cat '${cli.dir}/outside'`,
    secret: "cat secrets/key",
  };
  return Object.entries(attempts).map(([name, command]) =>
    `${command} >/dev/null 2>&1 && echo ${name}`
  ).join("; ") + "; true";
}

interface Tried {
  /** Names of the attempts that worked. */
  readonly works: readonly string[];
  readonly stderr: string;
  /** What the model is told of it. */
  readonly told: string;
}

/** Names of what lies in a folder, as deep as it goes; none where there is no folder. */
async function* walk(folder: string): AsyncGenerator<string> {
  try {
    for await (const { name, isDirectory } of Deno.readDir(folder)) {
      yield name;
      if (isDirectory) yield* walk(join(folder, name));
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Runs the attempts as a model would, in a workspace that is a repository. */
async function tryIn(
  config: Readonly<Record<string, unknown>>,
  args: readonly string[],
  options: { readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Tried> {
  let tried: Tried = { works: [], stderr: "", told: "" };
  await withCli(async (cli) => {
    await using model = await startModel([callTurn(["shell", { command: script(cli) }])]);
    await writeTree(cli.dir, { outside: "outside\n" });
    await writeTree(cli.workspace, { "a.txt": "alpha\n", "secrets/key": "key\n" });
    const git = new Deno.Command("git", { args: ["init", "-q"], cwd: cli.workspace });
    assert.ok((await git.output()).success);
    await useModel(cli, model, config);
    const run = await cli.run(["run", "x", "--allow-process", ...args], options);
    assert.equal(run.status, 0, shown(run));
    const [text = ""] = toolResults(await model.chat(1));
    assert.match(text, /"exitCode":0/, text);
    const told = JSON.stringify(await model.chat(0)).match(/Programs run in a sandbox[^\\]*/)?.[0];
    const works = JSON.parse(text).stdout.trim().split("\n");
    tried = { works, stderr: run.stderr, told: told ?? "" };
    // The kernel opens the folder for whole pages only where it is there, and nothing is in it.
    const ownFiles = await Array.fromAsync(walk(join(cli.workspace, ".alisio")));
    assert.ok(ownFiles.length === 0 || args.includes("--allow-external"), ownFiles.join("\n"));
    assert.ok(ownFiles.every((path) => path === "cache"), ownFiles.join("\n"));
  });
  return tried;
}

for (const backend of BACKENDS) {
  Deno.test(`alisio run starts programs in the sandbox "${backend}" that one key asks for`, async () => {
    const open = await tryIn({ sandbox: backend }, ["--allow-write"]);
    assert.deepEqual(open.works, ["read", "write", "commit", "secret"], open.stderr);
    assert.equal(/"landlock" holds .* and leaves open: /.test(open.stderr), backend === "landlock");
    assert.match(open.told, /have no network/);
    const looking = await tryIn({ sandbox: backend }, ["--quiet"]);
    assert.deepEqual(looking.works, ["read", "secret"], looking.stderr);
    assert.equal(looking.stderr, "");
    const online = await tryIn({ sandbox: backend }, ["--allow-external"]);
    assert.match(online.told, /^Programs run in a sandbox\. They see .* the system's own\.$/);
    const single = await tryIn({ sandbox: backend }, ["--allow-write", "--no-second-wall"]);
    assert.deepEqual(single.works, ["read", "write", "commit", "secret"], single.stderr);
  });

  Deno.test(`alisio run closes forbidden paths to programs in the sandbox "${backend}"`, async () => {
    const profile = {
      preset: "yolo",
      sandboxEnabled: true,
      sandboxBackend: backend,
      forbiddenPaths: ["secrets", "later"],
    };
    await withCli(async (cli) => {
      // No word of the command names what it reads.
      const read = 'cat "$(printf "sec%s" rets/key)"';
      await using model = await startModel([callTurn(["shell", { command: read }])]);
      await writeTree(cli.workspace, { "secrets/key": "the key\n" });
      await useModel(cli, model, { riskProfiles: { p: profile } });
      const args = ["run", "x", "--allow-process", "--allow-write", "--risk-profile", "p"];
      const run = await cli.run(args);
      assert.equal(run.status, 0, shown(run));
      const [text = ""] = toolResults(await model.chat(1));
      await assert.rejects(Deno.lstat(join(cli.workspace, "later")), Deno.errors.NotFound);
      if (backend === "landlock") {
        assert.match(text, /the key/);
        assert.match(run.stderr, /leaves open: ".*\/secrets", ".*\/later", in an open/);
      } else {
        assert.doesNotMatch(text, /the key/);
        assert.match(text, /Permission denied/);
        assert.equal(run.stderr, "");
      }
    });
  });
}

Deno.test("alisio run takes no sandbox away from a project's file", linuxOnly, async () => {
  await withCli(async (cli) => {
    await using model = await startModel([callTurn(["shell", { command: script(cli) }])]);
    await writeTree(cli.dir, { outside: "outside\n" });
    await writeTree(cli.workspace, { ".alisio/config.json": '{ "sandbox": "none" }' });
    await useModel(cli, model, { sandbox: "landlock" });
    const run = await cli.run(["run", "x", "--allow-process", "--trust-project"]);
    assert.equal(run.status, 0, shown(run));
    assert.match(run.stderr, /"sandbox"/);
    assert.doesNotMatch(toolResults(await model.chat(1))[0] ?? "", /outside/);
  });
});

Deno.test(
  "alisio run refuses a sandbox that does not work where programs could start",
  linuxOnly,
  async () => {
    await withCli(async (cli) => {
      await using model = await startModel();
      await useModel(cli, model, { sandbox: "bubblewrap" });
      const env = { PATH: cli.dir };
      const refused = await cli.run(["run", "x", "--allow-process"], { env });
      assert.equal(refused.status, 2, shown(refused));
      assert.match(
        refused.stderr,
        /Cannot start programs in the sandbox "bubblewrap" .*: Bubblewrap is not installed; install the package "bubblewrap"/,
      );
      assert.deepEqual(model.requests, []);
      const reading = await cli.run(["run", "x"], { env });
      assert.equal(reading.status, 0, shown(reading));
      assert.equal(reading.stderr, "");
      const doctor = await cli.run(["doctor"], { env });
      assert.match(doctor.stdout, /\nSandbox +none: .* \(Bubblewrap is not installed/);
      assert.match(doctor.stdout, /\nWarning: Cannot start programs in the sandbox "bubblewrap"/);
    });
  },
);

Deno.test(
  "alisio run takes the next best sandbox, and says what it leaves open",
  linuxOnly,
  async () => {
    await withCli(async (cli) => {
      await using model = await startModel();
      await useModel(cli, model, { sandbox: "auto" });
      const run = await cli.run(["run", "x", "--allow-process"], { env: { PATH: cli.dir } });
      assert.equal(run.status, 0, shown(run));
      assert.match(
        run.stderr,
        /^(?:The sandbox "landlock" .* leaves open: .*|No sandbox .*)Bubblewrap is not installed/,
      );
    });
  },
);

Deno.test("The published program puts programs into the sandbox of Landlock", {
  ignore: !BACKENDS.includes("landlock"),
}, async () => {
  await withTempDir(async (dir) => {
    await using registry = await startRegistry();
    await linkPackages(join(dir, "cache"));
    const command = "cat a.txt; cat ../outside; echo end";
    await writeTree(dir, {
      outside: "outside\n",
      "config/config.json": '{ "sandbox": "landlock" }',
      "work/a.txt": "alpha\n",
      "work/s.json": JSON.stringify({
        turns: [{ calls: [{ name: "shell", arguments: { command } }] }, { text: "Done" }],
      }),
      // What lies in the folder of the run has no say in how a program is started.
      "work/deno.json": '{ "imports": { "../wall/landlock.ts": "./hostile.ts" } }',
      "work/package.json": '{ "type": "commonjs" }',
    });
    const { code, stdout, stderr } = await new Deno.Command(DENO, {
      args: [
        ...["run", "-A", "--quiet", "--no-config", "--no-lock", "--node-modules-dir=none"],
        ...["jsr:@alisio/cli", "run", "hi", "--json", "--model", "scripted/s.json"],
        "--allow-process",
      ],
      cwd: join(dir, "work"),
      clearEnv: true,
      env: {
        PATH: Deno.env.get("PATH") ?? "",
        HOME: dir,
        DENO_DIR: join(dir, "cache"),
        JSR_URL: registry.url,
        ALISIO_CONFIG_HOME: join(dir, "config"),
      },
      stdin: "null",
    }).output();
    const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    assert.equal(code, 0, text);
    const done = jsonLines({ stdout: new TextDecoder().decode(stdout) })
      .find(({ type }) => type === "tool_completed");
    const result = JSON.parse(String(done?.data.preview));
    assert.equal(result.stdout, "alpha\nend\n", text);
    assert.match(result.stderr, /outside: Permission denied/);
  });
});
