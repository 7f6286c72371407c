import { deepEqual, equal, throws } from "node:assert/strict";
import type { ProviderRegistration } from "@alisio/sdk";
import { ProviderRegistry } from "../../../core/provider/provider_registry.ts";

Deno.test("ProviderRegistry keeps registrations in order until they are removed", () => {
  const registry = new ProviderRegistry();
  const removeA = registry.register(registration("a"));
  registry.register(registration("b"));
  deepEqual(registry.list().map(({ id }) => id), ["a", "b"]);
  removeA();
  removeA();
  equal(registry.get("a"), undefined);
  equal(registry.get("b")?.id, "b");
});

Deno.test("ProviderRegistry refuses a taken id, and a stale removal leaves the new owner alone", () => {
  const registry = new ProviderRegistry();
  const remove = registry.register(registration("a"));
  throws(() => registry.register(registration("a")), TypeError);
  remove();
  const second = registration("a");
  registry.register(second);
  remove();
  equal(registry.get("a"), second);
});

Deno.test("ProviderRegistry refuses a malformed id", () => {
  const registry = new ProviderRegistry();
  for (const id of ["", "A", "a/b", "-a", "a\x1b[2J", "a".repeat(65)]) {
    throws(() => registry.register(registration(id)), TypeError, id);
  }
  registry.register(registration("a".repeat(64)));
});

function registration(id: string): ProviderRegistration {
  return { id, name: id, fields: [], create: () => Promise.reject(new Error("not created here")) };
}
