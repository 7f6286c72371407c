import { nearestName } from "../core/config/nearest_name.ts";
import { AlisioError } from "../core/errors.ts";
import type { DecisionOutcome } from "../core/gate/decision_record.ts";
import { visibleName } from "../core/process/visible_text.ts";
import type { DecisionQuery, StoredDecision } from "../core/session/session_records.ts";
import type { SessionStore } from "../core/session/session_store.ts";
import * as definitions from "../tools/tool_definitions.ts";
import type { CommandContext } from "./command_context.ts";
import { EXIT_STATUS } from "./exit_status.ts";
import { formatSecond } from "../core/text/format_time.ts";
import { jsonLine } from "./json_line.ts";
import { parseLimit } from "./parse_limit.ts";
import { parseSince } from "./parse_since.ts";
import { untilDrained } from "./until_drained.ts";
import { withStore } from "./with_store.ts";

const DEFAULT_LIMIT = 50;
const PAGE_ROWS = 500;
const SESSION_REGEXP = /^[A-Za-z0-9._-]{4,128}$/;
const SHOWN_ID_CHARS = 8;

/** Outcomes whose reason a person wants to know at once. */
const REFUSALS: readonly DecisionOutcome[] = ["denied", "replaced", "timed_out", "blocked"];

/** Every outcome, as it is shown to a person. */
const OUTCOMES: Readonly<Record<DecisionOutcome, string>> = {
  allowed: "allowed",
  requested: "requested",
  granted: "granted",
  denied: "denied",
  replaced: "replaced",
  timed_out: "timed out",
  blocked: "blocked",
};

/**
 * `alisio audit`: shows what was decided about calls, the newest last.
 *
 * @param context What the command was called with.
 * @returns The exit status.
 * @throws {AlisioError} If the command line is wrong or the database is not usable.
 */
export async function runAudit(context: CommandContext): Promise<number> {
  const [extra] = context.args;
  if (extra !== undefined) {
    const message = `Unexpected argument "${extra.slice(0, 80)}": write alisio audit`;
    throw new AlisioError("usage", message);
  }
  const limit = parseLimit(context.commandFlags, DEFAULT_LIMIT);
  const query = readQuery(context);
  return await withStore(context, "read", async (store) => {
    if (query.tool !== undefined) assertKnownTool(query.tool, store);
    const pages = [...newestPages(store, query, limit)].reverse();
    if (pages.length === 0) context.err(nothingFound(query));
    const widths = context.flags.json ? [] : widthsOf(pages.flat().map(columnsOf));
    for (const decision of pages.flat()) {
      await untilDrained(context);
      context.out(context.flags.json ? formatJson(decision) : formatLine(decision, widths));
    }
    return EXIT_STATUS.completed;
  });
}

function readQuery({ commandFlags }: CommandContext): DecisionQuery {
  const flag = (name: string) => {
    const value = commandFlags[name];
    return typeof value === "string" ? value : undefined;
  };
  const session = flag("session");
  const tool = flag("tool");
  const outcome = flag("decision");
  const since = flag("since");
  return {
    ...(session === undefined ? {} : { session: checkSession(session) }),
    ...(tool === undefined ? {} : { tool }),
    ...(outcome === undefined ? {} : { outcome: parseOutcome(outcome) }),
    ...(since === undefined ? {} : { since: parseSince(since, Date.now()) }),
  };
}

function checkSession(value: string): string {
  if (SESSION_REGEXP.test(value)) return value;
  const message = `Flag "--session" needs an id of "alisio sessions list", or at least 4 ` +
    `characters of one, found "${value.slice(0, 80)}"`;
  throw new AlisioError("usage", message);
}

function parseOutcome(value: string): DecisionOutcome {
  const names = Object.keys(OUTCOMES) as DecisionOutcome[];
  const outcome = names.find((name) => name === value);
  if (outcome !== undefined) return outcome;
  const nearest = nearestName(value, names);
  const advice = nearest === undefined
    ? `it is one of ${names.join(", ")}`
    : `did you mean "${nearest}"?`;
  throw new AlisioError("usage", `Unknown decision "${value.slice(0, 80)}": ${advice}`);
}

/** A name that stands nowhere would find nothing, which reads as if nothing had been decided. */
function assertKnownTool(tool: string, store: SessionStore): void {
  const builtin = Object.values(definitions).flatMap((facts) =>
    typeof facts === "object" ? [facts.name] : []
  );
  const known = [...new Set([...builtin, ...store.decidedTools()])];
  if (known.includes(tool)) return;
  const nearest = nearestName(tool, known);
  const advice = nearest === undefined
    ? `the audit and this program know ${known.slice(0, 20).join(", ")}`
    : `did you mean "${nearest}"?`;
  throw new AlisioError("usage", `Unknown tool "${tool.slice(0, 80)}": ${advice}`);
}

/** Pages from the newest to the oldest; within a page, the newest is last. */
function* newestPages(
  store: SessionStore,
  query: DecisionQuery,
  limit: number,
): Generator<readonly StoredDecision[]> {
  let left = limit;
  let before: Pick<DecisionQuery, "beforeSeq"> = {};
  while (left > 0) {
    const page = store.decisions({ ...query, ...before, limit: Math.min(left, PAGE_ROWS) });
    const [first] = page;
    if (first === undefined) return;
    yield page;
    left -= page.length;
    before = { beforeSeq: first.seq };
  }
}

function nothingFound(query: DecisionQuery): string {
  return Object.keys(query).length === 0
    ? 'No decisions yet; they begin with: alisio run "<prompt>"\n'
    : "No decision is like that\n";
}

function formatJson({ decidedAt, ...decision }: StoredDecision): string {
  const timestamp = new Date(decidedAt).toISOString();
  return jsonLine({ schemaVersion: 1, type: "decision", ...decision, timestamp });
}

/** All but the last column, whose width does not matter: it holds text of any script. */
function columnsOf(decision: StoredDecision): readonly string[] {
  const { outcome, scope, source, channel, user } = decision;
  const people = [channel, ...user === undefined ? [] : [user]].join(", ");
  return [
    formatSecond(decision.decidedAt),
    decision.sessionId.slice(0, SHOWN_ID_CHARS),
    scope === undefined ? OUTCOMES[outcome] : `${OUTCOMES[outcome]} (${scope})`,
    decision.tool,
    decision.rule,
    source === "policy" ? source : `${source.replace("_", " ")} (${people})`,
  ].map(visibleName);
}

/** What follows is for the model: what it may do instead. A quoted path may hold the same signs. */
function firstClause(reason: string): string {
  return /^(?:"[^"]*"|(?!, so )[^;])+/.exec(reason)?.[0] ?? reason;
}

function widthsOf(lines: readonly (readonly string[])[]): readonly number[] {
  const widths: number[] = [];
  for (const line of lines) {
    for (const [index, text] of line.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, text.length);
    }
  }
  return widths;
}

function formatLine(decision: StoredDecision, widths: readonly number[]): string {
  const columns = columnsOf(decision).map((text, index) => text.padEnd(widths[index] ?? 0));
  const reason = REFUSALS.includes(decision.outcome) ? ` — ${firstClause(decision.reason)}` : "";
  return `${[...columns, visibleName(decision.summary + reason)].join("  ").trimEnd()}\n`;
}
