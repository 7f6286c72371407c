import assert from "node:assert/strict";
import { join } from "node:path";
import { parseCommandLine } from "../../cli/parse_command_line.ts";
import { gatherWallFacts } from "../../cli/wall_facts.ts";
import { computeCeiling } from "../../core/wall/ceiling.ts";
import { BACKENDS } from "../core/sandbox/_world.ts";
import { withTempDir, writeTree } from "../support/temp.ts";

const CONFIG = {
  riskProfiles: {
    quiet: { level: "readonly", allowedRoots: [{ path: "../library", access: "read-only" }] },
    careful: { level: "supervised" },
  },
};

Deno.test("gatherWallFacts() narrows for a risk profile that only reads, and for no other", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      "config/config.json": JSON.stringify(CONFIG),
      "ws/keep": "",
      "library/book": "",
    });
    const gather = (...flags: readonly string[]) =>
      gatherWallFacts({
        flags: parseCommandLine(["run", "x", "--allow-write", "--allow-process", ...flags]).flags,
        cwd: join(dir, "ws"),
        env: {
          HOME: dir,
          PATH: Deno.env.get("PATH") ?? "",
          ALISIO_CONFIG_HOME: join(dir, "config"),
          ALISIO_STATE_HOME: join(dir, "state"),
        },
      });
    const all = { write: true, process: true, external: false };
    const none = { write: false, process: false, external: false };
    const rows: readonly (readonly [readonly string[], typeof all, readonly string[]])[] = [
      [[], all, ["ws"]],
      [["--risk-profile", "careful"], all, ["ws"]],
      [["--risk-profile", "quiet"], none, ["ws", "library"]],
    ];
    for (const [flags, possible, roots] of rows) {
      const facts = await gather(...flags);
      assert.deepEqual(facts.possible, possible, flags.join(" "));
      assert.deepEqual(facts.roots, roots.map((name) => join(dir, name)), flags.join(" "));
    }
    await assert.rejects(gather("--risk-profile", "other"), { code: "usage" });
    await Deno.remove(join(dir, "config"), { recursive: true });
    await assert.rejects(gather("--risk-profile", "quiet"), { code: "usage" });
  });
});

Deno.test({
  name: "gatherWallFacts() holds the agent too where programs run in a sandbox of Landlock",
  ignore: !BACKENDS.includes("landlock"),
  fn: () =>
    withTempDir(async (dir) => {
      const profiles = { p: { sandboxBackend: "landlock" }, q: { level: "readonly" } };
      const rows: readonly (readonly [unknown, readonly string[], boolean])[] = [
        [{ sandbox: "landlock" }, ["--allow-process"], true],
        [{ sandbox: "landlock" }, [], false],
        [{ sandbox: "none" }, ["--allow-process"], false],
        [{ riskProfiles: profiles }, ["--allow-process", "--risk-profile", "p"], true],
        [{ riskProfiles: profiles }, ["--allow-process"], false],
        [
          { sandbox: "landlock", riskProfiles: profiles },
          ["--allow-process", "--risk-profile", "q"],
          false,
        ],
        // No rule of Landlock may stand in the way of Bubblewrap.
        [
          { sandbox: "auto" },
          ["--allow-process"],
          !BACKENDS.includes("bubblewrap"),
        ],
      ];
      for (const [config, flags, expected] of rows) {
        await writeTree(dir, { "config/config.json": JSON.stringify(config), "ws/keep": "" });
        const { sandboxesPrograms } = await gatherWallFacts({
          flags: parseCommandLine(["run", "x", ...flags]).flags,
          cwd: join(dir, "ws"),
          env: {
            HOME: dir,
            PATH: Deno.env.get("PATH") ?? "",
            ALISIO_CONFIG_HOME: join(dir, "config"),
            ALISIO_STATE_HOME: join(dir, "state"),
          },
        });
        assert.equal(sandboxesPrograms, expected, JSON.stringify([config, flags]));
      }
    }),
});

