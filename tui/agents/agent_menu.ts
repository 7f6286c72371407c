import type { MainAgent } from "../../core/agents/main_agents.ts";
import { changeSetting } from "../../core/config/change_settings.ts";
import { configHome } from "../../core/config/directories.ts";
import { errorMessage } from "../../core/errors.ts";
import { visibleName } from "../../core/process/visible_text.ts";
import { reopenKeepingChoices } from "../commands/reopen.ts";
import { pickFromList } from "../panels/show_panels.ts";
import type { Stage } from "../stage.ts";

const WRITE_LIMIT_MS = 5_000;

/** What a line of the menu means: an agent, or what is done with agents. */
type Line = { readonly agent: string } | { readonly action: "new" | "manage" };

/**
 * Lets the person choose the agent that holds the conversation.
 *
 * @param stage The conversation.
 */
export async function openAgentMenu(stage: Stage): Promise<void> {
  const { agents } = stage.application;
  const choices = await agents.list();
  const broken = choices.diagnostics.length;
  const [pen, dots] = stage.theme.look.unicode ? ["✎", "…"] : ["*", "..."];
  const line = await pickFromList<Line>(stage, {
    title: `Agent: ${visibleName(agents.active.name)}`,
    items: [
      ...choices.agents.map((agent) => ({
        value: { agent: agent.id },
        label: visibleName(agent.name),
        description: describe(agent),
        keywords: agent.id,
      })),
      { value: { action: "new" }, label: `+ Create agent${dots}` },
      { value: { action: "manage" }, label: `${pen} Manage saved agents${dots}` },
    ],
    selected: ({ value }) => "agent" in value && value.agent === agents.active.id,
  });
  if (broken > 0) {
    stage.say(
      `${broken === 1 ? "A definition has" : `${broken} definitions have`} something ` +
        "wrong: see /agents defs",
    );
  }
  if (line === undefined) return;
  if ("agent" in line) return await chooseAgent(stage, line.agent);
  await (await import("./agent_verbs.ts")).runVerb(stage, line.action);
}

/**
 * Lets an agent hold the conversation, and every later one. One that is defined with a model goes on
 * with that, in a new session.
 *
 * @param stage The conversation.
 * @param id The agent.
 * @throws {AlisioError} If there is no such agent, or it cannot take over now.
 */
export async function chooseAgent(stage: Stage, id: string): Promise<void> {
  const agent = await stage.application.agents.choose(id);
  stage.redraw();
  const note = await remember(stage, "agents.active", agent.id);
  const { model } = agent.definition ?? {};
  if (model === undefined) return stage.say(took(agent) + note, "success");
  await reopenKeepingChoices(stage, { model });
  stage.say(`${took(agent)}, with model ${visibleName(model)} in a new session${note}`, "success");
}

/**
 * Lets the next agent in the circle hold the conversation. The model and the session stay.
 *
 * @param stage The conversation.
 * @param hint Names the key, for the notice.
 */
export async function nextAgent(stage: Stage, hint: string): Promise<void> {
  if (stage.isRunning()) {
    return stage.say("The run at hand must end before another agent takes over");
  }
  const { agents } = stage.application;
  const { agentAfter } = await import("../../core/agents/main_agents.ts");
  const next = agentAfter((await agents.list()).agents, agents.active.id);
  if (next === undefined) return;
  const agent = await agents.choose(next.id);
  stage.redraw();
  const note = await remember(stage, "agents.active", agent.id);
  const { model } = agent.definition ?? {};
  stage.say(
    `${took(agent)} · ${hint} cycles agents${note}` +
      (model === undefined
        ? ""
        : `\nIt is defined with model ${visibleName(model)}, which /agents changes to`),
    "info",
    "agent",
  );
}

/**
 * Says which definitions there are, where they come from and what is wrong with any.
 *
 * @param stage The conversation.
 */
export async function sayDefinitions(stage: Stage): Promise<void> {
  const { definitions, diagnostics } = await stage.application.agents.list();
  const rows = definitions.map(({ id, mode, origin, path, description }) =>
    `${visibleName(id)} (${mode}, ${path === undefined ? origin : visibleName(path)}): ` +
    visibleName(description)
  );
  stage.say(rows.length === 0 ? "No agent is defined beside build and plan" : rows.join("\n"));
  if (diagnostics.length === 0) return;
  stage.say(
    diagnostics.map(({ source, message }) => `${visibleName(source)}: ${visibleName(message)}`)
      .join("\n"),
    "warning",
  );
}

/**
 * Remembers a choice for later conversations.
 *
 * @param stage The conversation.
 * @param key The key of the configuration.
 * @param value Its value; undefined takes it out.
 * @returns What to add to the notice: nothing, or why it counts for this conversation alone.
 */
export async function remember(
  stage: Stage,
  key: "agents.active" | "agents.effort",
  value: string | undefined,
): Promise<string> {
  if (stage.application.permissionMode() === "read-only") return " (for this conversation)";
  try {
    const signal = AbortSignal.timeout(WRITE_LIMIT_MS);
    await changeSetting(configHome(stage.env), { key, value }, signal);
    return "";
  } catch (error) {
    return ` (for this conversation: ${errorMessage(error)})`;
  }
}

function took({ name, onlyReads }: MainAgent): string {
  return `Agent: ${visibleName(name)}${onlyReads ? " (read-only)" : ""}`;
}

function describe({ description, onlyReads, definition }: MainAgent): string {
  const notes = [
    ...onlyReads ? ["read-only"] : [],
    ...definition?.model === undefined ? [] : [`with model ${definition.model}`],
  ];
  return visibleName(notes.length === 0 ? description : `${description} (${notes.join(", ")})`);
}
