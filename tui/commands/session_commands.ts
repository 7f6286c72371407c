import type { SessionSummary } from "../../core/session/session_records.ts";
import { formatTime } from "../../core/text/format_time.ts";
import type { PickerItem } from "../panels/list_picker.ts";
import type { Stage } from "../stage.ts";
import type { ArgumentChoice, SlashCommand } from "./slash_command.ts";

/** So many of the sessions that were used last are offered. */
const MAX_OFFERED = 100;
const MAX_COMPLETIONS = 20;
const SHORT_ID = 8;

/** What looks at sessions and goes from one to another. */
export const SESSION_COMMANDS: readonly SlashCommand[] = [
  {
    name: "resume",
    argumentHint: "[id or prefix]",
    description: "Go on with an earlier session",
    source: "builtin",
    duringRun: "wait",
    complete: completeSession,
    run: async (stage, argument) => {
      const id = argument === "" ? await pickSession(stage) : await findSession(stage, argument);
      if (id !== undefined) await openSession(stage, id);
    },
  },
  {
    name: "sessions",
    description: "Show the sessions of this workspace, the last used first",
    source: "builtin",
    duringRun: "live",
    run: async (stage) => {
      const id = await pickSession(stage);
      if (id === undefined) return;
      if (!stage.isRunning()) return await openSession(stage, id);
      stage.say(
        `Another session has to wait for the end of the run: then write /resume ${
          id.slice(0, SHORT_ID)
        }`,
        "warning",
      );
    },
  },
];

function completeSession(typed: string, stage: Stage): readonly ArgumentChoice[] {
  return listSessions(stage).filter(({ id }) => id.startsWith(typed)).slice(0, MAX_COMPLETIONS)
    .map((session) => ({
      value: session.id.slice(0, Math.max(SHORT_ID, typed.length)),
      label: session.id.slice(0, SHORT_ID),
      description: `${formatTime(session.lastActivityAt)} ${titleOf(session)}`,
    }));
}

async function findSession(stage: Stage, idOrPrefix: string): Promise<string> {
  const { resolveSession } = await import("../../core/session/resolve_session.ts");
  return resolveSession(stage.application.store, idOrPrefix).id;
}

async function pickSession(stage: Stage): Promise<string | undefined> {
  const { pickFromList } = await import("../panels/show_panels.ts");
  const open = stage.session()?.id;
  return await pickFromList<string>(stage, {
    title: "Sessions of this workspace",
    items: listSessions(stage).map((session) => sessionItem(session, open)),
    emptyText: "There is no session yet",
    confirmHelp: "Enter resume",
    detail: ({ keywords = "" }) => keywords,
  });
}

function sessionItem(session: SessionSummary, open: string | undefined): PickerItem<string> {
  const { id, messages, state, model, lastActivityAt } = session;
  const condition = id === open
    ? ", open here"
    : state === "running"
    ? ", in use elsewhere"
    : state === "needs_recovery"
    ? ', needs "alisio sessions recover"'
    : "";
  return {
    value: id,
    label: titleOf(session),
    description: `${formatTime(lastActivityAt)} ${model}`,
    keywords: `${id.slice(0, SHORT_ID)}: ${messages} ${messages === 1 ? "message" : "messages"}, ` +
      `${formatTime(lastActivityAt)}, ${model}${condition}`,
  };
}

async function openSession(stage: Stage, id: string): Promise<void> {
  if (id === stage.session()?.id) return stage.say("That session is open already");
  await stage.switchSession(id);
}

function listSessions({ application }: Stage): readonly SessionSummary[] {
  const { store, workspace } = application;
  return store.listSessions({ limit: MAX_OFFERED, workspace });
}

function titleOf({ title }: SessionSummary): string {
  return title === "" ? "(no prompt yet)" : title;
}
