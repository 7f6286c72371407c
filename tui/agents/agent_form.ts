import { agentFileName } from "../../core/agents/agent_drafts.ts";
import type { AgentSheet } from "../../core/agents/agent_sheet.ts";
import type { AgentSaved, AgentScope, AgentStore } from "../../core/agents/agent_store.ts";
import type { ModelFit } from "../../core/agents/model_fit.ts";
import { errorMessage } from "../../core/errors.ts";
import { whileWaiting } from "../commands/waiting_panel.ts";
import { LinesPanel } from "../panels/lines_panel.ts";
import type { PickerItem } from "../panels/list_picker.ts";
import { askLine, askToConfirm, pickFromList } from "../panels/show_panels.ts";
import type { Stage } from "../stage.ts";
import { AgentModel } from "./agent_model.ts";

/** An agent on its way to a file. */
export interface AgentEntry {
  /** Name of its file, without the ending. */
  readonly file: string;
  readonly scope: AgentScope;
  readonly sheet: AgentSheet;
}

/** How an agent is written in a form. */
export interface AgentFormOptions {
  readonly title: string;
  readonly entry: AgentEntry;
  readonly store: AgentStore;
  /** Places that it may be saved in; a file that there is stays where it is. */
  readonly scopes: readonly AgentScope[];
  /** Whether it has no file yet, so that its id and its place can be chosen. */
  readonly isNew: boolean;
  /** Whether a line can hold its tools. @default true */
  readonly hasPlainTools?: boolean;
  /**
   * Saves it.
   *
   * @param entry What is on the form.
   * @throws {Error} If it cannot be saved. Its message is for the person.
   */
  readonly save: (entry: AgentEntry) => Promise<AgentSaved>;
}

/** What a line of the form is about. */
type Line = keyof AgentSheet | "file" | "scope" | "refine" | "save";

type LineField = Exclude<keyof AgentSheet, "instructions" | "readOnly">;

const LINE_FIELDS: Readonly<
  Record<LineField, { readonly label: string; readonly hint: string; readonly placeholder: string }>
> = {
  displayName: {
    label: "Name",
    hint: "What people read in menus",
    placeholder: "the id",
  },
  description: {
    label: "Description",
    hint: "One sentence: when to use it",
    placeholder: "when to use it; needed",
  },
  model: {
    label: "Model",
    hint: "<profile>/<model>, which a new session goes on with when the agent is chosen",
    placeholder: "the one in use",
  },
  tools: {
    label: "Tools",
    hint: "The only tools it has, with commas between them",
    placeholder: "all that the run has",
  },
  effort: {
    label: "Reasoning effort",
    hint: "A level that the model has, such as high",
    placeholder: "the one of the model",
  },
};

/**
 * Has the person write an agent: a list of what it consists of, each line changed by itself.
 *
 * @param stage The conversation.
 * @param options The agent.
 * @returns What was saved, and where; undefined if the person left.
 */
export async function fillInAgent(
  stage: Stage,
  options: AgentFormOptions,
): Promise<{ readonly entry: AgentEntry; readonly saved: AgentSaved } | undefined> {
  let { entry } = options;
  const model = new AgentModel(stage);
  let line: Line | undefined = "displayName";
  for (;;) {
    line = await pickLine(stage, options, entry, { selected: line, model });
    if (line === "save") {
      try {
        return { entry, saved: await options.save(entry) };
      } catch (error) {
        stage.say(errorMessage(error), "error");
      }
    } else if (line !== undefined) {
      entry = await changeLine(stage, options, entry, { line, model });
    } else if (isSame(entry, options.entry) || await confirmLoss(stage)) return undefined;
  }
}

async function pickLine(
  stage: Stage,
  options: AgentFormOptions,
  entry: AgentEntry,
  { selected, model }: { readonly selected: Line | undefined; readonly model: AgentModel },
): Promise<Line | undefined> {
  return await pickFromList<Line>(stage, {
    title: options.title,
    items: linesOf(stage, options, entry, model.fit(entry.sheet.model)),
    selected: ({ value }) => value === selected,
    isFilterable: false,
    confirmHelp: "Enter change",
    detail: ({ value }) => detailOf(value, options, entry),
  });
}

function linesOf(
  { theme }: Stage,
  { isNew, scopes, hasPlainTools = true }: AgentFormOptions,
  { sheet, file, scope }: AgentEntry,
  { effortLevels }: ModelFit,
): readonly PickerItem<Line>[] {
  // What the model is known not to have is not offered; what is written can be taken out.
  const hasEffort = effortLevels?.length !== 0 || sheet.effort !== "";
  const shown = (field: LineField): PickerItem<Line> => ({
    value: field,
    label: LINE_FIELDS[field].label,
    description: sheet[field] === "" ? `(${LINE_FIELDS[field].placeholder})` : sheet[field],
  });
  return [
    shown("displayName"),
    ...isNew ? [{ value: "file" as const, label: "Id", description: file }] : [],
    shown("description"),
    { value: "instructions", label: "Instructions", description: sizeOf(sheet.instructions) },
    shown("model"),
    ...hasPlainTools ? [shown("tools")] : [],
    ...hasEffort ? [shown("effort")] : [],
    { value: "readOnly", label: "Only looks", description: sheet.readOnly ? "yes" : "no" },
    ...isNew && scopes.length > 1
      ? [{ value: "scope" as const, label: "Saved for", description: SCOPE_NAMES[scope] }]
      : [],
    { value: "refine", label: `${theme.look.unicode ? "✦" : "*"} Refine with Alisio` },
    { value: "save", label: "Save" },
  ];
}

