import assert from "node:assert/strict";
import type { Effect } from "@alisio/sdk";
import { type CallFacts, decide, type Grants, type PathFacts } from "../../../core/gate/decide.ts";
import { type PermissionFlags, policiesFromFlags } from "../../../core/gate/policy.ts";

const NO_FLAGS: PermissionFlags = {
  readOnly: false,
  allowWrite: false,
  allowProcess: false,
  allowExternal: false,
  interactive: false,
};
const NO_GRANTS = { effects: [], directories: [], protectedPaths: [] };

function facts(effect: Effect, rest: Partial<CallFacts> = {}): CallFacts {
  return { tool: "some_tool", effect, paths: [], grants: NO_GRANTS, ...rest };
}

function path(real: string, rest: Partial<PathFacts> = {}): PathFacts {
  return {
    requested: real,
    absolute: real,
    real,
    exists: true,
    root: "/ws",
    isProtected: false,
    isSecret: false,
    directory: real.slice(0, real.lastIndexOf("/")) || "/",
    ...rest,
  };
}

const INSIDE = path("/ws/a.ts");
const OUTSIDE = path("/etc/passwd", { root: null });
const PROTECTED = path("/ws/.alisio/config.json", { isProtected: true });
const SECRET = path("/ws/credentials.json", { isProtected: true, isSecret: true });

Deno.test("decide() follows the truth table of effects", () => {
  const rows: readonly (readonly [string, Partial<PermissionFlags>, Effect, string, string])[] = [
    ["headless read", {}, "read", "allow", "flags:read"],
    ["headless internal", {}, "internal", "allow", "flags:internal"],
    ["headless write", {}, "write", "deny", "flags:write"],
    ["headless process", {}, "process", "deny", "flags:process"],
    ["headless external", {}, "external", "deny", "flags:external"],
    ["headless write with flag", { allowWrite: true }, "write", "allow", "flags:write"],
    ["write flag is not process", { allowWrite: true }, "process", "deny", "flags:process"],
    ["headless process with flag", { allowProcess: true }, "process", "allow", "flags:process"],
    ["process flag is not write", { allowProcess: true }, "write", "deny", "flags:write"],
    ["headless external with flag", { allowExternal: true }, "external", "allow", "flags:external"],
    ["external flag is not process", { allowExternal: true }, "process", "deny", "flags:process"],
    ["interactive read", { interactive: true }, "read", "allow", "flags:read"],
    ["interactive write", { interactive: true }, "write", "ask", "flags:write"],
    ["interactive process", { interactive: true }, "process", "ask", "flags:process"],
    ["interactive external", { interactive: true }, "external", "ask", "flags:external"],
    [
      "interactive write with flag",
      { interactive: true, allowWrite: true },
      "write",
      "allow",
      "flags:write",
    ],
    ["read-only read", { readOnly: true }, "read", "allow", "read-only:read"],
    ["read-only internal", { readOnly: true }, "internal", "allow", "read-only:internal"],
    ["read-only without a flag", { readOnly: true }, "process", "deny", "read-only:process"],
    [
      "read-only beats --allow-write",
      { readOnly: true, allowWrite: true },
      "write",
      "deny",
      "read-only:write",
    ],
    [
      "read-only beats --allow-process",
      { readOnly: true, allowProcess: true },
      "process",
      "deny",
      "read-only:process",
    ],
    [
      "read-only beats --allow-external",
      { readOnly: true, allowExternal: true },
      "external",
      "deny",
      "read-only:external",
    ],
    [
      "read-only beats a person",
      { readOnly: true, interactive: true },
      "write",
      "deny",
      "read-only:write",
    ],
  ];
  for (const [name, flags, effect, decision, matched] of rows) {
    const decided = decide(facts(effect), policiesFromFlags({ ...NO_FLAGS, ...flags }));
    assert.deepEqual(
      { decision: decided.decision, matched: decided.matched },
      { decision, matched },
      name,
    );
  }
});

Deno.test("decide() judges paths before effects, and the strictest wins", () => {
  const rows: readonly (readonly [string, Partial<PermissionFlags>, CallFacts, string, string])[] =
    [
      ["read inside", {}, facts("read", { paths: [INSIDE] }), "allow", "flags:read"],
      ["read outside, headless", {}, facts("read", { paths: [OUTSIDE] }), "deny", "roots:outside"],
      [
        "one path outside is enough",
        {},
        facts("read", { paths: [INSIDE, OUTSIDE] }),
        "deny",
        "roots:outside",
      ],
      [
        "read outside, a person",
        { interactive: true },
        facts("read", { paths: [OUTSIDE] }),
        "ask",
        "roots:outside",
      ],
      [
        "read outside, read-only and a person",
        { interactive: true, readOnly: true },
        facts("read", { paths: [OUTSIDE] }),
        "deny",
        "roots:outside",
      ],
      [
        "write outside with the flag is still outside",
        { allowWrite: true },
        facts("write", { paths: [OUTSIDE] }),
        "deny",
        "roots:outside",
      ],
      [
        "a directory comes before an effect",
        { interactive: true },
        facts("write", { paths: [OUTSIDE] }),
        "ask",
        "roots:outside",
      ],
      [
        "a denied effect beats a directory that could be asked for",
        { interactive: true, readOnly: true },
        facts("write", { paths: [INSIDE] }),
        "deny",
        "read-only:write",
      ],
      [
        "own configuration is read",
        {},
        facts("read", { paths: [PROTECTED] }),
        "allow",
        "flags:read",
      ],
      [
        "stored keys are not even read",
        { interactive: true, allowWrite: true },
        facts("read", { paths: [SECRET] }),
        "deny",
        "protected-files:secret",
      ],
      [
        "own configuration is not written, flag or not",
        { allowWrite: true },
        facts("write", { paths: [PROTECTED] }),
        "deny",
        "protected-files:write",
      ],
      [
        "own configuration is asked about, flag or not",
        { allowWrite: true, interactive: true },
        facts("write", { paths: [PROTECTED] }),
        "ask",
        "protected-files:write",
      ],
    ];
  for (const [name, flags, call, decision, matched] of rows) {
    const decided = decide(call, policiesFromFlags({ ...NO_FLAGS, ...flags }));
    assert.deepEqual(
      { decision: decided.decision, matched: decided.matched },
      { decision, matched },
      name,
    );
  }
});

