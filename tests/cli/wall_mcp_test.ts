import assert from "node:assert/strict";
import { join } from "node:path";
import { parseCommandLine } from "../../cli/parse_command_line.ts";
import { gatherWallFacts } from "../../cli/wall_facts.ts";
import { writeSignIn } from "../../tools/mcp/oauth/sign_in_store.ts";
import { withTempDir, writeTree } from "../support/temp.ts";

Deno.test("readForServers() opens the service that renews a sign-in, for its own server alone", async () => {
  await withTempDir(async (dir) => {
    const servers = {
      docs: { url: "https://docs.example/mcp" },
      other: { url: "https://other.example/mcp" },
    };
    await writeTree(dir, {
      "config/config.json": JSON.stringify({ mcp: { servers } }),
      "ws/keep": "",
    });
    const hosts = async (...flags: readonly string[]) => {
      const facts = await gatherWallFacts({
        flags: parseCommandLine(["run", "x", ...flags]).flags,
        cwd: join(dir, "ws"),
        env: {
          HOME: dir,
          PATH: Deno.env.get("PATH") ?? "",
          ALISIO_CONFIG_HOME: join(dir, "config"),
          ALISIO_STATE_HOME: join(dir, "state"),
        },
      });
      return facts.mcpHosts;
    };
    const own = ["docs.example:443", "other.example:443"];
    assert.deepEqual(await hosts("--allow-mcp"), own);
    await writeSignIn(join(dir, "state", "mcp"), {
      server: servers.docs.url,
      issuer: "https://accounts.example",
      tokenEndpoint: "https://accounts.example:8443/token",
      resource: servers.docs.url,
      clientId: "client",
      clientAuth: "none",
      accessToken: "a-token-of-the-person",
      issuedAt: 1,
      scopes: [],
    });
    assert.deepEqual(await hosts("--allow-mcp"), [...own, "accounts.example:8443"]);
    assert.deepEqual(await hosts(), []);
    assert.deepEqual(await hosts("--allow-mcp", "--read-only"), []);
  });
});
