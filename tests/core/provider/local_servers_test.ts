import { deepEqual, equal, match, ok } from "node:assert/strict";
import { AlisioError } from "../../../core/errors.ts";
import { withLocalServers } from "../../../core/provider/missing_provider.ts";
import { findLocalServers } from "../../../core/provider/local_servers.ts";

Deno.test("findLocalServers() gives the command for each server that lists models", async () => {
  await serving(
    () => Response.json({ data: [{ id: "embed-large" }, { id: "qwen3:8b" }] }),
    async (port) => {
      deepEqual(await findLocalServers({ ports: [[port, "Ollama"]] }), [{
        name: "Ollama",
        baseURL: `http://127.0.0.1:${port}/v1`,
        models: ["qwen3:8b", "embed-large"],
        command: `alisio run --base-url http://127.0.0.1:${port}/v1 --model qwen3:8b "…"`,
      }]);
    },
  );
});

Deno.test("findLocalServers() asks only for the list of models", async () => {
  const seen: string[] = [];
  await serving((request) => {
    seen.push(`${request.method} ${new URL(request.url).pathname}`);
    equal(request.headers.get("authorization"), null);
    return Response.json({ data: [{ id: "m" }] });
  }, async (port) => {
    await findLocalServers({ ports: [[port, "x"]] });
  });
  deepEqual(seen, ["GET /v1/models"]);
});

const NO_SERVERS: readonly (readonly [string, () => Response])[] = [
  ["an error", () => Response.json({ data: [{ id: "m" }] }, { status: 500 })],
  ["HTML", () => new Response("<html></html>", { headers: { "content-type": "text/html" } })],
  ["no models", () => Response.json({ data: [] })],
  ["another shape", () => Response.json([{ id: "m" }])],
  ["a redirect", () => new Response(null, { status: 302, headers: { location: "/v1/other" } })],
  [
    "more than it should",
    () => new Response(`{"data": [{"id": "m"}], "x": "${"x".repeat(300_000)}"}`),
  ],
  [
    "ids that a shell would read",
    () => Response.json({ data: [{ id: "$(touch x)" }, { id: "a;b" }] }),
  ],
];

for (const [name, respond] of NO_SERVERS) {
  Deno.test(`findLocalServers() ignores a server that answers ${name}`, async () => {
    await serving(respond, async (port) => {
      deepEqual(await findLocalServers({ ports: [[port, "x"]] }), []);
    });
  });
}

Deno.test("findLocalServers() waits for all servers together, and no longer than its limit", async () => {
  const listeners = Array.from(
    { length: 3 },
    () => Deno.listen({ hostname: "127.0.0.1", port: 0 }),
  );
  try {
    const ports = listeners.map(({ addr }) => [(addr as Deno.NetAddr).port, "silent"] as const);
    const startedAt = performance.now();
    deepEqual(await findLocalServers({ ports, timeoutMs: 150 }), []);
    ok(performance.now() - startedAt < 1_000);
  } finally {
    for (const listener of listeners) listener.close();
  }
});

Deno.test("withLocalServers() adds the command to the error that says no provider is configured", async () => {
  const missing = new AlisioError("provider_not_configured", "Cannot choose a model");
  await serving(() => Response.json({ data: [{ id: "m" }] }), async (port) => {
    const options = { ports: [[port, "LM Studio"]] as const };
    const helped = await withLocalServers(missing, options);
    ok(helped instanceof AlisioError);
    match(helped.message, /^Cannot choose a model\nLM Studio answers at http:\/\/127\.0\.0\.1:/);
    match(helped.message, /\n {2}alisio run --base-url http:\S+ --model m "…"$/);
    const other = new AlisioError("config_invalid", "Cannot use configuration");
    equal(await withLocalServers(other, options), other);
  });
  equal(await withLocalServers(missing, { ports: [] }), missing);
});

async function serving(
  respond: (request: Request) => Response,
  use: (port: number) => Promise<void>,
): Promise<void> {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, respond);
  try {
    await use(server.addr.port);
  } finally {
    await server.shutdown();
  }
}