const SCOPE_NAMES: Readonly<Record<AgentScope, string>> = {
  project: "this project",
  global: "everything you do",
};

function detailOf(line: Line, { store }: AgentFormOptions, { file, scope }: AgentEntry): string {
  switch (line) {
    case "instructions":
      return "What the agent is told, beside what every agent is told";
    case "readOnly":
      return "Whether it looks and changes nothing";
    case "file":
      return "What it is chosen by, and what its file is called";
    case "scope":
    case "save":
      return store.pathOf(file, scope);
    case "refine":
      return "The model writes name, description and instructions better; nothing is saved yet";
    default:
      return LINE_FIELDS[line].hint;
  }
}

async function changeLine(
  stage: Stage,
  options: AgentFormOptions,
  entry: AgentEntry,
  { line, model }: { readonly line: Exclude<Line, "save">; readonly model: AgentModel },
): Promise<AgentEntry> {
  const { sheet } = entry;
  switch (line) {
    case "readOnly":
      return { ...entry, sheet: { ...sheet, readOnly: !sheet.readOnly } };
    case "scope": {
      const next =
        options.scopes[(options.scopes.indexOf(entry.scope) + 1) % options.scopes.length];
      return next === undefined ? entry : { ...entry, scope: next };
    }
    case "instructions":
      return { ...entry, sheet: { ...sheet, instructions: await writeInstructions(stage, sheet) } };
    case "refine":
      return { ...entry, sheet: await refine(stage, sheet) };
    case "model":
      return { ...entry, sheet: { ...sheet, model: await model.choose(sheet.model) } };
    case "effort":
      return await changeEffort(stage, options, entry, model.fit(sheet.model));
    case "file":
      return { ...entry, file: await askId(stage, options, entry) };
    default:
      return await changeField(stage, options, entry, line);
  }
}

/** Levels that are known are chosen; where none is, one is written. */
async function changeEffort(
  stage: Stage,
  options: AgentFormOptions,
  entry: AgentEntry,
  { effortLevels }: ModelFit,
): Promise<AgentEntry> {
  const { sheet } = entry;
  if (effortLevels === null) return await changeField(stage, options, entry, "effort");
  const level = await pickFromList<string>(stage, {
    title: LINE_FIELDS.effort.label,
    items: [
      { value: "", label: "The one of the model" },
      ...effortLevels.map((value) => ({ value, label: value })),
    ],
    selected: ({ value }) => value === sheet.effort,
    isFilterable: false,
  });
  return level === undefined ? entry : { ...entry, sheet: { ...sheet, effort: level } };
}

async function changeField(
  stage: Stage,
  { isNew }: AgentFormOptions,
  entry: AgentEntry,
  field: LineField,
): Promise<AgentEntry> {
  const { sheet, file } = entry;
  const { label, hint, placeholder } = LINE_FIELDS[field];
  const value = sheet[field].replace(/\s*\n\s*/g, " ");
  const answer = await askLine(stage, label, { label, value, hint, placeholder });
  if (answer === undefined || answer === value) return entry;
  // The id follows the name until somebody names it.
  const follows = isNew && field === "displayName" && file === agentFileName(sheet.displayName);
  return {
    ...entry,
    sheet: { ...sheet, [field]: answer },
    ...follows ? { file: agentFileName(answer) } : {},
  };
}

async function askId(
  stage: Stage,
  { store }: AgentFormOptions,
  { file }: AgentEntry,
): Promise<string> {
  const answer = await askLine(stage, "Id", {
    label: "Id",
    value: file,
    check: (value) => store.nameProblem(value) ?? undefined,
  });
  return answer ?? file;
}

async function writeInstructions(stage: Stage, { instructions }: AgentSheet): Promise<string> {
  const text = await stage.panels.open<string>((done, frame) =>
    new LinesPanel({
      title: "Instructions",
      text: instructions,
      theme: stage.theme,
      frame,
      keys: stage.keys,
      onSubmit: (written) => done(written.trim()),
      onCancel: () => done(undefined),
      editExternally: async (written) => {
        const { editExternally } = await import("../editor/external_editor.ts");
        return await editExternally(written, {
          env: stage.env,
          lend: (use) => stage.leaveScreen(use),
        });
      },
    })
  );
  return text ?? instructions;
}

async function refine(stage: Stage, sheet: AgentSheet): Promise<AgentSheet> {
  const wish = await askLine(stage, "Refine with Alisio", {
    label: "What should be better",
    placeholder: "clearer and more concrete",
  });
  if (wish === undefined) return sheet;
  try {
    const drafts = await stage.application.agentDrafts();
    const model = stage.session()?.model;
    const draft = await whileWaiting(
      stage,
      "Building with Alisio",
      (signal) => drafts.refine(sheet, wish, { ...model === undefined ? {} : { model }, signal }),
    );
    if (draft === undefined) return sheet;
    const { displayName, description, instructions } = draft;
    return { ...sheet, displayName: displayName || sheet.displayName, description, instructions };
  } catch (error) {
    stage.say(errorMessage(error), "error");
    return sheet;
  }
}

async function confirmLoss(stage: Stage): Promise<boolean> {
  return await askToConfirm(stage, {
    title: "Leave without saving?",
    body: "What you wrote is lost then.",
  });
}

function isSame(one: AgentEntry, other: AgentEntry): boolean {
  return one.file === other.file && one.scope === other.scope &&
    JSON.stringify(one.sheet) === JSON.stringify(other.sheet);
}

function sizeOf(text: string): string {
  if (text === "") return "(none yet)";
  const lines = text.split("\n").length;
  const first = text.split("\n", 1)[0] ?? "";
  return lines === 1 ? first : `${lines} lines: ${first}`;
}
