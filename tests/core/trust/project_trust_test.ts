import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { inspectProject } from "../../../core/trust/inspect_project.ts";
import { type ProjectTrust, projectTrust } from "../../../core/trust/project_trust.ts";
import { writeTrustDecision } from "../../../core/trust/trust_store.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

const DECIDED_AT = Date.UTC(2026, 0, 2);
const posix = Deno.build.os !== "windows";

interface Project {
  readonly workspace: string;
  readonly stateHome: string;
  readonly store: string;
  judge(options?: { flag?: boolean; config?: string }): Promise<ProjectTrust>;
  decide(decision: "trusted" | "refused"): Promise<void>;
}

Deno.test("projectTrust() does not know a project that nobody decided on (field case 109)", async () => {
  await withProject({ ".alisio/config.json": "broken {", "AGENTS.md": "" }, async (project) => {
    const trust = await project.judge();
    equal(trust.state, "unknown");
    deepEqual(trust.resources, [".alisio/config.json"]);
    deepEqual(trust.notices, [
      'Ignored .alisio/config.json of this project: it is not trusted; review it with "alisio trust add", or pass "--trust-project" once',
    ]);
  });
});

Deno.test("projectTrust() opens nothing of a project that nobody decided on (field case 111)", async () => {
  const files = { ".alisio/config.json": "{}", ".alisio/plugins/a.ts": "a" };
  await withProject(files, async (project) => {
    const paths = Object.keys(files).map((name) => join(project.workspace, name));
    const control = join(project.workspace, "control");
    await Deno.writeTextFile(control, "x");
    for (const path of [control, ...paths]) await Deno.utime(path, new Date(0), new Date());
    await Deno.readTextFile(control);
    // A file system that is mounted without access times cannot tell.
    if ((await Deno.stat(control)).atime?.getTime() === 0) return;
    await project.judge();
    for (const path of paths) equal((await Deno.stat(path)).atime?.getTime(), 0, path);
  });
});

Deno.test("projectTrust() says nothing about a project without resources", async () => {
  await withProject({ "AGENTS.md": "" }, async (project) => {
    const trust = await project.judge();
    deepEqual([trust.state, trust.resources, trust.notices], ["unknown", [], []]);
  });
});

Deno.test("projectTrust() names the folder to trust where only one above it is trusted", async () => {
  const files = { ".alisio/config.json": "{}", "a/b/.alisio/config.json": "{}", "a/c/x": "" };
  await withProject(files, async (project) => {
    const { workspace, stateHome } = project;
    const below = async (name: string): Promise<readonly string[]> => {
      const { state, notices } = await projectTrust({
        workspace: join(workspace, name),
        stateHome,
        trustProjectFlag: false,
      });
      equal(state, "unknown", name);
      return notices;
    };
    const usual = /it is not trusted; review it with "alisio trust add", or pass/;
    match((await below("a/b"))[0] ?? "", usual);
    await project.decide("refused");
    match((await below("a/b"))[0] ?? "", usual);
    await project.decide("trusted");
    const folder = join(workspace, "a/b");
    deepEqual(await below("a/b"), [
      "Ignored .alisio/config.json of this project: it is not trusted, and trust of " +
      `${JSON.stringify(workspace)} does not count below that folder; review it with alisio ` +
      `trust add ${JSON.stringify(folder)}, or pass "--trust-project" once`,
    ]);
    deepEqual(await below("a/c"), []);
  });
});

Deno.test("projectTrust() trusts for one run with the flag, and remembers nothing", async () => {
  await withProject({ ".alisio/config.json": "{}" }, async (project) => {
    equal((await project.judge({ flag: true })).state, "trusted");
    await rejects(Deno.stat(project.store), Deno.errors.NotFound);
    equal((await project.judge()).state, "unknown");
  });
});

for (const decision of ["trusted", "refused"] as const) {
  Deno.test(`projectTrust() remembers that a project was ${decision}`, async () => {
    await withProject({ ".alisio/config.json": "{}" }, async (project) => {
      await project.decide(decision);
      const trust = await project.judge();
      deepEqual([trust.state, trust.reason], [decision, `it was ${decision} on 2026-01-02`]);
    });
  });

  Deno.test(`projectTrust() forgets that a project was ${decision} when it changes (field case 112)`, async () => {
    await withProject({ ".alisio/config.json": "{}" }, async (project) => {
      await project.decide(decision);
      await writeTree(project.workspace, {
        ".alisio/config.json": '{"mcpServers": {"a": {"command": "evil"}}}',
        ".alisio/plugins/b.ts": "",
      });
      const trust = await project.judge();
      equal(trust.state, "changed");
      deepEqual(
        trust.changes,
        [
          "changed .alisio/config.json",
          "added .alisio/plugins",
          "added .alisio/plugins/b.ts",
        ].sort((a, b) => (a.split(" ")[1] ?? "") < (b.split(" ")[1] ?? "") ? -1 : 1),
      );
      match(
        trust.notices.join(),
        /^Ignored \.alisio\/config\.json, \.alisio\/plugins of this project: it is not as it was/,
      );
    });
  });
}

