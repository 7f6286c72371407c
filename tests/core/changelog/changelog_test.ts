import assert from "node:assert/strict";
import { CHANGELOG } from "../../../core/changelog/entries.ts";
import { compareVersions, findEntries } from "../../../core/changelog/find_entries.ts";
import { upgradeNotice } from "../../../core/changelog/upgrade_notice.ts";
import { VERSION } from "../../../core/version.ts";
import { withTempDir } from "../../support/temp.ts";

const VERSIONS = [
  "1.10.0",
  "1.9.1",
  "1.9.0",
  "1.9.0-beta.11",
  "1.9.0-beta.2",
  "1.9.0-alpha.26",
  "0.9.0",
];
const ENTRIES = VERSIONS.map((version) => ({ version, notes: "" }));

Deno.test("CHANGELOG begins with the version that this is, and goes back in time", () => {
  const versions = CHANGELOG.map(({ version }) => version);
  assert.equal(versions[0], VERSION);
  assert.deepEqual(versions, versions.toSorted((a, b) => compareVersions(b, a)));
  for (const { notes } of CHANGELOG) assert.ok(notes.trim() !== "");
});

Deno.test("compareVersions() follows SemVer", () => {
  assert.deepEqual(VERSIONS.toReversed().toSorted((a, b) => compareVersions(b, a)), VERSIONS);
  assert.equal(compareVersions("v1.0.0+build", "1.0.0"), 0);
});

for (
  const [wanted, found] of [
    ["", VERSIONS.slice(0, 5)],
    ["1.9.0", ["1.9.0"]],
    ["v1.9.0-alpha.26", ["1.9.0-alpha.26"]],
    ["alpha.26", ["1.9.0-alpha.26"]],
    ["beta", []],
    ["2.0.0", []],
  ] as const
) {
  Deno.test(`findEntries() finds ${JSON.stringify(wanted)}`, () => {
    assert.deepEqual(findEntries(ENTRIES, wanted).map(({ version }) => version), found);
  });
}

Deno.test("upgradeNotice() tells of an upgrade once, and of nothing else", async () => {
  await withTempDir(async (dir) => {
    const at = (version: string) => upgradeNotice(dir, version, ENTRIES);
    assert.equal(await at("1.9.0-alpha.26"), null, "the first run");
    assert.equal(await at("1.9.0-alpha.26"), null);
    assert.equal(await at("1.9.1"), "Alisio updated to 1.9.1 · 4 new entries · /changelog");
    assert.equal(await at("1.9.1"), null);
    assert.equal(await at("1.9.0"), null, "a downgrade");
    assert.equal(await at("1.9.1"), "Alisio updated to 1.9.1 · 1 new entry · /changelog");
    assert.deepEqual(JSON.parse(await Deno.readTextFile(`${dir}/tui-state.json`)), {
      lastSeenVersion: "1.9.1",
    });
  });
});

Deno.test("upgradeNotice() keeps what else is remembered, and fails for nothing", async () => {
  await withTempDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/tui-state.json`, '{"other":1,"lastSeenVersion":"0.9.0"}');
    assert.match(await upgradeNotice(dir, "1.9.0", ENTRIES) ?? "", /^Alisio updated/);
    assert.deepEqual(JSON.parse(await Deno.readTextFile(`${dir}/tui-state.json`)), {
      other: 1,
      lastSeenVersion: "1.9.0",
    });
    await Deno.writeTextFile(`${dir}/tui-state.json`, "{");
    assert.equal(await upgradeNotice(dir, "1.9.0", ENTRIES), null);
    assert.equal(await upgradeNotice(`${dir}/tui-state.json/no-folder`, "1.9.0", ENTRIES), null);
  });
});
