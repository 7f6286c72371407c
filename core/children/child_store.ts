import type { JsonValue, SessionStatus, Usage } from "@alisio/sdk";
import { isObject } from "../config/is_object.ts";
import type { Database, Row } from "../session/database.ts";
import { parseJson } from "../session/row_mappers.ts";
import {
  CHILD_OPTION,
  type ChildSettings,
  formatChildSettings,
  parseChildSettings,
} from "./child_settings.ts";

/** A child session as it is stored. */
export interface ChildRecord {
  readonly id: string;
  readonly parentId: string;
  /** How many sessions stand above it. */
  readonly depth: number;
  readonly title: string;
  readonly status: SessionStatus;
  /** Name of the model that it talks to. */
  readonly model: string;
  /** Real path. */
  readonly workspace: string;
  /** Tokens of all its runs. */
  readonly usage: Usage;
  readonly settings: ChildSettings;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** When its status changed last. */
  readonly updatedAt: number;
}

/** A child session that is to be stored. */
export interface NewChild extends Omit<ChildRecord, "status" | "usage" | "updatedAt"> {
  /** Id of the provider. */
  readonly provider: string;
  /** Names the process that made it. */
  readonly ownerToken: string;
}

const STATUSES: readonly SessionStatus[] = [
  "queued",
  "running",
  "completed",
  "failed",
  "cancelled",
  "interrupted",
];

const INSERT = `
  INSERT INTO sessions
    (id, workspace, model, provider, title, created_at, parent_id, depth, status, usage, options)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'queued', ?, ?)`;
const SELECT = "SELECT * FROM sessions WHERE id = ? AND parent_id IS NOT NULL";
const SELECT_CHILDREN = "SELECT * FROM sessions WHERE parent_id = ? ORDER BY rowid";
const SELECT_UNFINISHED = `
  SELECT * FROM sessions WHERE parent_id IS NOT NULL AND status IN ('queued', 'running')`;
const SELECT_PARENT = "SELECT parent_id FROM sessions WHERE id = ?";
const UPDATE_OPTION = `
  UPDATE sessions SET status = ?1, usage = coalesce(?2, usage),
    options = json_set(coalesce(options, '{}'), '$.childState', json(?3)) WHERE id = ?4`;

/** What is empty costs nothing to write. */
const NO_USAGE: Usage = { input: 0, output: 0 };

/** Child sessions. Every method is synchronous. */
export class ChildStore {
  readonly #db: Database;

  /** @param db The database of sessions. */
  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Stores a new child session, which waits to be run.
   *
   * @param child The child; its parent is stored.
   */
  insert(child: NewChild): void {
    const options = {
      [CHILD_OPTION]: formatChildSettings(child.settings),
      childState: { owner: child.ownerToken, updatedAt: child.createdAt },
    };
    this.#db.run(
      INSERT,
      child.id,
      child.workspace,
      child.model,
      child.provider,
      child.title,
      child.createdAt,
      child.parentId,
      child.depth,
      JSON.stringify(NO_USAGE),
      JSON.stringify(options),
    );
  }

  /**
   * A child session.
   *
   * @param id Its id.
   * @returns Undefined also for a session that works for no other one.
   */
  find(id: string): ChildRecord | undefined {
    const row = this.#db.get(SELECT, id);
    return row === undefined ? undefined : toChild(row);
  }

  /**
   * Those that work for a session, oldest first.
   *
   * @param parentId The session.
   */
  children(parentId: string): readonly ChildRecord[] {
    return this.#db.all(SELECT_CHILDREN, parentId).map(toChild);
  }

  /**
   * Ids of the sessions above one, the nearest first.
   *
   * @param id Its id.
   */
  ancestors(id: string): readonly string[] {
    const found: string[] = [];
    for (let parent = this.#parentOf(id); parent !== null; parent = this.#parentOf(parent)) {
      // A circle could only come of a damaged file.
      if (found.includes(parent)) break;
      found.push(parent);
    }
    return found;
  }

  #parentOf(id: string): string | null {
    const parent = this.#db.get(SELECT_PARENT, id)?.parent_id;
    return parent === undefined || parent === null ? null : String(parent);
  }

  /**
   * Changes how a child is doing.
   *
   * @param id The child.
   * @param change How it is doing, tokens that come on top, and the process that says so.
   */
  setStatus(
    id: string,
    change: { readonly status: SessionStatus; readonly used?: Usage; readonly ownerToken: string },
  ): void {
    this.#db.transaction(() => {
      const { usage = NO_USAGE } = this.find(id) ?? {};
      const sum = change.used === undefined ? null : JSON.stringify(addUsage(usage, change.used));
      const state = JSON.stringify({ owner: change.ownerToken, updatedAt: Date.now() });
      this.#db.run(UPDATE_OPTION, change.status, sum, state, id);
    });
  }

  /** Children that were waiting or running when they were last heard of, and whose they are. */
  unfinished(): readonly { readonly id: string; readonly ownerToken: string }[] {
    return this.#db.all(SELECT_UNFINISHED).map((row) => ({
      id: String(row.id),
      ownerToken: stateOf(row).owner,
    }));
  }
}

function toChild(row: Row): ChildRecord {
  const { child } = optionsOf(row);
  return {
    id: String(row.id),
    parentId: String(row.parent_id),
    depth: Number(row.depth),
    title: String(row.title ?? ""),
    status: STATUSES.find((status) => status === row.status) ?? "interrupted",
    model: String(row.model),
    workspace: String(row.workspace),
    usage: toUsage(parseJson(row.usage)),
    settings: parseChildSettings(child),
    createdAt: Number(row.created_at),
    updatedAt: stateOf(row).updatedAt,
  };
}

function optionsOf(row: Row): { readonly child?: JsonValue; readonly state?: JsonValue } {
  const options = parseJson(row.options);
  if (!isObject(options)) return {};
  return { child: jsonOf(options[CHILD_OPTION]), state: jsonOf(options["childState"]) };
}

/** What was parsed from JSON is JSON. */
function jsonOf(value: unknown): JsonValue {
  return value as JsonValue ?? null;
}

function stateOf(row: Row): { readonly owner: string; readonly updatedAt: number } {
  const { state } = optionsOf(row);
  const { owner, updatedAt }: Readonly<Record<string, unknown>> = isObject(state) ? state : {};
  return {
    owner: typeof owner === "string" ? owner : "",
    updatedAt: typeof updatedAt === "number" ? updatedAt : Number(row.created_at),
  };
}

function toUsage(stored: unknown): Usage {
  if (!isObject(stored)) return NO_USAGE;
  const { input, output, cachedInput } = stored;
  return {
    input: Number(input) || 0,
    output: Number(output) || 0,
    ...(typeof cachedInput === "number" ? { cachedInput } : {}),
  };
}

/**
 * The tokens of two runs together.
 *
 * @param one Those of the first.
 * @param other Those of the second.
 */
export function addUsage(one: Usage, other: Usage): Usage {
  const cachedInput = (one.cachedInput ?? 0) + (other.cachedInput ?? 0);
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    ...(cachedInput === 0 ? {} : { cachedInput }),
  };
}
