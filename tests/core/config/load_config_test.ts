import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { join } from "node:path";
import {
  loadConfiguration,
  type LoadConfigurationOptions,
  type LoadedConfiguration,
} from "../../../core/config/load_config.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

type Files = Readonly<Record<string, string | Uint8Array>>;
type Options = Partial<LoadConfigurationOptions>;

Deno.test("loadConfiguration() answers with defaults when there is no file at all", async () => {
  const loaded = await load({}, { trusted: true });
  deepEqual([loaded.layers, loaded.notices, loaded.sources.size], [[], [], 0]);
  equal(loaded.configuration.limits.maxTurns, 100);
});

Deno.test("loadConfiguration() merges the global file and the file of a trusted project", async () => {
  const files = {
    "home/config.json": '{"limits": {"maxTurns": 5}, "tui": {"paddingX": 2}}',
    "ws/.alisio/config.json": '{"limits": {"timeoutMs": 1000}}',
  };
  const { configuration } = await load(files, { trusted: true });
  deepEqual(
    [configuration.limits.maxTurns, configuration.limits.timeoutMs, configuration.tui.paddingX],
    [100, 1000, 2],
  );
});

Deno.test("loadConfiguration() does not use the file of an untrusted project (field case 109)", async () => {
  const files = { "ws/.alisio/config.json": "broken {" };
  deepEqual((await load(files, { trusted: false })).layers, []);
  await rejects(load(files, { trusted: true }), { code: "config_invalid" });
});

Deno.test("loadConfiguration() takes only the value true for trust (field case 114)", async () => {
  const files = { "ws/.alisio/config.json": '{"limits": {"maxTurns": 5}}' };
  for (const trusted of [{ state: "untrusted" }, "trusted", 1]) {
    const loaded = await load(files, { trusted: trusted as unknown as boolean });
    equal(loaded.configuration.limits.maxTurns, 100);
  }
});

Deno.test("loadConfiguration() lets an explicit file replace the project's, even a trusted one", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      "ws/.alisio/config.json": '{"limits": {"maxTurns": 5}, "tui": {"paddingX": 4}}',
      "mine.json": '{"limits": {"maxTurns": 6}}',
    });
    const { configuration, sources } = await loadConfiguration({
      configHome: join(dir, "home"),
      workspace: join(dir, "ws"),
      explicitPath: join(dir, "mine.json"),
      trusted: true,
      env: {},
    });
    deepEqual([configuration.limits.maxTurns, configuration.tui.paddingX], [6, 1]);
    deepEqual(sources.get("limits.maxTurns"), { layer: "explicit", file: join(dir, "mine.json") });
  });
});

Deno.test("loadConfiguration() takes no link that leads nowhere for a missing file", async () => {
  await withTempDir(async (dir) => {
    await Deno.mkdir(join(dir, "home"));
    await Deno.symlink("nowhere.json", join(dir, "home", "config.json"));
    const loading = loadConfiguration({
      configHome: join(dir, "home"),
      workspace: dir,
      trusted: false,
      env: {},
    });
    await rejects(loading, {
      code: "config_unreadable",
      message: /config\.json": it is a link to something that does not exist$/,
    });
  });
});

Deno.test("loadConfiguration() says so when the explicit file is missing", async () => {
  await rejects(load({}, { explicitPath: "/nowhere/mine.json" }), {
    code: "config_unreadable",
    message:
      'Cannot read configuration "/nowhere/mine.json": it does not exist; correct "--config"',
  });
});

Deno.test("loadConfiguration() takes risk profiles from the global file alone, in both spellings", async () => {
  const { configuration, ignored, layers } = await load({
    "home/config.json":
      '{"riskProfiles": {"a": {"level": "full"}}, "risk_profiles": {"b": {"workspace_only": true}}}',
    "ws/.alisio/config.json":
      '{"risk_profiles": {"c": {"level": "full"}}, "agents": {"build": {"riskProfile": "a"}}}',
  }, { trusted: true });
  deepEqual(configuration.riskProfiles, { a: { level: "full" }, b: { workspace_only: true } });
  deepEqual(ignored.map(({ key }) => key), ["riskProfiles"]);
  deepEqual(layers.at(-1)?.values["agents"], { build: { riskProfile: "a" } });
  deepEqual(configuration.agents, { active: "build" });
});

