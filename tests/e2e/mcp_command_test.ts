import assert from "node:assert/strict";
import { jsonLines, shown, withCli } from "../support/cli_harness.ts";
import { DENO } from "../support/paths.ts";
import { smallServer } from "./_mcp.ts";

Deno.test("alisio mcp list shows what is configured, and starts nothing", async () => {
  await withCli(async (cli) => {
    const pidFile = `${cli.dir}/pid`;
    const small = smallServer({ pidFile }, { env: { SECRET: "very-secret" } });
    await cli.configure({
      mcpServers: { small, away: { type: "http", url: "http://127.0.0.1:1/", enabled: false } },
    });
    const list = await cli.run(["mcp", "list"]);
    assert.equal(list.status, 0, shown(list));
    assert.match(
      list.stdout,
      /^small {2}stdio {2}disconnected {2}global\naway {3}http {3}disabled/,
    );
    assert.match(list.stdout, /--allow-mcp/);
    assert.doesNotMatch(list.stdout + list.stderr, /very-secret/);
    const json = await cli.run(["mcp", "list", "--json", "--allow-mcp"]);
    assert.deepEqual(
      json.stdout.trim().split("\n").map((line) => JSON.parse(line)).map(
        ({ name, state, permission }) => [name, state, permission],
      ),
      [["small", "disconnected", "granted"], ["away", "disabled", "granted"]],
    );
    await assert.rejects(() => Deno.stat(pidFile), Deno.errors.NotFound);
  });
});

Deno.test("alisio mcp doctor connects servers and counts what they have", async () => {
  await withCli(async (cli) => {
    await cli.configure({ mcp: { servers: { small: smallServer() } } });
    const doctor = await cli.run(["mcp", "doctor", "small", "--allow-mcp"]);
    assert.equal(doctor.status, 0, shown(doctor));
    assert.match(
      doctor.stdout,
      /^small: connected in \d+ ms to small 1\.0\.0: 4 tools, 1 resource, 1 prompt\n$/,
    );
  });
});

Deno.test("alisio mcp doctor fails where a server does, and says why", async () => {
  await withCli(async (cli) => {
    await cli.configure({
      mcp: { servers: { small: smallServer(), gone: { command: "no-such-program-anywhere" } } },
    });
    const doctor = await cli.run(["mcp", "doctor", "--allow-mcp", "--json"]);
    assert.equal(doctor.status, 1, shown(doctor));
    const states = jsonLines(doctor).map((line) => {
      const { name, state } = line as unknown as Record<string, string>;
      return `${name} ${state}`;
    });
    assert.deepEqual(states.toSorted(), ["gone failed", "small connected"]);
    assert.match(doctor.stdout, /no-such-program-anywhere\\" is not in PATH/);
  });
});

Deno.test("alisio mcp doctor says once what a server wrote before it ended", async () => {
  await withCli(async (cli) => {
    const args = ["eval", "--no-config", "console.error('no token'); Deno.exit(1)"];
    await cli.configure({ mcp: { servers: { broken: { command: DENO, args } } } });
    const doctor = await cli.run(["mcp", "doctor", "--allow-mcp"]);
    assert.equal(doctor.status, 1, shown(doctor));
    assert.equal(doctor.stdout.split("no token").length, 2, doctor.stdout);
  });
});

const REFUSED: readonly (readonly [string, readonly string[], RegExp])[] = [
  ["without consent", ["mcp", "doctor"], /nobody consented; pass --allow-mcp/],
  ["with --read-only", ["mcp", "doctor", "--allow-mcp", "--read-only"], /--read-only/],
  ["of an unknown server", ["mcp", "doctor", "smal", "--allow-mcp"], /did you mean "small"\?/],
  ["of another name", ["mcp", "docter"], /did you mean "doctor"\?/],
  ["of no name", ["mcp"], /Action is missing/],
  ["with one argument too many", ["mcp", "list", "small"], /Unexpected argument "small"/],
];

for (const [name, args, expected] of REFUSED) {
  Deno.test(`alisio mcp refuses an action ${name}`, async () => {
    await withCli(async (cli) => {
      const pidFile = `${cli.dir}/pid`;
      await cli.configure({ mcp: { servers: { small: smallServer({ pidFile }) } } });
      const result = await cli.run(args);
      assert.equal(result.status, 2, shown(result));
      assert.match(result.stderr, expected);
      await assert.rejects(() => Deno.stat(pidFile), Deno.errors.NotFound);
    });
  });
}
