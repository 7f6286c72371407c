import assert from "node:assert/strict";
import { jsonReply, startStubServer, textReply } from "./stub_server.ts";

Deno.test("startStubServer() records requests and plays its script in order", async () => {
  await using server = await startStubServer([
    jsonReply({ first: true }),
    (request) => textReply(`${request.method} ${request.path} ${request.body}`, 201),
  ]);
  const first = await fetch(`${server.baseUrl}/models?a=1`, { headers: { "x-probe": "yes" } });
  assert.deepEqual(await first.json(), { first: true });
  const second = await fetch(server.origin, { method: "POST", body: '{"a":[1]}' });
  assert.equal(second.status, 201);
  assert.equal(await second.text(), 'POST / {"a":[1]}');
  const third = await fetch(server.origin);
  assert.equal(third.status, 500);
  await third.body?.cancel();
  assert.equal(server.requests.length, 3);
  const [recorded] = server.requests;
  assert.equal(recorded?.path, "/v1/models?a=1");
  assert.equal(recorded?.headers.get("x-probe"), "yes");
  assert.deepEqual((await server.request(1)).json, { a: [1] });
});

Deno.test("startStubServer() answers 400 to what its check finds", async () => {
  await using server = await startStubServer([jsonReply({})], {
    check: (json) => JSON.stringify(json) === "{}" ? undefined : "not empty",
  });
  const response = await fetch(server.origin, { method: "POST", body: '{"a":1}' });
  assert.equal(response.status, 400);
  assert.equal((await response.json()).error.message, "not empty");
  assert.deepEqual(server.violations, ["not empty"]);
});

Deno.test("startStubServer() cuts and resets a body where the script says", async () => {
  for (const action of ["cut", "reset"] as const) {
    const read = Promise.withResolvers<void>();
    await using server = await startStubServer([
      { steps: ["ab", { wait: read.promise }, { do: action }] },
    ]);
    const response = await fetch(server.origin);
    const reader = response.body?.getReader();
    assert.ok(reader);
    assert.equal(new TextDecoder().decode((await reader.read()).value), "ab");
    read.resolve();
    await assert.rejects(reader.read(), TypeError);
  }
});

Deno.test("startStubServer() notices that a client leaves", async () => {
  await using server = await startStubServer([{ steps: ["ab", { do: "hang" }] }]);
  const controller = new AbortController();
  const response = await fetch(server.origin, { signal: controller.signal });
  await response.body?.cancel();
  controller.abort();
  await server.requests[0]?.closed;
  assert.equal(server.requests.length, 1);
});
