import assert from "node:assert/strict";
import type { Effect } from "@alisio/sdk";
import { decide } from "../../../core/gate/decide.ts";
import {
  modeOfFlags,
  modePolicy,
  type PermissionMode,
} from "../../../core/gate/permission_mode.ts";
import { type PermissionFlags, policiesFromFlags } from "../../../core/gate/policy.ts";
import { profilePolicy } from "../../../core/gate/profile/profile_policy.ts";
import { placedFrom } from "./profile/_profiles.ts";

const FLAGS: PermissionFlags = {
  readOnly: false,
  allowWrite: false,
  allowProcess: false,
  allowExternal: false,
  interactive: true,
};

const NO_GRANTS = { effects: [], directories: [], protectedPaths: [] };

Deno.test("modePolicy() says of each mode what runs and what is asked about", () => {
  const table: Readonly<Record<PermissionMode, string>> = {
    ask: "read allow, internal allow, write ask, process ask, external ask",
    auto: "read allow, internal allow, write allow, process ask, external ask",
    full: "read allow, internal allow, write allow, process allow, external allow",
  };
  const effects: readonly Effect[] = ["read", "internal", "write", "process", "external"];
  for (const mode of ["ask", "auto", "full"] as const) {
    // Flags that say something else, which the mode takes the place of.
    const flags = { ...FLAGS, allowWrite: mode === "ask", allowProcess: mode !== "full" };
    const policies = policiesFromFlags(flags, modePolicy(mode));
    const said = effects.map((effect) => {
      const call = { tool: "t", effect, paths: [], grants: NO_GRANTS };
      return `${effect} ${decide(call, policies).decision}`;
    });
    assert.equal(said.join(", "), table[mode], mode);
  }
});

Deno.test("modePolicy() changes nothing about directories and protected files", () => {
  const path = {
    requested: "x",
    absolute: "/other/x",
    real: "/other/x",
    root: null,
    exists: true,
    isProtected: false,
    isSecret: false,
    directory: "/other",
  };
  const policies = policiesFromFlags(FLAGS, modePolicy("full"));
  const outside = { tool: "t", effect: "write", paths: [path], grants: NO_GRANTS } as const;
  assert.equal(decide(outside, policies).matched, "roots:outside");
  const own = { ...path, root: "/ws", isProtected: true };
  const decided = decide({ ...outside, paths: [own] }, policies);
  assert.deepEqual([decided.decision, decided.matched], ["ask", "protected-files:write"]);
  const secret = decide({ ...outside, paths: [{ ...own, isSecret: true }] }, policies);
  assert.equal(secret.decision, "deny");
});

Deno.test("modePolicy() leaves a risk profile its refusals and what it always asks about", async () => {
  const { profile, paths } = await placedFrom({
    alwaysAsk: ["edit_file"],
    excludedTools: ["send"],
  });
  const rows: readonly (readonly [PermissionMode, string, Effect, string])[] = [
    ["ask", "write_file", "write", "ask risk-profile:medium"],
    ["auto", "write_file", "write", "ask risk-profile:medium"],
    ["full", "write_file", "write", "allow"],
    ["full", "edit_file", "write", "ask risk-profile:alwaysAsk"],
    ["full", "send", "external", "deny risk-profile:excludedTools"],
  ];
  for (const [mode, tool, effect, expected] of rows) {
    const policies = [
      ...policiesFromFlags(FLAGS, modePolicy(mode)),
      profilePolicy(profile, { paths, canAsk: true }),
    ];
    const profileInput = { command: null, paths: [], actionsLeft: 1 };
    const call = { tool, effect, paths: [], grants: NO_GRANTS, profileInput };
    const { decision, matched } = decide(call, policies);
    const said = decision === "allow" ? decision : `${decision} ${matched}`;
    assert.equal(said, expected, tool);
  }
});

Deno.test("modeOfFlags() names the mode that flags stand for", () => {
  const rows: readonly (readonly [Partial<PermissionFlags>, string])[] = [
    [{}, "ask"],
    [{ allowWrite: true }, "auto"],
    [{ allowWrite: true, allowProcess: true, allowExternal: true }, "full"],
    [{ allowProcess: true }, "custom"],
    [{ allowWrite: true, allowProcess: true }, "custom"],
    [{ allowExternal: true }, "custom"],
    [{ allowedTools: ["t"] }, "custom"],
    [{ allowedTools: [] }, "ask"],
    [{ readOnly: true }, "read-only"],
    [{ readOnly: true, allowWrite: true }, "read-only"],
  ];
  for (const [flags, expected] of rows) {
    assert.equal(modeOfFlags({ ...FLAGS, ...flags }), expected, JSON.stringify(flags));
  }
});
