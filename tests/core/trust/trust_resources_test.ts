import { deepEqual, equal, ok } from "node:assert/strict";
import { join } from "node:path";
import {
  compareDigests,
  digestTrustResources,
  findTrustResources,
  isClosedFolder,
  type ReferencedPath,
  type ResourceDigests,
} from "../../../core/trust/trust_resources.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

const posix = Deno.build.os !== "windows";

Deno.test("findTrustResources() finds what configures, instructs or runs, and nothing else", async () => {
  await withTempDir(async (dir) => {
    deepEqual(await findTrustResources(dir), []);
    await writeTree(dir, {
      ".alisio/config.json": "{}",
      ".alisio/plugins/a.ts": "",
      ".alisio/agents/a.md": "",
      ".alisio/skills/a/SKILL.md": "",
      ".alisio/prompts/a.md": "",
      ".alisio/cache/webfetch/x": "",
      ".agents/agents/a.md": "",
      ".agents/skills/a/SKILL.md": "",
      ".claude/agents/a.md": "",
      ".claude/skills/a/SKILL.md": "",
      ".claude/settings.json": "",
      ".opencode/agent/a.md": "",
      ".opencode/agents/a.md": "",
      "AGENTS.md": "",
      "src/a.ts": "",
    });
    deepEqual(await findTrustResources(dir), [
      ".alisio/config.json",
      ".alisio/plugins",
      ".alisio/agents",
      ".alisio/skills",
      ".alisio/prompts",
      ".agents/agents",
      ".agents/skills",
      ".claude/agents",
      ".claude/skills",
      ".opencode/agent",
      ".opencode/agents",
    ]);
  });
});

Deno.test("findTrustResources() counts a dangling link and is not misled by a file", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { ".claude": "a file", ".alisio/x": "" });
    await Deno.symlink("nowhere", join(dir, ".alisio/config.json"));
    deepEqual(await findTrustResources(dir), [".alisio/config.json"]);
  });
});

interface Change {
  readonly name: string;
  readonly change: (dir: string) => Promise<unknown>;
  readonly expected: readonly string[];
}

const FILES = {
  ".alisio/config.json": "{}",
  ".alisio/plugins/a/index.ts": "a",
  ".alisio/plugins/a/node_modules/dep/index.js": "dep",
  ".alisio/prompts/p.md": "p",
  "AGENTS.md": "rules",
  "tools/server.js": "server",
  "tools/other.js": "other",
  "lib/shared.ts": "shared",
};

const REFERENCED: readonly ReferencedPath[] = [
  { path: "tools/server.js", kind: "file" },
  { path: "missing.js", kind: "file" },
];

const CHANGES: readonly Change[] = [
  { name: "nothing", change: () => Promise.resolve(), expected: [] },
  {
    name: "the configuration",
    change: (dir) => Deno.writeTextFile(join(dir, ".alisio/config.json"), "{ }"),
    expected: ["changed .alisio/config.json"],
  },
  {
    name: "plugin code",
    change: (dir) => Deno.writeTextFile(join(dir, ".alisio/plugins/a/index.ts"), "b"),
    expected: ["changed .alisio/plugins/a/index.ts"],
  },
  {
    name: "a dependency of a plugin",
    change: (dir) =>
      Deno.writeTextFile(join(dir, ".alisio/plugins/a/node_modules/dep/index.js"), "DEP"),
    expected: ["changed .alisio/plugins/a/node_modules/dep/index.js"],
  },
  {
    name: "a new file",
    change: (dir) => Deno.writeTextFile(join(dir, ".alisio/plugins/b.ts"), ""),
    expected: ["added .alisio/plugins/b.ts"],
  },
  {
    name: "a new kind of resource",
    change: (dir) => writeTree(dir, { ".claude/skills/s/SKILL.md": "s" }),
    expected: [
      "added .claude/skills",
      "added .claude/skills/s",
      "added .claude/skills/s/SKILL.md",
    ],
  },
  {
    name: "a removed file",
    change: (dir) => Deno.remove(join(dir, ".alisio/prompts/p.md")),
    expected: ["removed .alisio/prompts/p.md"],
  },
  {
    name: "a file replaced by a link to the same content",
    change: async (dir) => {
      await Deno.remove(join(dir, ".alisio/prompts/p.md"));
      await Deno.writeTextFile(join(dir, "p.md"), "p");
      await Deno.symlink("../../p.md", join(dir, ".alisio/prompts/p.md"));
    },
    expected: ["changed .alisio/prompts/p.md"],
  },
  {
    name: "a script that the configuration runs",
    change: (dir) => Deno.writeTextFile(join(dir, "tools/server.js"), "evil"),
    expected: ["changed tools/server.js"],
  },
  {
    name: "a script that was not there",
    change: (dir) => Deno.writeTextFile(join(dir, "missing.js"), "evil"),
    expected: ["changed missing.js"],
  },
  {
    name: "what a link in a plugin folder leads to",
    change: (dir) => Deno.writeTextFile(join(dir, "lib/shared.ts"), "evil"),
    expected: ["changed .alisio/plugins/lib/shared.ts"],
  },
  {
    name: "files that need no trust",
    change: (dir) => writeTree(dir, { "AGENTS.md": "new", "tools/other.js": "", "src/x": "" }),
    expected: [],
  },
];

