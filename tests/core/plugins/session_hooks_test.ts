import assert from "node:assert/strict";
import type { SessionInfo } from "@alisio/sdk";
import {
  type SessionHook,
  sessionStartTexts,
  tellSessionEnd,
} from "../../../core/plugins/session_hooks.ts";

const INFO = {
  sessionId: "s",
  model: "m",
  workspace: "/w",
  reason: "start",
  messages: [],
} as const;

function scene(signal: AbortSignal = new AbortController().signal, timeoutMs = 60_000) {
  const failures: string[] = [];
  return {
    failures,
    options: {
      info: INFO,
      timeoutMs,
      signal,
      failed: (plugin: string, error: unknown) => void failures.push(`${plugin}: ${error}`),
    },
  };
}

const hook = (plugin: string, handle: SessionHook["handle"]): SessionHook => ({ plugin, handle });

Deno.test("sessionStartTexts() keeps the order of the hooks, and adds nothing for nothing", async () => {
  const { failures, options } = scene();
  const first = Promise.withResolvers<string>();
  const texts = sessionStartTexts([
    hook("acme.slow", () => first.promise),
    hook("acme.none", () => {}),
    hook("acme.empty", () => " \n"),
    hook("acme.fast", ({ workspace, reason }) => {
      first.resolve("  one  ");
      return `${reason} in ${workspace}`;
    }),
    hook("acme.long", () => "x".repeat(50_000)),
  ], options);
  const [one, two, long, ...others] = await texts;
  assert.deepEqual([one, two, others], [
    "# From plugin acme.slow\n\none",
    "# From plugin acme.fast\n\nstart in /w",
    [],
  ]);
  assert.ok((long ?? "").length < 17_000 && (long ?? "").startsWith("# From plugin acme.long\n"));
  assert.deepEqual(failures, []);
});

Deno.test("A hook that throws, answers nonsense or hangs is named, and hurts nobody else", async () => {
  const { failures, options } = scene(undefined, 50);
  let seen: SessionInfo | undefined;
  const texts = await sessionStartTexts([
    hook("acme.throws", () => {
      throw new Error("no disk");
    }),
    hook("acme.rejects", () => Promise.reject(new Error("no net"))),
    hook("acme.nonsense", () => ({ text: "x" })),
    hook("acme.hangs", (info) => {
      seen = info;
      return new Promise(() => {});
    }),
    hook("acme.good", () => "good"),
  ], options);
  assert.deepEqual(texts, ["# From plugin acme.good\n\ngood"]);
  assert.deepEqual(failures.sort(), [
    "acme.hangs: Error: it did not end within 50 ms",
    "acme.nonsense: TypeError: it returned no text",
    "acme.rejects: Error: no net",
    "acme.throws: Error: no disk",
  ]);
  assert.equal(seen?.signal.aborted, true);
});

Deno.test("tellSessionEnd() waits for every hook, until nobody waits any more", async () => {
  const stop = new AbortController();
  const { failures, options } = scene(stop.signal);
  const done: string[] = [];
  const told = tellSessionEnd([
    hook("acme.quick", () => void done.push("quick")),
    hook("acme.hangs", async ({ signal }) => {
      const aborted = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => aborted.resolve());
      done.push("began");
      stop.abort(new Error("left"));
      await aborted.promise;
      throw signal.reason;
    }),
  ], options);
  await told;
  assert.deepEqual([done, failures], [["quick", "began"], []]);
});
