import assert from "node:assert/strict";
import type { PluginAPI, ProviderRegistration } from "@alisio/sdk";
import { openAiCompatiblePlugin } from "../../../plugins/openai_compatible/mod.ts";
import { parseProfile } from "../../../plugins/openai_compatible/profile.ts";
import { answer, withServer } from "./support.ts";
import { chatReply } from "../../support/stub_replies.ts";

async function register(): Promise<ProviderRegistration> {
  const found: ProviderRegistration[] = [];
  // It uses nothing else of what a plugin is given.
  const api: Partial<PluginAPI> = {
    tools: { register: () => () => {} },
    providers: {
      register(registration) {
        found.push(registration);
        return () => {};
      },
    },
  };
  await openAiCompatiblePlugin.setup(api as PluginAPI);
  const [only] = found;
  assert.ok(only !== undefined && found.length === 1);
  return only;
}

Deno.test("openAiCompatiblePlugin registers one provider whose form has working defaults", async () => {
  const registration = await register();
  assert.equal(registration.id, "openai-compatible");
  assert.equal(registration.defaultApiKeyEnv, "OPENAI_API_KEY");
  const secrets = registration.fields.filter((field) => field.secret).map((field) => field.name);
  assert.deepEqual(secrets, ["apiKey"]);
  const defaults = registration.fields.map((field) => [field.name, field.default] as const);
  assert.deepEqual(parseProfile(Object.fromEntries(defaults)), parseProfile({}));
  for (const field of registration.fields) {
    for (const option of field.options ?? []) {
      assert.doesNotThrow(() => parseProfile({ [field.name]: option }));
    }
  }
});

Deno.test("openAiCompatiblePlugin builds a provider that answers", async () => {
  await withServer([chatReply({ text: "Hi" })], {}, async (_provider, server) => {
    const { create } = await register();
    const provider = await create({
      profile: { baseURL: server.baseUrl },
      credentials: {},
      userAgent: "alisio/test",
    });
    assert.equal(provider.id, `openai-compatible:chat:${server.baseUrl}`);
    assert.equal((await answer(provider)).text, "Hi");
  });
});

Deno.test("openAiCompatiblePlugin refuses a profile or a key that it cannot use", async () => {
  const { create } = await register();
  const userAgent = "alisio/test";
  await assert.rejects(
    async () => await create({ profile: { apiMode: "x" }, credentials: {}, userAgent }),
    { name: "TypeError", message: /"apiMode"/ },
  );
  for (const apiKey of ["two words", "line\nbreak", "schlüssel-1"]) {
    await assert.rejects(
      async () => await create({ profile: {}, credentials: { apiKey }, userAgent }),
      (error) =>
        error instanceof TypeError && error.message.includes('"apiKey"') &&
        !error.message.includes(apiKey),
    );
  }
});
