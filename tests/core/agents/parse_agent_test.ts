import assert from "node:assert/strict";
import type { AgentDefinition } from "../../../core/agents/agent_definition.ts";
import { parseAgent } from "../../../core/agents/parse_agent.ts";

type Fields = Readonly<Record<string, unknown>>;

function read(fields: Fields): {
  readonly definition: AgentDefinition;
  readonly warnings: readonly string[];
} {
  const parsed = parseAgent({ description: "Helps", ...fields }, {
    name: "helper",
    body: "\nYou help.\n",
    origin: "project",
    path: "/p/helper.md",
  });
  assert.ok(parsed.status === "read", JSON.stringify(parsed));
  return parsed;
}

const PLAIN: AgentDefinition = {
  id: "helper",
  description: "Helps",
  prompt: "You help.",
  tools: null,
  disallowedTools: [],
  mode: "subagent",
  permission: {},
  hidden: false,
  background: false,
  readOnly: false,
  skills: [],
  origin: "project",
  path: "/p/helper.md",
};

Deno.test("parseAgent() fills in what a definition leaves out", () => {
  assert.deepEqual(read({}), { status: "read", definition: PLAIN, warnings: [] });
});

Deno.test("parseAgent() reads every field of the example in the documents", () => {
  const { definition, warnings } = read({
    name: "test-writer",
    description: "Writes focused unit tests for a given module and runs them.",
    tools: ["read_file", "list_files", "search_text", "write_file", "edit_file", "run_process"],
    model: "inherit",
    maxTurns: 30,
    color: "green",
    permission: { edit: "allow", bash: "ask" },
    skills: ["testing-conventions"],
    mode: "all",
    hidden: true,
    background: true,
    alisio: { displayName: "Test Writer", reasoning: { effort: "high" } },
  });
  assert.deepEqual(warnings, []);
  assert.deepEqual(definition, {
    ...PLAIN,
    id: "test-writer",
    description: "Writes focused unit tests for a given module and runs them.",
    tools: ["read_file", "list_files", "search_text", "write_file", "edit_file", "run_process"],
    maxTurns: 30,
    color: "green",
    permission: { write: "allow", process: "ask" },
    skills: ["testing-conventions"],
    mode: "all",
    hidden: true,
    background: true,
    displayName: "Test Writer",
    effort: "high",
  });
});

const DIALECTS: readonly {
  readonly name: string;
  readonly fields: Fields;
  readonly differs: Partial<AgentDefinition>;
  readonly warnings?: readonly string[];
}[] = [
  {
    name: "tool names of Claude Code in one text",
    fields: { tools: "Read, Grep, Glob, git_diff" },
    differs: { tools: ["read_file", "search_text", "list_files", "git_diff"] },
  },
  {
    name: "what is asked of its answers",
    fields: {
      alisio: {
        reasoning: { summary: "auto" },
        text: { verbosity: "low", format: { type: "json_object" } },
      },
    },
    differs: {
      answer: { reasoningSummary: "auto", verbosity: "low", format: "json_object" },
    },
  },
  {
    name: "what no server takes of its answers",
    fields: {
      alisio: {
        reasoning: { summary: true },
        text: { verbosity: "LOW", format: { type: "json_schema" } },
      },
    },
    differs: {},
    warnings: [
      '"alisio.reasoning.summary" is none of "auto", "concise", "detailed", so it is ignored',
      '"alisio.text.verbosity" is none of "low", "medium", "high", so it is ignored',
      '"alisio.text.format.type" is none of "text", "json_object", so it is ignored',
    ],
  },
  {
    name: "every tool",
    fields: { tools: "*" },
    differs: { tools: null },
  },
  {
    name: "no tool",
    fields: { tools: [] },
    differs: { tools: [] },
  },
  {
    name: "a shell of some commands, which is asked about each time",
    fields: { tools: "Read, Bash(git diff:*, git log:*)" },
    differs: { tools: ["read_file", "shell", "run_process"], permission: { process: "ask" } },
    warnings: ['"tools": commands cannot be limited to a pattern, so each one is asked about'],
  },
  {
    name: "a tool that there is nothing like",
    fields: { tools: ["Read", "TodoWrite"] },
    differs: { tools: ["read_file"] },
    warnings: ['"tools": there is nothing like "TodoWrite" here'],
  },
  {
    name: "a tool of an MCP server",
    fields: { tools: ["mcp__github__search"] },
    differs: { tools: ["mcp_github_search"] },
  },
  {
    name: "tools that opencode switches off",
    fields: { tools: { bash: false, write: false, read: true } },
    differs: {
      disallowedTools: ["shell", "run_process", "write_file", "bg_run", "plugin_install"],
    },
  },
  {
    name: "tools that opencode switches on alone",
    fields: { tools: { "*": false, read: true, constructor: true } },
    differs: { tools: ["read_file", "constructor"] },
  },
  {
    name: "patterns of commands of opencode",
    fields: { permission: { bash: { "git *": "allow", "*": "deny" }, edit: "deny" } },
    differs: { permission: { process: "ask", write: "deny" } },
    warnings: ['"permission.bash" has patterns, which are asked about one by one'],
  },
  {
    name: "commands that are not allowed, whichever way they are started",
    fields: { disallowedTools: "Bash" },
    differs: { disallowedTools: ["shell", "run_process", "bg_run", "plugin_install"] },
  },
  {
    name: "no tool at all",
    fields: { tools: "Read", disallowedTools: "*" },
    differs: { tools: [] },
  },
  {
    name: "switches that are texts",
    fields: { tools: { write: "false", read: "true" } },
    differs: { disallowedTools: ["write_file"] },
  },
  {
    name: "one permission for everything",
    fields: { permission: { "*": "deny" } },
    differs: { permission: { write: "deny", process: "deny" } },
  },
  {
    name: "a permission that is named, before the one for everything",
    fields: { permission: { edit: "ask", "*": "deny" } },
    differs: { permission: { write: "ask", process: "deny" } },
  },
  {
    name: "a family of models",
    fields: { model: "sonnet" },
    differs: {},
    warnings: ['"model" names a family, "sonnet"; the model in use does the work'],
  },
  {
    name: "the mode of Claude Code that only plans",
    fields: { permissionMode: "plan" },
    differs: { readOnly: true },
  },
  { name: "another spelling of a field", fields: { read_only: true }, differs: { readOnly: true } },
  {
    name: "a mode of Claude Code that permits",
    fields: { permissionMode: "bypassPermissions" },
    differs: {},
    warnings: ['"permissionMode" is none that narrows, such as "plan", so it is ignored'],
  },
  { name: "steps of opencode", fields: { steps: 7 }, differs: { maxTurns: 7 } },
  { name: "steps under their other name", fields: { maxSteps: "8" }, differs: { maxTurns: 8 } },
  {
    name: "the strictest of two rules about one effect",
    fields: { permission: { edit: "deny", write: "allow" } },
    differs: { permission: { write: "deny" } },
  },
];

