import type { ToolFacts } from "../core/application_options.ts";
import { childEnvironment } from "../core/process/child_environment.ts";
import { findExecutable } from "../core/process/find_executable.ts";
import type { YamlParser } from "../core/frontmatter/frontmatter.ts";
import type { YamlEditor } from "../core/frontmatter/yaml_editor.ts";
import type { HostTool } from "../core/tools/host_tool.ts";
import type { InputValidator } from "../core/tools/input_validator.ts";
import type { CommandPorts } from "./_command_ports.ts";
import {
  ASK_USER_QUESTION,
  BG_LIST,
  BG_OUTPUT,
  BG_RUN,
  BG_STOP,
  CONTEXT_EXPLAIN,
  EDIT_FILE,
  EXECUTE,
  EXIT_PLAN,
  exitPlanSchema,
  GET_GOAL,
  GIT_DIFF,
  GIT_STATUS,
  LIST_FILES,
  READ_FILE,
  RUN_PROCESS,
  SEARCH_TEXT,
  SHELL,
  SKILL_LOAD,
  SKILL_RESOURCE,
  SKILL_SEARCH,
  type ToolDefinitionFacts,
  UPDATE_GOAL,
  WEBFETCH,
  WEBSEARCH,
  WRITE_FILE,
} from "./tool_definitions.ts";

/**
 * Creates every tool that comes with Alisio, in the order in which a model is offered them.
 *
 * @param facts What the application knows of its workspace.
 */
export function createStandardTools(facts: ToolFacts): readonly HostTool[] {
  const ports = commandPorts(facts);
  const { profile } = facts;
  // Only what the model starts receives what a profile passes on.
  const ownCommands: CommandPorts = {
    ...ports,
    ...(profile === undefined ? {} : {
      environment: () => profile.environment,
      maxCommandMs: profile.maxCommandMs,
    }),
    ...(facts.sandbox === undefined ? {} : { sandbox: facts.sandbox }),
  };
  return [
    lazyTool(READ_FILE, async () => (await import("./read_file.ts")).createReadFileTool(ports)),
    lazyTool(LIST_FILES, async () => (await import("./list_files.ts")).createListFilesTool(ports)),
    lazyTool(
      SEARCH_TEXT,
      async () => (await import("./search_text.ts")).createSearchTextTool(ports),
    ),
    lazyTool(GIT_STATUS, async () => (await import("./git_status.ts")).createGitStatusTool(ports)),
    lazyTool(GIT_DIFF, async () => (await import("./git_diff.ts")).createGitDiffTool(ports)),
    lazyTool(
      CONTEXT_EXPLAIN,
      async () =>
        (await import("./context_explain.ts")).createContextExplainTool({
          explain: async (real, session) =>
            (await import("../core/context/explain_instructions.ts")).explainInstructions(
              real,
              facts.instructions,
              session === undefined ? undefined : facts.attachedInstructions(session),
            ),
        }),
    ),
    ...skillTools(facts),
    ...goalTools(facts),
    lazyTool(
      ASK_USER_QUESTION,
      async () =>
        (await import("./ask_user_question.ts")).createAskUserQuestionTool(
          facts.ask === undefined ? {} : { ask: facts.ask },
        ),
    ),
    ...planTools(facts),
    lazyTool(WRITE_FILE, async () => (await import("./write_file.ts")).createWriteFileTool()),
    lazyTool(EDIT_FILE, async () => (await import("./edit_file.ts")).createEditFileTool()),
    lazyTool(
      RUN_PROCESS,
      async () => (await import("./run_process.ts")).createRunProcessTool(ownCommands),
    ),
    lazyTool(SHELL, async () => (await import("./shell.ts")).createShellTool(ownCommands)),
    ...taskTools(facts, ownCommands),
    lazyTool(
      WEBFETCH,
      async () =>
        (await import("./web/webfetch.ts")).createWebfetchTool(
          facts.loaded.configuration.webfetch.allowedHosts,
        ),
    ),
    lazyTool(
      EXECUTE,
      async () =>
        (await import("./execute/execute.ts")).createExecuteTool({
          env: facts.env,
          limits: facts.loaded.configuration.execute,
          ...(facts.sandbox === undefined ? {} : { sandbox: facts.sandbox }),
        }),
    ),
    lazyTool(
      WEBSEARCH,
      async () =>
        (await import("./websearch/websearch.ts")).createWebsearchTool({
          settings: facts.loaded.configuration.websearch,
          env: facts.env,
          ...(facts.searchExtensions === undefined ? {} : { extensions: facts.searchExtensions }),
        }),
    ),
  ];
}

