import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { join } from "node:path";
import { runDoctor } from "../../cli/doctor.ts";
import { runTrust } from "../../cli/trust.ts";
import { withTempDir, writeTree } from "../support/temp.ts";
import { type CommandRun, runCommand } from "./_run_command.ts";

const SECRET = "sk-sentinel-000000000000";
const PATH = Deno.env.get("PATH") ?? "";

interface Scene {
  readonly dir: string;
  doctor(argv?: readonly string[], env?: Readonly<Record<string, string>>): Promise<CommandRun>;
}

Deno.test("runDoctor() says that nothing is configured, and what to do", async () => {
  await withScene({}, async ({ doctor }) => {
    const { status, out, err } = await doctor();
    deepEqual([status, err], [1, ""]);
    match(out, /^Alisio +\d+\.\d+\.\d+, Deno \d+\.\d+\.\d+, \w+ \w+\nWorkspace +"\//);
    match(out, /\nConfiguration +no file, defaults only\n/);
    match(out, /\nProvider +none\n/);
    match(out, /\nProblem: Cannot choose a model: no provider is configured; do one of these:\n/);
    match(out, /\nNot ready: see the problems above\n$/);
  });
});

Deno.test("runDoctor() is ready with a provider and its key, and never shows the key (field case 117)", async () => {
  const files = {
    "config/config.json": JSON.stringify({
      provider: { baseURL: "https://g.example/v1?key=sentinel", apiKeyEnv: "G_KEY", model: "m" },
      limits: { maxOutputTokens: 5000 },
    }),
  };
  await withScene(files, async ({ dir, doctor }) => {
    const { status, out } = await doctor([], { G_KEY: SECRET, PATH });
    equal(status, 0);
    match(out, /\nProvider +openai-compatible at "https:\/\/g\.example\/v1" \(from global\)\n/);
    match(out, /\nModel +"m"\nKey +variable "G_KEY" is set\nOutput limit +5000 tokens \(user\)\n/);
    match(out, /\nReady\n$/);
    equal(out.includes(`global "${join(dir, "config/config.json")}"`), true);
    const json = await doctor(["--json"], { G_KEY: SECRET, PATH });
    for (const text of [out, json.out]) equal(text.includes("sentinel"), false);
    const report = JSON.parse(json.out);
    equal(json.out.split("\n").length, 2);
    deepEqual([report.schemaVersion, report.type, report.ok], [1, "doctor", true]);
    deepEqual(report.provider, {
      id: "openai-compatible",
      model: "m",
      baseURL: "https://g.example/v1",
      source: "global",
      key: { status: "set", variable: "G_KEY" },
    });
    deepEqual(report.output, { maxOutputTokens: 5000, source: "user" });
    deepEqual(report.sessions, { path: join(dir, "state/sessions.sqlite"), state: "absent" });
  });
});

Deno.test("runDoctor() names the variable that is not set", async () => {
  await withScene({ "config/config.json": '{"provider": {"model": "m"}}' }, async ({ doctor }) => {
    const { status, out } = await doctor();
    equal(status, 1);
    match(out, /\nKey +variable "OPENAI_API_KEY" is not set\n/);
    match(out, /\nProblem: Cannot use the provider .*: the variable "OPENAI_API_KEY" is not set/);
  });
});

Deno.test("runDoctor() warns about the placeholder and names the file that holds it", async () => {
  const files = {
    "config/config.json": '{"provider": {"model": "YOUR_MODEL_ID", "auth": "none"}}',
  };
  await withScene(files, async ({ doctor }) => {
    const { status, out } = await doctor([], {});
    equal(status, 1);
    match(
      out,
      /the model is still the placeholder "YOUR_MODEL_ID"; .* in ".*config\/config\.json"/,
    );
    match(out, /\nModel +none\n/);
  });
});

Deno.test("runDoctor() says how to install what is missing, without calling that a problem", async () => {
  const files = { "config/config.json": '{"provider": {"model": "m", "auth": "none"}}' };
  await withScene(files, async ({ dir, doctor }) => {
    const { status, out } = await doctor([], { PATH: join(dir, "empty") });
    equal(status, 0);
    match(out, /\nripgrep +missing; .*ripgrep.*\n/);
    match(out, /\nGit +missing; .*git.*\n/i);
    match(out, /\nPython +missing; install Python 3\.10 or later/);
    match(out, /\nWarning: ripgrep is missing; install it with: /);
  });
});

Deno.test("runDoctor() reports every finding about files, keys and trust", async () => {
  const files = {
    "config/config.json":
      '{"provider": {"model": "m", "auth": "none"}, "analysis": {"enabled": false}}',
    "ws/.alisio/config.json": '{"mcp": {"allow": true}}',
    "ws/.alisio/prompts/p.md": "",
  };
  await withScene(files, async ({ dir, doctor }) => {
    const untrusted = await doctor();
    match(
      untrusted.out,
      /\nProject trust +unknown: it is not trusted; review it with "alisio trust add"/,
    );
    match(untrusted.out, /\nWithout effect in this release: "analysis\.enabled"\n/);
    match(
      untrusted.out,
      /\nWarning: Ignored \.alisio\/config\.json, \.alisio\/prompts of this project/,
    );
    await runCommand(runTrust, dir, ["trust", "add"]);
    const trusted = await doctor();
    match(trusted.out, /\nProject trust +trusted: it was trusted on 20/);
    match(trusted.out, /, project ".*\/ws\/\.alisio\/config\.json"\n/);
    match(
      trusted.out,
      /\nWarning: Ignored "mcp\.allow" in ".*": only the global configuration may set it\n/,
    );
    equal(trusted.status, 0);
  });
});

Deno.test("runDoctor() goes on when the configuration is broken", async () => {
  await withScene({ "config/config.json": '{"provider": {"modle": 1}}' }, async ({ doctor }) => {
    const { status, out } = await doctor();
    equal(status, 1);
    match(
      out,
      /\nProblem: Cannot use configuration ".*": 1 problem; correct the file:\n {2}"provider\.modle" is not a known key; did you mean "provider\.model"\?\n/,
    );
    match(out, /\nSessions +"/);
  });
});

Deno.test("runDoctor() calls unknown what a broken configuration would tell", async () => {
  const unknown =
    /\nConfiguration +unknown: the configuration cannot be used\n(?:.*\n)?Risk profile +unknown: the configuration cannot be used\nProvider +unknown: the configuration cannot be used\n/;
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["config/config.json", []],
    ["ws/.alisio/config.json", ["--trust-project"]],
  ];
  for (const [file, argv] of rows) {
    for (const content of ['{"limits": {"maxTurn": 5}}', '{"limits": ']) {
      await withScene({ [file]: content }, async ({ doctor }) => {
        match((await doctor(argv)).out, unknown);
        const report = JSON.parse((await doctor([...argv, "--json"])).out);
        deepEqual(report.unknown, ["configFiles", "riskProfile", "provider", "secondWall"]);
        deepEqual([report.configFiles, report.riskProfile, report.provider], [[], null, null]);
      });
    }
  }
});

Deno.test("runDoctor() calls a profile unknown that cannot be used", async () => {
  await withScene({}, async ({ doctor }) => {
    const { status, out } = await doctor(["--risk-profile", "nope"]);
    equal(status, 1);
    match(out, /\nConfiguration +no file, defaults only\n/);
    match(out, /\nRisk profile +unknown: the profile cannot be used\nProvider +none\n/);
  });
});

Deno.test("runDoctor() loads no plugin and lets one have the provider of a profile", async () => {
  const profiles = { mine: { provider: "acme", values: { baseURL: "http://127.0.0.1:9/v1" } } };
  const files = {
    "config/providers.json": JSON.stringify({ active: { profile: "mine", model: "m" }, profiles }),
    "config/plugins/p.js": "throw new Error('it was loaded');",
  };
  await withScene(files, async ({ doctor }) => {
    const { status, out } = await doctor();
    equal(status, 0, out);
    match(out, /\nProvider +acme at "http:\/\/127\.0\.0\.1:9\/v1", profile "mine"/);
    match(out, /\nWarning: Provider "acme" comes with a plugin, if it comes at all, and this /);
    const { status: without, out: refused } = await doctor(["--read-only"]);
    equal(without, 1);
    match(
      refused,
      /\nProblem: Cannot use provider profile "mine": its provider "acme" belongs to a /,
    );
  });
});

Deno.test("runDoctor() names the instruction files that wait for trust", async () => {
  const files = {
    "config/config.json": '{"provider": {"model": "m", "auth": "none"}}',
    "ws/.git/HEAD": "",
    "ws/AGENTS.md": "SENTINEL",
    "ws/sub/AGENTS.md": "SENTINEL",
  };
  await withScene(files, async ({ dir, doctor }) => {
    const cwd = ["--cwd", join(dir, "ws/sub")];
    const { status, out } = await doctor(cwd);
    equal(status, 0);
    match(
      out,
      /\nProject trust +unknown: nobody has decided on it; its instruction files are left out until it is trusted\n/,
    );
    match(
      out,
      /\nWarning: Left out instructions ".*\/ws\/AGENTS\.md", ".*\/ws\/sub\/AGENTS\.md": the project is not trusted; review it/,
    );
    equal(out.includes("SENTINEL"), false);
    const { trust, warnings } = JSON.parse((await doctor([...cwd, "--json"])).out);
    deepEqual([trust.state, trust.resources], ["unknown", []]);
    match(warnings.join("\n"), /Left out instructions /);
    const trusted = (await doctor([...cwd, "--trust-project"])).out;
    equal(trusted.includes("Left out"), false);
  });
});

Deno.test("runDoctor() reports damaged stores and changes none of them", async () => {
  const files = {
    "config/config.json": '{"provider": {"model": "m", "auth": "none"}}',
    "config/credentials.json": `{"${SECRET}`,
    "state/trust.json": "[]",
    "ws/AGENTS.md": "",
    "state/sessions.sqlite": "this is no database, but long enough to have a header\n".repeat(20),
  };
  await withScene(files, async ({ dir, doctor }) => {
    const { status, out } = await doctor();
    equal(status, 1);
    match(out, /\nProblem: Cannot read credentials ".*credentials\.json": it is damaged/);
    match(out, /\nProject trust +unknown: the trust decisions cannot be used\n/);
    match(out, /\nProvider +unknown: what is saved of providers cannot be used\n/);
    match(out, /\nWarning: Trust decisions in ".*trust\.json" cannot be used/);
    match(out, /\nSessions +".*sessions\.sqlite" \(cannot be used\)\n/);
    equal(out.includes("sentinel"), false);
    for (const [name, content] of Object.entries(files)) {
      equal(await Deno.readTextFile(join(dir, name)), content, name);
    }
  });
});

Deno.test("runDoctor() shows nothing of an untrusted project's configuration and opens no connection (field case 109)", async () => {
  const requests: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, ({ url }) => {
    requests.push(url);
    return new Response("{}");
  });
  try {
    const baseURL = `http://127.0.0.1:${server.addr.port}/v1`;
    const files = {
      "ws/.alisio/config.json": JSON.stringify({ provider: { baseURL, model: "evil" } }),
    };
    await withScene(files, async ({ dir, doctor }) => {
      const env = { OPENAI_API_KEY: SECRET, ALISIO_MODEL: "m" };
      equal((await doctor([], env)).out.includes("127.0.0.1"), false);
      await runCommand(runTrust, dir, ["trust", "add"]);
      match(
        (await doctor([], env)).out,
        /\nWarning: Project file ".*" sends requests to "http:\/\/127/,
      );
      match((await doctor([], env)).out, /\nKey +not needed\n/);
    });
    deepEqual(requests, []);
  } finally {
    await server.shutdown();
  }
});

