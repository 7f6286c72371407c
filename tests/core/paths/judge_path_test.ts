import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { judgePath } from "../../../core/paths/judge_path.ts";
import { DENO } from "../../support/paths.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

interface Folders {
  readonly workspace: string;
  readonly outside: string;
}

async function withFolders(fn: (folders: Folders) => Promise<void>): Promise<void> {
  await withTempDir(async (dir) => {
    const folders = { workspace: join(dir, "app"), outside: join(dir, "app-secret") };
    await Deno.mkdir(folders.workspace);
    await Deno.mkdir(folders.outside);
    await fn(folders);
  });
}

Deno.test("judgePath() describes a file of the workspace", async () => {
  await withFolders(async ({ workspace }) => {
    await writeTree(workspace, { "src/a.ts": "" });
    deepStrictEqual(await judgePath("src/../src/a.ts", { workspace, roots: [workspace] }), {
      requested: "src/../src/a.ts",
      absolute: join(workspace, "src/a.ts"),
      real: join(workspace, "src/a.ts"),
      exists: true,
      root: workspace,
    });
  });
});

Deno.test("judgePath() describes a file that does not exist yet", async () => {
  await withFolders(async ({ workspace }) => {
    deepStrictEqual(await judgePath("new/deep/a.ts", { workspace, roots: [workspace] }), {
      requested: "new/deep/a.ts",
      absolute: join(workspace, "new/deep/a.ts"),
      real: join(workspace, "new/deep/a.ts"),
      exists: false,
      root: workspace,
    });
  });
});

Deno.test("judgePath() puts a sibling with the same prefix outside (field case 77)", async () => {
  await withFolders(async ({ workspace, outside }) => {
    await writeTree(outside, { x: "" });
    const judged = await judgePath("../app-secret/x", { workspace, roots: [workspace] });
    strictEqual(judged.real, join(outside, "x"));
    strictEqual(judged.root, null);
    const inside = await judgePath("../app/x", { workspace, roots: [workspace] });
    strictEqual(inside.root, workspace);
  });
});

Deno.test("judgePath() takes the root folder as a root of everything (field case 77)", async () => {
  await withFolders(async ({ workspace, outside }) => {
    const roots = [workspace, "/"];
    strictEqual((await judgePath(outside, { workspace, roots })).root, "/");
    strictEqual((await judgePath("x", { workspace, roots })).root, workspace);
  });
});

Deno.test("judgePath() follows a link that leads out, to its end (field case 75)", async () => {
  await withFolders(async ({ workspace, outside }) => {
    await writeTree(outside, { x: "" });
    await Deno.symlink(outside, join(workspace, "link"));
    const rows: readonly (readonly [string, string, boolean])[] = [
      ["link", "", true],
      ["link/x", "x", true],
      ["link/new/deep/file.txt", "new/deep/file.txt", false],
    ];
    for (const [requested, real, exists] of rows) {
      const judged = await judgePath(requested, { workspace, roots: [workspace] });
      strictEqual(judged.absolute, join(workspace, requested));
      strictEqual(judged.real, join(outside, real));
      strictEqual(judged.exists, exists);
      strictEqual(judged.root, null);
      const allowed = await judgePath(requested, { workspace, roots: [workspace, outside] });
      strictEqual(allowed.root, outside);
    }
  });
});

Deno.test("judgePath() follows links whose target does not exist (field case 75)", async () => {
  await withFolders(async ({ workspace, outside }) => {
    await Deno.mkdir(join(outside, "deep/folder"), { recursive: true });
    await Deno.symlink(join(outside, "deep/folder"), join(workspace, "folder"));
    await Deno.symlink(join(outside, "missing"), join(workspace, "dangling"));
    await Deno.symlink("dangling/more", join(workspace, "second"));
    // Seen as text this stays in the workspace.
    await Deno.symlink("folder/../missing", join(workspace, "climbing"));
    const rows: readonly (readonly [string, string])[] = [
      ["dangling", "missing"],
      ["dangling/x", "missing/x"],
      ["second", "missing/more"],
      ["climbing", "deep/missing"],
    ];
    for (const [requested, real] of rows) {
      const judged = await judgePath(requested, { workspace, roots: [workspace] });
      deepStrictEqual([judged.real, judged.exists, judged.root], [
        join(outside, real),
        false,
        null,
      ]);
    }
  });
});

Deno.test("judgePath() allows a link whose target stays inside", async () => {
  await withFolders(async ({ workspace }) => {
    await writeTree(workspace, { "real.txt": "" });
    await Deno.symlink("real.txt", join(workspace, "link.txt"));
    const judged = await judgePath("link.txt", { workspace, roots: [workspace] });
    strictEqual(judged.real, join(workspace, "real.txt"));
    strictEqual(judged.root, workspace);
  });
});

