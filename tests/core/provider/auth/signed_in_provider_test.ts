import { deepEqual, equal, rejects } from "node:assert/strict";
import { type ModelEvent, type ModelProvider, type ModelRequest, ProviderError } from "@alisio/sdk";
import type { ProfileSession } from "../../../../core/provider/auth/profile_session.ts";
import { signedInProvider } from "../../../../core/provider/auth/signed_in_provider.ts";

const DONE: ModelEvent = {
  type: "completed",
  message: { role: "assistant", text: "Hi", calls: [] },
};

function request(signal: AbortSignal = new AbortController().signal): ModelRequest {
  return { model: "m", system: "", messages: [], tools: [], maxOutputTokens: 1, signal };
}

function wrapped(stream: ModelProvider["stream"], ended?: ProviderError): ModelProvider {
  // Nothing else of a session is looked at.
  return signedInProvider({ id: "x", stream }, { ended } as ProfileSession);
}

Deno.test("signedInProvider() passes everything on, and releases what is not read to its end", async () => {
  let released = 0;
  const provider = wrapped(async function* () {
    try {
      yield { type: "text_delta", delta: "Hi" };
      yield await Promise.resolve(DONE);
    } finally {
      released++;
    }
  });
  deepEqual(await Array.fromAsync(provider.stream(request())), [
    { type: "text_delta", delta: "Hi" },
    DONE,
  ]);
  for await (const _ of provider.stream(request())) break;
  equal(released, 2);
});

Deno.test("signedInProvider() says how to sign in again once the session has ended", async () => {
  const failure = new ProviderError("Status 401", { code: "authentication" });
  const advice = new ProviderError("Run alisio connect", { code: "authentication" });
  // deno-lint-ignore require-yield -- it fails before the first event
  const stream: ModelProvider["stream"] = async function* () {
    throw await Promise.resolve(failure);
  };
  await rejects(Array.fromAsync(wrapped(stream).stream(request())), failure);
  await rejects(Array.fromAsync(wrapped(stream, advice).stream(request())), advice);
});

Deno.test("signedInProvider() does not wait for a renewal that nobody wants any more", async () => {
  const stop = new AbortController();
  const began = Promise.withResolvers<void>();
  // deno-lint-ignore require-yield -- it never comes to its first event
  const provider = wrapped(async function* () {
    began.resolve();
    await new Promise(() => {});
  });
  const reading = Array.fromAsync(provider.stream(request(stop.signal)));
  await began.promise;
  stop.abort(new Error("Stopped by the person"));
  await rejects(reading, /Stopped by the person/);
});