Deno.test("decide() honours grants for what they cover and nothing else", () => {
  const policies = policiesFromFlags({ ...NO_FLAGS, interactive: true });
  const etc = { ...NO_GRANTS, directories: ["/etc"] };
  const cases: readonly (readonly [string, CallFacts, string])[] = [
    [
      "granted effect",
      facts("write", { grants: { ...NO_GRANTS, effects: ["write"] } }),
      "allow",
    ],
    [
      "another effect",
      facts("process", { grants: { ...NO_GRANTS, effects: ["write"] } }),
      "ask",
    ],
    ["granted directory", facts("read", { paths: [OUTSIDE], grants: etc }), "allow"],
    [
      "its subtree",
      facts("read", { paths: [path("/etc/ssl/a", { root: null })], grants: etc }),
      "allow",
    ],
    [
      "a sibling with the same prefix",
      facts("read", { paths: [path("/etc-old/a", { root: null })], grants: etc }),
      "ask",
    ],
    ["a directory is no effect", facts("write", { paths: [OUTSIDE], grants: etc }), "ask"],
    [
      "the root folder covers everything",
      facts("read", { paths: [OUTSIDE], grants: { ...NO_GRANTS, directories: ["/"] } }),
      "allow",
    ],
  ];
  for (const [name, call, decision] of cases) {
    assert.equal(decide(call, policies).decision, decision, name);
  }
  const readOnly = policiesFromFlags({ ...NO_FLAGS, interactive: true, readOnly: true });
  const granted = facts("write", { grants: { ...NO_GRANTS, effects: ["write"] } });
  assert.equal(decide(granted, readOnly).decision, "deny", "no grant loosens a denial");
});

Deno.test("decide() tells the model no setting and the person the flag", () => {
  const decided = decide(facts("write"), policiesFromFlags(NO_FLAGS));
  assert.doesNotMatch(decided.reason, /--|additionalDirectories|config/);
  assert.match(decided.remedy ?? "", /--allow-write/);
});

Deno.test("decide() advises what would really permit the call", () => {
  const outside = facts("read", { paths: [OUTSIDE] });
  const advice = (call: CallFacts, flags: Partial<PermissionFlags>) =>
    decide(call, policiesFromFlags({ ...NO_FLAGS, ...flags })).remedy ?? "";
  assert.ok(advice(outside, {}).includes(`"${OUTSIDE.real}" with --add-dir`));
  assert.doesNotMatch(advice(outside, { readOnly: true }), /--add-dir/);
  assert.match(
    advice(facts("process"), { readOnly: true }),
    /without --read-only and with --allow-process/,
  );
});

Deno.test("decide() allows a tool that is named, and no other of its effect", () => {
  const named = { ...NO_FLAGS, allowedTools: ["send"] };
  const rows: readonly (readonly [PermissionFlags, string, string, string])[] = [
    [named, "send", "allow", "flags:send"],
    [named, "sender", "deny", "flags:external"],
    [{ ...named, interactive: true }, "send", "allow", "flags:send"],
    [{ ...named, interactive: true }, "sender", "ask", "flags:external"],
    [{ ...named, readOnly: true }, "send", "deny", "read-only:external"],
  ];
  for (const [flags, tool, decision, matched] of rows) {
    const decided = decide({ ...facts("external"), tool }, policiesFromFlags(flags));
    assert.deepEqual([decided.decision, decided.matched], [decision, matched], tool);
  }
});

Deno.test("decide() asks about a tool that is approved once, whatever was granted for the session", () => {
  const policies = policiesFromFlags({ ...NO_FLAGS, interactive: true });
  const rows: readonly (readonly [Partial<Grants>, string, string])[] = [
    [{}, "ask", "ask"],
    [{ effects: ["process"] }, "allow", "ask"],
    [{ tools: ["install"] }, "allow", "ask"],
    [{ call: true }, "allow", "allow"],
  ];
  for (const [granted, ordinary, once] of rows) {
    const call = facts("process", { tool: "install", grants: { ...NO_GRANTS, ...granted } });
    assert.equal(decide(call, policies).decision, ordinary, JSON.stringify(granted));
    const decision = decide({ ...call, approvedOnce: true }, policies);
    assert.equal(decision.decision, once, JSON.stringify(granted));
    if (once === "ask") assert.equal(decision.onceOnly, true);
  }
});
