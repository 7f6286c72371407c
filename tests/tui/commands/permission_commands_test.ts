import assert from "node:assert/strict";
import type { ToolFacts } from "../../../core/application_options.ts";
import { createStandardTools } from "../../../tools/standard_tools.ts";
import { calls, PlayedProvider, says } from "../../support/run_harness.ts";
import { KEYS } from "../../support/fake_stage.ts";
import { withCommands } from "./_command_scene.ts";

Deno.test("/permission offers the modes, the status and what was granted", async () => {
  await withCommands({ allowWrite: true }, async ({ stage, type, screens }) => {
    const run = type("/permission");
    assert.equal(
      await screens(),
      `Permission mode: auto (2/5)
  Use ask mode               Asks before writes, commands and the network
› Use auto mode              Changes files of the workspace unasked; asks befor…
  Use full access mode       Writes, runs commands and uses the network unasked
  Status                     What runs, what asks and what is off
  Manage saved permissions…  What you allowed for the rest of this session
Enter choose · Esc close
========================================
Permission mode: auto (2/5)
  Use ask mode          Asks before wri…
› Use auto mode         Changes files o…
  Use full access mode  Writes, runs co…
  Status                What runs, what…
  Manage saved permis…  What you allowe…
Enter choose · Esc close
`,
    );
    await stage.press(KEYS.up, KEYS.enter);
    await run;
    assert.deepEqual(stage.log, [
      "success: Permission mode ask: write ask, process ask, external ask\n" +
      "What was allowed for the session is forgotten",
    ]);
    assert.equal(stage.application.permissionMode(), "ask");
  });
});

Deno.test("/permission full has to be confirmed", async () => {
  await withCommands({}, async ({ stage, type, screens }) => {
    const refused = type("/permission full");
    assert.equal(
      await screens(),
      `Use full access mode?
Writes, commands and the network will run unasked.
This is not a sandbox: whatever runs has your own permissions.
Directories outside the workspace and protected files are still asked about.
  Yes, run everything unasked
› No, stay in ask mode
y yes · n no · Enter choose
========================================
Use full access mode?
Writes, commands and the network will
run unasked.
This is not a sandbox: whatever runs has
your own permissions.
Directories outside the workspace and
protected files are still asked about.
  Yes, run everything unasked
› No, stay in ask mode
y yes · n no · Enter choose
`,
    );
    await stage.press(KEYS.enter);
    await refused;
    assert.equal(stage.application.permissionMode(), "ask");
    const confirmed = type("/permissions full");
    await stage.press(KEYS.up, KEYS.enter);
    await confirmed;
    assert.equal(stage.application.permissionMode(), "full");
    assert.deepEqual(stage.log, [
      "info: Nothing changed: the permission mode is ask",
      "warning: Permission mode full: write on, process on, external on\n" +
      "What was allowed for the session is forgotten",
    ]);
  });
});

for (
  const [name, options, lines, log] of [
    ["the mode", {}, ["/permission auto", "/permission status"], [
      "success: Permission mode auto: write on, process ask, external ask\n" +
      "What was allowed for the session is forgotten",
      "info: Permission mode auto: write on, process ask, external ask",
    ]],
    ["flags", { allowProcess: true }, ["/permission status"], [
      "info: Permission mode custom: write ask, process on, external ask",
    ]],
    ["--read-only", { readOnly: true }, [
      "/permission status",
      "/permission full",
      "/permission ask",
    ], [
      "info: Permission mode read-only: write off, process off, external off",
      "error: Cannot change the permission mode: this run changes nothing; to choose one, start " +
      "again without --read-only",
      "error: Cannot change the permission mode: this run changes nothing; to choose one, start " +
      "again without --read-only",
    ]],
    ["what is no mode", {}, ["/permission all"], [
      'warning: Unknown mode "all": write /permission with ask, auto, full or status',
    ]],
  ] as const
) {
  Deno.test(`/permission follows ${name}`, async () => {
    await withCommands(options, async ({ stage, type }) => {
      for (const line of lines) await type(line);
      assert.deepEqual(stage.log, log);
    });
  });
}

Deno.test("/permission takes back what was granted for the session", async () => {
  const provider = new PlayedProvider([
    calls([["write_file", { path: "a", content: "", expectedHash: null }]]),
    says("done"),
  ]);
  const options = { provider, model: "m", approve: () => Promise.resolve("session" as const) };
  await withCommands(options, async ({ stage, type, screens }) => {
    stage.opened = await stage.application.createSession();
    await stage.opened.run("go", { signal: new AbortController().signal, observers: [] });
    await type("/permission status");
    const run = type("/permission");
    await stage.press(KEYS.end, KEYS.enter);
    assert.equal(
      await screens(),
      `Saved permissions of this session (1/1)
› changing files (write)
Enter revoke · Esc close
========================================
Saved permissions of this session (1/1)
› changing files (write)
Enter revoke · Esc close
`,
    );
    await stage.press(KEYS.enter);
    assert.match(await stage.screen(80), /\n {2}Nothing is allowed beyond the mode\n/);
    await stage.press(KEYS.escape);
    await run;
    assert.deepEqual(stage.application.gate.sessionGrants(stage.opened.id), []);
    assert.deepEqual(stage.log, [
      "info: Permission mode ask: write ask, process ask, external ask\n" +
      "Allowed for this session: changing files (write)",
      "success: Revoked: changing files (write)",
    ]);
  });
});

Deno.test("/tools shows each tool with what is done about it, and why", async () => {
  const names = ["read_file", "write_file", "shell"];
  const tools = (facts: ToolFacts) =>
    createStandardTools(facts).filter(({ name }) => names.includes(name));
  await withCommands({ allowWrite: true, tools }, async ({ stage, type, screens }) => {
    stage.rows = 50;
    const run = type("/tools");
    assert.equal(await screens(), TOOLS);
    await stage.press(KEYS.escape);
    await run;
  });
});

const TOOLS = `Tools
Enabled: runs without a question
  read_file   read (flags:read)
  write_file  write (flags:write)

Ask: asks before each call; /permission chooses what runs unasked
  shell       process (flags:process)
Esc close
========================================
Tools
Enabled: runs without a question
  read_file
    read (flags:read)
  write_file
    write (flags:write)

Ask: asks before each call; /permission
chooses what runs unasked
  shell
    process (flags:process)
Esc close
`;