Deno.test("loadConfiguration() puts the environment and then the flags over every file", async () => {
  const files = {
    "home/config.json":
      '{"provider": {"baseURL": "https://g.example/v1", "model": "g", "auth": "none"}}',
  };
  const env = {
    OPENAI_BASE_URL: "https://e.example/v1",
    ALISIO_MODEL: "e",
    ALISIO_API_MODE: "responses",
  };
  const first = await load(files, { env });
  deepEqual(pick(first), ["https://e.example/v1", "e", "responses", "none"]);
  const second = await load(files, {
    env,
    overrides: { baseUrl: "https://f.example/v1", model: "f", apiMode: "chat" },
  });
  deepEqual(pick(second), ["https://f.example/v1", "f", "chat", "none"]);
  equal(second.sources.get("provider.baseURL")?.layer, "flags");
  const third = await load(files, { env: { OPENAI_BASE_URL: "", ALISIO_MODEL: "" } });
  deepEqual(pick(third), ["https://g.example/v1", "g", "chat", "none"]);
});

Deno.test("loadConfiguration() resolves paths against the file that names them", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      "home/config.json": JSON.stringify({
        plugins: ["./p.ts", "@acme/hello", "npm:acme@1", "tools/q.ts", "~/r.ts", "/abs/s.ts"],
        skills: ["skills"],
        builtinPlugins: { memory: { dbPath: "memory.sqlite" } },
        mcpServers: { a: { command: "./bin/a", args: ["./x", "../y", "z", "-y", "/abs"] } },
      }),
    });
    const { configuration } = await loadConfiguration({
      configHome: join(dir, "home"),
      workspace: join(dir, "ws"),
      trusted: false,
      env: { HOME: "/home/ana" },
    });
    const home = join(dir, "home");
    deepEqual(configuration.plugins, [
      join(home, "p.ts"),
      "@acme/hello",
      "npm:acme@1",
      join(home, "tools/q.ts"),
      "/home/ana/r.ts",
      "/abs/s.ts",
    ]);
    deepEqual(configuration.skills, [join(home, "skills")]);
    equal(configuration.builtinPlugins.memory.dbPath, join(home, "memory.sqlite"));
    const server = configuration.mcp.servers["a"];
    equal(server?.command, join(home, "bin/a"));
    deepEqual(server?.args, [join(home, "x"), join(dir, "y"), "z", "-y", "/abs"]);
  });
});

Deno.test("loadConfiguration() canonicalises additional directories and names those that are none", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      "shared/real/file.txt": "",
      "home/config.json": JSON.stringify({ additionalDirectories: ["../link", "../gone"] }),
      "ws/.alisio/config.json": JSON.stringify({
        additionalDirectories: ["../../shared/real", "../../shared/real/file.txt"],
      }),
    });
    await Deno.symlink(join(dir, "shared/real"), join(dir, "link"));
    const { configuration, notices } = await loadConfiguration({
      configHome: join(dir, "home"),
      workspace: join(dir, "ws"),
      trusted: true,
      env: {},
    });
    deepEqual(configuration.additionalDirectories, [join(dir, "shared/real")]);
    equal(notices.length, 2);
    match(notices.join("\n"), /gone" of "additionalDirectories" in ".*it is not a folder/);
    match(notices.join("\n"), /file\.txt" of "additionalDirectories"/);
  });
});

Deno.test("loadConfiguration() reads servers of both shapes and refuses a name in both", async () => {
  const both = {
    "home/config.json":
      '{"mcp": {"servers": {"a": {"command": "x"}}}, "mcpServers": {"b": {"url": "https://b.example"}}}',
  };
  const { configuration } = await load(both, {});
  deepEqual(Object.keys(configuration.mcp.servers), ["a", "b"]);
  const twice = {
    "home/config.json":
      '{"mcp": {"servers": {"a": {"command": "x"}}}, "mcpServers": {"a": {"command": "y"}}}',
  };
  await rejects(load(twice, {}), { code: "config_invalid", message: /"mcpServers\.a" is also in/ });
});

Deno.test("loadConfiguration() ignores global-only keys of a project with a notice", async () => {
  const files = { "ws/.alisio/config.json": '{"mcp": {"allow": true}}' };
  const { configuration, ignored, notices } = await load(files, { trusted: true });
  equal(configuration.mcp.allow, false);
  deepEqual(ignored.map(({ key }) => key), ["mcp.allow"]);
  match(
    notices[0] ?? "",
    /^Ignored "mcp\.allow" in ".*": only the global configuration may set it$/,
  );
});

