import assert from "node:assert/strict";
import { judgeDiscoveredUrl } from "../../../../tools/mcp/oauth/judge_discovered_url.ts";

/** Addresses stand for names, so that nothing has to be looked up. */
const PUBLIC = new URL("https://93.184.216.34/mcp");
const PRIVATE = new URL("https://10.1.2.3/mcp");
const LOCAL = new URL("http://127.0.0.1:8080/mcp");

Deno.test("judgeDiscoveredUrl() lets a sign-in lead where it may, and refuses its neighbour", async () => {
  const rows: readonly {
    readonly server: URL;
    readonly open: string;
    readonly closed: string[];
  }[] = [
    {
      server: PUBLIC,
      open: "https://93.184.216.35/token",
      closed: [
        "http://93.184.216.35/token",
        "https://user@93.184.216.35/token",
        "https://:secret@93.184.216.35/token",
        "ftp://93.184.216.35/token",
        "data:text/plain,x",
        "//93.184.216.35/token",
        "",
        `https://93.184.216.35/${"x".repeat(2_048)}`,
      ],
    },
    {
      server: PUBLIC,
      open: "https://[2606:2800:220:1::1]/token",
      closed: [
        "https://127.0.0.1/token",
        "https://localhost/token",
        "https://2130706433/token",
        "https://0x7f.1/token",
        "https://0/token",
        "https://10.0.0.1/token",
        "https://172.31.0.1/token",
        "https://192.168.1.1/token",
        "https://100.64.0.1/token",
        "https://169.254.169.254/token",
        "https://[::1]/token",
        "https://[::]/token",
        "https://[::ffff:10.0.0.1]/token",
        "https://[::ffff:169.254.169.254]/token",
        "https://[fd00::1]/token",
        "https://[fe80::1]/token",
        "https://[64:ff9b::a00:1]/token",
        "https://224.0.0.1/token",
      ],
    },
    { server: PRIVATE, open: "https://10.9.9.9/token", closed: ["https://169.254.169.254/"] },
    { server: LOCAL, open: "http://localhost:9/token", closed: ["http://10.0.0.1/token"] },
    { server: PUBLIC, open: "https://93.184.216.34/x", closed: ["http://127.0.0.1/x"] },
  ];
  for (const { server, open, closed } of rows) {
    assert.equal((await judgeDiscoveredUrl(open, server)).href, open);
    for (const url of closed) {
      await assert.rejects(judgeDiscoveredUrl(url, server), /sign-in/, `${url} from ${server}`);
    }
  }
  for (const value of [undefined, null, 5, {}, ["https://93.184.216.35/"]]) {
    await assert.rejects(judgeDiscoveredUrl(value, PUBLIC), /none that can be used/);
  }
});
