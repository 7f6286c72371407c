import assert from "node:assert/strict";
import { join } from "node:path";
import { DENO, ROOT } from "./support/paths.ts";

/** What programs that embed Alisio and plugins may rely on. A change here is a change of contract. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  "mod.ts": [
    "AlisioError",
    "Application",
    "DefaultAlisioMascot",
    "DefaultStartupScreen",
    "OpenSession",
    "RunCancelledError",
    "RunFailedError",
    "VERSION",
    "createApplication",
    "composeSideBySide",
    "createStandardTools",
    "infoSection",
    "loadSchemaValidator",
    "loadYamlParser",
    "mascotSection",
    "pluginsSection",
    "shortenPath",
    "startupTips",
    "tipsSection",
    "titleSection",
    "welcomeSection",
  ],
  "sdk/mod.ts": [
    "ProviderError",
    "UI_BLOCK_KINDS",
    "ViewParamsError",
    "definePlugin",
    "textResult",
  ],
  "sdk/testing.ts": ["runAlisio", "setUpPlugin", "textOf", "toolName"],
};

Deno.test("The public modules export what they promise and nothing else", async () => {
  for (const [file, expected] of Object.entries(VALUES)) {
    const module: Record<string, unknown> = await import(`../${file}`);
    assert.deepEqual(Object.keys(module).sort(), [...expected].sort(), file);
  }
});

Deno.test("VERSION is the version of both packages", async () => {
  const { VERSION } = await import("../core/version.ts");
  for (const file of ["deno.json", "sdk/deno.json"]) {
    const { version } = JSON.parse(await Deno.readTextFile(join(ROOT, file)));
    assert.equal(version, VERSION, file);
  }
});

Deno.test("cli.ts answers --version without loading the program", async () => {
  const output = await new Deno.Command(DENO, {
    args: ["run", "-A", "--log-level=debug", join(ROOT, "cli.ts"), "--version"],
    stdout: "piped",
    stderr: "piped",
  }).output();
  const { VERSION } = await import("../core/version.ts");
  assert.equal(new TextDecoder().decode(output.stdout), `${VERSION}\n`);
  assert.doesNotMatch(new TextDecoder().decode(output.stderr), /cli\/main\.ts/);
});
