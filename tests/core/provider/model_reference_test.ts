import { deepEqual, equal, match, rejects } from "node:assert/strict";
import {
  type ModelCatalog,
  resolveModelReference,
  splitModelReference,
} from "../../../core/provider/model_reference.ts";

const signal = new AbortController().signal;

const CATALOGS: readonly ModelCatalog[] = [
  catalog("work", ["gpt-5", "org/shared", "only-work"]),
  catalog("home", ["org/shared", "qwen3:8b"]),
];

const FOUND: readonly (readonly [string, string, string])[] = [
  ["work/gpt-5", "work", "gpt-5"],
  ["home/anything-at-all", "home", "anything-at-all"],
  ["home/org/shared", "home", "org/shared"],
  ["only-work", "work", "only-work"],
  ["qwen3:8b", "home", "qwen3:8b"],
];

for (const [reference, profile, model] of FOUND) {
  Deno.test(`resolveModelReference() finds ${reference}`, async () => {
    const found = await resolveModelReference(reference, CATALOGS, { signal });
    deepEqual([found.profile, found.model], [profile, model]);
  });
}

Deno.test("resolveModelReference() never chooses between profiles", async () => {
  await rejects(resolveModelReference("org/shared", CATALOGS, { signal }), {
    code: "model_ambiguous",
    message:
      'Cannot choose model "org/shared": several profiles offer it; name one of "work/org/shared", "home/org/shared"',
  });
});

Deno.test("resolveModelReference() names the nearest model and the choices", async () => {
  await rejects(resolveModelReference("gtp-5", CATALOGS, { signal }), {
    code: "model_not_found",
    message:
      /^Cannot find model "gtp-5": no profile offers it; did you mean "gpt-5"\?; the choices are "work\/gpt-5", /,
  });
});

Deno.test("resolveModelReference() asks no catalog for a canonical reference", async () => {
  const unasked: ModelCatalog = {
    profile: "work",
    load: () => Promise.reject(new Error("it was asked")),
  };
  deepEqual(await resolveModelReference("work/m", [unasked], { signal }), {
    profile: "work",
    model: "m",
  });
});

Deno.test("resolveModelReference() lets a failing or hanging catalog hide no other", async () => {
  const failing: ModelCatalog = {
    profile: "down",
    load: () => Promise.reject(new Error("connection refused")),
  };
  const hanging: ModelCatalog = { profile: "slow", load: () => new Promise(() => {}) };
  const catalogs = [failing, hanging, ...CATALOGS];
  const found = await resolveModelReference("qwen3:8b", catalogs, { signal, timeoutMs: 30 });
  equal(found.profile, "home");
  await rejects(
    resolveModelReference("zzz", catalogs, { signal, timeoutMs: 30 }),
    (error: Error) => {
      match(error.message, /the models of "down" are unknown: connection refused/);
      match(error.message, /the models of "slow" are unknown: it did not answer within 30 ms/);
      return true;
    },
  );
});

Deno.test("resolveModelReference() stops when nobody waits any more", async () => {
  const stop = new AbortController();
  const hanging: ModelCatalog = { profile: "slow", load: () => new Promise(() => {}) };
  const resolving = resolveModelReference("m", [hanging], { signal: stop.signal });
  stop.abort(new Error("stopped"));
  await rejects(resolving, { message: "stopped" });
});

Deno.test("splitModelReference() takes the first part for a profile only if it is one", () => {
  deepEqual(splitModelReference("a/b/c", ["a"]), { profile: "a", model: "b/c" });
  equal(splitModelReference("b/c", ["a"]), undefined);
  equal(splitModelReference("a/", ["a"]), undefined);
  equal(splitModelReference("/a", [""]), undefined);
  equal(splitModelReference("a", ["a"]), undefined);
});

function catalog(profile: string, models: readonly string[]): ModelCatalog {
  return { profile, load: () => Promise.resolve(models.map((id) => ({ id }))) };
}
