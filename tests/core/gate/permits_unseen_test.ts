import assert from "node:assert/strict";
import { textResult } from "@alisio/sdk";
import { agentPolicies } from "../../../core/agents/agent_policies.ts";
import { modePolicy } from "../../../core/gate/permission_mode.ts";
import { type PermissionFlags, policiesFromFlags } from "../../../core/gate/policy.ts";
import { withGate } from "../../support/gate_scene.ts";

const SEARCH = { name: "websearch", effect: "external" } as const;

const FLAGS: PermissionFlags = {
  readOnly: false,
  allowWrite: false,
  allowProcess: false,
  allowExternal: false,
  interactive: true,
};

Deno.test("permitsUnseen() is true only where nobody is asked by flags, mode and agent", async () => {
  const planner = agentPolicies({ id: "plan", onlyReads: true }, { canAsk: true });
  const without = agentPolicies({
    id: "quiet",
    onlyReads: false,
    definition: { tools: null, disallowedTools: ["websearch"], permission: {} },
  }, { canAsk: true });
  const external = policiesFromFlags({ ...FLAGS, allowExternal: true });
  await withGate({}, (scene) => {
    for (
      const [policies, wanted] of [
        [policiesFromFlags(FLAGS), false],
        [policiesFromFlags({ ...FLAGS, interactive: false }), false],
        [policiesFromFlags({ ...FLAGS, allowWrite: true, allowProcess: true }), false],
        [external, true],
        [policiesFromFlags({ ...FLAGS, allowExternal: true, readOnly: true }), false],
        [policiesFromFlags(FLAGS, modePolicy("full")), true],
        [policiesFromFlags(FLAGS, modePolicy("auto")), false],
        [policiesFromFlags({ ...FLAGS, allowExternal: true }, modePolicy("ask")), false],
        [[...external, ...planner], false],
        [[...external, ...without], false],
        [[], false],
      ] as const
    ) {
      scene.gate.replacePolicies(policies);
      assert.equal(scene.gate.permitsUnseen(SEARCH), wanted, JSON.stringify(policies));
    }
    return Promise.resolve();
  });
});

Deno.test("permitsUnseen() does not count what was granted in a session", async () => {
  const reach = {
    name: "reach",
    description: "Reaches out",
    inputSchema: { type: "object" },
    effect: "external",
    execute: () => Promise.resolve(textResult("reached")),
  } as const;
  await withGate({ tools: [reach], approver: () => Promise.resolve("session") }, async (scene) => {
    await scene.call("reach", {}, { session: "s" });
    assert.deepEqual(scene.gate.sessionGrants("s").length, 1);
    assert.equal(scene.gate.status("s")[0]?.decision.decision, "allow");
    assert.equal(scene.gate.permitsUnseen({ name: "reach", effect: "external" }), false);
  });
});
