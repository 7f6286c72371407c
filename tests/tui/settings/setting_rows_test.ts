import assert from "node:assert/strict";
import { isPlannedKey } from "../../../core/config/config_keys.ts";
import { SETTABLE_KEYS } from "../../../core/config/change_settings.ts";
import { checkConfig } from "../../../core/config/check_config.ts";
import { settingRows } from "../../../tui/settings/setting_rows.ts";
import {
  formatSetting,
  nextValue,
  type Setting,
  SETTINGS,
} from "../../../tui/settings/settings.ts";
import { withScene } from "../../support/application_scene.ts";

function find(key: string): Setting {
  const found = SETTINGS.find((setting) => setting.key === key);
  assert.ok(found !== undefined);
  return found;
}

Deno.test("SETTINGS offers every key that may be set, and values that the configuration takes", () => {
  // Agents and effort have menus of their own.
  const offered = SETTABLE_KEYS.filter((key) => !key.startsWith("agents."));
  assert.deepEqual(SETTINGS.map(({ key }) => key).toSorted(), offered.toSorted());
  for (const { key, values } of SETTINGS) {
    assert.ok(values.length > 1, key);
    for (const value of values) {
      if (value === null) continue;
      const [section = "", name = ""] = key.split(".");
      assert.deepEqual(checkConfig({ [section]: { [name]: value } }), [], `${key} ${value}`);
    }
  }
});

Deno.test("SETTINGS holds nothing that says what Alisio may do, loads, pays or sends where, but one", () => {
  const closed =
    /^(?:provider|plugins|pluginOverrides|builtinPlugins|skills|additionalDirectories|agent\.|sandbox|risk|mcp(?!\.allow$)|decisions|analysis\.(?:runtime|oci))/;
  for (const key of SETTABLE_KEYS) assert.doesNotMatch(key, closed);
});

for (
  const [key, value, expected] of [
    ["limits.maxTurns", 20, 30],
    ["limits.maxTurns", 100, 5],
    ["limits.maxTurns", 17, 20],
    ["limits.maxTurns", 1, 5],
    ["limits.maxOutputTokens", null, 1_000],
    ["limits.maxOutputTokens", 16_000, null],
    ["limits.maxOutputTokens", 99_999, null],
    ["compaction.auto", true, false],
    ["compaction.auto", false, true],
    ["tui.theme", "auto", "dark"],
    ["tui.theme", "mine", "auto"],
  ] as const
) {
  Deno.test(`nextValue() of ${key} ${value} is ${expected}`, () => {
    assert.equal(nextValue(value, find(key).values), expected);
  });
}

for (
  const [key, value, expected] of [
    ["limits.timeoutMs", 600_000, "600 s"],
    ["limits.maxOutputTokens", null, "as the model says"],
    ["limits.maxOutputTokens", 16_000, "16k"],
    ["compaction.threshold", 0.85, "85 %"],
    ["compaction.auto", true, "on"],
    ["context.maxBytes", 32_768, "32 KiB"],
    ["context.maxBytes", 1_048_576, "1 MiB"],
    ["tui.theme", "auto", "auto"],
    ["goal.maxMinutes", 120, "120 min"],
    ["tasks.maxRunMs", 3_600_000, "60 min"],
    ["tasks.maxRunMs", 90_000, "1.5 min"],
    ["tasks.maxOutputBytes", 2_097_152, "2 MiB"],
    ["tasks.maxOutputBytes", 65_536, "64 KiB"],
    ["tasks.retentionDays", 0, "for ever"],
    ["tasks.retentionDays", 1, "1 day"],
    ["tasks.retentionDays", 7, "7 days"],
  ] as const
) {
  Deno.test(`formatSetting() of ${key} ${value} is ${expected}`, () => {
    assert.equal(formatSetting(find(key), value), expected);
  });
}

Deno.test("settingRows() says where another file counts more", async () => {
  const files = {
    "config/config.json": JSON.stringify({
      limits: { maxTurns: 30, timeoutMs: 60_000 },
      context: { maxBytes: 8_192 },
    }),
    "ws/.alisio/config.json": JSON.stringify({ limits: { maxTurns: 5 } }),
  };
  await withScene(files, async ({ open }) => {
    const application = await open({ trustProject: true });
    const keys = ["limits.maxTurns", "limits.timeoutMs", "context.maxBytes"];
    const settings = SETTINGS.filter(({ key }) => keys.includes(key));
    const rows = settingRows(application.loaded, settings);
    assert.deepEqual(rows.map(({ setting: _, ...row }) => row), [
      {
        value: 30,
        shown: "30, here 5",
        shadow: "The project's configuration sets it; what is chosen here counts elsewhere",
      },
      {
        value: 60_000,
        shown: "60 s, here 600 s",
        shadow:
          'The project\'s configuration has "limits" of its own; what is chosen here counts elsewhere',
      },
      { value: 8_192, shown: "8 KiB" },
    ]);
  });
});

Deno.test("settingRows() leaves out what belongs to a later release", async () => {
  await withScene({}, async ({ open }) => {
    const rows = settingRows((await open()).loaded, SETTINGS);
    assert.deepEqual(
      rows.map(({ setting }) => setting.key),
      SETTINGS.map(({ key }) => key).filter((key) => !isPlannedKey(key)),
    );
  });
});
