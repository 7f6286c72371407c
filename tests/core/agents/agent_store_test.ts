import assert from "node:assert/strict";
import { dirname } from "node:path";
import type { AgentScope, AgentStore, SavedAgent } from "../../../core/agents/agent_store.ts";
import { EMPTY_SHEET } from "../../../core/agents/agent_sheet.ts";
import { loadYamlEditor, loadYamlParser } from "../../../tools/standard_tools.ts";
import { type ApplicationScene, withScene } from "../../support/application_scene.ts";

const never = new AbortController().signal;
const PORTS = { loadYamlEditor, loadYamlParser };
const SHEET = {
  ...EMPTY_SHEET,
  displayName: "Reviewer",
  description: "Reviews: changes",
  instructions: "Look.\n\nThen say.",
  tools: "read_file, Bash(git diff:*, git log)",
  effort: "high",
  readOnly: true,
};
const FOREIGN = `---
# ours
name: rev   # by name
description: >-
  Reviews
  changes
tools: {bash: false}
temperature:   0.1
alisio:
    color-of-mind: blue # unknown
    updatedAt: "2020-01-01T00:00:00.000Z"
---

Look.
`;

async function storeOf(
  { open }: ApplicationScene,
  options: Parameters<ApplicationScene["open"]>[0] = {},
): Promise<AgentStore> {
  return await (await open({ ...PORTS, ...options })).agentStore();
}

async function saved(store: AgentStore, file: string): Promise<SavedAgent> {
  const agent = await store.read(file, "project");
  assert.ok(agent !== null);
  return agent;
}

/** Times of now are no part of a comparison. */
function timeless(text: string): string {
  return text.replaceAll(/20\d\d-\d\d-\d\dT[\d:.]+Z/g, "<time>");
}

Deno.test("AgentStore.create() writes a definition that can hold a conversation, and keeps trust", async () => {
  await withScene({}, async (scene) => {
    const store = await storeOf(scene);
    const path = `${scene.folder}/ws/.agents/agents/reviewer.md`;
    const done = await store.create("reviewer", SHEET, { scope: "project", signal: never });
    assert.deepEqual(done, { path, notice: null });
    assert.equal(
      timeless(await Deno.readTextFile(path)),
      `---
description: "Reviews: changes"
mode: all
tools: [read_file, "Bash(git diff:*, git log)"]
readOnly: true
alisio:
  displayName: Reviewer
  reasoning:
    effort: high
  createdAt: <time>
  updatedAt: <time>
---

Look.

Then say.
`,
    );
    const next = await scene.open(PORTS);
    assert.equal(next.trust.state, "trusted");
    const { agents } = await next.agents.list();
    assert.deepEqual(agents.map(({ id, name }) => [id, name]), [
      ["build", "build"],
      ["plan", "plan"],
      ["reviewer", "Reviewer"],
    ]);
    const read = await saved(store, "reviewer");
    assert.deepEqual(read.sheet, SHEET);
    assert.equal(read.problem, "");
  });
});

Deno.test("AgentStore.change() leaves comments and foreign keys as they are", async () => {
  await withScene({ "ws/.agents/agents/rev.md": FOREIGN }, async (scene) => {
    const store = await storeOf(scene, { trustProject: true });
    const before = await saved(store, "rev");
    assert.equal(before.hasPlainTools, false);
    await store.change(before, before.sheet, never);
    assert.equal(await Deno.readTextFile(before.path), FOREIGN);
    await store.change(before, { ...before.sheet, model: "big", displayName: "Rev" }, never);
    assert.equal(
      timeless(await Deno.readTextFile(before.path)),
      timeless(FOREIGN).replace(
        'updatedAt: "<time>"\n',
        "updatedAt: <time>\n    displayName: Rev\nmodel: big\n",
      ),
    );
  });
});

