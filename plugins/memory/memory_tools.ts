import type { JsonSchema } from "@alisio/sdk";

/** A tool of the plugin, without what runs it. */
export interface MemoryToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

const SCOPE = {
  type: "string",
  enum: ["project", "personal"],
  description: "project: seen only in this project. personal: seen in every one.",
} as const;
const TYPE = {
  type: "string",
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
} as const;
const ID = { type: "integer", minimum: 1, description: "Number of the observation." } as const;
const NEIGHBOURS = { type: "integer", minimum: 0, maximum: 10 } as const;

/** The tools by which a model remembers. */
export const MEMORY_TOOLS: readonly MemoryToolDefinition[] = [
  {
    name: "memory_save",
    description:
      "Keeps something for later sessions: a decision and its reason, a cause that was found, a " +
      "convention, a wish of the person. Content: what, why, where, what was learned. The same " +
      "topic_key replaces what was kept under it. Never keep secrets; <private>…</private> is " +
      "left out.",
    inputSchema: objectOf({
      title: { type: "string", minLength: 1, description: "What it is, in one line." },
      content: { type: "string", minLength: 1 },
      type: TYPE,
      scope: SCOPE,
      topic_key: {
        type: "string",
        description: "family/description, such as build/test-command.",
      },
    }, ["title", "content", "type"]),
  },
  {
    name: "memory_search",
    description:
      "Searches what was kept in earlier sessions. Answers the beginning of each hit; read one " +
      "whole with memory_get.",
    inputSchema: objectOf({
      query: { type: "string", minLength: 1 },
      limit: { type: "integer", description: "1 to 20; 10 unless given." },
      type: TYPE,
      scope: SCOPE,
      match: { type: "string", enum: ["all", "any"], description: "Which words have to be there." },
      all_projects: { type: "boolean" },
    }, ["query"]),
  },
  {
    name: "memory_get",
    description: "Reads one observation whole.",
    inputSchema: objectOf({ id: ID }, ["id"]),
  },
  {
    name: "memory_context",
    description: "Shows what a new session of this project is told of earlier ones.",
    inputSchema: objectOf({}, []),
  },
  {
    name: "memory_timeline",
    description: "Shows what was kept before and after an observation, in the same session.",
    inputSchema: objectOf({ id: ID, before: NEIGHBOURS, after: NEIGHBOURS }, ["id"]),
  },
  {
    name: "memory_pin",
    description: "Pins an observation, so that each session begins with it, or unpins it.",
    inputSchema: objectOf({ id: ID, pinned: { type: "boolean" } }, ["id", "pinned"]),
  },
  {
    name: "memory_forget",
    description: "Forgets an observation; with hard, it is removed for good.",
    inputSchema: objectOf({ id: ID, hard: { type: "boolean" } }, ["id"]),
  },
];

function objectOf(properties: JsonSchema, required: readonly string[]): JsonSchema {
  return { type: "object", properties, required, additionalProperties: false };
}
