import { textResult, type ToolContext, type ToolResult } from "@alisio/sdk";
import type { MemorySettings, Scope } from "./memory_settings.ts";
import type { MemoryStore } from "./memory_store.ts";
import { type Observation, OBSERVATION_TYPES, oneLine } from "./observation.ts";

/** What a call of a tool works with. */
export interface MemoryCall {
  readonly context: Pick<ToolContext, "session">;
  /** Id of the project. */
  readonly project: string;
  readonly store: MemoryStore;
  readonly settings: MemorySettings;
  /** What a new session is told; undefined for nothing. */
  readonly block: () => string | undefined;
  /** Called when something was kept, changed or forgotten. */
  readonly onChanged: () => void;
}

const SNIPPET_CHARS = 300;

type Input = Readonly<Record<string, unknown>>;

/**
 * Runs a call of one of the tools.
 *
 * @param tool The tool.
 * @param input Its input, as its schema has it.
 * @param call What it works with.
 * @throws {RangeError} If there is nothing to keep, or no such type.
 */
export async function callMemoryTool(
  tool: string,
  input: Input,
  call: MemoryCall,
): Promise<ToolResult> {
  const { store, project } = call;
  const id = Number(input["id"]);
  switch (tool) {
    case "memory_save":
      return await save(input, call);
    case "memory_search":
      return search(input, call);
    case "memory_get": {
      const found = store.read(id, project);
      return found === undefined ? missing(id) : json(whole(found));
    }
    case "memory_context":
      return textResult(call.block() ?? "Nothing is remembered of this project yet");
    case "memory_timeline": {
      const { before = 3, after = 3 } = input;
      const around = { before: clamped(before, 0, 10), after: clamped(after, 0, 10) };
      const found = store.timeline(id, project, around);
      return found === undefined ? missing(id) : json({ observations: found.map(hit) });
    }
    case "memory_pin": {
      const pinned = input["pinned"] === true;
      if (!store.pin(id, project, pinned)) return missing(id);
      call.onChanged();
      return json({ id, pinned });
    }
    case "memory_forget": {
      const hard = input["hard"] === true;
      if (!store.forget(id, project, hard)) return missing(id);
      call.onChanged();
      return json({ id, forgotten: true, hard });
    }
    default:
      throw new TypeError(`There is no tool "${tool}"`);
  }
}

async function save(
  input: Input,
  { context, project, store, settings, onChanged }: MemoryCall,
): Promise<ToolResult> {
  const { title, content, type, scope, topic_key: topicKey } = input;
  const saved = await store.save({
    title: String(title),
    content: String(content),
    type: OBSERVATION_TYPES.find((known) => known === type) ?? "discovery",
    scope: isScope(scope) ? scope : settings.defaultScope,
    ...(typeof topicKey === "string" ? { topicKey } : {}),
  }, {
    project,
    source: "memory_save",
    ...(context.session === undefined ? {} : { sessionId: context.session }),
  });
  onChanged();
  return json(saved);
}

function search(input: Input, { store, project }: MemoryCall): ToolResult {
  const { query, limit = 10, type, scope, match, all_projects: allProjects } = input;
  const known = OBSERVATION_TYPES.find((each) => each === type);
  if (type !== undefined && known === undefined) {
    throw new RangeError(
      `Cannot search for a type that there is not; the types are ${OBSERVATION_TYPES.join(", ")}`,
    );
  }
  const found = store.search({
    query: String(query),
    project,
    match: match === "any" ? "any" : "all",
    limit: clamped(limit, 1, 20),
    ...(known === undefined ? {} : { type: known }),
    ...(isScope(scope) ? { scope } : {}),
    ...(allProjects === true ? { allProjects } : {}),
  });
  return json({ results: found.map(hit) });
}

function hit({ id, type, title, content, scope, topicKey, updatedAt, isPinned }: Observation) {
  return {
    id,
    type,
    title,
    snippet: oneLine(content, SNIPPET_CHARS),
    scope,
    ...(topicKey === undefined ? {} : { topicKey }),
    updatedAt: new Date(updatedAt).toISOString(),
    ...(isPinned ? { pinned: true } : {}),
  };
}

function whole(observation: Observation) {
  const { content, project, revisions, duplicates, createdAt } = observation;
  const { snippet: _, ...facts } = hit(observation);
  return {
    ...facts,
    content,
    project,
    revisions,
    duplicates,
    createdAt: new Date(createdAt).toISOString(),
  };
}

function isScope(value: unknown): value is Scope {
  return value === "project" || value === "personal";
}

function clamped(value: unknown, min: number, max: number): number {
  const number = Math.trunc(Number(value));
  return Number.isNaN(number) ? min : Math.min(max, Math.max(min, number));
}

function missing(id: unknown): ToolResult {
  return textResult(
    `There is no observation ${Number(id)} in this project; find one with memory_search`,
    true,
  );
}

function json(value: unknown): ToolResult {
  return textResult(JSON.stringify(value));
}
