import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createApplication } from "../../core/application.ts";
import type { Gate } from "../../core/gate/gate.ts";
import { createOutputLog } from "../../core/process/output_folder.ts";
import { judgePath } from "../../core/paths/judge_path.ts";
import { createStandardTools, loadSchemaValidator } from "../../tools/standard_tools.ts";
import { DENO } from "../support/paths.ts";
import { withTempDir, writeTree } from "../support/temp.ts";

const SWAPPER = fileURLToPath(new URL("./_swapper.ts", import.meta.url));
const UNIX = Deno.build.os !== "windows";

/** In no file that tools may read. */
const SECRET = "SECRET";

/** Most time for one run of calls, on a machine with other work, too. */
const TIME_LIMIT_MS = 40_000;

/** A workspace, in which `dir` is exchanged for a link to a closed folder all the time. */
interface RaceScene {
  readonly workspace: string;
  readonly gate: Gate;
  /** Where the link leads. */
  readonly closed: string;
  /** Ends the other process. */
  readonly stop: () => Promise<void>;
}

/** Starts the other process, and says how to end it. */
async function startSwapper(folder: string, link: string): Promise<() => Promise<void>> {
  const swapper = new Deno.Command(DENO, {
    args: ["run", "-A", "--no-config", SWAPPER, folder, link],
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = swapper.stdout.getReader();
  const { done } = await reader.read();
  await reader.cancel();
  assert.equal(done, false, "the other process did not begin");
  return async () => {
    try {
      swapper.kill("SIGKILL");
    } catch {
      // It has ended.
    }
    await swapper.status;
  };
}

/**
 * Runs a body while another process exchanges the folder and the link.
 *
 * @param where Where the link leads: out of the workspace, or to a folder in it that the risk
 * profile closes.
 * @param body The test.
 */
async function withRace(
  where: "outside" | "forbidden",
  body: (scene: RaceScene) => Promise<void>,
): Promise<void> {
  await withTempDir(async (folder) => {
    const workspace = join(folder, "ws");
    const closed = where === "outside" ? join(folder, "out") : join(workspace, "vault");
    const profile = { level: "full", forbiddenPaths: ["vault"], maxActionsPerHour: 100_000 };
    await writeTree(folder, {
      "config/config.json": JSON.stringify({
        riskProfiles: { p: { ...profile, sandboxEnabled: false } },
      }),
      "ws/dir/read.txt": "inside\n",
      "ws/dir/write.txt": "one\n",
      "ws/dir/edit.txt": "one\n",
      "ws/dir/AGENTS.md": "inside\n",
    });
    await writeTree(closed, {
      "read.txt": `${SECRET}\n`,
      "only_here.txt": `${SECRET}\n`,
      "AGENTS.md": `${SECRET}\n`,
      // The same content, so that no hash tells them apart.
      "write.txt": "one\n",
      "edit.txt": "one\n",
    });
    await Deno.symlink(closed, join(workspace, "link"));
    const application = await createApplication({
      cwd: workspace,
      env: {
        HOME: folder,
        PATH: Deno.env.get("PATH") ?? "",
        ALISIO_CONFIG_HOME: join(folder, "config"),
        ALISIO_STATE_HOME: join(folder, "state"),
      },
      allowWrite: true,
      trustProject: true,
      ...(where === "outside" ? {} : { riskProfile: "p" }),
      tools: createStandardTools,
      plugins: [],
      loadValidator: loadSchemaValidator,
    });
    const stop = await startSwapper(join(workspace, "dir"), join(workspace, "link"));
    try {
      await body({ workspace, closed, stop, gate: application.gate });
    } finally {
      await stop();
      await application.close();
    }
  });
}

/** What a call answered, and whether it went through. */
interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

async function call(
  gate: Gate,
  name: string,
  input: Readonly<Record<string, unknown>>,
): Promise<Answer> {
  const outcome = await gate.call(
    { id: crypto.randomUUID(), name, arguments: JSON.stringify(input) },
    {
      sessionId: "s1",
      signal: new AbortController().signal,
      emit: () => {},
      recordStart: () => {},
      recordDecision: () => {},
      pauseWhile: (wait) => wait(),
    },
  );
  return { text: JSON.stringify(outcome.content), isError: outcome.isError };
}

/** Changes a file as a model does: it is read first. */
async function change(
  gate: Gate,
  path: string,
  edit: (content: string, expectedHash: string) => Promise<Answer>,
): Promise<Answer> {
  const read = await call(gate, "read_file", { path });
  if (read.isError) return read;
  const [{ text }] = JSON.parse(read.text);
  const { content, sha256 } = JSON.parse(text);
  return await edit(content === "1: one" ? "two" : "one", sha256);
}

type Kind = "read" | "create" | "createBelow" | "replace" | "edit" | "list" | "search";

const KINDS: Readonly<Record<Kind, (gate: Gate, index: number) => Promise<Answer>>> = {
  read: (gate, index) =>
    call(gate, "read_file", { path: index % 4 === 0 ? "dir/only_here.txt" : "dir/read.txt" }),
  create: (gate, index) =>
    call(gate, "write_file", { path: `dir/new${index}`, content: "new", expectedHash: null }),
  createBelow: (gate, index) =>
    call(gate, "write_file", { path: `dir/d${index}/e/f`, content: "new", expectedHash: null }),
  replace: (gate) =>
    change(
      gate,
      "dir/write.txt",
      (next, expectedHash) =>
        call(gate, "write_file", { path: "dir/write.txt", content: `${next}\n`, expectedHash }),
    ),
  edit: (gate) =>
    change(gate, "dir/edit.txt", (newText, expectedHash) => {
      const oldText = newText === "one" ? "two" : "one";
      return call(gate, "edit_file", { path: "dir/edit.txt", oldText, newText, expectedHash });
    }),
  list: (gate, index) => call(gate, "list_files", { path: index % 2 === 0 ? "." : "dir" }),
  search: (gate, index) =>
    call(gate, "search_text", { pattern: "SECR|in", path: index % 2 === 0 ? "." : "dir" }),
};

const MIX: readonly Kind[] = [
  ...Array.from({ length: 7 }, () => "read" as const),
  ...["create", "create", "createBelow", "replace", "replace", "replace", "replace"] as const,
  ...["edit", "edit", "list", "list", "search", "search"] as const,
];

/** Everything that can be told of a folder. */
async function describeTree(folder: string): Promise<Readonly<Record<string, unknown>>> {
  const tree: Record<string, unknown> = {};
  for await (const { name } of Deno.readDir(folder)) {
    const path = join(folder, name);
    const { ino, mode, mtime, nlink, isFile } = await Deno.lstat(path);
    const content = isFile ? await Deno.readTextFile(path) : null;
    tree[name] = { ino, mode, mtime, nlink, content };
  }
  return tree;
}

async function collectChanges(watcher: Deno.FsWatcher): Promise<readonly string[]> {
  const changes: string[] = [];
  for await (const { kind, paths } of watcher) if (kind === "modify") changes.push(...paths);
  return changes;
}

async function race(where: "outside" | "forbidden", count: number): Promise<void> {
  await withRace(where, async ({ gate, closed, workspace, stop }) => {
    const before = await describeTree(closed);
    const watcher = Deno.watchFs(closed);
    const changes = collectChanges(watcher);
    const deadline = performance.now() + TIME_LIMIT_MS;
    const done = new Set<Kind>();
    const attempt = async (kind: Kind, index: number): Promise<void> => {
      assert.ok(performance.now() < deadline, `only ${index} calls in ${TIME_LIMIT_MS} ms`);
      const { text, isError } = await KINDS[kind](gate, index);
      if (!isError) done.add(kind);
      assert.ok(!text.includes(SECRET), `${kind} returned what is closed: ${text}`);
      if (kind === "list") assert.ok(!text.includes("only_here"), `listed what is closed: ${text}`);
    };
    let index = 0;
    for (; index < count; index++) await attempt(MIX[index % MIX.length] ?? "read", index);
    // Calls that are all refused would prove nothing.
    for (const kind of ["read", "create", "replace", "edit", "list", "search"] as const) {
      while (!done.has(kind)) await attempt(kind, index++);
    }
    await stop();
    watcher.close();
    // An empty file may appear there for an instant, but no content. Only here is that told apart.
    if (Deno.build.os === "linux") assert.deepEqual(await changes, []);
    assert.deepEqual(await describeTree(closed), before);
    for await (const { name, isDirectory } of Deno.readDir(workspace)) {
      const names = isDirectory ? Object.keys(await describeTree(join(workspace, name))) : [];
      assert.deepEqual(names.filter((each) => each.endsWith(".tmp")), []);
    }
  });
}

Deno.test({
  name: "a program that exchanges a folder for a link wins nothing outside the workspace",
  ignore: !UNIX,
  fn: () => race("outside", 700),
});

Deno.test({
  name: "a program that exchanges a folder for a link wins nothing in a closed folder",
  ignore: !UNIX,
  fn: () => race("forbidden", 300),
});

Deno.test({
  name: "a program that exchanges a folder for a link moves no log of its output",
  ignore: !UNIX,
  fn: async () => {
    await withTempDir(async (workspace) => {
      const cache = join(workspace, ".alisio/cache");
      const outside = join(workspace, "out");
      await writeTree(workspace, { ".alisio/cache/output/x": "", "out/output/x": "" });
      await Deno.symlink(outside, join(workspace, "link"));
      const stop = await startSwapper(cache, join(workspace, "link"));
      let created = 0;
      try {
        for (let index = 0; index < 500; index++) {
          try {
            createOutputLog({ workspace, name: `call-${index}-01234567.log` }, 1).close();
            created++;
          } catch {
            // Refused, because a link was seen.
          }
          await new Promise((resolve) => setTimeout(resolve));
        }
      } finally {
        await stop();
      }
      assert.ok(created > 0, "no log could be created");
      assert.deepEqual(Object.keys(await describeTree(outside)), ["output"]);
      assert.deepEqual(Object.keys(await describeTree(join(outside, "output"))), ["x"]);
    });
  },
});

Deno.test({
  name: "a program that exchanges a folder for a link wins where a path is opened as it was judged",
  ignore: !UNIX,
  fn: async () => {
    await withRace("outside", async ({ workspace }) => {
      const deadline = performance.now() + TIME_LIMIT_MS;
      for (;;) {
        assert.ok(performance.now() < deadline, "the race was never won, so it proves nothing");
        const judged = await judgePath("dir/read.txt", { workspace, roots: [workspace] });
        if (judged.root === null) continue;
        const text = await Deno.readTextFile(judged.real).catch(() => "");
        if (text.includes(SECRET)) return;
      }
    });
  },
});
