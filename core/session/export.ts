import { redactValue } from "../redact.ts";
import type { MessageRow } from "./session_records.ts";
import type { SessionStore } from "./session_store.ts";

const PAGE_ROWS = 200;

/**
 * Writes a session as JSON lines: its stored events in order, then its messages, compacted ones
 * included. Secrets are taken out. One page is held in memory at a time.
 *
 * @param store The store.
 * @param sessionId The session.
 * @param secrets Configured secrets; what looks like a key is taken out as well.
 * @returns Lines without their line ends.
 */
export function* exportSession(
  store: SessionStore,
  sessionId: string,
  secrets: readonly string[],
): Generator<string, void, undefined> {
  const line = (value: unknown) => JSON.stringify(redactValue(value, secrets));
  for (let afterSeq = 0;;) {
    const events = store.eventsOf(sessionId, { afterSeq, limit: PAGE_ROWS });
    for (const event of events) yield line(event);
    if (events.length < PAGE_ROWS) break;
    afterSeq = Number(events.at(-1)?.eventId);
  }
  for (let afterSeq = 0;;) {
    const rows = store.messagesPage(sessionId, { afterSeq, limit: PAGE_ROWS });
    for (const row of rows) yield line(messageLine(row));
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) break;
    afterSeq = last.seq;
  }
}

function messageLine({ seq, createdAt, compacted, rewound, message }: MessageRow): unknown {
  const time = new Date(createdAt).toISOString();
  const mark = rewound === undefined ? {} : { rewound };
  const place = { type: "message", seq, createdAt: time, compacted, ...mark };
  return message === undefined ? { ...place, unreadable: true } : { ...place, message };
}
