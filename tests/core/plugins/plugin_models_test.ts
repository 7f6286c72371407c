import assert from "node:assert/strict";
import { createPluginModels } from "../../../core/plugins/plugin_models.ts";
import type { ProviderProfiles } from "../../../core/provider/profiles.ts";

const DEFAULT = { provider: "openai-compatible", model: "m", reference: "m" };
const PROFILES: ProviderProfiles = {
  active: { profile: "mine", model: "m" },
  profiles: { mine: { provider: "acme", values: {} }, other: { provider: "acme", values: {} } },
};

function models(chosen: typeof DEFAULT | null, profiles: ProviderProfiles = { profiles: {} }) {
  return createPluginModels({
    chosen: () => Promise.resolve(chosen),
    profiles: () => Promise.resolve(profiles),
  });
}

Deno.test("models.list() has the model of new sessions first, and each only once", async () => {
  const ofProfile = { provider: "mine", model: "m", reference: "mine/m" };
  assert.deepEqual(await models(null).list(), []);
  assert.deepEqual(await models(DEFAULT).list(), [{ ...DEFAULT, isDefault: true }]);
  assert.deepEqual(await models(ofProfile, PROFILES).list(), [{ ...ofProfile, isDefault: true }]);
  assert.deepEqual(await models(DEFAULT, PROFILES).list(), [
    { ...DEFAULT, isDefault: true },
    { ...ofProfile, isDefault: false },
  ]);
});

Deno.test("models.resolve() finds a model by profile and by an id that only one has", async () => {
  const { resolve } = models(DEFAULT, PROFILES);
  const referenceOf = async (name: string) => (await resolve(name))?.reference;
  assert.equal(await referenceOf("m"), "m");
  assert.equal(await referenceOf("mine/m"), "mine/m");
  assert.equal(await referenceOf("other/x/y"), "other/x/y");
  assert.equal(await referenceOf("none/x"), undefined);
  assert.equal(await referenceOf("n"), undefined);
  await assert.rejects(() => resolve(""), TypeError);
  const twice = models({ ...DEFAULT, reference: "first/m" }, PROFILES);
  await assert.rejects(
    () => twice.resolve("m"),
    /^Error: Several models are called "m": name one of "first\/m", "mine\/m"$/,
  );
});
