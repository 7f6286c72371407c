import assert from "node:assert/strict";
import { join } from "node:path";
import { type CliScene, dataOf, shown, withCli } from "../support/cli_harness.ts";
import { startModel } from "../support/scripted_model.ts";
import { writeTree } from "../support/temp.ts";
import { assertResumes, onlySession, sessionIds, useModel } from "./_support.ts";

const KEY = "sk-sentinel-0123456789abcdef";

const BROKEN_FILES: readonly (readonly [string, string | Uint8Array, RegExp])[] = [
  ["cut short", '{ "limits": {', /it is not valid JSON at line 1, column 14/],
  ["trailing comma", '{\n  "limits": {},\n}', /it is not valid JSON at line 3, column 1/],
  ["empty", "", /it is empty; write \{\} or remove it/],
  ["a list", "[]", /must be one JSON object, found a list/],
  ["not UTF-8", Uint8Array.of(0x7b, 0xff, 0x7d), /it is not UTF-8 text; save it as UTF-8/],
  ["too large", new Uint8Array(1_048_577), /Cannot read configuration .*: it is larger than/],
  [
    "unknown key",
    '{ "limits": { "maxTurn": 3 } }',
    /"limits\.maxTurn" is not a known key.*"limits\.maxTurns"/,
  ],
  ["unknown section", '{ "limit": {} }', /"limit" is not a known key.*"limits"/],
  [
    "wrong type",
    '{ "limits": { "maxTurns": "3" } }',
    /"limits\.maxTurns" must be an integer from 1/,
  ],
  [
    "out of range",
    '{ "limits": { "maxTurns": 0 } }',
    /"limits\.maxTurns" must be an integer from 1/,
  ],
  [
    "key in the address",
    `{ "provider": { "baseURL": "https://u:${KEY}@h/v1" } }`,
    /"provider\.baseURL" must be .*without embedded credentials/,
  ],
];

Deno.test("alisio run names the file, the place and the way out of a broken configuration", async () => {
  await using model = await startModel();
  await withCli(async (cli) => {
    const file = join(cli.configHome, "config.json");
    await Deno.mkdir(cli.configHome);
    for (const [name, content, reason] of BROKEN_FILES) {
      await writeTree(cli.configHome, { "config.json": content });
      const args = ["run", "x", "--base-url", model.baseUrl, "--model", "stub", "--json"];
      const run = await cli.run(args);
      assert.equal(run.status, 2, `${name}: ${shown(run)}`);
      const { code, error } = dataOf(run, "error");
      assert.match(String(code), /^config_(?:invalid|unreadable)$/, name);
      assert.ok(String(error).includes(JSON.stringify(file)), `${name}: ${error}`);
      assert.match(String(error), reason, name);
      assert.ok(!run.stderr.includes(KEY) && !run.stdout.includes(KEY), name);
    }
    await Deno.remove(file);
    await Deno.mkdir(file);
    const folder = await cli.run(["run", "x"]);
    assert.equal(folder.status, 2);
    assert.match(folder.stderr, /Cannot read configuration .*: it is a (?:directory|folder)/);
    await Deno.remove(file);
    assert.deepEqual(model.requests, []);
    assert.deepEqual(await sessionIds(cli), []);
    await useModel(cli, model);
    assert.equal((await cli.run(["run", "x"])).status, 0);
  });
});

Deno.test({
  name: "alisio run says that a configuration may not be read",
  ignore: Deno.build.os === "windows" || Deno.uid() === 0,
  fn: async () => {
    await withCli(async (cli) => {
      await cli.configure({});
      await Deno.chmod(join(cli.configHome, "config.json"), 0);
      const run = await cli.run(["run", "x"]);
      assert.equal(run.status, 2);
      assert.match(run.stderr, /Cannot read configuration/);
    });
  },
});

Deno.test("alisio run goes on once a configuration that broke a session's resume is mended", async () => {
  await using model = await startModel();
  await withCli(async (cli) => {
    await useModel(cli, model);
    await cli.run(["run", "x"]);
    const session = await onlySession(cli);
    await cli.configure({ nonsense: 1 });
    const run = await cli.run(["resume", session, "y"]);
    assert.equal(run.status, 2);
    await cli.configure({});
    await assertResumes(cli, session);
  });
});