Deno.test("runDoctor() refuses an argument and a workspace that is none", async () => {
  await withScene({}, async ({ dir, doctor }) => {
    equal((await doctor(["extra"])).status, 2);
    equal((await doctor(["--cwd", join(dir, "gone")])).status, 2);
  });
});

async function withScene(
  files: Readonly<Record<string, string>>,
  use: (scene: Scene) => Promise<void>,
): Promise<void> {
  await withTempDir(async (dir) => {
    await Deno.mkdir(join(dir, "ws"));
    await writeTree(dir, files);
    await use({
      dir,
      doctor: (argv = [], env = {}) => runCommand(runDoctor, dir, ["doctor", ...argv], env),
    });
  });
}

Deno.test("runDoctor() names the risk profile and what selected it", async () => {
  const files = {
    "config/config.json": JSON.stringify({
      provider: { model: "m", baseURL: "http://127.0.0.1:9/v1", auth: "none" },
      riskProfiles: { careful: {}, quiet: { level: "readonly" } },
      agents: { build: { riskProfile: "careful" } },
    }),
  };
  await withScene(files, async ({ doctor }) => {
    const { out } = await doctor();
    match(out, /\nRisk profile +"careful", supervised \(from global\)\n/);
    match(out, /\nSandbox +(?:bubblewrap|landlock|sandbox-exec|none)[,:]/);
    equal(out.includes("Without effect"), false);
    const json = await doctor(["--json", "--risk-profile", "quiet"]);
    const { riskProfile, warnings } = JSON.parse(json.out);
    deepEqual(riskProfile, { name: "quiet", level: "readonly", source: "flag" });
    equal(JSON.stringify(warnings).includes("sandbox"), false);
    equal(JSON.parse(json.out).sandbox, null);
    const unknown = await doctor(["--risk-profile", "other"]);
    equal(unknown.status, 1);
    match(unknown.out, /\nProblem: Cannot use "--risk-profile": it names no risk profile/);
  });
  await withScene({}, async ({ doctor }) => {
    const { out } = await doctor();
    match(out, /\nRisk profile +none: flags alone decide\n/);
    match(out, /\nSandbox +none: programs that the model starts have your rights\n/);
  });
});

