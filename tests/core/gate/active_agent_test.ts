import { deepEqual, equal, match } from "node:assert/strict";
import type { Effect } from "@alisio/sdk";
import { checkConfig } from "../../../core/config/check_config.ts";
import { type ConfigLayerName, mergeConfig } from "../../../core/config/merge_config.ts";
import { activeAgent } from "../../../core/gate/active_agent.ts";
import { decide } from "../../../core/gate/decide.ts";
import { policiesFromFlags } from "../../../core/gate/policy.ts";

const ALL = {
  readOnly: false,
  allowWrite: true,
  allowProcess: true,
  allowExternal: true,
  interactive: true,
};

const TOOLS: readonly (readonly [string, Effect])[] = [
  ["read_file", "read"],
  ["ask_user_question", "internal"],
  ["write_file", "write"],
  ["shell", "process"],
  ["webfetch", "external"],
];

/** What is let through with every flag. */
function permitted(layers: Layers, discovered?: readonly []): readonly string[] {
  const policies = [...found(layers, discovered).policies, ...policiesFromFlags(ALL)];
  const grants = { effects: [], directories: [], protectedPaths: [] };
  return TOOLS.flatMap(([tool, effect]) =>
    decide({ tool, effect, paths: [], grants }, policies).decision === "allow" ? [tool] : []
  );
}

type Layers = Partial<Record<ConfigLayerName, Record<string, unknown>>>;

function found(layers: Layers, discovered?: readonly []): ReturnType<typeof activeAgent> {
  const all = (["global", "project", "explicit"] as const).flatMap((layer) => {
    const values = layers[layer];
    if (values === undefined) return [];
    deepEqual(checkConfig(values), []);
    return [{ source: { layer, file: `/${layer}.json` }, values }];
  });
  return activeAgent(
    { configuration: mergeConfig(all).configuration, layers: all },
    discovered === undefined ? {} : { discovered },
  );
}

function agent(active: string, definitions: Record<string, unknown> = {}): Record<string, unknown> {
  const agents = Object.fromEntries(
    Object.entries(definitions).map(([id, definition]) => [id, {
      description: "d",
      prompt: "p",
      ...definition as Record<string, unknown>,
    }]),
  );
  return { agents: { active }, builtinPlugins: { subagents: { agents } } };
}

const EVERYTHING = TOOLS.map(([tool]) => tool);
const LOOKING = ["read_file", "ask_user_question"];
const primary = { mode: "primary" };

Deno.test("activeAgent() narrows to what the active agent may use, and never widens", () => {
  const rows: readonly (readonly [string, Layers, readonly string[]])[] = [
    ["no file", {}, EVERYTHING],
    ["build", { global: agent("build") }, EVERYTHING],
    ["plan", { global: agent("plan") }, LOOKING],
    ["a plan that somebody defines", {
      global: agent("plan", { plan: { ...primary, tools: ["*"] } }),
    }, LOOKING],
    ["a plan with fewer tools", {
      global: agent("plan", { plan: { ...primary, tools: ["read_file", "shell"] } }),
    }, ["read_file"]],
    ["tools", { global: agent("a", { a: { ...primary, tools: ["read_file", "shell"] } }) }, [
      "read_file",
      "shell",
    ]],
    ["mode all", { global: agent("a", { a: { mode: "all", tools: ["shell"] } }) }, ["shell"]],
    ["tools by other names", {
      global: agent("a", { a: { ...primary, tools: ["file_write", "web_fetch"] } }),
    }, ["write_file", "webfetch"]],
    ["no tools", { global: agent("a", { a: { ...primary, tools: [] } }) }, []],
    ["every tool", { global: agent("a", { a: { ...primary, tools: ["*", "x"] } }) }, EVERYTHING],
    ["tools that are not named", { global: agent("a", { a: primary }) }, EVERYTHING],
    ["a definition for other work", { global: agent("a", { a: { tools: [] } }) }, []],
    [
      "one that files may define",
      { global: agent("b", { a: { ...primary, tools: [] } }) },
      EVERYTHING,
    ],
    ["a definition named build", {
      global: agent("build", { build: { ...primary, tools: ["shell"] } }),
    }, ["shell"]],
    ["a project's", { project: agent("plan") }, LOOKING],
    ["an explicit file's", { explicit: agent("plan") }, LOOKING],
    ["a project that would widen", { global: agent("plan"), project: agent("build") }, LOOKING],
    ["a project that redefines", {
      global: agent("a", { a: { ...primary, tools: ["read_file"] } }),
      project: agent("a", { a: { ...primary, tools: ["*"] } }),
    }, ["read_file"]],
    ["a project that narrows further", {
      global: agent("a", { a: { ...primary, tools: ["read_file", "shell"] } }),
      project: agent("b", { b: { ...primary, tools: ["shell", "write_file"] } }),
    }, ["shell"]],
    ["a project beside a file that names none", {
      global: { limits: { maxTurns: 3 } },
      project: agent("plan"),
    }, LOOKING],
  ];
  for (const [name, layers, expected] of rows) deepEqual(permitted(layers), expected, name);
});

