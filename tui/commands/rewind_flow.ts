import { AlisioError } from "../../core/errors.ts";
import { changesSince } from "../../core/rewind/file_changes.ts";
import { describeRewind, nameFrom } from "../../core/rewind/describe_rewind.ts";
import { forkSession } from "../../core/rewind/fork_session.ts";
import type { RestoreRules } from "../../core/rewind/plan_restore.ts";
import {
  planRewind,
  type RewindOutcome,
  rewindSession,
  touched,
} from "../../core/rewind/rewind_session.ts";
import {
  findPoint,
  isGoalTurn,
  type SessionPoint,
  sessionPoints,
} from "../../core/rewind/session_points.ts";
import { formatTime } from "../../core/text/format_time.ts";
import type { PickerItem } from "../panels/list_picker.ts";
import { askToConfirm, pickFromList } from "../panels/show_panels.ts";
import type { Stage } from "../stage.ts";
import type { ArgumentChoice } from "./slash_command.ts";

const MAX_COMPLETIONS = 20;
const MAX_LABEL_CHARS = 200;
const SHORT_ID = 8;
const MAX_REASONS = 50;

type Scope = "conversation" | "files";

/**
 * Puts the open conversation back to before a prompt that the person chooses, with the files that
 * changed since or without, once they have seen what that means; or undoes the last time.
 *
 * @param stage The conversation.
 * @param argument The number of the prompt's message, `last` or `undo`; empty for a choice.
 * @throws {AlisioError} What stands in the way; the conversation is open as before then.
 */
export async function rewindHere(stage: Stage, argument: string): Promise<void> {
  const id = openSession(stage);
  if (id === undefined) return;
  const point = argument === "undo" ? argument : await choosePoint(stage, id, argument);
  if (point === undefined) return;
  const { store, workspace } = stage.application;
  const rules = rulesOf(stage);
  const whole = await planRewind(store, id, point, rules);
  const scope = await chooseScope(stage, whole);
  if (scope === undefined) return;
  const plan = scope === "files" ? whole : withoutFiles(whole);
  const isSure = await askToConfirm(stage, {
    title: point === "undo" ? "Undo the rewind?" : `Go back to before "${labelOf(point)}"?`,
    body: [describeRewind(plan, workspace), ...reasonsAgainst(whole, scope, workspace)].join("\n"),
    yes: point === "undo" ? "Undo it" : "Go back",
    no: "Stay",
  });
  if (!isSure) return;
  const signal = new AbortController().signal;
  const withRules = scope === "files" && rules !== undefined ? { rules } : {};
  const options = { signal, shown: plan, ...withRules };
  const outcome = await meanwhile(
    stage,
    id,
    () => rewindSession(store, id, point, options),
    () => id,
  );
  stage.say(describeRewind(outcome, workspace), "success");
  if (point === "undo") return;
  stage.say("/rewind undo takes it back, until something is said");
  if (isGoalTurn(store, id, point)) stage.say("/goal resume goes on with the goal from here");
  else stage.setDraft(point.text);
}

/**
 * Goes on in a copy of the open conversation.
 *
 * @param stage The conversation.
 * @param argument The number of the message that the copy ends before, or `last`; empty for all.
 * @throws {AlisioError} What stands in the way; the conversation is open as before then.
 */
export async function forkHere(stage: Stage, argument: string): Promise<void> {
  const id = openSession(stage);
  if (id === undefined) return;
  const { store } = stage.application;
  const source = store.session(id);
  if (source === undefined) return;
  const point = argument === "" ? undefined : findPoint(store, id, argument);
  await meanwhile(
    stage,
    id,
    () => forkSession(store, source, point, Date.now()),
    (fork) => fork.id,
  );
  stage.say(`This is a copy; /resume ${id.slice(0, SHORT_ID)} goes back to the original`);
  if (point !== undefined && !isGoalTurn(store, id, point)) stage.setDraft(point.text);
}

/**
 * Prompts that may be named, the last one first.
 *
 * @param stage The conversation.
 * @param typed What was typed of the number.
 * @param others Other words that may be named.
 */
