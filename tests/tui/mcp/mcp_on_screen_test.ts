import assert from "node:assert/strict";
import { smallServer } from "../../e2e/_mcp.ts";
import { isGone, useModel } from "../../e2e/_support.ts";
import { withCli } from "../../support/cli_harness.ts";
import { callTurn, startModel, toolResults } from "../../support/scripted_model.ts";
import { chatReply } from "../../support/stub_replies.ts";
import { HAS_TMUX, startTmux } from "../../support/tmux.ts";

const PLAIN = { NO_COLOR: "1", LC_ALL: "C", LANG: "C" };

for (
  const [size, env, look] of [
    [[80, 24], {}, ""],
    [[40, 15], {}, ""],
    [[40, 15], PLAIN, ", without colours and Unicode"],
  ] as const
) {
  Deno.test({
    name: `/mcps connects a server on a screen of ${size.join("x")}${look}, behind the second wall`,
    ignore: !HAS_TMUX,
    fn: () =>
      withCli(async (cli) => {
        await using model = await startModel([
          callTurn(["mcp_small_echo", { value: "hello" }]),
          chatReply({ text: "It was said." }),
        ]);
        const pidFile = `${cli.dir}/pid`;
        const small = smallServer({ pidFile, annotations: { destructiveHint: true } });
        await useModel(cli, model, { mcp: { servers: { small } } });
        const [columns, rows] = size;
        await using tmux = await startTmux(cli, { columns, rows, env, args: ["--no-banner"] });
        await tmux.sees(/ready/);
        const send = async (line: string) => {
          await tmux.type(line);
          await tmux.sees(new RegExp(`^ \\S ${RegExp.escape(line)}$`, "m"));
          await tmux.press("Enter");
        };
        await send("/mcps");
        await tmux.sees(/MCP servers, not allowed yet[^]*\[ \] small/);
        await tmux.press("Enter");
        await tmux.sees(/\S Connect/);
        await tmux.press("Enter");
        await tmux.sees(/MCP servers[^]*Allow for this session[^]*Enter submit/);
        await assert.rejects(() => Deno.stat(pidFile), Deno.errors.NotFound);
        await tmux.press("Enter");
        await tmux.sees(/\[x\] small/);
        await tmux.press("Enter");
        await tmux.sees(/\S Show tools/);
        await tmux.press("Enter");
        await tmux.sees(/Tools of small[^]*\[destructive\]/);
        await tmux.press("Escape");
        await tmux.sees(/MCP servers, allowed/);
        await tmux.press("Escape");
        await tmux.seesNo(/MCP servers, allowed/);
        if (columns === 80) await tmux.sees(/mcp:on/);
        await send("Say hello");
        await tmux.sees(/Allow mcp_small_echo \(external\)\?[^]*Enter choose/);
        await tmux.press("y");
        await tmux.sees(/It was said\./);
        assert.match(toolResults(await model.chat(1))[0] ?? "", /^echo: hello/);
        const pid = Number(await Deno.readTextFile(pidFile));
        await send("/exit");
        assert.ok(await isGone(pid));
      }),
  });
}