Deno.test("activeAgent() says that an agent is not known", () => {
  const rows: readonly (readonly [Layers, RegExp | null])[] = [
    [{}, null],
    [{ global: agent("build") }, null],
    [{ global: agent("plan") }, null],
    [
      { global: agent("plna") },
      /^There is no agent "plna", so "build" runs.*; did you mean "plan"\?$/,
    ],
    [{ global: agent("zzzzzz") }, /no agent "zzzzzz".*see "agents\.active"/],
    [{ global: agent("a", { a: {} }) }, /no agent "a" that could run.*the "mode" "primary"$/],
    // A binding to a risk profile does not make it one.
    [
      {
        global: {
          ...agent("a", { a: { tools: [] } }),
          agents: { active: "a", a: { riskProfile: "p" } },
        },
      },
      /no agent "a" that could run/,
    ],
    [{ global: agent("a", { a: primary }) }, null],
    // Bound to a risk profile, it is known.
    [{ global: { agents: { active: "ops", ops: { riskProfile: "p" } } } }, null],
  ];
  for (const [layers, expected] of rows) {
    const [notice, ...more] = found(layers).notices;
    deepEqual(more, []);
    if (expected === null) equal(notice, undefined);
    else match(notice ?? "", expected);
  }
});

Deno.test("activeAgent() lets nothing but looking happen in place of an agent that is gone", () => {
  const project = { agents: { active: "build" } };
  const rows: readonly (readonly [string, Layers, boolean])[] = [
    ["nobody's", { global: agent("gone") }, true],
    ["the person's, which the project replaces", { global: agent("gone"), project }, true],
    ["the project's", { project: agent("gone") }, true],
    ["bound to a profile", {
      global: { agents: { active: "gone", gone: { riskProfile: "p" } } },
    }, false],
    ["another one", { global: agent("here", { here: primary }) }, false],
  ];
  for (const [name, layers, isNarrow] of rows) {
    deepEqual(permitted(layers, []), isNarrow ? LOOKING : EVERYTHING, name);
    const { onlyReads, agent: shown, notices } = found(layers, []);
    equal(onlyReads, isNarrow, name);
    equal(notices.length, isNarrow ? 1 : 0, name);
    if (isNarrow && shown.id !== "build") throw new Error(shown.id);
    // Where files were not looked for, nobody can say that it is gone.
    deepEqual(permitted(layers), EVERYTHING, name);
  }
});

Deno.test("activeAgent() keeps what a definition narrows that is for other work", () => {
  const rows: readonly (readonly [Record<string, unknown>, readonly string[]])[] = [
    [{}, EVERYTHING],
    [{ tools: [] }, []],
    [{ tools: ["read_file", "write_file"] }, ["read_file", "write_file"]],
  ];
  for (const [fields, expected] of rows) {
    deepEqual(permitted({ global: agent("helper", { helper: fields }) }), expected);
  }
});

Deno.test("decide() tells the model of no setting when the active agent is what refuses", () => {
  const { policies } = found({ global: agent("plan", { plan: { ...primary, tools: [] } }) });
  for (const [tool, effect] of TOOLS) {
    const grants = {
      effects: [effect],
      directories: [],
      protectedPaths: [],
      tools: [tool],
      call: true,
    };
    const decision = decide({ tool, effect, paths: [], grants }, [
      ...policies,
      ...policiesFromFlags(ALL),
    ]);
    equal(decision.decision, "deny", tool);
    match(decision.matched, /^agent:(read-only|tools)$/);
    equal(/agents|plan|active|config/.test(decision.reason), false, decision.reason);
    equal(decision.remedy, 'let another agent than "plan" run, with "agents.active"');
  }
});