Deno.test("runDoctor() names the active agent where it narrows a run", async () => {
  const agent = {
    description: "d",
    prompt: "p",
    mode: "primary",
    tools: ["read_file", "git_diff"],
  };
  const rows = [
    ["plan", '"plan", which looks and changes nothing'],
    ["look", '"look", which has no tools but: read_file, git_diff'],
  ] as const;
  for (const [active, shown] of rows) {
    const config = {
      agents: { active },
      builtinPlugins: { subagents: { agents: { look: agent } } },
    };
    await withScene({ "config/config.json": JSON.stringify(config) }, async ({ doctor }) => {
      const { out } = await doctor();
      equal(/\nActive agent +(.*)\n/.exec(out)?.[1], shown);
      equal(out.split("Active agent").length, 2);
      match(out, /\nRisk profile +none: flags and agent decide\n/);
      const [report] = JSON.parse((await doctor(["--json"])).out).activeAgents;
      equal(report.name, active);
    });
  }
});

Deno.test("runDoctor() warns of an active agent that is not known", async () => {
  for (const [active, expected] of [["plna", true], ["plan", false]] as const) {
    const files = { "config/config.json": JSON.stringify({ agents: { active } }) };
    await withScene(files, async ({ doctor }) => {
      equal(/Warning: There is no agent "plna"/.test((await doctor()).out), expected);
    });
  }
});