Deno.test({
  name: "gatherWallFacts() protects configuration and Git's own files under both of their names",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withTempDir(async (dir) => {
      await writeTree(dir, {
        "ws/data/HEAD": "",
        "ws/settings/other.json": "",
        "config/x": "",
        "extra/x": "",
      });
      await Deno.symlink("data", join(dir, "ws/.git"));
      await Deno.symlink("settings", join(dir, "ws/.alisio"));
      const { protectedPaths } = await gatherWallFacts({
        flags: parseCommandLine(["run", "x", "--allow-write", "--add-dir", join(dir, "extra")])
          .flags,
        cwd: join(dir, "ws"),
        env: { HOME: dir, ALISIO_CONFIG_HOME: join(dir, "config"), ALISIO_STATE_HOME: dir },
      });
      const expected = [
        ...["ws/.git", "ws/data", "ws/HEAD", "extra/.git", "extra/HEAD", "config", "trust.json"],
        ...["ws/.alisio/config.json", "ws/settings/config.json", "ws/settings/plugins"],
        ...["ws/.alisio/other.json", "ws/settings/other.json"],
      ];
      for (const name of expected) assert.ok(protectedPaths.includes(join(dir, name)), name);
    }),
});

Deno.test("gatherWallFacts() counts what a person could still permit, and no more", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      "config/config.json": JSON.stringify(CONFIG),
      "config/plugins/reach.mjs": "",
      "ws/keep": "",
      "library/book": "",
    });
    const ceilingOf = async (canAsk: boolean, ...flags: readonly string[]) => {
      const facts = await gatherWallFacts({
        flags: parseCommandLine(flags).flags,
        cwd: join(dir, "ws"),
        canAsk,
        env: {
          HOME: dir,
          PATH: Deno.env.get("PATH") ?? "",
          ALISIO_CONFIG_HOME: join(dir, "config"),
          ALISIO_STATE_HOME: join(dir, "state"),
        },
      });
      const { read, write, run, net, denyWrite } = computeCeiling(facts);
      const isAll = (scope: unknown) => scope === "all";
      return {
        read: isAll(read),
        write: isAll(write),
        run: isAll(run),
        net: isAll(net),
        trustIsOpen: !denyWrite.includes(join(dir, "state", "trust.json")),
      };
    };
    const nothing = { read: false, write: false, run: false, net: false, trustIsOpen: false };
    const asked = { read: true, write: true, run: true, net: true, trustIsOpen: true };
    const profile = ["--risk-profile", "quiet"];
    assert.deepEqual(await ceilingOf(false), nothing);
    assert.deepEqual(await ceilingOf(true), asked);
    assert.deepEqual(await ceilingOf(true, "--no-tui"), asked, "a plugin may reach out");
    await Deno.remove(join(dir, "config", "plugins"), { recursive: true });
    assert.deepEqual(await ceilingOf(true), asked, "a person may permit a search of the web");
    assert.deepEqual(await ceilingOf(true, "--no-tui"), asked);
    assert.deepEqual(await ceilingOf(true, "--read-only"), nothing);
    assert.deepEqual(await ceilingOf(true, ...profile), { ...nothing, read: true });
  });
});

for (
  const [name, { links, tree, hasCache }] of Object.entries({
    "its folder": { links: {}, tree: { "ws/.alisio/cache/x": "" }, hasCache: true },
    "a folder that is not there yet": { links: {}, tree: { "ws/x": "" }, hasCache: true },
    "a link that leads outside": {
      links: { "ws/.alisio/cache": "../../outside" },
      tree: { "ws/.alisio/x": "", "outside/x": "" },
      hasCache: false,
    },
    "a link that leads to nothing": {
      links: { "ws/.alisio/cache": "../../outside" },
      tree: { "ws/.alisio/x": "" },
      hasCache: false,
    },
    "a folder behind a link": {
      links: { "ws/.alisio": "../outside" },
      tree: { "ws/x": "", "outside/cache/x": "" },
      hasCache: false,
    },
  })
) {
  Deno.test({
    name: `gatherWallFacts() ${hasCache ? "opens" : "does not open"} ${name} as the cache`,
    ignore: Deno.build.os === "windows",
    fn: () =>
      withTempDir(async (dir) => {
        await writeTree(dir, tree);
        for (const [link, target] of Object.entries(links)) {
          await Deno.symlink(target, join(dir, link));
        }
        const facts = await gatherWallFacts({
          flags: parseCommandLine(["run", "x"]).flags,
          cwd: join(dir, "ws"),
          env: { HOME: dir, ALISIO_CONFIG_HOME: join(dir, "c"), ALISIO_STATE_HOME: join(dir, "s") },
        });
        const expected = hasCache ? join(dir, "ws/.alisio/cache") : undefined;
        assert.equal(facts.cache, expected);
        const state = join(dir, "s");
        assert.deepEqual(
          computeCeiling(facts).write,
          expected === undefined ? [state] : [state, expected],
        );
      }),
  });
}

