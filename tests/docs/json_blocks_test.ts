import assert from "node:assert/strict";
import { join } from "node:path";
import { checkConfig } from "../../core/config/check_config.ts";
import { resolvePathPolicy } from "../../core/gate/paths_policy/resolve_path_policy.ts";
import { compareProfiles } from "../../core/gate/profile/compare_profiles.ts";
import type { RiskProfile } from "../../core/gate/profile/risk_profile.ts";
import { parseRiskProfiles } from "../../core/gate/profile/parse_risk_profile.ts";
import { readCredentials } from "../../core/provider/credentials.ts";
import { readProfiles } from "../../core/provider/profiles.ts";
import { parseScript } from "../../plugins/scripted/script.ts";
import { parseTheme } from "../../tui/theme/theme_file.ts";
import { listPages } from "../support/generated_pages.ts";
import { findBlocks } from "../support/markdown.ts";
import { withTempDir } from "../support/temp.ts";
import { readPage } from "./_pages.ts";

Deno.test("Every JSON block of the pages is what the program accepts", async () => {
  const kinds = new Set<string>();
  for (const page of await listPages()) {
    for (const { language, comment, text, heading } of findBlocks(await readPage(page))) {
      if (language !== "json") continue;
      assert.doesNotThrow(() => JSON.parse(text), `${page}, ${heading}`);
      const kind = comment?.replace("checked as: ", "") ?? "json";
      kinds.add(kind);
      await check(kind, text);
    }
  }
  assert.deepEqual(
    [...kinds].toSorted(),
    ["configuration", "credentials", "json", "profiles", "risk profiles", "theme"],
  );
});

Deno.test("The script of docs/scripted-provider.md is one", async () => {
  const [block] = findBlocks(await readPage("docs/scripted-provider.md"))
    .filter(({ language }) => language === "json");
  assert.equal(parseScript(block?.text ?? "").turns.length, 3);
});

/** What keeps a project from selecting a profile. */
async function violations(bound: RiskProfile, selected: RiskProfile): Promise<readonly unknown[]> {
  const places = { workspace: "/srv/ws", home: "/home/me" };
  const [parent, child] = await Promise.all(
    [bound, selected].map(async (profile) => ({
      profile,
      paths: await resolvePathPolicy(profile, places),
    })),
  );
  assert.ok(parent !== undefined && child !== undefined);
  return compareProfiles(parent, child, { isHighRiskProgram: () => false });
}

async function check(kind: string, text: string): Promise<void> {
  switch (kind) {
    case "configuration":
      return assert.deepEqual(checkConfig(JSON.parse(text)), []);
    case "profiles":
      return await withTempDir(async (dir) => {
        await Deno.writeTextFile(join(dir, "providers.json"), text);
        assert.ok(Object.keys((await readProfiles(dir)).profiles).length > 0);
      });
    case "risk profiles": {
      const { riskProfiles, agents } = JSON.parse(text);
      const { profiles, problems, warnings } = parseRiskProfiles(riskProfiles);
      assert.deepEqual([checkConfig({ riskProfiles, agents }), problems, warnings], [[], [], []]);
      const bound = profiles.get(agents.build.riskProfile);
      const look = profiles.get("look");
      assert.ok(bound !== undefined && look !== undefined);
      return assert.deepEqual(await violations(bound, look), []);
    }
    case "credentials":
      return await withTempDir(async (dir) => {
        await Deno.writeTextFile(join(dir, "credentials.json"), text, { mode: 0o600 });
        assert.deepEqual((await readCredentials(dir)).credentials, JSON.parse(text).credentials);
      });
    case "theme":
      return void parseTheme(new TextEncoder().encode(text), "theme.json");
    case "json":
      return;
    default:
      assert.fail(`A JSON block cannot be checked as "${kind}"`);
  }
}