Deno.test("alisio run says which variable holds no key, and connects to nobody", async () => {
  await withCli(async (cli) => {
    const provider = {
      baseURL: "https://models.invalid/v1",
      model: "m",
      apiKeyEnv: "STUB_KEY",
    };
    await cli.configure({ provider });
    for (const env of [{}, { STUB_KEY: "" }, { OPENAI_API_KEY: KEY }]) {
      const run = await cli.run(["run", "x", "--json"], { env });
      assert.equal(run.status, 2, shown(run));
      assert.equal(
        dataOf(run, "error").error,
        'Cannot use the provider at "https://models.invalid/v1": the variable "STUB_KEY" is not ' +
          'set; set it to the key, or set "auth" to "none" if the server needs none',
      );
    }
    const doctor = await cli.run(["doctor"]);
    assert.match(doctor.stdout, /variable "STUB_KEY" is not set/);
    assert.equal(doctor.status, 1);
    assert.deepEqual(await sessionIds(cli), []);
  });
});

Deno.test("alisio never sends a key or a request where an untrusted repository leads (field cases 109 and 114)", async () => {
  await using catcher = await startModel();
  await using model = await startModel();
  await withCli(async (cli) => {
    await redirect(cli, catcher.baseUrl);
    const provider = { baseURL: model.baseUrl, model: "stub", apiKeyEnv: "STUB_KEY" };
    await cli.configure({ provider });
    const env = { STUB_KEY: KEY, OPENAI_API_KEY: KEY };
    const commands: readonly (readonly [readonly string[], number])[] = [
      [["run", "x"], 0],
      [["run", "x", "--json"], 0],
      [["doctor"], 0],
      [["doctor", "--json"], 0],
      [["--version"], 0],
      [["--help"], 0],
      [["sessions", "list"], 0],
      [["trust", "list"], 0],
      [["context", "explain", "a.txt"], 0],
    ];
    for (const [args, status] of commands) {
      const run = await cli.run(args, { env });
      assert.equal(run.status, status, `${args.join(" ")}: ${shown(run)}`);
      assert.ok(!`${run.stdout}${run.stderr}`.includes(KEY), args.join(" "));
      assert.ok(!run.stdout.includes(catcher.origin), args.join(" "));
    }
    const session = (await sessionIds(cli))[0] ?? "";
    assert.equal((await cli.run(["resume", session, "y"], { env })).status, 0);
    assert.deepEqual(catcher.requests, []);
    assert.equal(model.chats.length, 3);
    for (const chat of model.chats) {
      assert.equal(chat.headers.get("authorization"), `Bearer ${KEY}`);
      assert.ok(!chat.body.includes(KEY));
    }
  });
});

Deno.test("alisio run sends no key where a trusted repository leads without naming one (field case 109)", async () => {
  await using catcher = await startModel();
  await withCli(async (cli) => {
    await redirect(cli, catcher.baseUrl);
    await cli.configure({
      provider: { baseURL: "https://models.invalid/v1", model: "m", apiKeyEnv: "STUB_KEY" },
    });
    const run = await cli.run(["run", "x", "--trust-project"], {
      env: { STUB_KEY: KEY, OPENAI_API_KEY: KEY },
    });
    assert.equal(run.status, 0, shown(run));
    assert.match(run.stderr, /sends requests to "http:\/\/127\.0\.0\.1:\d+\/v1" without a key/);
    assert.equal((await catcher.chat(0)).headers.get("authorization"), null);
    assert.ok(!JSON.stringify(catcher.requests.map(({ body }) => body)).includes(KEY));
  });
});

Deno.test("alisio run follows no redirect to another address (field case 109)", async () => {
  await using catcher = await startModel();
  for (const status of [301, 302, 303, 307, 308]) {
    await using model = await startModel([
      { status, headers: { location: `${catcher.baseUrl}/chat/completions` }, steps: [] },
    ]);
    await withCli(async (cli) => {
      await cli.configure({
        provider: { baseURL: model.baseUrl, model: "stub", apiKeyEnv: "STUB_KEY" },
      });
      const run = await cli.run(["run", "x", "--json"], { env: { STUB_KEY: KEY } });
      assert.equal(run.status, 1, shown(run));
      assert.match(
        String(dataOf(run, "run_failed").error),
        /it redirects to "http:\/\/127\.0\.0\.1:\d+" .*neither the key nor the conversation is sent/,
      );
      assert.deepEqual(catcher.requests, []);
    });
  }
});

/** Writes a repository whose configuration leads to another server. */
async function redirect(cli: CliScene, baseURL: string): Promise<void> {
  const config = JSON.stringify({ provider: { baseURL, model: "stub" } });
  await writeTree(cli.workspace, {
    ".alisio/config.json": config,
    ".env": `OPENAI_BASE_URL=${baseURL}`,
  });
}
