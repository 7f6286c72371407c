import type { JsonSchema } from "@alisio/sdk";

/** A tool of the plugin, without what runs it. */
export interface MemoryToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

const TEXT = { type: "string" } as const;
const FLAG = { type: "boolean" } as const;
const NUMBER = { type: "integer" } as const;
const SCOPE = { type: "string", enum: ["project", "personal"] } as const;

/** The tools by which a model remembers. Each request carries them, so they say little. */
export const MEMORY_TOOLS: readonly MemoryToolDefinition[] = [
  {
    name: "memory_save",
    description: "Keeps an observation for later sessions, in place of one with its topic_key",
    inputSchema: objectOf({
      title: TEXT,
      content: { ...TEXT, description: "What, why, where, learned" },
      type: {
        ...TEXT,
        enum: [
          "decision",
          "bugfix",
          "discovery",
          "pattern",
          "architecture",
          "config",
          "preference",
          "learning",
        ],
      },
      scope: { ...SCOPE, description: "personal: in all projects" },
      topic_key: { ...TEXT, description: "Such as build/test-command" },
    }, ["title", "content", "type"]),
  },
  {
    name: "memory_search",
    description: "Finds observations; shows how each begins",
    inputSchema: objectOf({
      query: TEXT,
      limit: { ...NUMBER, description: "Default 10, at most 20" },
      type: TEXT,
      scope: SCOPE,
      match: { ...TEXT, enum: ["all", "any"] },
      all_projects: FLAG,
    }, ["query"]),
  },
  {
    name: "memory_get",
    description: "Reads a whole observation",
    inputSchema: objectOf({ id: NUMBER }, ["id"]),
  },
  {
    name: "memory_context",
    description: "Shows what a new session of this project begins with",
    inputSchema: objectOf({}, []),
  },
  {
    name: "memory_timeline",
    description: "Shows what was kept around an observation, in its session",
    inputSchema: objectOf({ id: NUMBER, before: NUMBER, after: NUMBER }, ["id"]),
  },
  {
    name: "memory_pin",
    description: "Pins an observation, so that each session begins with it, or unpins it",
    inputSchema: objectOf({ id: NUMBER, pinned: FLAG }, ["id", "pinned"]),
  },
  {
    name: "memory_forget",
    description: "Forgets an observation",
    inputSchema: objectOf({
      id: NUMBER,
      hard: { ...FLAG, description: "Nothing of it stays on disk" },
    }, ["id"]),
  },
];

function objectOf(properties: JsonSchema, required: readonly string[]): JsonSchema {
  return { type: "object", properties, required, additionalProperties: false };
}
