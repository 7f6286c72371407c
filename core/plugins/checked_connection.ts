import {
  type AssistantMessage,
  type ModelEvent,
  type ModelInfo,
  type ModelProvider,
  type ModelToolCall,
  ProviderError,
} from "@alisio/sdk";
import { isObject } from "../config/is_object.ts";

/**
 * A connection of a plugin's provider whose answers are what the contract says. One that says
 * something else fails the request, in words that name the provider, before anything of it is kept.
 *
 * @param id Id of the provider.
 * @param connection What its `create` returned.
 * @throws {TypeError} If that is no connection.
 */
export function checkedConnection(id: string, connection: ModelProvider): ModelProvider {
  const given: unknown = connection;
  if (!isObject(given) || typeof given["stream"] !== "function") {
    throw new TypeError(
      `Cannot use provider "${id}": create(request) returned nothing with a function stream; tell ` +
        "its author",
    );
  }
  const { id: own } = given;
  return {
    id: typeof own === "string" && own !== "" ? own : id,
    ...(given["acceptsServerTools"] === true ? { acceptsServerTools: true } : {}),
    stream: (request) => checkedEvents(id, connection.stream(request)),
    ...(typeof given["listModels"] === "function"
      ? { listModels: async (options) => checkedModels(id, await connection.listModels?.(options)) }
      : {}),
  };
}

function checkedModels(id: string, models: unknown): readonly ModelInfo[] {
  if (!Array.isArray(models)) throw broken(id, "its models are no list");
  if (models.every((model) => isObject(model) && typeof model["id"] === "string")) return models;
  throw broken(id, "a model of its list has no id");
}

async function* checkedEvents(
  id: string,
  stream: AsyncIterable<ModelEvent>,
): AsyncGenerator<ModelEvent> {
  const given: unknown = stream;
  const isStream = typeof given === "object" && given !== null && Symbol.asyncIterator in given;
  if (!isStream) throw broken(id, "stream(request) returned no stream of events");
  for await (const event of stream) yield checkedEvent(id, event);
}

function checkedEvent(id: string, event: ModelEvent): ModelEvent {
  const given: unknown = event;
  if (!isObject(given)) throw broken(id, "an event of its stream is no object");
  switch (event.type) {
    case "text_delta":
    case "reasoning_delta":
      if (typeof event.delta === "string") return event;
      throw broken(id, `the delta of an event "${event.type}" is no text`);
    case "warning":
      if (typeof event.message === "string") return event;
      throw broken(id, "the message of a warning is no text");
    case "completed": {
      const { message, usage, truncated } = event;
      return {
        type: "completed",
        message: checkedMessage(id, message),
        ...(usage === undefined ? {} : { usage }),
        ...(truncated === true ? { truncated } : {}),
      };
    }
    default:
      return event;
  }
}

function checkedMessage(id: string, message: unknown): AssistantMessage {
  if (!isObject(message) || message["role"] !== "assistant") {
    throw broken(id, 'its answer is no message of the role "assistant"');
  }
  const { text, calls, reasoning, continuation } = message;
  if (typeof text !== "string") throw broken(id, "the text of its answer is none");
  if (!Array.isArray(calls) || !calls.every(isCall)) {
    throw broken(id, "the calls of its answer are no list of { id, name, arguments }, all texts");
  }
  if (reasoning !== undefined && typeof reasoning !== "string") {
    throw broken(id, "the reasoning of its answer is no text");
  }
  return {
    role: "assistant",
    text,
    calls: calls.map(({ id, name, arguments: given }) => ({ id, name, arguments: given })),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(continuation === undefined ? {} : { continuation: checkedContinuation(id, continuation) }),
  };
}

function isCall(call: unknown): call is ModelToolCall {
  return isObject(call) &&
    [call["id"], call["name"], call["arguments"]].every((each) => typeof each === "string");
}

/** It is stored, and sent back to the provider. */
function checkedContinuation(
  id: string,
  continuation: unknown,
): NonNullable<AssistantMessage["continuation"]> {
  const isUsable = isObject(continuation) && typeof continuation["provider"] === "string" &&
    Array.isArray(continuation["items"]);
  if (!isUsable) throw broken(id, "the continuation of its answer is none");
  try {
    return JSON.parse(JSON.stringify(continuation));
  } catch {
    throw broken(id, "the continuation of its answer is no JSON");
  }
}

/** To ask again would bring the same. */
function broken(id: string, what: string): ProviderError {
  return new ProviderError(
    `Provider "${id}" answered what no provider may: ${what}; tell its author`,
    { code: "invalid_response" },
  );
}
