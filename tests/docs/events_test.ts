import assert from "node:assert/strict";
import { RunEvents } from "../../core/run/run_events.ts";
import { openSessionStore } from "../../core/session/session_store.ts";
import { documentedProperties, documentedUnion } from "../support/documented_types.ts";
import { findTables, plain, tableUnder } from "../support/markdown.ts";
import { withTempDir } from "../support/temp.ts";
import { readPage } from "./_pages.ts";

const PAGE = "docs/events.md";

Deno.test("docs/events.md lists every event with its data", async () => {
  const rows = findTables(await readPage(PAGE))
    .filter(({ header }) => header[0] === "Type").flatMap((table) => table.rows);
  const wanted = await documentedProperties("sdk/events.ts", "RunEventData");
  assert.equal(rows.length, wanted.length);
  assert.deepEqual(
    Object.fromEntries(rows.map(([type = "", , data = ""]) => [plain(type), plain(data)])),
    Object.fromEntries(
      wanted.map((type) => [type.name, type.properties.map(({ name }) => name).join(", ")]),
    ),
  );
});

Deno.test("docs/events.md names the fields of data that is nested", async () => {
  const page = (await readPage(PAGE)).replaceAll("\n", " ");
  const types = await documentedProperties("sdk/events.ts", "RunEventData");
  const nested = types.flatMap((type) => type.properties).filter((it) => it.properties.length > 0);
  assert.equal(nested.length, 4);
  for (const { name, properties } of nested) {
    const [, sentence = ""] = page.split(`\`${name.replace("?", "")}\` has `);
    for (const field of properties) {
      assert.ok(sentence.split(/[.;] /)[0]?.includes(`\`${field.name}\``), field.name);
    }
  }
});

Deno.test("docs/events.md lists the envelope in the order of a line", async () => {
  const { rows } = tableUnder(await readPage(PAGE), "The envelope");
  const envelope = await documentedProperties("sdk/events.ts", "RunEventEnvelope");
  assert.deepEqual(
    rows.map(([field = ""]) => plain(field)).toSorted(),
    [...envelope.map(({ name }) => name), "type", "data"].toSorted(),
  );
});

Deno.test("docs/events.md says which events are never stored", async () => {
  const page = (await readPage(PAGE)).replaceAll("\n", " ");
  const types = await documentedProperties("sdk/events.ts", "RunEventData");
  const ephemeral = await findEphemeral(types.map(({ name }) => name));
  const [first, second, third, ...others] = ephemeral.map((type) => `\`${type}\``);
  assert.deepEqual(others, []);
  assert.ok(page.includes(`${first}, ${second} and ${third} are never stored`));
});

Deno.test("docs/events.md lists every code of a run that failed", async () => {
  const { rows } = tableUnder(await readPage(PAGE), "Why a run failed");
  const own = await documentedUnion("core/run/run_error.ts", "RunFailureCode");
  const provider = await documentedUnion("sdk/provider.ts", "ProviderErrorCode");
  assert.deepEqual(
    rows.map(([code = ""]) => plain(code)).toSorted(),
    [
      ...own,
      "provider_empty_response",
      // An answer that the provider reports as cut is asked for again like any other.
      ...provider.filter((code) => code !== "output_truncated").map((code) => `provider_${code}`),
    ].toSorted(),
  );
});

/** Emits every type, whatever its data, and keeps those that got no place in the database. */
async function findEphemeral(types: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  await withTempDir((dir) => {
    const store = openSessionStore(`${dir}/sessions.sqlite`);
    const createdAt = Date.now();
    store.createSession({ id: "s", workspace: dir, model: "m", provider: "p", createdAt });
    const events = new RunEvents({
      runId: "r",
      sessionId: "s",
      store,
      observers: [({ type, eventId }) => eventId === undefined && found.push(type)],
    });
    for (const type of types) events.emit(type as "text_delta", { delta: "" });
    store.close();
  });
  return found;
}