Deno.test("AgentStore refuses what would be lost, and what could not be used", async () => {
  await withScene({ "ws/.agents/agents/rev.md": FOREIGN }, async (scene) => {
    const store = await storeOf(scene, { trustProject: true });
    const before = await saved(store, "rev");
    const create = (file: string, sheet = SHEET) =>
      store.create(file, sheet, { scope: "project", signal: never });
    const rows: readonly (readonly [() => Promise<unknown>, RegExp])[] = [
      [() => create("rev"), /^Cannot save agent "rev": there is one of that id already; /],
      [() => create("plan"), /^Cannot save agent "plan": "plan" comes with Alisio; /],
      [() => create("../x"), /^Cannot save agent "\.\.\/x": an id is made of /],
      [() => create("a", EMPTY_SHEET), /^Cannot save agent "a": it has no "description"/],
      [
        () => create("a", { ...SHEET, instructions: "x".repeat(262_144) }),
        /^Cannot save agent "a": it has 262\d+ bytes, the limit is 262144$/,
      ],
      [async () => {
        await Deno.writeTextFile(before.path, `${FOREIGN}More.\n`);
        await store.change(before, SHEET, never);
      }, /^Cannot save agent "rev": its file was changed meanwhile; open it again$/],
      [
        () => store.remove(before),
        /^Cannot delete agent "rev": its file was changed meanwhile; open it again$/,
      ],
    ];
    for (const [act, message] of rows) await assert.rejects(act, { code: "usage", message });
    assert.equal(await Deno.readTextFile(before.path), `${FOREIGN}More.\n`);
    assert.deepEqual(
      (await Array.fromAsync(Deno.readDir(`${scene.folder}/ws/.agents/agents`))).map(({ name }) =>
        name
      ),
      ["rev.md"],
    );
  });
});

Deno.test("AgentStore.remove() removes a file, and the project stays trusted", async () => {
  await withScene({ "ws/.agents/agents/broken.md": "no fields\n" }, async (scene) => {
    const trusting = await storeOf(scene, { trustProject: true });
    const broken = await saved(trusting, "broken");
    assert.deepEqual([broken.isReadable, broken.problem], [
      false,
      'its first line is not "---", which begins the fields',
    ]);
    assert.equal(await trusting.remove(broken), null);
    const store = await storeOf(scene);
    assert.deepEqual(await store.list(), []);
  });
  await withScene({}, async (scene) => {
    const store = await storeOf(scene);
    await store.create("a", SHEET, { scope: "project", signal: never });
    assert.equal(await store.remove(await saved(store, "a")), null);
    assert.equal((await scene.open(PORTS)).trust.state, "trusted");
  });
});

Deno.test("AgentStore writes into no project that is not trusted, and through no link out of it", async () => {
  await withScene({ "ws/.alisio/prompts/x.md": "x" }, async (scene) => {
    const store = await storeOf(scene);
    await assert.rejects(store.create("a", SHEET, { scope: "project", signal: never }), {
      message: /^Cannot change the agents of ".*ws": the project is not trusted; /,
    });
    await assert.rejects(Deno.stat(`${scene.folder}/ws/.agents`), Deno.errors.NotFound);
  });
  await withScene({ "elsewhere/x": "x" }, async (scene) => {
    await Deno.mkdir(`${scene.folder}/ws`, { recursive: true });
    await Deno.symlink(`${scene.folder}/elsewhere`, `${scene.folder}/ws/.agents`);
    const store = await storeOf(scene, { trustProject: true });
    await assert.rejects(store.create("a", SHEET, { scope: "project", signal: never }), {
      message: 'Cannot save agent "a": a link leads it outside the project',
    });
    const elsewhere = await Array.fromAsync(Deno.readDir(`${scene.folder}/elsewhere`));
    assert.deepEqual(elsewhere.map(({ name }) => name), ["x"]);
  });
});

Deno.test("AgentStore tells what else changed, so that trust is asked for again", async () => {
  await withScene({}, async (scene) => {
    const store = await storeOf(scene);
    await store.create("a", SHEET, { scope: "project", signal: never });
    await Deno.writeTextFile(`${scene.folder}/ws/.agents/agents/b.md`, "---\n---\n");
    await assert.rejects(store.create("c", SHEET, { scope: "project", signal: never }), {
      message: /the project is not trusted/,
    });
  });
});

