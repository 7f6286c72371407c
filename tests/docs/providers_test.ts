import assert from "node:assert/strict";
import type { ProviderRegistration } from "@alisio/sdk";
import { openAiCompatiblePlugin } from "../../plugins/openai_compatible/mod.ts";
import { plain, tableUnder } from "../support/markdown.ts";
import { registrationsOf } from "../support/registrations.ts";
import { readPage } from "./_pages.ts";

Deno.test("docs/providers.md lists every value of a profile", async () => {
  const { rows } = tableUnder(await readPage("docs/providers.md"), "Saved profiles");
  const listed = Object.fromEntries(rows.map(([name = "", text = ""]) => [plain(name), text]));
  const fields = (await registration()).fields.filter(({ secret }) => secret !== true);
  const names = [...fields.map(({ name }) => name), "apiKeyEnv"];
  assert.deepEqual(Object.keys(listed).toSorted(), names.toSorted());
  for (const { name, options = [] } of fields) {
    for (const option of options) {
      if (option !== "false") {
        assert.ok(listed[name]?.includes(`\`${option}\``), `${name} ${option}`);
      }
    }
  }
});

async function registration(): Promise<ProviderRegistration> {
  const [found] = await registrationsOf(openAiCompatiblePlugin);
  assert.ok(found);
  return found;
}
