import assert from "node:assert/strict";
import type { ModelInfo, ModelProvider } from "@alisio/sdk";
import {
  CATALOG_FRESH_MS,
  CATALOG_WAIT_MS,
  lookUpModel,
} from "../../../core/provider/model_catalog.ts";
import { openSessionStore, type SessionStore } from "../../../core/session/session_store.ts";
import { countListeners } from "../../support/run_harness.ts";
import { withTempDir } from "../../support/temp.ts";

const OWNER = "core:catalog";
const KEY = "p\0m";
const FACTS: ModelInfo = { id: "m", contextWindow: 1_000, maxOutputTokens: 100 };
const NEWER: ModelInfo = { id: "m", contextWindow: 2_000, maxOutputTokens: 200 };

async function withStore(fn: (store: SessionStore) => Promise<void>): Promise<void> {
  await withTempDir(async (folder) => {
    const store = openSessionStore(`${folder}/sessions.sqlite`);
    try {
      await fn(store);
    } finally {
      store.close();
    }
  });
}

/** A provider whose catalog answers so, and how often it was asked. */
function catalog(
  listModels: (signal: AbortSignal) => Promise<readonly ModelInfo[]>,
): { readonly provider: ModelProvider; readonly asked: () => number } {
  let asked = 0;
  const provider: ModelProvider = {
    id: "p",
    stream: () => assert.fail("Nothing is asked of the model"),
    listModels({ signal }) {
      asked += 1;
      return listModels(signal);
    },
  };
  return { provider, asked: () => asked };
}

function remember(store: SessionStore, ageMs: number): void {
  const info = { id: "m", contextWindow: 1_000, maxOutputTokens: 100 };
  store.setPluginState(OWNER, KEY, { at: Date.now() - ageMs, info });
}

Deno.test("lookUpModel() asks once and remembers", async () => {
  await withStore(async (store) => {
    const { provider, asked } = catalog(() => Promise.resolve([{ id: "other" }, FACTS]));
    assert.deepEqual(await lookUpModel(provider, "m", store), FACTS);
    assert.deepEqual(await lookUpModel(provider, "m", store), FACTS);
    assert.equal(asked(), 1);
    assert.deepEqual(await lookUpModel(provider, "unknown", store), { id: "unknown" });
  });
});

Deno.test("lookUpModel() asks again for what is old or of the future, and for nothing else", async () => {
  const rows: readonly (readonly [string, number, number])[] = [
    ["fresh", 1_000, 0],
    ["almost old", CATALOG_FRESH_MS - 60_000, 0],
    ["old", CATALOG_FRESH_MS + 1, 1],
    ["of the future", -60_000, 1],
  ];
  for (const [name, ageMs, times] of rows) {
    await withStore(async (store) => {
      const { provider, asked } = catalog(() => Promise.resolve([NEWER]));
      remember(store, ageMs);
      assert.deepEqual(await lookUpModel(provider, "m", store), times === 0 ? FACTS : NEWER, name);
      assert.equal(asked(), times, name);
    });
  }
});

Deno.test("lookUpModel() keeps what a catalog said when it cannot be read again", async () => {
  const failures: readonly (readonly [string, () => Promise<readonly ModelInfo[]>])[] = [
    ["a refusal", () => Promise.reject(new Error("404"))],
    ["an exception", () => {
      throw new Error("a bug");
    }],
    ["no list", () => Promise.resolve(null as unknown as readonly ModelInfo[])],
  ];
  for (const [name, listModels] of failures) {
    await withStore(async (store) => {
      remember(store, CATALOG_FRESH_MS + 1);
      const { provider, asked } = catalog(listModels);
      for (let count = 0; count < 2; count++) {
        assert.deepEqual(await lookUpModel(provider, "m", store), FACTS, name);
      }
      assert.equal(asked(), 1, `${name}: it is not asked before every run`);
    });
  }
});

Deno.test("lookUpModel() asks a server whose catalog failed again before a day has passed", async () => {
  await withStore(async (store) => {
    const { provider } = catalog(() => Promise.reject(new Error("503")));
    assert.equal(await lookUpModel(provider, "m", store), undefined);
    const state = store.pluginState(OWNER, KEY);
    assert.ok(typeof state === "object" && state !== null && "at" in state);
    const freshForMs = Number(state.at) + CATALOG_FRESH_MS - Date.now();
    assert.ok(freshForMs > 0 && freshForMs <= 2 * 60 * 60 * 1_000, `${freshForMs}`);
  });
});

Deno.test("lookUpModel() does not wait for a catalog that ignores its signal", async () => {
  await withStore(async (store) => {
    const { provider } = catalog(() => new Promise(() => {}));
    const startedAt = performance.now();
    assert.equal(await lookUpModel(provider, "m", store), undefined);
    assert.ok(performance.now() - startedAt < CATALOG_WAIT_MS + 5_000);
  });
});

Deno.test("lookUpModel() gives up with its signal and remembers nothing of it", async () => {
  const rows: readonly (readonly [string, (signal: AbortSignal) => Promise<never>])[] = [
    ["a catalog that listens", (signal) => {
      const { promise, reject } = Promise.withResolvers<never>();
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      return promise;
    }],
    ["a catalog that does not", () => new Promise(() => {})],
    ["a catalog that fails later", async (signal) => {
      while (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, 1));
      throw new Error("late");
    }],
  ];
  for (const [name, listModels] of rows) {
    await withStore(async (store) => {
      const { provider } = catalog(listModels);
      const stop = new AbortController();
      const reason = new Error("stop");
      const looking = lookUpModel(provider, "m", store, stop.signal);
      stop.abort(reason);
      await assert.rejects(looking, (error) => error === reason, name);
      const late = lookUpModel(provider, "m", store, stop.signal);
      await assert.rejects(late, (error) => error === reason, `${name}, asked too late`);
      assert.equal(store.pluginState(OWNER, KEY), undefined, name);
      // A late failure that nobody handles would end the program by now.
      await new Promise((resolve) => setTimeout(resolve, 5));
    });
  }
});

Deno.test("lookUpModel() leaves no listener on its signal", async () => {
  await withStore(async (store) => {
    const { signal } = new AbortController();
    const listeners = countListeners(signal);
    const { provider } = catalog(() => Promise.resolve([FACTS]));
    for (const model of ["a", "b", "c"]) await lookUpModel(provider, model, store, signal);
    assert.equal(listeners(), 0);
  });
});

Deno.test("lookUpModel() asks nothing of a provider without a catalog", async () => {
  await withStore(async (store) => {
    const provider: ModelProvider = { id: "p", stream: () => assert.fail("It was asked") };
    assert.equal(await lookUpModel(provider, "m", store), undefined);
    remember(store, CATALOG_FRESH_MS + 1);
    assert.deepEqual(await lookUpModel(provider, "m", store), FACTS);
  });
});
