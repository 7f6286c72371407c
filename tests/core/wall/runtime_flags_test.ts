import assert from "node:assert/strict";
import { carriedFlags, moduleFlags, readCommandLine } from "../../../core/wall/runtime_flags.ts";

const CARRIED: Readonly<Record<string, readonly string[]>> = {
  "deno run -A cli.ts --config=x": [],
  "deno run -A --config=/a/deno.json cli.ts": ["--config=/a/deno.json"],
  "deno run --config /a/deno.json -A cli.ts": ["--config=/a/deno.json"],
  "deno run -c /a/deno.json cli.ts": ["--config=/a/deno.json"],
  "deno -A --no-config cli.ts": ["--no-config"],
  "deno run --v8-flags=--max-old-space-size=64,--x --cert ca.pem cli.ts": [
    "--v8-flags=--max-old-space-size=64,--x",
    "--cert=ca.pem",
  ],
  "deno run --import-map m.json --node-modules-dir=none --no-lock -q cli.ts": [
    "--import-map=m.json",
    "--node-modules-dir=none",
    "--no-lock",
    "--quiet",
  ],
  "deno run --allow-all --allow-ffi --no-prompt --reload --watch cli.ts": [],
  "deno run --log-level debug --no-config cli.ts": ["--no-config"],
  "deno cli.ts -A --no-config": [],
  "deno": [],
};

Deno.test("carriedFlags() keeps where modules come from, and never a permission", () => {
  for (const [line, expected] of Object.entries(CARRIED)) {
    assert.deepEqual(carriedFlags(line.split(" ")), expected, line);
  }
  assert.deepEqual(carriedFlags([]), []);
});

Deno.test("moduleFlags() takes nothing from the folder that a published program is run in", () => {
  const remote = "https://jsr.io/@alisio/cli/0.1.0/cli.ts";
  const local = "file:///app/cli.ts";
  const none = ["--no-config", "--no-lock", "--node-modules-dir=none"];
  const rows: readonly (readonly [string, readonly string[], string | undefined, unknown])[] = [
    [remote, [], undefined, none],
    [remote, ["--no-config"], undefined, none],
    [remote, ["--config=x"], undefined, ["--config=x", "--no-lock", "--node-modules-dir=none"]],
    [remote, ["--lock=l", "--no-config"], undefined, [
      "--lock=l",
      "--no-config",
      "--node-modules-dir=none",
    ]],
    [local, [], undefined, []],
    [local, [], "/app/deno.json", ["--config=/app/deno.json"]],
    [local, ["--config=x"], "/app/deno.json", ["--config=x"]],
    [local, ["--no-config", "--no-lock"], "/app/deno.json", [
      "--no-lock",
      "--config=/app/deno.json",
    ]],
  ];
  for (const [main, carried, config, expected] of rows) {
    assert.deepEqual(moduleFlags(main, carried, config), expected, `${main} ${carried}`);
  }
});

Deno.test({
  name: "readCommandLine() starts with the runtime",
  ignore: Deno.build.os !== "linux",
  fn: () => {
    assert.match(readCommandLine()[0] ?? "", /deno/);
    assert.equal(readCommandLine().at(-1)?.includes("\0"), false);
  },
});
