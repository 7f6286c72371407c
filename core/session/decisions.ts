import { previewText } from "../text/bound_text.ts";
import type { Database } from "./database.ts";
import { toDecision } from "./row_mappers.ts";
import type { DecisionQuery, NewDecision, StoredDecision } from "./session_records.ts";

const DEFAULT_LIMIT = 1_000;
const MAX_SUMMARY_CHARS = 80;
const MAX_REASON_CHARS = 500;
/** A model makes up names of tools, and a channel those of users. */
const MAX_NAME_CHARS = 200;

const INSERT = `
  INSERT INTO decisions (session_id, run_id, call_id, tool, effect, summary, outcome, rule, reason,
    source, channel, user, scope, decided_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const SELECT = `
  SELECT * FROM decisions
  WHERE seq < ?1 AND decided_at >= ?2
    AND (?3 IS NULL OR substr(session_id, 1, length(?3)) = ?3)
    AND (?4 IS NULL OR tool = ?4) AND (?5 IS NULL OR outcome = ?5)
  ORDER BY seq DESC LIMIT ?6`;

/**
 * Adds a row to the audit.
 *
 * @param db The database.
 * @param decision The decision. Texts that are too long are cut.
 * @param redact Takes configured secrets out of a text.
 * @returns Its place among all decisions of the database.
 */
export function insertDecision(
  db: Database,
  decision: NewDecision,
  redact: (text: string) => string,
): number {
  const { sessionId, runId, callId, tool, effect, outcome, source, user, scope } = decision;
  const text = (value: string, maxChars: number) => previewText(redact(value), maxChars - 1);
  return db.insert(
    INSERT,
    sessionId,
    runId,
    text(callId, MAX_NAME_CHARS),
    text(tool, MAX_NAME_CHARS),
    effect,
    text(decision.summary, MAX_SUMMARY_CHARS),
    outcome,
    text(decision.rule, MAX_NAME_CHARS),
    text(decision.reason, MAX_REASON_CHARS),
    source,
    text(decision.channel, MAX_NAME_CHARS),
    user === undefined ? null : text(user, MAX_NAME_CHARS),
    scope ?? null,
    decision.decidedAt,
  );
}

/**
 * Reads rows of the audit, the newest last. There is no index: one would cost every call more than
 * it saves a person who looks now and then.
 *
 * @param db The database.
 * @param query Which rows.
 */
export function findDecisions(db: Database, query: DecisionQuery): readonly StoredDecision[] {
  const { session, tool, outcome, since = 0, beforeSeq = Number.MAX_SAFE_INTEGER } = query;
  return db.all(
    SELECT,
    beforeSeq,
    since,
    session ?? null,
    tool ?? null,
    outcome ?? null,
    query.limit ?? DEFAULT_LIMIT,
  ).map(toDecision).reverse();
}
