import type { AgentScope, SavedAgent } from "../../core/agents/agent_store.ts";
import { quoted } from "../../core/config/quoted.ts";
import { visibleName } from "../../core/process/visible_text.ts";
import type { ArgumentChoice } from "../commands/slash_command.ts";
import type { Stage } from "../stage.ts";

/** What may follow `/agents`, beside what the plugin of delegated tasks does. */
interface Verb {
  readonly name: string;
  readonly hint: string;
  readonly description: string;
  /** Whether it is about a saved agent. */
  readonly takesAgent: boolean;
  run(stage: Stage, argument: string): Promise<void>;
}

/** What is done with the tasks of agents, by the plugin that has them; also while a prompt runs. */
const TASK_VERBS: readonly (Pick<Verb, "name" | "hint" | "description"> & {
  /** Which tasks it is about; undefined where it is about none. */
  readonly tasks?: "any" | "live" | "ended";
})[] = [
  { name: "list", hint: "", description: "List the tasks of agents in this session" },
  { name: "open", hint: "<id>", description: "Look at the conversation of a task", tasks: "any" },
  { name: "cancel", hint: "<id>", description: "Cancel a task and all below it", tasks: "live" },
  { name: "kill", hint: "<id>", description: "The same as cancel", tasks: "live" },
  {
    name: "resume",
    hint: "<id> [message]",
    description: "Let a task that has ended go on in the background",
    tasks: "ended",
  },
  {
    name: "merge",
    hint: "<id>",
    description: "Merge the branch of a task and remove its worktree",
    tasks: "ended",
  },
  {
    name: "discard",
    hint: "<id>",
    description: "Remove the worktree and the branch of a task",
    tasks: "ended",
  },
];

const SCOPES: readonly AgentScope[] = ["project", "global"];

const VERBS: readonly Verb[] = [
  {
    name: "new",
    hint: "[description]",
    description: "Create an agent, written by the model where you describe it",
    takesAgent: false,
    run: async (stage, argument) =>
      await (await import("./create_agent.ts")).createAgent(stage, argument),
  },
  {
    name: "templates",
    hint: "",
    description: "Create an agent from one of the templates",
    takesAgent: false,
    run: async (stage) => await (await import("./create_agent.ts")).createFromTemplate(stage),
  },
  {
    name: "manage",
    hint: "",
    description: "Change, try and delete saved agents",
    takesAgent: false,
    run: async (stage) => await (await import("./manage_agents.ts")).openAgentManager(stage),
  },
  {
    name: "edit",
    hint: "<id> [project|global]",
    description: "Change a saved agent",
    takesAgent: true,
    run: async (stage, argument) => await withSaved(stage, "edit", argument, editSaved),
  },
  {
    name: "delete",
    hint: "<id> [project|global]",
    description: "Delete a saved agent",
    takesAgent: true,
    run: async (stage, argument) => await withSaved(stage, "delete", argument, deleteSaved),
  },
  {
    name: "reload",
    hint: "",
    description: "Look for definitions again, and go on with what they say now",
    takesAgent: false,
    run: async (stage) => await (await import("./manage_agents.ts")).reloadAgents(stage),
  },
  {
    name: "defs",
    hint: "",
    description: "Show definitions and what is wrong with any",
    takesAgent: false,
    run: async (stage) => {
      const { handsOut, runTaskVerb } = await import("./task_verbs.ts");
      // Whoever hands work out knows agents that no conversation is held with.
      if (handsOut(stage)) return await runTaskVerb(stage, "defs");
      await (await import("./agent_menu.ts")).sayDefinitions(stage);
    },
  },
];

/**
 * Does what follows `/agents`; nothing opens the menu.
 *
 * @param stage The conversation.
 * @param argument What follows it.
 * @throws {AlisioError} If it cannot be done.
 */