Deno.test("projectTrust() trusts again when the decided state is back", async () => {
  await withProject({ ".alisio/config.json": "{}" }, async (project) => {
    await project.decide("trusted");
    await Deno.writeTextFile(join(project.workspace, ".alisio/config.json"), "{ }");
    equal((await project.judge()).state, "changed");
    await Deno.writeTextFile(join(project.workspace, ".alisio/config.json"), "{}");
    equal((await project.judge()).state, "trusted");
  });
});

Deno.test("projectTrust() covers the scripts that the configuration runs (field case 112)", async () => {
  const config = {
    mcp: { servers: { a: { command: "node", args: ["../tools/a.js", "--fast"] } } },
    mcpServers: { b: { command: "./run.sh", args: ["tools/b.js", "not-there.js"] } },
    plugins: ["../tools/plugin", "@acme/x"],
  };
  const files = {
    ".alisio/config.json": JSON.stringify({
      ...config,
      mcp: { servers: { a: { command: "node", args: ["./../tools/a.js", "--fast"] } } },
    }),
    ".alisio/run.sh": "run",
    "tools/a.js": "a",
    "tools/b.js": "b",
    "tools/plugin/index.ts": "p",
    "tools/unused.js": "u",
  };
  for (
    const [path, state] of [
      ["tools/a.js", "changed"],
      ["tools/b.js", "changed"],
      [".alisio/run.sh", "changed"],
      ["tools/plugin/index.ts", "changed"],
      ["tools/plugin/new.ts", "changed"],
      ["tools/unused.js", "trusted"],
    ] as const
  ) {
    await withProject(files, async (project) => {
      await project.decide("trusted");
      equal((await project.judge()).state, "trusted");
      await Deno.writeTextFile(join(project.workspace, path), "evil");
      equal((await project.judge()).state, state, path);
    });
  }
});

Deno.test("projectTrust() keys a decision to the real path", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "a/.alisio/config.json": "{}", "b/.alisio/config.json": "{}" });
    const stateHome = join(dir, "state");
    await decideOn(join(dir, "a"), stateHome, "trusted");
    const judge = (workspace: string) =>
      projectTrust({ workspace, stateHome, trustProjectFlag: false });
    equal((await judge(join(dir, "a"))).state, "trusted");
    equal((await judge(join(dir, "b"))).state, "unknown");
    // Another folder that takes the name brings other content.
    await Deno.rename(join(dir, "a"), join(dir, "c"));
    await writeTree(dir, { "a/.alisio/config.json": '{"plugins": []}' });
    equal((await judge(join(dir, "a"))).state, "changed");
    equal((await judge(join(dir, "c"))).state, "unknown");
  });
});

const UNUSABLE: readonly (readonly [string, string])[] = [
  ["is cut off", '{"schemaVersion": 1, "projects": {"'],
  ["is of a newer version", '{"schemaVersion": 2, "projects": {}}'],
  ["is empty", ""],
  ["holds a bare true", '{"schemaVersion": 1, "projects": {"WORKSPACE": true}}'],
  [
    "holds an entry without digests",
    '{"schemaVersion": 1, "projects": {"WORKSPACE": {"decision": "trusted", "decidedAt": 1}}}',
  ],
];

for (const [name, content] of UNUSABLE) {
  Deno.test(`projectTrust() trusts nothing when the store ${name}, and leaves it alone (field case 112)`, async () => {
    await withProject({ ".alisio/config.json": "{}" }, async (project) => {
      const text = content.replace("WORKSPACE", JSON.stringify(project.workspace).slice(1, -1));
      await writeTree(project.stateHome, { "trust.json": text });
      const trust = await project.judge();
      equal(trust.state, "unknown");
      match(
        trust.notices[0] ?? "",
        /^Trust decisions in ".*trust\.json" cannot be used: it is damaged/,
      );
      await rejects(project.decide("trusted"), { code: "trust_unreadable" });
      equal(await Deno.readTextFile(project.store), text);
    });
  });
}

Deno.test("projectTrust() trusts nothing when the store is no file (field case 112)", async () => {
  await withProject({ ".alisio/config.json": "{}" }, async (project) => {
    await Deno.mkdir(project.store, { recursive: true });
    equal((await project.judge()).state, "unknown");
    await rejects(project.decide("trusted"), { code: "trust_unreadable" });
  });
});

