import { deepEqual, equal, match } from "node:assert/strict";
import { join } from "node:path";
import { checkConfig } from "../../core/config/check_config.ts";
import { runSetup } from "../../cli/setup.ts";
import { withTempDir, writeTree } from "../support/temp.ts";
import { runCommand } from "./_run_command.ts";

Deno.test("runSetup() writes an example that loads, with a placeholder and without a secret", async () => {
  await withTempDir(async (dir) => {
    await Deno.mkdir(join(dir, "ws"));
    const env = { OPENAI_API_KEY: "sk-sentinel-000000000000" };
    const { status, out, err } = await runCommand(runSetup, dir, ["setup"], env);
    equal(status, 0);
    equal(out, `Wrote "${join(dir, "ws/.alisio/config.json")}"\n`);
    match(err, /^Next:\n {2}1\. In that file, replace YOUR_MODEL_ID/);
    const text = await Deno.readTextFile(join(dir, "ws/.alisio/config.json"));
    equal(text.includes("sentinel"), false);
    const content = JSON.parse(text);
    deepEqual(checkConfig(content), []);
    equal(content.provider.model, "YOUR_MODEL_ID");
  });
});

Deno.test("runSetup() never changes a configuration that is there", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "ws/.alisio/config.json": "mine" });
    const { status, err } = await runCommand(runSetup, dir, ["setup"]);
    equal(status, 2);
    match(err, /^Cannot write ".*config\.json": there is one already; edit it, or move it away/);
    equal(await Deno.readTextFile(join(dir, "ws/.alisio/config.json")), "mine");
  });
});

Deno.test("runSetup() does not write through a link that is there", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "ws/.alisio/x": "" });
    await Deno.symlink(join(dir, "outside.json"), join(dir, "ws/.alisio/config.json"));
    equal((await runCommand(runSetup, dir, ["setup"])).status, 2);
    equal(await Deno.stat(join(dir, "outside.json")).catch(() => "absent"), "absent");
  });
});

Deno.test("runSetup() writes nothing with --read-only, and explains what stands in its way", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "ws/.alisio": "a file" });
    const blocked = await runCommand(runSetup, dir, ["setup"]);
    deepEqual([blocked.status, /^Cannot write ".*config\.json": /.test(blocked.err)], [2, true]);
    await Deno.remove(join(dir, "ws/.alisio"));
    const { status, err } = await runCommand(runSetup, dir, ["setup", "--read-only"]);
    deepEqual([status, err], [2, 'Cannot write a configuration: "--read-only" was given\n']);
    equal(await Deno.stat(join(dir, "ws/.alisio")).catch(() => "absent"), "absent");
  });
});

Deno.test("runSetup() prints one JSON line, and no hints with --quiet", async () => {
  await withTempDir(async (dir) => {
    await Deno.mkdir(join(dir, "ws"));
    const { out, err } = await runCommand(runSetup, dir, ["setup", "--json", "--quiet"]);
    const path = join(dir, "ws/.alisio/config.json");
    deepEqual(JSON.parse(out), { schemaVersion: 1, type: "setup", path });
    equal(err, "");
  });
});