export async function runVerb(stage: Stage, argument: string): Promise<void> {
  const [name = "", rest = ""] = splitWord(argument);
  if (TASK_VERBS.some((each) => each.name === name)) {
    return await (await import("./task_verbs.ts")).runTaskVerb(stage, argument);
  }
  if (stage.isRunning()) {
    return stage.say(
      `/agents ${name}`.trimEnd() +
        " has to wait for the end of the run; press Esc to stop it first",
      "warning",
    );
  }
  if (name === "" || name === "help") {
    return await (await import("./agent_menu.ts")).openAgentMenu(stage);
  }
  const verb = VERBS.find((each) => each.name === name);
  if (verb !== undefined) return await verb.run(stage, rest);
  const forms = [...TASK_VERBS, ...VERBS].map(({ name, hint }) =>
    `/agents ${name} ${hint}`.trimEnd()
  );
  stage.say(`Unknown ${quoted(name, 40)}: write /agents, or ${forms.join(", ")}`, "warning");
}

/**
 * What may follow `/agents`: a word, then a saved agent where the word is about one.
 *
 * @param typed What was typed of it.
 * @param stage The conversation.
 */
export async function completeVerb(
  typed: string,
  stage: Stage,
): Promise<readonly ArgumentChoice[]> {
  const [name = "", rest = ""] = splitWord(typed);
  const task = TASK_VERBS.find((each) => each.name === name);
  if (task !== undefined && /\s/.test(typed)) {
    const { completeTask } = await import("./task_verbs.ts");
    return task.tasks === undefined ? [] : completeTask(stage, { verb: name, rest, ...task });
  }
  const verb = VERBS.find((each) => each.name === name);
  if (verb === undefined || !/\s/.test(typed)) {
    return [...TASK_VERBS, ...VERBS].filter((each) => each.name.startsWith(typed)).map((each) => ({
      value: each.name,
      label: `${each.name} ${each.hint}`.trimEnd(),
      description: each.description,
    }));
  }
  if (!verb.takesAgent) return [];
  const store = await stage.application.agentStore();
  return (await store.list()).filter(({ file }) => file.startsWith(rest)).map((
    { file, scope },
  ) => ({
    value: `${name} ${file} ${scope}`,
    label: visibleName(file),
    description: scope,
  }));
}

async function editSaved(stage: Stage, saved: SavedAgent): Promise<void> {
  await (await import("./manage_agents.ts")).editAgent(stage, saved);
}

async function deleteSaved(stage: Stage, saved: SavedAgent): Promise<void> {
  await (await import("./manage_agents.ts")).deleteAgent(stage, saved);
}

/** Finds the agent that an argument names; of two scopes, the project's. */
async function withSaved(
  stage: Stage,
  verb: string,
  argument: string,
  act: (stage: Stage, saved: SavedAgent) => Promise<void>,
): Promise<void> {
  const [id = "", given = ""] = splitWord(argument);
  const scope = SCOPES.find((each) => each === given);
  if (id === "" || given !== "" && scope === undefined) {
    return stage.say(`Usage: /agents ${verb} <id> [project|global]`);
  }
  const store = await stage.application.agentStore();
  const saved = (await store.list()).filter((each) => scope === undefined || each.scope === scope);
  const exact = saved.find((each) => each.file === id || each.definition?.id === id);
  const begun = saved.filter(({ file }) => file.startsWith(id));
  const isClear = new Set(begun.map(({ file }) => file)).size === 1;
  const found = exact ?? (isClear ? begun[0] : undefined);
  if (found !== undefined) return await act(stage, found);
  stage.say(`Cannot ${verb} agent ${quoted(id, 80)}: ${await whyNot(stage, id, begun)}`, "warning");
}

async function whyNot(
  stage: Stage,
  id: string,
  begun: readonly SavedAgent[],
): Promise<string> {
  if (begun.length > 1) {
    return `several begin with that: ${begun.map(({ file }) => visibleName(file)).join(", ")}`;
  }
  const { definitions } = await stage.application.agents.list();
  const path = definitions.find((each) => each.id === id)?.path;
  return path === undefined
    ? "there is no saved agent of that id; see /agents manage"
    : `it is defined in ${visibleName(path)}, which is not written from here; edit that file`;
}

function splitWord(text: string): readonly string[] {
  const [, word = "", rest = ""] = /^\s*(\S*)\s*([^]*)$/.exec(text) ?? [];
  return [word, rest.trim()];
}