Deno.test("runDoctor() says what the costs of a day are limited by, and whose price counts", async () => {
  const price = { inputPerMillion: 1, outputPerMillion: 2 };
  const rows = [
    [{}, {}, '500 cents a day, if the server states the price of the model; "provider.prices"'],
    [{ m: price }, {}, "500 cents a day, at the configured price of the model\n"],
    [{ n: price }, { maxCostPerDayCents: 7 }, "7 cents a day, if the server states the price"],
    [{ "*": price }, { maxCostPerDayCents: 0 }, "0 cents a day: no request is sent to a model\n"],
  ] as const;
  for (const [prices, profile, expected] of rows) {
    const config = {
      provider: { model: "m", baseURL: "http://127.0.0.1:9/v1", auth: "none", prices },
      riskProfiles: { p: profile },
    };
    await withScene({ "config/config.json": JSON.stringify(config) }, async ({ doctor }) => {
      const { out } = await doctor(["--risk-profile", "p"]);
      equal(out.includes(`\nCost limit     ${expected}`), true, out);
      equal((await doctor()).out.includes("Cost limit"), false);
      const { costLimit } = JSON.parse((await doctor(["--json", "--risk-profile", "p"])).out);
      equal(costLimit.key, "riskProfiles.p.maxCostPerDayCents");
    });
  }
});

Deno.test("runDoctor() says in one line what limits a run below its own code", async () => {
  const files = {
    "config/config.json": '{"provider": {"model": "m", "baseURL": "http://127.0.0.1:9/v1"}}',
  };
  await withScene(files, async ({ dir, doctor }) => {
    match(
      (await doctor([], { PATH })).out,
      /\nSecond wall +flags of the runtime; kernel: .*; writes in 2 places, starts 2 programs, reaches 127\.0\.0\.1:9\n/,
    );
    match(
      (await doctor(["--allow-process", "--allow-write"], { PATH })).out,
      /\nSecond wall +.*kernel: off: programs may be started.*starts any program/,
    );
    match(
      (await doctor(["--no-second-wall"], { PATH })).out,
      /\nSecond wall +off \(--no-second-wall\): nothing but Alisio itself limits a run\n/,
    );
    match(
      (await doctor([], { PATH })).out,
      /\nAt a terminal +flags of the runtime; kernel: off: .*; writes anywhere, starts any program, reaches any host\n/,
    );
    match(
      (await doctor(["--read-only"], { PATH })).out,
      /\nAt a terminal +.*; writes in 2 places, starts 2 programs, /,
    );
    const { secondWall, permissions, unknown } = JSON.parse((await doctor(["--json"])).out);
    deepEqual([secondWall.form, permissions, unknown], ["relaunch", undefined, []]);
    deepEqual(secondWall.write, [join(dir, "state"), join(dir, "ws/.alisio/cache")]);
  });
  await withScene({ "config/config.json": "{" }, async ({ doctor }) => {
    match((await doctor()).out, /\nSecond wall +unknown: the configuration cannot be used\n/);
    const report = JSON.parse((await doctor(["--json", "--permissions"])).out);
    deepEqual([report.secondWall, report.permissions], [null, undefined]);
    deepEqual(report.unknown, ["configFiles", "riskProfile", "provider", "secondWall"]);
  });
});