for (const { name, change, expected } of CHANGES) {
  Deno.test(`digestTrustResources() notices ${name} (field case 112)`, async () => {
    await withTempDir(async (dir) => {
      await writeTree(dir, FILES);
      await Deno.symlink("../../lib", join(dir, ".alisio/plugins/lib"));
      const before = await digest(dir);
      await change(dir);
      deepEqual(compareDigests(before, await digest(dir)), expected);
    });
  });
}

Deno.test("digestTrustResources() ends where links lead in a circle", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { ".alisio/plugins/a/x.ts": "x" });
    await Deno.symlink("..", join(dir, ".alisio/plugins/a/up"));
    await Deno.symlink("self", join(dir, ".alisio/plugins/self"));
    const digests = await digest(dir);
    equal(digests[".alisio/plugins/a/up"], "link to ..: folder");
    equal(digests[".alisio/plugins/self"], "link to self: unreadable");
  });
});

Deno.test({
  name: "digestTrustResources() neither opens nor trusts what is no file",
  ignore: !posix,
  fn: async () => {
    const rows: readonly (readonly [string, (path: string) => Promise<unknown>])[] = [
      ["pipe", (path) => new Deno.Command("mkfifo", { args: [path] }).output()],
      ["zero", (path) => Deno.symlink("/dev/zero", path)],
    ];
    for (const [name, make] of rows) {
      await withTempDir(async (dir) => {
        await writeTree(dir, { ".alisio/plugins/a.ts": "" });
        ok(".alisio/plugins/a.ts" in await digest(dir));
        await make(join(dir, ".alisio/plugins", name));
        deepEqual(await digestTrustResources(dir, []), {
          status: "uncheckable",
          reason: `".alisio/plugins/${name}" in it is neither a file nor a folder`,
        });
      });
    }
  },
});

Deno.test({
  name: "findTrustResources() names a folder that may not be looked into, and nothing in it",
  ignore: !posix || Deno.uid() === 0,
  fn: async () => {
    await withTempDir(async (dir) => {
      await writeTree(dir, { ".alisio/prompts/p.md": "", ".claude/skills/a/SKILL.md": "" });
      await Deno.chmod(join(dir, ".alisio"), 0);
      const found = await findTrustResources(dir);
      await Deno.chmod(join(dir, ".alisio"), 0o700);
      deepEqual(found, [".alisio", ".claude/skills"]);
      deepEqual(found.map(isClosedFolder), [true, false]);
    });
  },
});

Deno.test("digestTrustResources() gives up on too many files, bytes or levels", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      ".alisio/plugins/1": "12345",
      ".alisio/plugins/2": "12345",
      ".alisio/plugins/3": "12345",
    });
    const few = await digestTrustResources(dir, [], { maxEntries: 4, maxBytes: 15 });
    equal(few.status, "complete");
    deepEqual(await digestTrustResources(dir, [], { maxEntries: 3, maxBytes: 15 }), {
      status: "uncheckable",
      reason: "it has more than 3 files to check",
    });
    deepEqual(await digestTrustResources(dir, [], { maxEntries: 4, maxBytes: 14 }), {
      status: "uncheckable",
      reason: "it has more than 14 bytes to check",
    });
    await Deno.mkdir(join(dir, ".alisio/skills", "a/".repeat(40)), { recursive: true });
    deepEqual(await digestTrustResources(dir, []), {
      status: "uncheckable",
      reason: "it is more than 32 folders deep",
    });
  });
});

async function digest(dir: string): Promise<ResourceDigests> {
  const result = await digestTrustResources(dir, REFERENCED);
  ok(result.status === "complete");
  return result.digests;
}