Deno.test("projectTrust() leaves the project's configuration out when another one is used", async () => {
  await withProject(
    { ".alisio/config.json": "{}", ".alisio/prompts/p.md": "" },
    async (project) => {
      const trust = await project.judge({ config: "/mine.json" });
      deepEqual([trust.state, trust.resources], ["unknown", [".alisio/prompts"]]);
    },
  );
});

Deno.test("writeTrustDecision() keeps the store private and keeps other projects", async () => {
  await withProject({ ".alisio/config.json": "{}" }, async (project) => {
    await project.decide("trusted");
    if (posix) {
      equal(((await Deno.stat(project.store)).mode ?? 0) & 0o777, 0o600);
      equal(((await Deno.stat(project.stateHome)).mode ?? 0) & 0o777, 0o700);
      await Deno.chmod(project.store, 0o644);
      match((await project.judge()).notices.join(), /its mode is now 0600$/);
      equal(((await Deno.stat(project.store)).mode ?? 0) & 0o777, 0o600);
    }
    equal(await writeTrustDecision(project.stateHome, "/other", null), false);
    equal((await project.judge()).state, "trusted");
    equal(await writeTrustDecision(project.stateHome, project.workspace, null), true);
    equal((await project.judge()).state, "unknown");
  });
});

Deno.test("inspectProject() refuses what a person could not decide on", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { ".alisio/config.json": '{"limts": {}}' });
    await rejects(inspectProject(dir, undefined), { code: "config_invalid", message: /"limts"/ });
    await Deno.remove(join(dir, ".alisio/config.json"));
    await Deno.symlink("nowhere", join(dir, ".alisio/config.json"));
    await rejects(inspectProject(dir, undefined), {
      code: "config_unreadable",
      message: /: it is a link to something that does not exist$/,
    });
    await Deno.remove(join(dir, ".alisio/config.json"));
    await Deno.mkdir(join(dir, ".alisio/plugins", "a/".repeat(40)), { recursive: true });
    await rejects(inspectProject(dir, undefined), { code: "workspace_invalid", message: /deep$/ });
  });
});

Deno.test({
  name: "projectTrust() and inspectProject() trust no project with a device or a pipe in it",
  ignore: !posix,
  fn: async () => {
    await withProject({ ".alisio/plugins/a.ts": "" }, async (project) => {
      await project.decide("trusted");
      await Deno.symlink("/dev/zero", join(project.workspace, ".alisio/plugins/zero.ts"));
      const { state, reason } = await project.judge();
      equal(state, "changed");
      match(reason, /zero\.ts.* in it is neither a file nor a folder/);
      await rejects(inspectProject(project.workspace, undefined), {
        code: "workspace_invalid",
        message: /: "\.alisio\/plugins\/zero\.ts" in it is neither a file nor a folder$/,
      });
    });
  },
});

Deno.test({
  name: "projectTrust() and inspectProject() say what may not be looked into",
  ignore: !posix || Deno.uid() === 0,
  fn: async () => {
    await withProject({ ".claude/skills/a": "", ".agents/skills/b": "" }, async (project) => {
      const closed = join(project.workspace, ".claude");
      await Deno.chmod(closed, 0);
      const { notices } = await project.judge();
      const inspecting = inspectProject(project.workspace, undefined);
      await rejects(inspecting, {
        code: "workspace_invalid",
        message: /".claude" may not be read$/,
      });
      await Deno.chmod(closed, 0o700);
      equal(notices[0], "Cannot look into .claude of this project: nothing in it is used");
      match(notices[1] ?? "", /^Ignored \.agents\/skills of this project: it is not trusted/);
    });
  },
});

async function withProject(
  files: Readonly<Record<string, string>>,
  use: (project: Project) => Promise<void>,
): Promise<void> {
  await withTempDir(async (dir) => {
    const workspace = join(dir, "ws");
    const stateHome = join(dir, "state");
    await Deno.mkdir(workspace);
    await writeTree(workspace, files);
    await use({
      workspace,
      stateHome,
      store: join(stateHome, "trust.json"),
      judge: ({ flag = false, config } = {}) =>
        projectTrust({
          workspace,
          stateHome,
          trustProjectFlag: flag,
          ...(config === undefined ? {} : { explicitConfig: config }),
        }),
      decide: (decision) => decideOn(workspace, stateHome, decision),
    });
  });
}

async function decideOn(
  workspace: string,
  stateHome: string,
  decision: "trusted" | "refused",
): Promise<void> {
  const { digests, referenced, declared } = await inspectProject(workspace, undefined);
  ok(Object.keys(digests).length > 0);
  await writeTrustDecision(stateHome, workspace, {
    decision,
    decidedAt: DECIDED_AT,
    digests,
    referenced,
    declared,
  });
}
