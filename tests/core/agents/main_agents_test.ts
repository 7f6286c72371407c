import assert from "node:assert/strict";
import type { AgentDefinition } from "../../../core/agents/agent_definition.ts";
import { agentAfter, mainAgents } from "../../../core/agents/main_agents.ts";

function define(id: string, more: Partial<AgentDefinition> = {}): AgentDefinition {
  return {
    id,
    description: `About ${id}`,
    prompt: "",
    tools: null,
    disallowedTools: [],
    mode: "primary",
    permission: {},
    hidden: false,
    background: false,
    readOnly: false,
    skills: [],
    origin: "project",
    ...more,
  };
}

Deno.test("mainAgents() lists those of the program first, then those of others by name", () => {
  const agents = mainAgents([
    define("zebra", { displayName: "aardvark" }),
    define("Bee"),
    define("bee", { mode: "all", readOnly: true }),
    define("helper", { mode: "subagent" }),
    define("plan", { readOnly: false }),
    define("build"),
  ]);
  assert.deepEqual(agents.map(({ id, onlyReads }) => [id, onlyReads]), [
    ["build", false],
    ["plan", true],
    ["zebra", false],
    ["Bee", false],
    ["bee", true],
  ]);
});

Deno.test("agentAfter() goes in a circle, and begins anew after one that there is not", () => {
  const agents = mainAgents([define("reviewer")]);
  const after = (id: string) => agentAfter(agents, id)?.id;
  assert.deepEqual(["build", "plan", "reviewer", "gone"].map(after), [
    "plan",
    "reviewer",
    "build",
    "build",
  ]);
});
