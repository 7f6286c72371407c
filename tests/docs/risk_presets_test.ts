import assert from "node:assert/strict";
import {
  PRESET_NAMES,
  type ProfileBase,
  profileDefaults,
  type ProfilePreset,
} from "../../core/gate/profile/profile_defaults.ts";
import { sandboxBackend } from "../../core/gate/profile/risk_profile.ts";
import { decideCommand } from "../../core/gate/shell/decide_command.ts";
import { gradeCommand } from "../../core/gate/shell/grade_command.ts";
import { plain, tableUnder } from "../support/markdown.ts";
import { readPage } from "./_pages.ts";

const HEADING = "Presets and defaults";

/** What a row of the table shows. */
const SHOWN: Readonly<Record<string, (base: ProfileBase) => unknown>> = {
  "delegationPolicy.mode": ({ delegation }) => delegation,
  sandboxEnabled: ({ sandbox }) => sandbox.enabled ?? "not set",
  shellTimeoutSecs: ({ shellTimeoutMs }) => shellTimeoutMs / 1000,
};

/** Keys of {@linkcode ProfileBase} that have no row under the same name. */
const RENAMED: Readonly<Record<string, string>> = {
  delegation: "delegationPolicy.mode",
  sandbox: "sandboxEnabled",
  shellTimeoutMs: "shellTimeoutSecs",
};

Deno.test("docs/permissions.md shows what presets fill in", async () => {
  const { header, rows } = tableUnder(await readPage("docs/permissions.md"), HEADING);
  assert.deepEqual(header.map(plain), ["Key", "No preset", ...PRESET_NAMES]);
  const bases = [undefined, ...PRESET_NAMES as ProfilePreset[]].map((preset) =>
    profileDefaults(preset, "linux")
  );
  for (const [key = "", ...cells] of rows.map((row) => row.map(plain))) {
    assert.deepEqual(cells, bases.map((base) => shown(key, base)), key);
  }
  const named = new Set(rows.map(([key = ""]) => plain(key)));
  for (const base of bases) {
    for (const [key, value] of Object.entries(base)) {
      if (!named.has(RENAMED[key] ?? key)) assert.deepEqual(value, [], key);
    }
  }
});

Deno.test("docs/permissions.md lists the default commands and closed paths", async () => {
  const { allowedCommands, forbiddenPaths } = profileDefaults(undefined, "linux");
  assert.deepEqual(await listedAfter("Allowed commands:"), allowedCommands);
  assert.deepEqual(profileDefaults(undefined, "darwin").forbiddenPaths, forbiddenPaths);
  const windows = profileDefaults(undefined, "windows").forbiddenPaths;
  assert.deepEqual(await listedAfter("Forbidden paths:"), [...forbiddenPaths, ...windows]);
});

Deno.test("locked_down asks for a sandbox and changes nothing else, as docs/permissions.md says", () => {
  const { sandbox, ...base } = profileDefaults("locked_down");
  const { sandbox: usual, ...defaults } = profileDefaults(undefined);
  assert.deepEqual(base, defaults);
  assert.equal(sandboxBackend(sandbox), sandboxBackend(usual));
});

Deno.test("A listed git permits git push, as docs/permissions.md says", () => {
  const grade = gradeCommand("git push", { dialect: "bash" });
  for (const [level, unapproved] of [["supervised", "ask"], ["full", "run"]] as const) {
    const decided = decideCommand(grade, { ...profileDefaults(undefined, "linux"), level });
    assert.deepEqual([decided.unapproved, decided.approved], [unapproved, "run"]);
  }
  assert.equal(decideCommand(grade, profileDefaults("balanced", "linux")).unapproved, "run");
});

function shown(key: string, base: ProfileBase): string {
  const value = SHOWN[key]?.(base) ?? Reflect.get(base, key);
  if (!Array.isArray(value)) return String(value);
  if (value.length === 0) return "none";
  return value.length === 1 ? String(value[0]) : "a list, below";
}

/** What stands in code marks in an item of the list, up to its explanation. */
async function listedAfter(title: string): Promise<readonly string[]> {
  const page = await readPage("docs/permissions.md");
  const [, rest = ""] = page.split(`\n- ${title}`);
  const [item = ""] = rest.split(/\n(?:- |\n)|\. The workspace/);
  return [...item.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code.replace(/\s+/g, " "));
}
