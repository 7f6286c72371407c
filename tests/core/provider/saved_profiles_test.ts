import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { join } from "node:path";
import { readRenewed, writeRenewed } from "../../../core/provider/auth/renewed_sessions.ts";
import { secretsOfDraft } from "../../../core/provider/connect_draft.ts";
import { readCredentials } from "../../../core/provider/credentials.ts";
import { readProfiles } from "../../../core/provider/profiles.ts";
import {
  activateProfile,
  flawOfProfileId,
  removeProfile,
  saveProfile,
} from "../../../core/provider/saved_profiles.ts";
import { withTempDir } from "../../support/temp.ts";

const PROFILE = {
  provider: "acme",
  values: { baseURL: "https://a.example", contextWindow: 9_000 },
};

async function withHomes(
  fn: (homes: { readonly configHome: string; readonly stateHome: string }) => Promise<void>,
): Promise<void> {
  await withTempDir((dir) =>
    fn({ configHome: join(dir, "config"), stateHome: join(dir, "state") })
  );
}

Deno.test("saveProfile() stores everything, and a new sign-in forgets what was renewed before", async () => {
  await withHomes(async (homes) => {
    const session = { method: "device", credential: { type: "oauth", access: "a" } } as const;
    await saveProfile(homes, { id: "work", profile: PROFILE, model: "m", session });
    const first = (await readCredentials(homes.configHome)).sessions["work"];
    equal(first?.provider, "acme");
    await writeRenewed(homes.stateHome, "work", { id: first.id, endedAt: 1 });
    await saveProfile(homes, { id: "work", profile: PROFILE, model: "m", session });
    const second = (await readCredentials(homes.configHome)).sessions["work"];
    equal(second?.id === first.id, false);
    deepEqual(await readRenewed(homes.stateHome), {});
    deepEqual(await readProfiles(homes.configHome), {
      active: { profile: "work", model: "m" },
      profiles: { work: PROFILE },
    });
  });
});

Deno.test("activateProfile() forgets the window of another model, and keeps that of the same", async () => {
  await withHomes(async (homes) => {
    const { configHome } = homes;
    await saveProfile(homes, { id: "work", profile: PROFILE, model: "m" });
    await activateProfile(configHome, { profile: "work", model: "m" });
    deepEqual((await readProfiles(configHome)).profiles["work"], PROFILE);
    await activateProfile(configHome, { profile: "work", model: "n" });
    deepEqual((await readProfiles(configHome)).profiles["work"]?.values, {
      baseURL: "https://a.example",
    });
    await activateProfile(configHome, { profile: "work", model: "n" }, 5_000);
    equal((await readProfiles(configHome)).profiles["work"]?.values["contextWindow"], 5_000);
    await rejects(activateProfile(configHome, { profile: "gone", model: "n" }), {
      code: "usage",
      message: 'There is no profile "gone": there are "work"',
    });
  });
});

Deno.test("removeProfile() leaves nothing of a profile, and everything of others", async () => {
  await withHomes(async (homes) => {
    const credential = { apiKey: "k" };
    const session = { method: "device", credential: { type: "oauth", access: "a" } } as const;
    await saveProfile(homes, { id: "home", profile: PROFILE, model: "m", credential });
    await saveProfile(homes, { id: "work", profile: PROFILE, model: "m", credential, session });
    await writeRenewed(homes.stateHome, "work", { id: "1", endedAt: 1 });
    equal(await removeProfile(homes, "work"), true);
    const { credentials, sessions } = await readCredentials(homes.configHome);
    deepEqual([credentials, sessions], [{ home: credential }, {}]);
    deepEqual(await readRenewed(homes.stateHome), {});
    deepEqual(await readProfiles(homes.configHome), { profiles: { home: PROFILE } });
    await rejects(removeProfile(homes, "work"), { code: "usage" });
  });
});

Deno.test("saveProfile() loses nothing when several save at once", async () => {
  await withHomes(async (homes) => {
    const ids = Array.from({ length: 6 }, (_, index) => `p${index}`);
    await Promise.all(
      ids.map((id) =>
        saveProfile(homes, { id, profile: PROFILE, model: "m", credential: { apiKey: id } })
      ),
    );
    const { profiles } = await readProfiles(homes.configHome);
    deepEqual(Object.keys(profiles).toSorted(), ids);
    const { credentials } = await readCredentials(homes.configHome);
    deepEqual(Object.keys(credentials).toSorted(), ids);
  });
});

Deno.test("flawOfProfileId() refuses what could not be part of a model reference", () => {
  const rows = [["work", true], ["a.b_c-1", true], ["scripted", false], ["a/b", false], [
    "",
    false,
  ]];
  for (const [id, isRight] of rows) {
    equal(flawOfProfileId(String(id)) === null, isRight, String(id));
  }
  match(flawOfProfileId("a b") ?? "", /^must have/);
});

Deno.test("secretsOfDraft() sends a stored key to no other server than the one it was stored for", () => {
  const kind = {
    id: "acme",
    name: "Acme",
    fields: [{ name: "baseURL", label: "URL" }, { name: "apiKey", label: "Key", secret: true }],
    create: () => {
      throw new Error("It is not used");
    },
  };
  const profile = (baseURL: string, provider = "acme") => ({ provider, values: { baseURL } });
  const here = profile("https://a.example/v1");
  const rows:
    readonly (readonly [object, Parameters<typeof secretsOfDraft>[1]["before"], object])[] = [
      [{}, here, { apiKey: "old" }],
      [{ apiKey: "new" }, here, { apiKey: "new" }],
      [{ apiKeyEnv: "A_KEY" }, here, {}],
      [{}, profile("https://a.example/v2"), { apiKey: "old" }],
      [{}, profile("https://b.example/v1"), {}],
      [{}, profile("http://a.example/v1"), {}],
      [{}, profile("https://a.example/v1", "other"), {}],
      [{}, undefined, {}],
    ];
  for (const [values, before, secrets] of rows) {
    const draft = { kind, profile: "work", values: { ...values } };
    deepEqual(secretsOfDraft(draft, { stored: { apiKey: "old" }, before, profile: here }), secrets);
  }
});