Deno.test("AgentStore has a place of the person, where they have a home folder", async () => {
  await withScene({ "home/.keep": "" }, async (scene) => {
    const home = `${scene.folder}/home`;
    const store = await storeOf(scene, { env: { ...scene.env, HOME: home } });
    assert.deepEqual(store.scopes, ["project", "global"]);
    const { path } = await store.create("a", SHEET, { scope: "global", signal: never });
    assert.equal(path, `${home}/.agents/agents/a.md`);
    assert.deepEqual((await store.list()).map(({ file, scope }) => [file, scope]), [
      ["a", "global"],
    ]);
    const bytes = await Deno.readFile(path);
    const mine = await store.read("a", "global");
    assert.ok(mine !== null);
    const copy = await store.copy(mine, { scope: "project", signal: never });
    assert.equal(copy.path, `${scene.folder}/ws/.agents/agents/a.md`);
    assert.deepEqual(await Deno.readFile(copy.path), bytes);
    await assert.rejects(store.copy(mine, { scope: "project", signal: never }), {
      message: /there is one of that id already/,
    });
    await Deno.writeTextFile(path, "changed");
    await assert.rejects(store.copy(mine, { scope: "project", signal: never }), {
      message: /its file was changed meanwhile/,
    });
    const readOnly = await storeOf(scene, {
      readOnly: true,
      env: { ...scene.env, HOME: home },
    });
    await assert.rejects(readOnly.create("b", SHEET, { scope: "global", signal: never }), {
      message: 'Cannot save agent "b": this run changes nothing; start again without --read-only',
    });
  });
});

Deno.test("AgentStore writes to no file that an agent of the project is a link to", async () => {
  await withScene({}, async (scene) => {
    const ws = `${scene.folder}/ws`;
    const store = await storeOf(scene, { trustProject: true });
    await Deno.mkdir(`${ws}/.agents/agents`, { recursive: true });
    await Deno.symlink("../../ran.sh", `${ws}/.agents/agents/planned.md`);
    await Deno.writeTextFile(`${ws}/own.md`, FOREIGN);
    await Deno.symlink("../../own.md", `${ws}/.agents/agents/other.md`);
    const refused = (file: string) => ({
      code: "usage",
      message: `Cannot save agent "${file}": its file is a link; change what it leads to`,
    });
    const options = { scope: "project", signal: never } as const;
    await assert.rejects(store.create("planned", SHEET, options), refused("planned"));
    await assert.rejects(Deno.stat(`${ws}/ran.sh`), Deno.errors.NotFound);
    const other = await saved(store, "other");
    await assert.rejects(
      store.change(other, { ...other.sheet, description: "Another" }, never),
      refused("other"),
    );
    assert.equal(await Deno.readTextFile(`${ws}/own.md`), FOREIGN);
    assert.equal(await store.remove(other), null);
    assert.equal(await Deno.readTextFile(`${ws}/own.md`), FOREIGN);
  });
});

Deno.test("AgentStore changes no agents of another project that its folder is a link to", async () => {
  const files = {
    "home/.keep": "",
    "ws/sub/.agents/agents/a.md": FOREIGN,
    "other/.agents/agents/a.md": FOREIGN,
    "dotfiles/agents/a.md": FOREIGN,
  };
  const rows: readonly (readonly [AgentScope, string, string, RegExp | null])[] = [
    [
      "project",
      "ws/.agents",
      "ws/sub/.agents",
      /leads its folder to ".*sub\/\.agents\/agents"; change it there$/,
    ],
    ["project", "ws/.agents/agents", "ws/sub/.agents/agents", /leads its folder to "/],
    ["global", "home/.agents", "ws/sub/.agents", /into the project ".*ws"; change it there$/],
    [
      "global",
      "home/.agents/agents",
      "other/.agents/agents",
      /into the project ".*other"; change it there$/,
    ],
    ["global", "home/.agents", "dotfiles", null],
  ];
  for (const [scope, link, target, problem] of rows) {
    await withScene(files, async (scene) => {
      const { folder } = scene;
      await Deno.mkdir(dirname(`${folder}/${link}`), { recursive: true });
      await Deno.symlink(`${folder}/${target}`, `${folder}/${link}`);
      const store = await storeOf(scene, {
        env: { ...scene.env, HOME: `${folder}/home` },
        trustProject: true,
      });
      const found = await store.read("a", scope);
      assert.ok(found !== null);
      const sheet = { ...found.sheet, description: "Another" };
      const acts: readonly (() => Promise<unknown>)[] = [
        () => store.create("new", SHEET, { scope, signal: never }),
        () => store.remove(found),
        () => store.change(found, sheet, never),
      ];
      for (const act of problem === null ? acts.slice(0, 2) : acts) {
        if (problem === null) await act();
        else await assert.rejects(act, { code: "usage", message: problem });
      }
    });
  }
});
