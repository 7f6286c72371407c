import type { CompletionMessage, CompletionRequest, ModelMessage } from "@alisio/sdk";
import { isObject } from "../config/is_object.ts";
import type { CostMeter } from "../run/cost_meter.ts";
import { requestModel } from "../run/model_request.ts";
import type { Connection } from "../run/open_session.ts";

/** What a completion works with. */
export interface CompletionPorts {
  /** Connects to the model of that name, or to the one of new sessions. */
  readonly connect: (model: string | undefined, signal: AbortSignal) => Promise<Connection>;
  /** Counts what responses of a connection cost. */
  readonly costMeter: (connection: Connection) => Promise<CostMeter | null>;
  /** Takes configured secrets out of a text before it is sent. */
  readonly redact: (text: string) => string;
  /** The longest that it may take. */
  readonly timeoutMs: number;
  /** Aborts when nothing more is to be sent. */
  readonly signal: AbortSignal;
}

const RETRY_BASE_MS = 500;

/**
 * Asks a model for a text on behalf of a plugin.
 *
 * @param request What is asked.
 * @param ports What it works with.
 * @throws {TypeError} If the request is malformed.
 * @throws {Error} If no model can be used, nothing more may be spent, or it does not answer.
 */
export async function completeText(
  request: CompletionRequest,
  ports: CompletionPorts,
): Promise<string> {
  const given = messagesOf(request);
  const startedAt = performance.now();
  const timeout = AbortSignal.timeout(ports.timeoutMs);
  const signals = [ports.signal, timeout, ...request.signal === undefined ? [] : [request.signal]];
  const signal = AbortSignal.any(signals);
  const connection = await ports.connect(request.model, signal);
  const { provider, model, limits } = connection;
  const cost = await ports.costMeter(connection);
  const refusal = cost?.refusal() ?? null;
  if (refusal !== null) throw new Error(refusal);
  // Only a connection knows the keys that are to be taken out.
  const system = ports.redact(request.system);
  const messages = given.map((message) => toModelMessage(message, ports.redact));
  const outcome = await requestModel({
    provider,
    signal,
    firstTokenTimeoutMs: limits.firstTokenTimeoutMs,
    firstTokenRetries: limits.firstTokenRetries,
    remainingMs: () => ports.timeoutMs - (performance.now() - startedAt),
    retryBaseMs: RETRY_BASE_MS,
    // Nobody watches it: what is worth knowing is the text, or why there is none.
    emit: () => {},
  }, {
    model,
    system,
    messages,
    tools: [],
    maxOutputTokens: Math.min(request.maxTokens ?? limits.maxOutputTokens, limits.maxOutputTokens),
  });
  const text = outcome.kind === "completed" ? outcome.message.text : outcome.text;
  const usage = outcome.kind === "completed" ? outcome.usage : undefined;
  if (usage !== undefined) cost?.count(usage);
  else {
    const request = system.length + JSON.stringify(messages).length;
    cost?.countEstimate({ request, response: text.length });
  }
  if (outcome.kind === "interrupted") throw outcome.error;
  return text;
}

function messagesOf(request: CompletionRequest): readonly CompletionMessage[] {
  const given: unknown = request;
  const { system, messages, maxTokens } = isObject(given) ? given : {};
  const isMessage = (each: unknown) =>
    isObject(each) && typeof each.text === "string" && each.text !== "" &&
    (each.role === "user" || each.role === "assistant");
  const isUsable = typeof system === "string" && Array.isArray(messages) && messages.length > 0 &&
    messages.every(isMessage) && (maxTokens === undefined || Number.isSafeInteger(maxTokens));
  if (isUsable) return request.messages;
  throw new TypeError(
    "model.complete needs { system: text, messages: [{ role, text }] }, with at least one " +
      "message and no empty one",
  );
}

function toModelMessage(
  { role, text: given }: CompletionMessage,
  redact: (text: string) => string,
): ModelMessage {
  const text = redact(given);
  return role === "assistant"
    ? { role, text, calls: [] }
    : { role, content: [{ type: "text", text }] };
}