Deno.test("gatherWallFacts() gives a database its folder where nothing else is in it", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      "ws/x": "",
      "own/my.sqlite": "",
      "own/my.sqlite-wal": "",
      "own/locks/x": "",
      "home/.profile": "",
    });
    const folderFor = async (database: string): Promise<string | undefined> => {
      const { databaseFolder } = await gatherWallFacts({
        flags: parseCommandLine(["run", "x", "--db", join(dir, database)]).flags,
        cwd: join(dir, "ws"),
        env: { HOME: dir, ALISIO_CONFIG_HOME: join(dir, "c"), ALISIO_STATE_HOME: join(dir, "s") },
      });
      return databaseFolder;
    };
    assert.equal(await folderFor("own/my.sqlite"), join(dir, "own"));
    assert.equal(await folderFor("new/my.sqlite"), join(dir, "new"));
    assert.equal(await folderFor("home/my.sqlite"), undefined);
  });
});

Deno.test("gatherWallFacts() lets through every server that a saved profile names", async () => {
  await withTempDir(async (dir) => {
    const values = {
      baseURL: "http://127.0.0.1:81/v1",
      tokenURL: "https://t.example/x",
      note: "x",
    };
    const profile = { provider: "acme", values, hosts: ["https://auth.example:8443"] };
    const profiles = { schemaVersion: 1, profiles: { work: profile } };
    await writeTree(dir, { "config/providers.json": JSON.stringify(profiles), "ws/keep": "" });
    const { providers } = await gatherWallFacts({
      flags: parseCommandLine(["run", "x"]).flags,
      cwd: join(dir, "ws"),
      env: {
        HOME: dir,
        PATH: Deno.env.get("PATH") ?? "",
        ALISIO_CONFIG_HOME: join(dir, "config"),
        ALISIO_STATE_HOME: join(dir, "state"),
      },
    });
    assert.deepEqual(providers, [
      "api.openai.com:443",
      "127.0.0.1:81",
      "t.example:443",
      "auth.example:8443",
    ]);
  });
});

Deno.test("gatherWallFacts() lets skills be read where they lie, and where their links lead", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      "config/config.json": JSON.stringify({ skills: ["../more", "../none"] }),
      "config/skills/own/SKILL.md": "",
      "elsewhere/linked/SKILL.md": "",
      "more/x/SKILL.md": "",
      ".agents/skills/plain/SKILL.md": "",
      "repo/.git/HEAD": "",
      "repo/.claude/skills/above/SKILL.md": "",
      "repo/ws/.agents/skills/here/SKILL.md": "",
      "outside/SKILL.md": "",
    });
    await Deno.symlink(join(dir, "elsewhere/linked"), join(dir, ".agents/skills/linked"));
    await Deno.symlink(join(dir, "outside"), join(dir, "repo/.claude/skills/out"));
    const { readable } = await gatherWallFacts({
      flags: parseCommandLine(["run", "x"]).flags,
      cwd: join(dir, "repo/ws"),
      env: {
        HOME: dir,
        PATH: Deno.env.get("PATH") ?? "",
        ALISIO_CONFIG_HOME: join(dir, "config"),
        ALISIO_STATE_HOME: join(dir, "state"),
      },
    });
    const skills = readable.filter((path) => /skills|more|none|linked|outside/.test(path));
    assert.deepEqual(skills.map((path) => path.slice(dir.length + 1)), [
      "repo/.claude/skills",
      "more",
      ".agents/skills",
      "elsewhere/linked",
    ]);
  });
});