export function completePoint(
  stage: Stage,
  typed: string,
  others: readonly string[],
): readonly ArgumentChoice[] {
  const id = stage.session()?.id;
  const points = id === undefined ? [] : sessionPoints(stage.application.store, id);
  const words = others.map((value) => ({ value, label: value }));
  const numbers = points.toReversed().map((point) => ({
    value: String(point.message),
    label: String(point.message),
    description: labelOf(point),
  }));
  return [...numbers, ...words].filter(({ value }) => value.startsWith(typed))
    .slice(0, MAX_COMPLETIONS);
}

function openSession(stage: Stage): string | undefined {
  const id = stage.session()?.id;
  if (id === undefined) stage.say("The conversation has no prompt yet");
  return id;
}

async function choosePoint(
  stage: Stage,
  id: string,
  named: string,
): Promise<SessionPoint | undefined> {
  if (named !== "") return findPoint(stage.application.store, id, named);
  return await pickFromList<SessionPoint>(stage, {
    title: "Go back to before which prompt?",
    items: pointItems(stage, id),
    emptyText: "The conversation has no prompt",
    confirmHelp: "Enter choose",
    detail: ({ keywords = "" }) => keywords,
  });
}

/** The last one first, each with how many files changed since. */
function pointItems(stage: Stage, id: string): readonly PickerItem<SessionPoint>[] {
  const { store } = stage.application;
  const points = sessionPoints(store, id);
  const changes = changesSince(store, id, 0).toReversed();
  const paths = new Set<string>();
  let next = 0;
  return points.toReversed().map((point) => {
    for (; (changes[next]?.lastMessage ?? -1) >= point.message; next++) {
      paths.add(changes[next]?.path ?? "");
    }
    const files = `${paths.size} ${paths.size === 1 ? "file" : "files"} changed since`;
    return {
      value: point,
      label: labelOf(point),
      description: `${formatTime(point.createdAt)}${paths.size === 0 ? "" : ` · ${files}`}`,
      keywords: `Message ${point.message}, ${formatTime(point.createdAt)}, ${files}`,
    };
  });
}

/** Nothing to ask where no file can be put back. */
async function chooseScope(stage: Stage, plan: RewindOutcome): Promise<Scope | undefined> {
  const { restored, removed } = touched(plan.files);
  const count = restored.length + removed.length;
  if (count === 0 || (plan.files?.conflicts.length ?? 0) > 0) return "conversation";
  if (plan.isUndo) return "files";
  return await pickFromList<Scope>(stage, {
    title: "What is put back?",
    items: [
      {
        value: "files",
        label: "Conversation and files",
        description: `${restored.length} put back, ${removed.length} removed`,
      },
      { value: "conversation", label: "Conversation only", description: "files stay" },
    ],
  });
}

function withoutFiles({ files: _, ...plan }: RewindOutcome): RewindOutcome {
  return plan;
}

/** Why files stay, where they could have been put back otherwise. */
function reasonsAgainst(
  { files }: RewindOutcome,
  scope: Scope,
  workspace: string,
): readonly string[] {
  if (scope === "files" || files === undefined) return [];
  const reasons = [...files.conflicts, ...files.left].map(({ path, reason }) =>
    `In the way: ${nameFrom(workspace, path)}: ${reason}`
  );
  if (reasons.length === 0) return [];
  const more = reasons.length > MAX_REASONS ? [`… and ${reasons.length - MAX_REASONS} more`] : [];
  return ["Files stay as they are", ...reasons.slice(0, MAX_REASONS), ...more];
}

/** Undefined where the run changes no files: the conversation can be put back all the same. */
function rulesOf(stage: Stage): RestoreRules | undefined {
  try {
    return stage.application.restoreRules();
  } catch (error) {
    if (error instanceof AlisioError && error.code === "usage") return undefined;
    throw error;
  }
}

/** Lets go of the session for as long as it is worked on, and opens what came of it. */
async function meanwhile<T>(
  stage: Stage,
  id: string,
  work: () => Promise<T>,
  next: (result: T) => string,
): Promise<T> {
  await stage.switchSession(undefined, { comesBack: true });
  let result: T;
  try {
    result = await work();
  } catch (error) {
    await stage.switchSession(id);
    throw error;
  }
  await stage.switchSession(next(result));
  return result;
}

function labelOf({ text }: SessionPoint): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return line.length > MAX_LABEL_CHARS ? `${line.slice(0, MAX_LABEL_CHARS)}…` : line;
}
