import { agentFileName } from "../../core/agents/agent_drafts.ts";
import { EMPTY_SHEET } from "../../core/agents/agent_sheet.ts";
import type { AgentScope, AgentStore } from "../../core/agents/agent_store.ts";
import { AGENT_TEMPLATES } from "../../core/agents/agent_templates.ts";
import { whileWaiting } from "../commands/waiting_panel.ts";
import { askLine, pickFromList } from "../panels/show_panels.ts";
import type { Stage } from "../stage.ts";
import { type AgentEntry, fillInAgent } from "./agent_form.ts";
import { afterSaving } from "./try_agent.ts";

type Start = "describe" | "template" | "blank";

/**
 * Has the person create an agent.
 *
 * @param stage The conversation.
 * @param description What it should do, for the model to write it; empty to ask how to begin.
 * @throws {AlisioError} If nothing can be saved here, or the model writes nothing that can be used.
 */
export async function createAgent(stage: Stage, description: string): Promise<void> {
  const store = await stage.application.agentStore();
  const scopes = await openScopes(stage, store);
  if (scopes.length === 0) return;
  if (description !== "") return await createByModel(stage, store, scopes, description);
  const start = await pickFromList<Start>(stage, {
    title: "Create an agent",
    items: [
      {
        value: "describe",
        label: `${stage.theme.look.unicode ? "✦" : "*"} Describe it`,
        description: "The model writes it, and you look it through",
      },
      { value: "template", label: "From a template", description: "One of twelve" },
      { value: "blank", label: "Write it yourself" },
    ],
    isFilterable: false,
  });
  if (start === "template") return await createFromTemplate(stage);
  if (start === "blank") {
    return await createFrom(stage, store, scopes, { file: "agent", sheet: EMPTY_SHEET });
  }
  if (start !== "describe") return;
  const wish = await askLine(stage, "Create an agent", {
    label: "What should it do",
    check: (value) => value === "" ? "Write what the agent should do" : undefined,
  });
  if (wish !== undefined) await createByModel(stage, store, scopes, wish);
}

/**
 * Has the person create an agent from a template.
 *
 * @param stage The conversation.
 * @throws {AlisioError} If nothing can be saved here.
 */
export async function createFromTemplate(stage: Stage): Promise<void> {
  const store = await stage.application.agentStore();
  const scopes = await openScopes(stage, store);
  if (scopes.length === 0) return;
  const template = await pickFromList(stage, {
    title: "Templates",
    items: AGENT_TEMPLATES.map((value) => ({
      value,
      label: value.displayName,
      description: value.description,
    })),
    detail: ({ value }) => value.description,
  });
  if (template === undefined) return;
  const sheet = { ...EMPTY_SHEET, ...template };
  await createFrom(stage, store, scopes, { file: agentFileName(template.displayName), sheet });
}

async function createByModel(
  stage: Stage,
  store: AgentStore,
  scopes: readonly AgentScope[],
  wish: string,
): Promise<void> {
  const drafts = await stage.application.agentDrafts();
  const model = stage.session()?.model;
  const draft = await whileWaiting(
    stage,
    "Building with Alisio",
    (signal) => drafts.write(wish, { ...model === undefined ? {} : { model }, signal }),
  );
  if (draft === undefined) return;
  const { file, displayName, description, instructions } = draft;
  const sheet = { ...EMPTY_SHEET, displayName, description, instructions };
  await createFrom(stage, store, scopes, { file, sheet });
}

async function createFrom(
  stage: Stage,
  store: AgentStore,
  scopes: readonly AgentScope[],
  { file, sheet }: Pick<AgentEntry, "file" | "sheet">,
): Promise<void> {
  const [scope = "project"] = scopes;
  const done = await fillInAgent(stage, {
    title: "Create an agent",
    entry: { file: await freeName(store, file), scope, sheet },
    store,
    scopes,
    isNew: true,
    save: async (entry) =>
      await store.create(entry.file, entry.sheet, {
        scope: entry.scope,
        signal: new AbortController().signal,
      }),
  });
  if (done !== undefined) await afterSaving(stage, done.entry.file, done.saved);
}

/** Where something can be saved; says why where nothing can. */
async function openScopes(stage: Stage, store: AgentStore): Promise<readonly AgentScope[]> {
  const refusals = await Promise.all(store.scopes.map((scope) => store.refusal(scope)));
  const open = store.scopes.filter((_, index) => refusals[index] === null);
  if (open.length === 0) stage.say(`Cannot create an agent: ${refusals[0] ?? ""}`, "warning");
  const { state, resources } = stage.application.trust;
  const isTrusted = state === "trusted" || state === "unknown" && resources.length === 0;
  // Nothing can be written to a project that is not trusted.
  return isTrusted ? open : open.toReversed();
}

async function freeName(store: AgentStore, file: string): Promise<string> {
  const taken = new Set((await store.list()).map((each) => each.file));
  const isFree = (name: string) => !taken.has(name) && store.nameProblem(name) === null;
  if (isFree(file)) return file;
  for (let number = 2;; number++) {
    if (isFree(`${file}-${number}`)) return `${file}-${number}`;
  }
}
