import { deepEqual, equal, match } from "node:assert/strict";
import {
  flawOfSession,
  mergeRenewal,
  secretsOfSession,
  storableSession,
} from "../../../../core/provider/auth/check_session.ts";

const circular: Record<string, unknown> = {};
circular["self"] = circular;

const FLAWS: readonly (readonly [name: string, value: unknown, flaw: RegExp])[] = [
  ["nothing", undefined, /no object/],
  ["a list", [], /no object/],
  ["another type", { type: "key", access: "a" }, /"type"/],
  ["no access", { type: "oauth" }, /"access"/],
  ["an empty access", { type: "oauth", access: "" }, /"access"/],
  ["a huge access", { type: "oauth", access: "a".repeat(70_000) }, /"access"/],
  ["a refresh that is no text", { type: "oauth", access: "a", refresh: 1 }, /"refresh"/],
  ["an end that is no number", { type: "oauth", access: "a", expires: NaN }, /"expires"/],
  ["an end in seconds", { type: "oauth", access: "a", expires: 1_800_000_000 }, /milliseconds/],
  ["metadata that is text", { type: "oauth", access: "a", metadata: "x" }, /"metadata"/],
  ["metadata in a circle", { type: "oauth", access: "a", metadata: circular }, /"metadata"/],
  [
    "huge metadata",
    { type: "oauth", access: "a", metadata: { a: "a".repeat(70_000) } },
    /"metadata"/,
  ],
];

for (const [name, value, flaw] of FLAWS) {
  Deno.test(`flawOfSession() names what is wrong with ${name}`, () => {
    match(flawOfSession(value) ?? "", flaw);
  });
}

Deno.test("storableSession() keeps what belongs to a session and nothing else", () => {
  const given = {
    type: "oauth",
    access: "a",
    refresh: "r",
    expires: 1_800_000_000_000.5,
    metadata: { account: "me", none: undefined },
    secret: "x",
  } as const;
  equal(flawOfSession(given), null);
  deepEqual(storableSession(JSON.parse(JSON.stringify(given))), {
    type: "oauth",
    access: "a",
    refresh: "r",
    expires: 1_800_000_000_000,
    metadata: { account: "me" },
  });
});

Deno.test("mergeRenewal() keeps what the renewal does not say, except the end", () => {
  const before = {
    type: "oauth",
    access: "a1",
    refresh: "r1",
    expires: 1_800_000_000_000,
    metadata: { account: "me", plan: "old" },
  } as const;
  deepEqual(mergeRenewal(before, { type: "oauth", access: "a2", metadata: { plan: "new" } }), {
    type: "oauth",
    access: "a2",
    refresh: "r1",
    metadata: { account: "me", plan: "new" },
  });
});

Deno.test("secretsOfSession() takes what looks like a secret in metadata for one", () => {
  deepEqual(
    secretsOfSession({
      type: "oauth",
      access: "access-token",
      refresh: "refresh-token",
      metadata: {
        account: "someone.with.a.long.name1@example.com",
        page: "https://example.com/accounts/1234567",
        plan: "professional",
        nested: { idToken: "0123456789abcdef0123456789" },
      },
    }),
    ["access-token", "refresh-token", "0123456789abcdef0123456789"],
  );
});
