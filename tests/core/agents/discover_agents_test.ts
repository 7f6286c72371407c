import assert from "node:assert/strict";
import { join } from "node:path";
import { parse } from "yaml";
import {
  type AgentListing,
  discoverAgents,
  type DiscoverAgentsOptions,
} from "../../../core/agents/discover_agents.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

const file = (name: string, more = "") =>
  `---\nname: ${name}\ndescription: About ${name}\n${more}---\nBody of ${name}\n`;

async function discover(
  folder: string,
  more: Partial<DiscoverAgentsOptions> = {},
): Promise<AgentListing> {
  return await discoverAgents({
    configHome: join(folder, "config"),
    home: join(folder, "home"),
    root: join(folder, "project"),
    cwd: join(folder, "project", "sub"),
    trusted: true,
    plugins: [],
    given: [],
    loadParser: () => Promise.resolve((text) => parse(text)),
    ...more,
  });
}

function shorten(folder: string, { definitions, diagnostics }: AgentListing) {
  return {
    found: definitions.map(({ id, origin, path }) =>
      [id, origin, path?.replace(`${folder}/`, "") ?? ""].join(" ").trim()
    ),
    said: diagnostics.map(({ source, severity, message }) =>
      `${severity} ${source.replace(`${folder}/`, "")}: ${message.replaceAll(`${folder}/`, "")}`
    ),
  };
}

Deno.test("discoverAgents() takes the first of each name, in the order of the documents", async () => {
  await withTempDir(async (folder) => {
    await writeTree(folder, {
      "project/sub/.alisio/agents/a.md": file("a"),
      "project/.alisio/agents/a.md": file("a"),
      "project/.alisio/agents/b.md": file("b"),
      "project/.agents/agents/b.md": file("b"),
      "project/.claude/agents/c.md": file("c"),
      "project/.opencode/agent/d.md": file("d"),
      "project/.opencode/agents/e.md": file("e"),
      "config/agents/f.md": file("f"),
      "home/.agents/agents/g.md": file("g"),
      "home/.claude/agents/h.md": file("h"),
      "home/.config/opencode/agent/i.md": file("i"),
      "home/.config/opencode/agents/j.md": file("j"),
      "brought/k.md": file("k"),
      "brought/notes.txt": "no agent",
    });
    const listing = await discover(folder, {
      plugins: [{ plugin: "acme.agents", path: join(folder, "brought") }],
      given: [
        { source: "--agents", origin: "flag", agents: { c: { description: "C", prompt: "x" } } },
        { source: '"agents"', origin: "config", agents: { l: { description: "L", prompt: "y" } } },
      ],
    });
    assert.deepEqual(shorten(folder, listing), {
      found: [
        "c flag",
        "l config",
        "a project project/sub/.alisio/agents/a.md",
        "b project project/.alisio/agents/b.md",
        "d project project/.opencode/agent/d.md",
        "e project project/.opencode/agents/e.md",
        "f user config/agents/f.md",
        "g user home/.agents/agents/g.md",
        "h user home/.claude/agents/h.md",
        "i user home/.config/opencode/agent/i.md",
        "j user home/.config/opencode/agents/j.md",
        "acme.agents:k plugin brought/k.md",
      ],
      said: [
        'warning project/.alisio/agents/a.md: Left out: "a" is defined by project/sub/.alisio/agents/a.md already',
        'warning project/.agents/agents/b.md: Left out: "b" is defined by project/.alisio/agents/b.md already',
        'warning project/.claude/agents/c.md: Left out: "c" is defined by --agents (c) already',
      ],
    });
  });
});

Deno.test("discoverAgents() reads nothing of a project that is not trusted", async () => {
  await withTempDir(async (folder) => {
    await writeTree(folder, {
      "project/.alisio/agents/a.md": file("a"),
      "project/.claude/agents/c.md": file("c"),
      "config/agents/f.md": file("f"),
    });
    const listing = await discover(folder, { trusted: false });
    assert.deepEqual(shorten(folder, listing), {
      found: ["f user config/agents/f.md"],
      said: [],
    });
  });
});

Deno.test("discoverAgents() says what is wrong with files, and goes on with the others", async () => {
  await withTempDir(async (folder) => {
    const agents = join(folder, "project", ".alisio", "agents");
    await writeTree(folder, {
      "project/sub/keep": "",
      "outside/secret.md": file("secret"),
      "project/.alisio/agents/binary.md": "\0\0\0",
      "project/.alisio/agents/broken.md": "---\nname: [\n---\nx",
      "project/.alisio/agents/colon.md": "---\nname: colon\ndescription: Use: always\n---\nx",
      "project/.alisio/agents/folder.md/x": "",
      "project/.alisio/agents/good.md": file("good", "tools: Read\n"),
      "project/.alisio/agents/plain.md": "no fields",
      "project/.alisio/agents/large.md": file("large") + "x".repeat(262_144),
    });
    await Deno.symlink(join(folder, "outside", "secret.md"), join(agents, "link.md"));
    const listing = shorten(folder, await discover(folder));
    assert.deepEqual(listing.found, [
      "colon project project/.alisio/agents/colon.md",
      "good project project/.alisio/agents/good.md",
    ]);
    const said = listing.said.map((line) => line.replace("project/.alisio/agents/", ""));
    assert.deepEqual(said.map((line) => line.split(": ")[0]), [
      "error binary.md",
      "error broken.md",
      "warning colon.md",
      "error large.md",
      "error link.md",
      "error plain.md",
    ]);
    assert.match(said[4] ?? "", /a link leads it outside the folder that it must lie in/);
    assert.match(said[2] ?? "", /put the value in quotes/);
  });
});

Deno.test("discoverAgents() says that a folder of a plugin is missing", async () => {
  await withTempDir(async (folder) => {
    const listing = await discover(folder, {
      plugins: [{ plugin: "acme.agents", path: join(folder, "gone") }],
    });
    assert.deepEqual(shorten(folder, listing), {
      found: [],
      said: ["error gone: Left out: it is not there"],
    });
  });
});
