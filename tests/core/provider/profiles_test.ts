import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { join } from "node:path";
import {
  type ProviderProfiles,
  readProfiles,
  writeProfiles,
} from "../../../core/provider/profiles.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

const PROFILES: ProviderProfiles = {
  active: { profile: "work", model: "org/model" },
  profiles: {
    work: {
      provider: "openai-compatible",
      values: { baseURL: "https://a.example/v1", apiKeyEnv: "WORK_KEY", contextWindow: 8000 },
    },
    home: { provider: "acme.cloud", values: {}, hosts: ["https://auth.acme.example"] },
  },
};

Deno.test("readProfiles() finds no profiles where there is no file", async () => {
  await withTempDir(async (dir) => deepEqual(await readProfiles(dir), { profiles: {} }));
});

Deno.test("writeProfiles() writes what readProfiles() reads, and nothing stays beside it", async () => {
  await withTempDir(async (dir) => {
    const home = join(dir, "config");
    await writeProfiles(home, PROFILES);
    deepEqual(await readProfiles(home), PROFILES);
    deepEqual((await Array.fromAsync(Deno.readDir(home))).map(({ name }) => name), [
      "providers.json",
    ]);
  });
});

Deno.test("writeProfiles() refuses what could not be read again, and keeps the old file", async () => {
  await withTempDir(async (dir) => {
    await writeProfiles(dir, PROFILES);
    const invalid = { active: { profile: "gone", model: "m" }, profiles: {} };
    await rejects(writeProfiles(dir, invalid), TypeError);
    deepEqual(await readProfiles(dir), PROFILES);
  });
});

const INVALID: readonly (readonly [string, string, RegExp])[] = [
  ["broken JSON", "{", /line 1, column 2: the text ends before a "}"/],
  ["an unknown key", '{"profils": {}}', /"profils" is not a known key; did you mean "profiles"\?/],
  [
    "an active profile that is none",
    '{"active": {"profile": "a", "model": "m"}, "profiles": {}}',
    /"active\.profile" names "a", which is no profile/,
  ],
  [
    "an id with a slash",
    '{"profiles": {"a/b": {"provider": "x", "values": {}}}}',
    /"profiles\.a\/b" must be a profile id/,
  ],
  [
    "the id of the built-in script provider",
    '{"profiles": {"scripted": {"provider": "x", "values": {}}}}',
    /"profiles\.scripted" must be a profile id/,
  ],
  [
    "a missing provider",
    '{"profiles": {"a": {"values": {}}}}',
    /"profiles\.a\.provider" is missing/,
  ],
  [
    "an address with credentials",
    '{"profiles": {"a": {"provider": "x", "values": {"baseURL": "https://sentinel@a.example"}}}}',
    /"profiles\.a\.values\.baseURL" must be an http/,
  ],
  [
    "a host with a path",
    '{"profiles": {"a": {"provider": "x", "values": {}, "hosts": ["https://a.example/b"]}}}',
    /"profiles\.a\.hosts/,
  ],
  ["a later schema", '{"schemaVersion": 2}', /"schemaVersion" must be an integer equal to 1/],
];

for (const [name, content, message] of INVALID) {
  Deno.test(`readProfiles() explains ${name} and names the file`, async () => {
    await withTempDir(async (dir) => {
      await writeTree(dir, { "providers.json": content });
      await rejects(readProfiles(dir), (error: Error) => {
        match(error.message, /providers\.json"/);
        match(error.message, message);
        equal(error.message.includes("sentinel"), false);
        return true;
      });
    });
  });
}