for (const { name, fields, differs, warnings = [] } of DIALECTS) {
  Deno.test(`parseAgent() understands ${name}`, () => {
    assert.deepEqual(read(fields), {
      status: "read",
      definition: { ...PLAIN, ...differs },
      warnings,
    });
  });
}

const ODD: readonly (readonly [Fields, Partial<AgentDefinition>, string])[] = [
  [{ tools: 5 }, { tools: [] }, '"tools" is no list of names, so it counts as an empty one'],
  [
    { readOnly: "yes" },
    { readOnly: true },
    '"readOnly" is neither true nor false, so it counts as true',
  ],
  [
    { tools: { write: "no", read: true } },
    { disallowedTools: ["write_file"] },
    '"tools.write" is neither true nor false, so it counts as false',
  ],
  [
    { permission: { "*": "none" } },
    { permission: { write: "ask", process: "ask" } },
    '"permission.*" is none of "allow", "ask" and "deny", so it counts as "ask"',
  ],
  [{ hidden: "yes" }, {}, '"hidden" is neither true nor false, so it counts as false'],
  [
    { mode: "chief" },
    {},
    '"mode" is none of "subagent", "primary" and "all", so it counts as "subagent"',
  ],
  [{ maxTurns: 0 }, {}, '"maxTurns" is no whole number from 1 to 500, so it is ignored'],
  [{ color: "\x1b[31m" }, {}, '"color" is no name of a colour and no #rrggbb, so it is ignored'],
  [
    { permission: "none" },
    { permission: { write: "ask", process: "ask" } },
    '"permission" is not written as "edit: ask", so everything is asked about',
  ],
  [
    { permission: { bash: "maybe" } },
    { permission: { process: "ask" } },
    '"permission.bash" is none of "allow", "ask" and "deny", so it counts as "ask"',
  ],
  [
    { permission: { constructor: "deny" } },
    {},
    '"permission.constructor" is not known, so it is ignored',
  ],
  [{ readonly: true }, {}, '"readonly" is not known, so it is ignored; did you mean "readOnly"?'],
];

for (const [fields, differs, warning] of ODD) {
  Deno.test(`parseAgent() says what is wrong with ${JSON.stringify(fields)}`, () => {
    assert.deepEqual(read(fields), {
      status: "read",
      definition: { ...PLAIN, ...differs },
      warnings: [warning],
    });
  });
}

const INVALID: readonly (readonly [Fields, string])[] = [
  [{ description: undefined }, 'it has no "description", which says when to use it'],
  [{ description: "  " }, 'it has no "description", which says when to use it'],
  [{ description: "x".repeat(4097) }, 'its "description" has 4097 characters, the limit is 4096'],
  [
    { name: "Code Reviewer" },
    'its name "Code Reviewer" is not made of lower-case letters, digits and single hyphens, 64 characters at most',
  ],
  [
    { name: "../x" },
    'its name "../x" is not made of lower-case letters, digits and single hyphens, 64 characters at most',
  ],
];

for (const [fields, flaw] of INVALID) {
  Deno.test(`parseAgent() takes no definition where ${flaw.slice(0, 60)}`, () => {
    const parsed = parseAgent({ description: "Helps", ...fields }, {
      name: "helper",
      body: "",
      origin: "user",
    });
    assert.deepEqual(parsed, { status: "invalid", flaws: [flaw] });
  });
}

Deno.test("parseAgent() puts the id of a plugin before the name", () => {
  const parsed = parseAgent({ description: "Helps" }, {
    name: "helper",
    body: "x",
    origin: "plugin",
    plugin: "acme.tools",
  });
  assert.equal(parsed.status === "read" && parsed.definition.id, "acme.tools:helper");
});
