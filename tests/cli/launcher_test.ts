import assert from "node:assert/strict";
import { planLaunch } from "../../cli/launcher.ts";
import { parseCommandLine } from "../../cli/parse_command_line.ts";
import { withTempDir } from "../support/temp.ts";

Deno.test("planLaunch() refuses an environment in which the runtime would ignore its flags", async () => {
  await withTempDir(async (dir) => {
    const request = { flags: parseCommandLine(["run", "x"]).flags, cwd: dir };
    const env = { HOME: dir };
    await assert.rejects(
      planLaunch({ ...request, env: { ...env, DENO_PERMISSION_BROKER_PATH: "/run/broker" } }),
      /^AlisioError: Cannot limit this run: DENO_PERMISSION_BROKER_PATH is set/,
    );
    const { ceiling } = await planLaunch({
      ...request,
      env: { ...env, DENO_PERMISSION_BROKER_PATH: "" },
    });
    assert.notEqual(ceiling.write, "all");
  });
});