Deno.test("runDoctor() calls a folder a problem that no flag can name", async () => {
  await withScene({ "with,comma/x": "" }, async ({ dir, doctor }) => {
    const { status, out } = await doctor(["--cwd", join(dir, "with,comma")]);
    equal(status, 1);
    match(out, /\nSecond wall +unknown: /);
    match(out, /\nProblem: Cannot limit this run to path ".*with,comma": a permission flag cannot/);
  });
});

Deno.test("runDoctor() lists with --permissions what each tool, the process and the kernel may do", async () => {
  const files = {
    "config/config.json": JSON.stringify({
      provider: { model: "m", baseURL: "http://127.0.0.1:9/v1", auth: "none" },
      riskProfiles: { quiet: { level: "readonly" } },
    }),
  };
  await withScene(files, async ({ dir, doctor }) => {
    const { out, status } = await doctor(["--permissions", "--allow-write"], { PATH });
    equal(status, 0);
    match(out, /\nReady\n\nWhat limits "alisio run" with these flags\n/);
    match(out, /\n {2}--no-prompt\n/);
    equal(out.includes(`\n  --allow-write=\n    ${dir}/ws,\n    ${dir}/state,\n`), true, out);
    match(out, /\n {2}write_file +write +runs \(flags:write\)\n/);
    match(
      out,
      /\n {2}shell +process +refused \(flags:process\): to permit it, run again with --allow-process\n/,
    );
    match(out, /\nWith --no-second-wall, what is said of the tools is all that is left: /);
    const off = (await doctor(["--permissions", "--no-second-wall"], { PATH })).out;
    match(off, /\nThe process: every permission \(--no-second-wall\)\nThe kernel: off, /);
    match(off, /\nWithout --no-second-wall, /);
    const quiet = (await doctor(
      ["--permissions", "--allow-write", "--risk-profile", "quiet", "--json"],
      { PATH },
    )).out;
    const { permissions } = JSON.parse(quiet);
    const tool = (name: string) =>
      permissions.tools.find((it: { tool: string }) => it.tool === name);
    deepEqual(tool("read_file"), {
      tool: "read_file",
      effect: "read",
      decision: "allow",
      rule: tool("read_file").rule,
    });
    deepEqual([tool("write_file").decision, tool("shell").decision], ["deny", "deny"]);
    equal(permissions.flags.some((flag: string) => flag.includes(`${dir}/ws/.alisio`)), true);
  });
});

Deno.test("runDoctor() runs no code of a plugin", async () => {
  const plugin = `Deno.writeTextFileSync(new URL("./ran", import.meta.url), "");
    export default { id: "evil", name: "Evil", version: "1.0.0", setup() {} };`;
  const files = {
    "config/config.json": '{"provider": {"model": "m", "auth": "none"}}',
    "config/plugins/evil.ts": plugin,
    "ws/.alisio/plugins/evil.ts": plugin,
    "given.ts": plugin,
  };
  await withScene(files, async ({ dir, doctor }) => {
    const flags = ["--permissions", "--trust-project", "--plugin", join(dir, "given.ts")];
    const { out } = await doctor(flags, { PATH });
    match(out, /\n {2}read_file +read +runs/);
    for (const folder of ["config/plugins", "ws/.alisio/plugins", "."]) {
      await rejects(Deno.lstat(join(dir, folder, "ran")), Deno.errors.NotFound);
    }
  });
});

Deno.test("runDoctor() creates nothing in the person's folders when it asks about the tools", async () => {
  await withScene({}, async ({ dir, doctor }) => {
    const { out } = await doctor(["--permissions"], { PATH });
    match(out, /\n {2}read_file +read +runs/);
    const names = (await Array.fromAsync(Deno.readDir(dir))).map(({ name }) => name);
    deepEqual(names, ["ws"]);
    deepEqual(await Array.fromAsync(Deno.readDir(join(dir, "ws"))), []);
  });
});
