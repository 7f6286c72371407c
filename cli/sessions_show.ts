import { visibleLines, visibleName } from "../core/process/visible_text.ts";
import { resolveSession } from "../core/session/resolve_session.ts";
import type { MessageRow } from "../core/session/session_records.ts";
import type { SessionStore } from "../core/session/session_store.ts";
import { type StoredMessage, textOf } from "../core/session/stored_message.ts";
import type { CommandContext } from "./command_context.ts";
import { EXIT_STATUS } from "./exit_status.ts";
import { jsonLine } from "./json_line.ts";
import { untilDrained } from "./until_drained.ts";

const PAGE_ROWS = 200;
const MAX_ARGUMENT_CHARS = 300;
const MAX_RESULT_CHARS = 1_000;

/**
 * `alisio sessions show`: prints a session for a person, or with `--json` as one line each.
 *
 * Nothing that is stored can drive the terminal: control characters are shown as escapes.
 *
 * @param context What the command was called with.
 * @param store The store.
 * @param prefix An id, or the beginning of one.
 * @returns The exit status.
 */
export async function showSession(
  context: CommandContext,
  store: SessionStore,
  prefix: string,
): Promise<number> {
  const session = resolveSession(store, prefix);
  const { owner: _, ...facts } = session;
  if (context.flags.json) {
    context.out(jsonLine({ schemaVersion: 1, type: "session", ...facts }));
  } else {
    const lines = [
      `Session ${session.id}`,
      `Workspace ${session.workspace}`,
      `Model ${session.model} (${session.provider})`,
      `Started ${new Date(session.createdAt).toISOString()}`,
    ];
    for (const line of lines) context.out(`${visibleName(line)}\n`);
  }
  for (const row of pages(store, session.id)) {
    await untilDrained(context);
    context.out(
      context.flags.json
        ? jsonLine({ schemaVersion: 1, type: "message", ...row })
        : `\n${visibleLines(formatMessage(row))}\n`,
    );
  }
  return EXIT_STATUS.completed;
}

function* pages(store: SessionStore, sessionId: string): Generator<MessageRow, void, undefined> {
  let afterSeq = 0;
  for (;;) {
    const rows = store.messagesPage(sessionId, { afterSeq, limit: PAGE_ROWS });
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) return;
    afterSeq = last.seq;
  }
}

function formatMessage({ seq, message, compacted, rewound }: MessageRow): string {
  const notes = [
    // What "rewind" and "fork" call it by.
    ...(message?.role === "user" && message.summary !== true ? [`message ${seq}`] : []),
    ...(compacted ? ["compacted"] : []),
    ...(rewound === true ? ["rewound"] : []),
  ];
  const note = notes.length === 0 ? "" : ` (${notes.join(", ")})`;
  if (message === undefined) return `[unreadable message]${note}`;
  return [`[${headOf(message)}]${note}`, ...bodyOf(message)].filter((line) => line !== "")
    .join("\n");
}

function headOf(message: StoredMessage): string {
  switch (message.role) {
    case "user":
      return message.summary === true ? "checkpoint" : "user";
    case "assistant":
      return message.partial === true ? "assistant, interrupted" : "assistant";
    case "tool":
      return `${message.isError ? "error" : "result"} of ${message.name}`;
  }
}

function bodyOf(message: StoredMessage): readonly string[] {
  switch (message.role) {
    case "user": {
      const images = message.content.filter((part) => part.type === "image");
      return [message.display ?? textOf(message.content), ...images.map(() => "(image)")];
    }
    case "assistant": {
      const calls = message.calls.map((call) =>
        `→ ${call.name} ${cut(call.arguments, MAX_ARGUMENT_CHARS)}`
      );
      return [message.text, ...calls];
    }
    case "tool":
      return [cut(textOf(message.content), MAX_RESULT_CHARS)];
  }
}

function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${text.slice(0, maxChars)} … (${text.length - maxChars} more characters)`;
}