function taskTools(facts: ToolFacts, commands: CommandPorts): readonly HostTool[] {
  const { tasks, taskEnds: endNotice } = facts;
  if (!facts.loaded.configuration.tasks.enabled) return [];
  return [
    lazyTool(
      BG_RUN,
      async () => (await import("./bg_run.ts")).createBgRunTool({ ...commands, tasks, endNotice }),
    ),
    lazyTool(BG_LIST, async () => (await import("./bg_list.ts")).createBgListTool({ tasks })),
    lazyTool(BG_OUTPUT, async () => (await import("./bg_output.ts")).createBgOutputTool({ tasks })),
    lazyTool(BG_STOP, async () => (await import("./bg_stop.ts")).createBgStopTool({ tasks })),
  ];
}

/** Where there are no skills, a model hears nothing of them. */
function skillTools({ skills }: Pick<ToolFacts, "skills">): readonly HostTool[] {
  const isOffered = () => skills.usable().length > 0;
  const load = () => import("./skill_tools.ts");
  return [
    lazyTool(SKILL_LOAD, async () => (await load()).createSkillLoadTool(skills)),
    lazyTool(SKILL_SEARCH, async () => (await load()).createSkillSearchTool(skills)),
    lazyTool(SKILL_RESOURCE, async () => (await load()).createSkillResourceTool(skills)),
  ].map((tool) => ({ ...tool, isOffered }));
}

/** Only the agent that plans hears of it. */
function planTools({ plans }: Pick<ToolFacts, "plans">): readonly HostTool[] {
  if (plans === undefined) return [];
  const tool = lazyTool(
    EXIT_PLAN,
    async () => (await import("./exit_plan.ts")).createExitPlanTool(plans),
  );
  return [{
    ...tool,
    isOffered: () => plans.isOffered(),
    offeredSchema: () => exitPlanSchema(plans.maxDiagrams()),
  }];
}

function goalTools({ goals }: Pick<ToolFacts, "goals">): readonly HostTool[] {
  if (goals === undefined) return [];
  const load = () => import("./goal_tools.ts");
  return [
    lazyTool(GET_GOAL, async () => (await load()).createGetGoalTool(goals)),
    lazyTool(UPDATE_GOAL, async () => (await load()).createUpdateGoalTool(goals)),
  ].map((tool) => ({ ...tool, isOffered: (sessionId) => goals.isActive(sessionId) }));
}

/** A tool whose code is loaded by its first call. */
function lazyTool(facts: ToolDefinitionFacts, load: () => Promise<HostTool>): HostTool {
  const loaded: { tool?: Promise<HostTool> } = {};
  return {
    ...facts,
    async execute(input, context) {
      loaded.tool ??= load();
      return await (await loaded.tool).execute(input, context);
    },
  };
}

/** Loads the validator of tool inputs; its library is read when the first call needs it. */
export async function loadSchemaValidator(): Promise<InputValidator> {
  return (await import("./schema_validator.ts")).createSchemaValidator();
}

/** Loads what reads YAML, with its library. */
export async function loadYamlParser(): Promise<YamlParser> {
  return (await import("./yaml_parser.ts")).createYamlParser();
}

/** Loads what changes YAML, with its library. */
export async function loadYamlEditor(): Promise<YamlEditor> {
  return (await import("./yaml_editor.ts")).createYamlEditor();
}

function commandPorts(facts: ToolFacts): CommandPorts {
  const { workspace, env, secretFiles, isSecret, createRedactor } = facts;
  const found = new Map<string, Promise<string | null>>();
  return {
    findExecutable(name) {
      const known = found.get(name) ??
        findExecutable(name, { path: env.PATH, pathExt: env.PATHEXT, exclude: [workspace] });
      found.set(name, known);
      return known;
    },
    environment: () => childEnvironment(env),
    secretFiles,
    isSecret,
    createRedactor,
  };
}
