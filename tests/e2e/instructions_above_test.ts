import assert from "node:assert/strict";
import { withCli } from "../support/cli_harness.ts";
import { startModel } from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import { useModel } from "./_support.ts";

Deno.test({
  name: "alisio run reads the instructions above its directory, of which it may read nothing else",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await using model = await startModel([chatReply({ text: "Done" })]);
    await withCli(async (cli) => {
      await useModel(cli, model);
      const project = `${cli.dir}/work`;
      await Deno.mkdir(`${project}/sub`, { recursive: true });
      await Deno.mkdir(`${project}/.git`);
      await Deno.writeTextFile(`${project}/AGENTS.md`, "RULES ABOVE");
      const args = ["run", "x", "--trust-project", "--cwd", `${project}/sub`];
      assert.equal((await cli.run(args)).status, 0);
      assert.match(JSON.stringify(await model.chat(0)), /RULES ABOVE/);
    });
  },
});
