import { strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { isInPlace, isReal, leadsTo } from "../../../core/paths/leads_to.ts";
import { DENO } from "../../support/paths.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

const ignore = Deno.build.os === "windows";

Deno.test("leadsTo() tells where an open file lies", { ignore }, async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "a/f": "inside", "b/f": "outside", "b/g": "" });
    const path = join(dir, "a/f");
    using inside = await Deno.open(path);
    using outside = await Deno.open(join(dir, "b/f"));
    strictEqual(leadsTo(path, inside), "here");
    strictEqual(leadsTo(path, outside), "replaced");
    await Deno.rename(join(dir, "a"), join(dir, "aside"));
    strictEqual(leadsTo(path, inside), "moved");
    await Deno.symlink("b", join(dir, "a"));
    // The path leads to it, but through a link.
    strictEqual(leadsTo(path, outside), "moved");
    strictEqual(leadsTo(path, inside), "moved");
    await Deno.remove(join(dir, "a"));
    await Deno.rename(join(dir, "aside"), join(dir, "a"));
    strictEqual(leadsTo(path, inside), "here");
    await Deno.remove(path);
    strictEqual(leadsTo(path, inside), "replaced");
  });
});

Deno.test("leadsTo() takes no link for the file that it leads to", { ignore }, async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { target: "" });
    await Deno.symlink("target", join(dir, "link"));
    using file = await Deno.open(join(dir, "link"));
    strictEqual(leadsTo(join(dir, "link"), file), "replaced");
  });
});

Deno.test("leadsTo() knows an open folder", { ignore }, async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "a/b/f": "", "c/b/f": "" });
    using folder = await Deno.open(join(dir, "a/b"));
    strictEqual(leadsTo(join(dir, "a/b"), folder), "here");
    strictEqual(leadsTo(join(dir, "c/b"), folder), "replaced");
  });
});

Deno.test("leadsTo() needs no permission for the folder of a file", { ignore }, async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "AGENTS.md": "" });
    const module = new URL("../../../core/paths/leads_to.ts", import.meta.url).href;
    const path = JSON.stringify(join(dir, "AGENTS.md"));
    const code = `const { leadsTo } = await import(${JSON.stringify(module)});
      using file = await Deno.open(${path});
      await Deno.stdout.write(new TextEncoder().encode(leadsTo(${path}, file)));`;
    const script = join(dir, "script.js");
    await Deno.writeTextFile(script, code);
    const { stdout, stderr } = await new Deno.Command(DENO, {
      args: ["run", "--no-prompt", "--no-config", `--allow-read=${join(dir, "AGENTS.md")}`, script],
    }).output();
    strictEqual(new TextDecoder().decode(stdout), "here", new TextDecoder().decode(stderr));
  });
});

Deno.test(
  "isReal() and isInPlace() tell names apart that a link leads to",
  { ignore },
  async () => {
    await withTempDir(async (dir) => {
      await writeTree(dir, { "a/f": "" });
      await Deno.symlink("a", join(dir, "link"));
      await Deno.symlink("f", join(dir, "a/l"));
      const rows: readonly (readonly [string, boolean, boolean])[] = [
        ["a/f", true, true],
        ["a", true, true],
        ["a/l", false, true],
        ["link/f", false, false],
        ["link", false, true],
        ["a/missing", false, false],
        ["missing/f", false, false],
      ];
      for (const [name, real, inPlace] of rows) {
        strictEqual(isReal(join(dir, name)), real, `isReal(${name})`);
        strictEqual(isInPlace(join(dir, name)), inPlace, `isInPlace(${name})`);
      }
    });
  },
);
