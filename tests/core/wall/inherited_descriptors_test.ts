import assert from "node:assert/strict";
import { join } from "node:path";
import { withTempDir, writeTree } from "../../support/temp.ts";

const MODULE = new URL("../../../core/wall/inherited_descriptors.ts", import.meta.url).href;

/** A process that was handed an open folder, and starts a program that reads in it. */
async function readByChild(dir: string, before: string): Promise<string> {
  const start = `new Deno.Command("cat", { args: ["/proc/self/fd/9/secret"] }).outputSync().stdout`;
  await writeTree(dir, {
    "main.ts": `import { keepDescriptors } from ${JSON.stringify(MODULE)};
      ${before}
      Deno.stdout.writeSync(${start});
      console.log("end", [...Deno.readDirSync("/proc/self/fd/9")].length > 0);`,
    "outside/secret": "leak",
  });
  const { stdout, stderr } = await new Deno.Command("sh", {
    args: ["-c", 'exec 9< outside; exec "$0" run -A --no-config main.ts', Deno.execPath()],
    cwd: dir,
  }).output();
  const text = new TextDecoder();
  return text.decode(stdout) || text.decode(stderr);
}

Deno.test({
  name: "keepDescriptors() keeps an open folder from programs, and leaves it open here",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    withTempDir(async (dir) => {
      assert.equal(await readByChild(join(dir, "a"), ""), "leakend true\n");
      assert.equal(await readByChild(join(dir, "b"), "keepDescriptors();"), "end true\n");
    }),
});
