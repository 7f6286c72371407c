import { textResult, type ToolContext, type ToolDefinition, type ToolResult } from "@alisio/sdk";
import type { MemorySettings, Scope } from "./memory_settings.ts";
import type { MemoryStore } from "./memory_store.ts";
import { type Observation, OBSERVATION_TYPES, oneLine } from "./observation.ts";

/** What the tools work with. */
export interface MemoryToolPorts {
  /** Opens the store; throws with a message for people. */
  readonly store: () => MemoryStore;
  /** Id of the project that a workspace belongs to. */
  readonly project: (workspace: string) => Promise<string>;
  readonly settings: MemorySettings;
  /** What a new session is told; undefined for nothing. */
  readonly block: (project: string) => string | undefined;
  /** Called when something was kept, changed or forgotten. */
  readonly onChanged: (project: string) => void;
}

const SNIPPET_CHARS = 300;
const SCOPE = {
  type: "string",
  enum: ["project", "personal"],
  description: "project: seen only in this project. personal: seen in every one.",
} as const;
const TYPE = { type: "string", enum: [...OBSERVATION_TYPES] };
const ID = { type: "integer", minimum: 1, description: "Number of the observation." } as const;
const NEIGHBOURS = { type: "integer", minimum: 0, maximum: 10 } as const;

type Input = Readonly<Record<string, unknown>>;

/**
 * The tools by which a model remembers.
 *
 * @param ports What they work with.
 */
export function memoryTools(ports: MemoryToolPorts): readonly ToolDefinition[] {
  const tool = (
    definition: Pick<ToolDefinition, "name" | "description">,
    properties: Readonly<Record<string, object>>,
    required: readonly string[],
    run: (input: Input, facts: CallFacts) => Promise<ToolResult> | ToolResult,
  ): ToolDefinition => ({
    ...definition,
    effect: "internal",
    inputSchema: JSON.parse(JSON.stringify({
      type: "object",
      properties,
      required,
      additionalProperties: false,
    })),
    async execute(input, context) {
      try {
        const project = await ports.project(context.workspace);
        return await run(input, { context, project, store: ports.store() });
      } catch (error) {
        return textResult(error instanceof Error ? error.message : String(error), true);
      }
    },
  });
  return [
    tool(
      {
        name: "memory_save",
        description:
          "Keeps something for later sessions: a decision and its reason, a cause that was found, a " +
          "convention, a wish of the person. Content: what, why, where, what was learned. The same " +
          "topic_key replaces what was kept under it. Never keep secrets; <private>…</private> is " +
          "left out.",
      },
      {
        title: { type: "string", minLength: 1, description: "What it is, in one line." },
        content: { type: "string", minLength: 1 },
        type: TYPE,
        scope: SCOPE,
        topic_key: {
          type: "string",
          description: "family/description, such as build/test-command.",
        },
      },
      ["title", "content", "type"],
      (input, facts) => save(ports, input, facts),
    ),
    tool(
      {
        name: "memory_search",
        description:
          "Searches what was kept in earlier sessions. Answers the beginning of each hit; read one " +
          "whole with memory_get.",
      },
      {
        query: { type: "string", minLength: 1 },
        limit: { type: "integer", description: "1 to 20; 10 unless given." },
        type: TYPE,
        scope: SCOPE,
        match: {
          type: "string",
          enum: ["all", "any"],
          description: "Which words have to be there.",
        },
        all_projects: { type: "boolean" },
      },
      ["query"],
      search,
    ),
    tool(
      { name: "memory_get", description: "Reads one observation whole." },
      { id: ID },
      ["id"],
      ({ id }, { store, project }) => {
        const found = store.read(Number(id), project);
        return found === undefined ? missing(id) : json(whole(found));
      },
    ),
    tool(
      {
        name: "memory_context",
        description: "Shows what a new session of this project is told of earlier ones.",
      },
      {},
      [],
      (_input, { project }) =>
        textResult(ports.block(project) ?? "Nothing is remembered of this project yet"),
    ),
    tool(
      {
        name: "memory_timeline",
        description: "Shows what was kept before and after an observation, in the same session.",
      },
      { id: ID, before: NEIGHBOURS, after: NEIGHBOURS },
      ["id"],
      ({ id, before = 3, after = 3 }, { store, project }) => {
        const around = { before: clamped(before, 0, 10), after: clamped(after, 0, 10) };
        const found = store.timeline(Number(id), project, around);
        return found === undefined ? missing(id) : json({ observations: found.map(hit) });
      },
    ),
    tool(
      {
        name: "memory_pin",
        description: "Pins an observation, so that each session begins with it, or unpins it.",
      },
      { id: ID, pinned: { type: "boolean" } },
      ["id", "pinned"],
      ({ id, pinned }, { store, project }) => {
        if (!store.pin(Number(id), project, pinned === true)) return missing(id);
        ports.onChanged(project);
        return json({ id, pinned });
      },
    ),
    tool(
      {
        name: "memory_forget",
        description: "Forgets an observation; with hard, it is removed for good.",
      },
      { id: ID, hard: { type: "boolean" } },
      ["id"],
      ({ id, hard }, { store, project }) => {
        if (!store.forget(Number(id), project, hard === true)) return missing(id);
        ports.onChanged(project);
        return json({ id, forgotten: true, hard: hard === true });
      },
    ),
  ];
}

interface CallFacts {
  readonly context: ToolContext;
  readonly project: string;
  readonly store: MemoryStore;
}

async function save(
  { settings, onChanged }: MemoryToolPorts,
  input: Input,
  { context, project, store }: CallFacts,
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
  onChanged(project);
  return json(saved);
}

function search(input: Input, { store, project }: CallFacts): ToolResult {
  const { query, limit = 10, type, scope, match, all_projects: allProjects } = input;
  const known = OBSERVATION_TYPES.find((each) => each === type);
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
