import assert from "node:assert/strict";
import { join } from "node:path";
import { DENO, ROOT } from "../support/paths.ts";
import { programModules } from "./compile_program.ts";

/** Publishes a package, but for the last step. */
async function publish(folder: string): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(DENO, {
    args: ["publish", "--dry-run", "--allow-dirty", "--no-check"],
    cwd: folder,
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  assert.equal(code, 0, text);
  assert.match(text, /Checking for slow types/);
  return text;
}

/** Paths of what would be published, relative to the folder of the package. */
function filesIn(text: string, folder: string): readonly string[] {
  const start = `file://${folder}/`;
  return [...text.matchAll(/^ {3}(\S+) \([\d.]+\w+\)$/gm)]
    .flatMap(([, url = ""]) => url.startsWith(start) ? [url.slice(start.length)] : []);
}

Deno.test({
  name: "deno publish takes the program and its pages, without the tests and what is only for here",
  ignore: Deno.build.os === "windows",
  async fn() {
    const text = await publish(ROOT);
    assert.match(text, /Simulating publish of @alisio\/cli@/);
    const files = filesIn(text, ROOT);
    for (const module of [...await programModules(), "cli.ts", "mod.ts"]) {
      assert.ok(files.includes(module), module);
    }
    const others = files.filter((file) => !/^(?:cli|core|plugins|tools|tui|docs)\//.test(file));
    assert.deepEqual(others.toSorted(), [
      "LICENSE",
      "README.md",
      "cli.ts",
      "deno.json",
      "deno.lock",
      "mod.ts",
    ]);
    // Modules of the program that are named by an address beside the one that imports them.
    const warnings = [...text.matchAll(/^warning\[([^\]]+)\]/gm)].map(([, code]) => code);
    assert.deepEqual([...new Set(warnings)], ["unanalyzable-dynamic-import"]);
  },
});

Deno.test({
  name: "deno publish takes the contract for plugins without a warning",
  ignore: Deno.build.os === "windows",
  async fn() {
    const folder = join(ROOT, "sdk");
    const text = await publish(folder);
    assert.match(text, /Simulating publish of @alisio\/sdk@/);
    const files = filesIn(text, folder);
    for (const file of ["deno.json", "mod.ts", "testing.ts"]) assert.ok(files.includes(file), file);
    assert.ok(files.every((file) => /^[a-z_/]+\.(?:ts|json)$/.test(file)), files.join(" "));
    assert.doesNotMatch(text, /warning/i);
  },
});
