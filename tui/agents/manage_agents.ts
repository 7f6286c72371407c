import type { SavedAgent } from "../../core/agents/agent_store.ts";
import { DEFAULT_AGENT } from "../../core/agents/main_agents.ts";
import { quoted } from "../../core/config/quoted.ts";
import { errorMessage } from "../../core/errors.ts";
import { visibleName } from "../../core/process/visible_text.ts";
import { reopenKeepingChoices } from "../commands/reopen.ts";
import { ListPicker } from "../panels/list_picker.ts";
import { askToConfirm } from "../panels/show_panels.ts";
import type { Stage } from "../stage.ts";
import { fillInAgent } from "./agent_form.ts";
import { remember } from "./agent_menu.ts";
import { afterSaving, tryAgent } from "./try_agent.ts";

/** What the person does with a saved agent. */
interface Choice {
  readonly act: (stage: Stage, saved: SavedAgent) => Promise<void>;
  readonly saved: SavedAgent;
}

/**
 * Lets the person change, try, copy and delete saved agents.
 *
 * @param stage The conversation.
 */
export async function openAgentManager(stage: Stage): Promise<void> {
  const store = await stage.application.agentStore();
  let last: string | undefined;
  for (;;) {
    const saved = await store.list();
    const choice = await pickSaved(stage, saved, last);
    if (choice === undefined) return;
    last = choice.saved.path;
    if (choice.act === tryIt) return await tryIt(stage, choice.saved);
    await choice.act(stage, choice.saved);
  }
}

/**
 * Has the person change a saved agent.
 *
 * @param stage The conversation.
 * @param saved The agent.
 */
export async function editAgent(stage: Stage, saved: SavedAgent): Promise<void> {
  const { file, scope, sheet, hasPlainTools } = saved;
  const store = await stage.application.agentStore();
  const refusal = saved.isReadable ? await store.refusal(scope) : `${saved.problem}; edit its file`;
  if (refusal !== null) return sayRefusal(stage, "change", saved, refusal);
  const done = await fillInAgent(stage, {
    title: `Agent ${visibleName(file)}`,
    entry: { file, scope, sheet },
    store,
    scopes: [scope],
    isNew: false,
    hasPlainTools,
    save: (entry) => store.change(saved, entry.sheet, new AbortController().signal),
  });
  if (done !== undefined) await afterSaving(stage, idOf(saved), done.saved);
}

/**
 * Deletes a saved agent, once that is confirmed.
 *
 * @param stage The conversation.
 * @param saved The agent.
 */
export async function deleteAgent(stage: Stage, saved: SavedAgent): Promise<void> {
  const { application } = stage;
  const store = await application.agentStore();
  const refusal = await store.refusal(saved.scope);
  if (refusal !== null) return sayRefusal(stage, "delete", saved, refusal);
  const isAgreed = await askToConfirm(stage, {
    title: `Delete agent ${visibleName(saved.file)}?`,
    body: `Its file is removed: ${visibleName(saved.path)}`,
    yes: "Delete",
    no: "Keep",
  });
  if (!isAgreed) return;
  try {
    const notice = await store.remove(saved);
    stage.say(`Deleted agent ${quoted(saved.file, 80)}`, "success");
    if (notice !== null) stage.say(notice, "warning");
    if (application.agents.active.id === idOf(saved)) await leaveActive(stage);
  } catch (error) {
    stage.say(errorMessage(error), "error");
  }
}

/**
 * Copies a saved agent to the other place: from the project to the person's home folder, or back.
 *
 * @param stage The conversation.
 * @param saved The agent.
 */
export async function copyAgent(stage: Stage, saved: SavedAgent): Promise<void> {
  const store = await stage.application.agentStore();
  const scope = store.scopes.find((each) => each !== saved.scope);
  if (scope === undefined) {
    return sayRefusal(stage, "copy", saved, "there is no second place for agents here");
  }
  try {
    const { signal } = new AbortController();
    const { path, notice } = await store.copy(saved, { scope, signal });
    stage.say(`Copied agent ${quoted(saved.file, 80)} to ${visibleName(path)}`, "success");
    if (notice !== null) stage.say(notice, "warning");
  } catch (error) {
    stage.say(errorMessage(error), "error");
  }
}

/**
 * Looks for definitions again, and goes on with what they say now.
 *
 * @param stage The conversation.
 * @throws {AlisioError} If the agent that runs is defined no more, or not so that it can run.
 */
export async function reloadAgents(stage: Stage): Promise<void> {
  const saved = await (await stage.application.agentStore()).list();
  const known = await stage.application.agents.list();
  const isHidden = saved.some(({ definition }) =>
    definition !== null && !known.definitions.some(({ id }) => id === definition.id)
  );
  // Files of a project that was nothing to trust before count at the next opening.
  if (isHidden) await reopenKeepingChoices(stage);
  const { agents } = stage.application;
  const { definitions, diagnostics } = isHidden ? await agents.list() : known;
  await agents.choose(agents.active.id);
  stage.redraw();
  const wrong = diagnostics.length === 0
    ? ""
    : `; something is wrong with ${diagnostics.length}, see /agents defs`;
  stage.say(
    `Agents: ${definitions.length} defined, ${visibleName(agents.active.name)} goes on${wrong}`,
    "success",
  );
}

async function pickSaved(
  stage: Stage,
  saved: readonly SavedAgent[],
  last: string | undefined,
): Promise<Choice | undefined> {
  return await stage.panels.open<Choice>((done, frame) => {
    const key = (name: "c" | "d" | "t", help: string, act: Choice["act"]) => ({
      keys: [name],
      help,
      run: (item: { readonly value: SavedAgent } | undefined) =>
        item === undefined ? undefined : done({ act, saved: item.value }),
    });
    return new ListPicker<SavedAgent>({
      title: "Saved agents",
      items: saved.map((value) => ({
        value,
        label: value.file,
        description: value.problem === "" ? value.sheet.description : value.problem,
        mark: value.problem === "" ? "[x]" : "[!]",
        group: value.scope === "project" ? "This project" : "Everything you do",
      })),
      theme: stage.theme,
      frame,
      emptyText: "No agent is saved yet: /agents new creates one",
      confirmHelp: "Enter change",
      searchKey: "/",
      selected: ({ value }) => value.path === last,
      onChoose: ({ value }) => done({ act: editAgent, saved: value }),
      onCancel: () => done(undefined),
      keys: [
        key("t", "t try", tryIt),
        key("d", "d delete", deleteAgent),
        key("c", "c copy", copyAgent),
      ],
      detail: ({ value: { scope, file } }) =>
        `${scope === "project" ? "" : "~/"}.agents/agents/${file}.md`,
    });
  });
}

async function tryIt(stage: Stage, saved: SavedAgent): Promise<void> {
  await tryAgent(stage, idOf(saved));
}

/** Another file may define an agent of that id too. */
async function leaveActive(stage: Stage): Promise<void> {
  const { agents } = stage.application;
  const { id } = agents.active;
  const isDefined = (await agents.list()).agents.some((agent) => agent.id === id);
  const agent = await agents.choose(isDefined ? id : DEFAULT_AGENT);
  stage.redraw();
  // An agent that is remembered and gone would let the next conversation only look.
  const note = await remember(stage, "agents.active", agent.id);
  stage.say(`Agent: ${visibleName(agent.name)}${note}`);
}

function idOf({ file, definition }: SavedAgent): string {
  return definition?.id ?? file;
}

function sayRefusal(stage: Stage, what: string, { file }: SavedAgent, reason: string): void {
  stage.say(`Cannot ${what} agent ${quoted(file, 80)}: ${reason}`, "warning");
}
