import assert from "node:assert/strict";
import {
  type ModelEvent,
  type ModelMessage,
  type ModelProvider,
  type ModelRequest,
  type ModelTool,
  ProviderError,
} from "@alisio/sdk";
import { createOpenAiProvider } from "../../../plugins/openai_compatible/openai_provider.ts";
import type { ResponseLimits } from "../../../plugins/openai_compatible/limits.ts";
import {
  startStubServer,
  type StubHandler,
  type StubReply,
  type StubServer,
  type StubServerOptions,
} from "../../support/stub_server.ts";

/** Tools that most tests offer. */
export const TOOLS: readonly ModelTool[] = ["read_file", "write_file", "list_files"].map((
  name,
) => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: {
    type: "object",
    properties: { path: { type: "string" }, limit: { type: "integer" } },
  },
}));

/** A message from the person. */
export function user(text: string): ModelMessage {
  return { role: "user", content: [{ type: "text", text }] };
}

/** A request with sensible values. */
export function request(overrides: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: "stub-model",
    system: "You are a test.",
    messages: [user("Hello")],
    tools: TOOLS,
    maxOutputTokens: 1_000,
    signal: new AbortController().signal,
    ...overrides,
  };
}

/** Options of {@linkcode withServer}. */
export interface WithServerOptions extends StubServerOptions {
  readonly profile?: Readonly<Record<string, string | boolean | number>>;
  readonly apiKey?: string;
  readonly limits?: Partial<ResponseLimits>;
}

/** Runs `fn` with a provider that talks to a scripted server. */
export async function withServer(
  script: StubHandler | readonly (StubReply | StubHandler)[],
  options: WithServerOptions,
  fn: (provider: ModelProvider, server: StubServer) => Promise<void>,
): Promise<void> {
  await using server = await startStubServer(script, options);
  const provider = await createOpenAiProvider({
    profile: { baseURL: server.baseUrl, ...options.profile },
    credentials: { apiKey: options.apiKey },
    userAgent: "alisio/test",
  }, options.limits === undefined ? {} : { limits: options.limits });
  await fn(provider, server);
}

/** All that a stream gave. */
export interface StreamOutcome {
  readonly events: readonly ModelEvent[];
  /** Text of all `text_delta` events. */
  readonly text: string;
  /** Text of all `reasoning_delta` events. */
  readonly reasoning: string;
  readonly warnings: readonly string[];
  readonly completed?: Extract<ModelEvent, { type: "completed" }>;
  readonly error?: unknown;
}

/** Reads a stream to its end and holds it against the contract. */
export async function collect(stream: AsyncIterable<ModelEvent>): Promise<StreamOutcome> {
  const events: ModelEvent[] = [];
  let failure: { readonly error: unknown } | undefined;
  try {
    for await (const event of stream) events.push(event);
  } catch (error) {
    failure = { error };
  }
  const ends = events.filter((event) => event.type === "completed");
  assert.equal(ends.length + (failure === undefined ? 0 : 1), 1, "one end, of either kind");
  const completed = events.at(-1);
  return {
    events,
    text: join(events, "text_delta"),
    reasoning: join(events, "reasoning_delta"),
    warnings: events.flatMap((event) => event.type === "warning" ? [event.message] : []),
    ...(completed?.type === "completed" ? { completed } : {}),
    ...failure,
  };
}

/** Asks once and expects an answer. */
export async function answer(
  provider: ModelProvider,
  overrides: Partial<ModelRequest> = {},
): Promise<StreamOutcome & { readonly completed: Extract<ModelEvent, { type: "completed" }> }> {
  const outcome = await collect(provider.stream(request(overrides)));
  if (outcome.error !== undefined) throw outcome.error;
  assert.ok(outcome.completed);
  return { ...outcome, completed: outcome.completed };
}

/** Asks once and expects a failure. */
export async function failure(
  provider: ModelProvider,
  overrides: Partial<ModelRequest> = {},
): Promise<ProviderError> {
  const outcome = await collect(provider.stream(request(overrides)));
  assert.ok(outcome.error instanceof ProviderError, `expected an error: ${outcome.text}`);
  return outcome.error;
}

function join(events: readonly ModelEvent[], type: "text_delta" | "reasoning_delta"): string {
  return events.map((event) => event.type === type ? event.delta : "").join("");
}
