import assert from "node:assert/strict";
import { processStart } from "../../../core/process/process_start.ts";

Deno.test({
  name: "processStart() tells processes apart, says the same of one each time, and nothing of none",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const child = new Deno.Command("sleep", { args: ["60"] }).spawn();
    const own = await processStart(Deno.pid);
    const start = await processStart(child.pid);
    assert.ok(own !== null && start !== null);
    assert.equal(await processStart(child.pid), start);
    if (Deno.build.os === "linux") assert.match(start, /^[0-9a-f-]{36}:\d+$/);
    assert.notEqual(start, own);
    child.kill("SIGKILL");
    await child.status;
    assert.equal(await processStart(child.pid), null);
  },
});