Deno.test("loadConfiguration() tolerates a byte order mark", async () => {
  const files = { "home/config.json": '\ufeff{"limits": {"maxTurns": 9}}' };
  equal((await load(files, {})).configuration.limits.maxTurns, 9);
});

const BROKEN: readonly (readonly [string, string | Uint8Array, RegExp])[] = [
  [
    "a trailing comma",
    '{\n  "tui": {},\n}',
    /not valid JSON at line 3, column 1: a comma before "}"/,
  ],
  ["a comment", "// mine\n{}", /line 1, column 1: comments are not part of JSON/],
  [
    "a name that stands twice",
    '{"limits": {"maxTurns": 4},\n"riskProfiles": {"p": {"level": "readonly", "level": "full"}}}',
    /"riskProfiles\.p\.level" is there again in line 2; keep one of them/,
  ],
  ["an empty file", " \n", /it is empty; write \{\} or remove it/],
  ["UTF-16 text", new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0]), /it is not UTF-8 text/],
  ["a list", "[]", /The file must be one JSON object, found a list/],
  ["an unknown key", '{"provder": {}}', /"provder" is not a known key; did you mean "provider"\?/],
];

for (const [name, content, message] of BROKEN) {
  Deno.test(`loadConfiguration() explains ${name} and names the file`, async () => {
    await rejects(load({ "home/config.json": content }, {}), (error: Error) => {
      equal((error as Error & { code: string }).code, "config_invalid");
      match(error.message, /^Cannot use configuration ".*home\/config\.json": /);
      match(error.message, message);
      return true;
    });
  });
}

Deno.test("loadConfiguration() quotes nothing of a broken file (field case 117)", async () => {
  const secret = "sk-sentinel-000000000000";
  await rejects(load({ "home/config.json": `{"a": "${secret}" oops}` }, {}), (error: Error) => {
    equal(error.message.includes("sk-"), false, error.message);
    equal(error.cause, undefined);
    return true;
  });
});

Deno.test("loadConfiguration() refuses what is no small regular file", async () => {
  await rejects(load({ "home/config.json/x": "" }, {}), {
    code: "config_unreadable",
    message: /it is a folder, not a file$/,
  });
  await rejects(load({ "home/config.json": `{}${" ".repeat(1_048_576)}` }, {}), {
    code: "config_unreadable",
    message: /it is larger than the limit of 1048576 bytes$/,
  });
  equal((await load({ "home/config.json": `{}${" ".repeat(1_048_574)}` }, {})).layers.length, 1);
  await withTempDir(async (dir) => {
    await Deno.symlink(join(dir, "config.json"), join(dir, "config.json"));
    await rejects(
      loadConfiguration({ configHome: dir, workspace: dir, trusted: false, env: {} }),
      { code: "config_unreadable", message: /its links lead in a circle$/ },
    );
  });
});

const OVERRIDES: readonly (readonly [string, Options, string, RegExp])[] = [
  [
    "OPENAI_BASE_URL with credentials",
    { env: { OPENAI_BASE_URL: "https://me:sentinel@e.example" } },
    "config_invalid",
    /^Cannot use the environment: "OPENAI_BASE_URL" must be an http/,
  ],
  [
    "ALISIO_API_MODE",
    { env: { ALISIO_API_MODE: "chats" } },
    "config_invalid",
    /"ALISIO_API_MODE" must be "chat" or "responses", found "chats"; did you mean "chat"\?/,
  ],
  [
    "--base-url",
    { overrides: { baseUrl: "localhost:1234" } },
    "usage",
    /^Cannot use the command line: "--base-url" must be an http/,
  ],
  ["--api-mode", { overrides: { apiMode: "" } }, "usage", /"--api-mode" must be "chat" or/],
];

for (const [name, options, code, message] of OVERRIDES) {
  Deno.test(`loadConfiguration() refuses a bad ${name}`, async () => {
    await rejects(load({}, options), (error: Error) => {
      equal((error as Error & { code: string }).code, code);
      match(error.message, message);
      equal(error.message.includes("sentinel"), false);
      return true;
    });
  });
}

async function load(files: Files, options: Options): Promise<LoadedConfiguration> {
  return await withTempDir(async (dir) => {
    await writeTree(dir, files);
    return await loadConfiguration({
      configHome: join(dir, "home"),
      workspace: join(dir, "ws"),
      trusted: false,
      env: {},
      ...options,
    });
  });
}

function pick({ configuration: { provider } }: LoadedConfiguration): readonly unknown[] {
  return [provider.baseURL, provider.model, provider.apiMode, provider.auth];
}