Deno.test("judgePath() accepts both spellings of a linked workspace (field case 78)", async () => {
  await withFolders(async ({ workspace, outside }) => {
    const spelled = `${workspace}-link`;
    await Deno.symlink(workspace, spelled);
    await writeTree(workspace, { "a.txt": "" });
    for (const base of [workspace, spelled]) {
      for (const requested of ["a.txt", join(workspace, "a.txt"), join(spelled, "a.txt")]) {
        const judged = await judgePath(requested, { workspace: base, roots: [workspace] });
        strictEqual(judged.real, join(workspace, "a.txt"));
        strictEqual(judged.root, workspace);
      }
      const sibling = await judgePath(outside, { workspace: base, roots: [workspace] });
      strictEqual(sibling.root, null);
    }
  });
});

Deno.test("judgePath() reports links that lead back to themselves", async () => {
  await withFolders(async ({ workspace, outside }) => {
    await Deno.symlink("b", join(workspace, "a"));
    await Deno.symlink("a", join(workspace, "b"));
    await Deno.symlink(join(workspace, "grow/x"), join(workspace, "grow"));
    await Deno.symlink(outside, join(workspace, "c"));
    for (const requested of ["a", "a/x", "grow"]) {
      const judged = judgePath(requested, { workspace, roots: [workspace] });
      await rejects(judged, { name: "PathError", code: "path_loop" });
    }
    await judgePath("c", { workspace, roots: [workspace] });
  });
});

Deno.test("judgePath() refuses malformed paths", async () => {
  await withFolders(async ({ workspace }) => {
    const rows: readonly (readonly [string, string])[] = [
      ["", "invalid_path"],
      ["a\0b", "invalid_path"],
      ["a\ud800", "invalid_path"],
      ["~/x", "home_not_expanded"],
      ["~", "home_not_expanded"],
      ["a".repeat(300), "path_too_long"],
    ];
    for (const [requested, code] of rows) {
      const judged = judgePath(requested, { workspace, roots: [workspace] });
      await rejects(judged, { name: "PathError", code }, requested);
    }
    for (const requested of [".", "-rf", "a b\n", "~x", "./~/x", "a".repeat(200)]) {
      strictEqual((await judgePath(requested, { workspace, roots: [workspace] })).root, workspace);
    }
  });
});

Deno.test("judgePath() takes a folder that is really named ~", async () => {
  await withFolders(async ({ workspace }) => {
    await writeTree(workspace, { "~/x": "" });
    const judged = await judgePath("~/x", { workspace, roots: [workspace] });
    strictEqual(judged.real, join(workspace, "~/x"));
  });
});

Deno.test("judgePath() takes a path below a file as missing", async () => {
  await withFolders(async ({ workspace }) => {
    await writeTree(workspace, { "a.txt": "" });
    const judged = await judgePath("a.txt/b/c", { workspace, roots: [workspace] });
    deepStrictEqual([judged.real, judged.exists], [join(workspace, "a.txt/b/c"), false]);
  });
});

Deno.test("judgePath() judges under scoped permissions what it may not look up", async () => {
  await withFolders(async ({ workspace, outside }) => {
    const spelled = `${workspace}-link`;
    await Deno.symlink(workspace, spelled);
    await writeTree(workspace, { "a.txt": "" });
    await writeTree(outside, { x: "" });
    await Deno.symlink(outside, join(workspace, "link"));
    const module = new URL("../../../core/paths/judge_path.ts", import.meta.url).href;
    const script = `
      const { judgePath } = await import(${JSON.stringify(module)});
      const options = ${JSON.stringify({ workspace: spelled, roots: [workspace] })};
      const judged = [];
      for (const path of Deno.args) judged.push(await judgePath(path, options));
      console.log(JSON.stringify(judged.map(({ real, root }) => [real, root])));`;
    const source = new URL("../../../", import.meta.url).pathname;
    const entry = join(workspace, "entry.ts");
    await Deno.writeTextFile(entry, script);
    const output = await new Deno.Command(DENO, {
      args: [
        "run",
        "--no-prompt",
        "--no-check",
        "--no-config",
        `--allow-read=${workspace},${source}`,
        entry,
        "a.txt",
        join(spelled, "a.txt"),
        join(workspace, "new.txt"),
        join(outside, "x"),
        "link/x",
      ],
    }).output();
    strictEqual(output.code, 0, new TextDecoder().decode(output.stderr));
    deepStrictEqual(JSON.parse(new TextDecoder().decode(output.stdout)), [
      [join(workspace, "a.txt"), workspace],
      [join(workspace, "a.txt"), workspace],
      [join(workspace, "new.txt"), workspace],
      [join(outside, "x"), null],
      [join(outside, "x"), null],
    ]);
  });
});
