import {
  type AssistantMessage,
  definePlugin,
  type ModelEvent,
  type ModelMessage,
  type ModelProvider,
  type ModelRequest,
  type ModelToolCall,
  ProviderError,
  type ProviderErrorCode,
} from "@alisio/sdk";

const LOCAL = "http://127.0.0.1:11434";

/** Longest line that the server may send. */
const MAX_LINE_CHARS = 4_000_000;

/**
 * Speaks the protocol of Ollama's own: one JSON object per line.
 *
 * @param baseURL Where the server answers.
 * @param key Sent as a bearer token, where there is one.
 */
export function ollamaProvider(baseURL: string, key?: string): ModelProvider {
  const call = async (path: string, init: RequestInit): Promise<Response> => {
    const headers = { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) };
    try {
      return await fetch(`${baseURL}${path}`, { ...init, headers });
    } catch (error) {
      if (init.signal?.aborted) throw init.signal.reason;
      throw new ProviderError(`Cannot reach ${baseURL}: is the server running?`, {
        code: "network",
        retryable: true,
        cause: error,
      });
    }
  };
  return {
    id: `ollama-native ${baseURL}`,
    async *stream(request) {
      const { signal } = request;
      const body = JSON.stringify(requestBody(request));
      yield* events(
        await accepted(await call("/api/chat", { method: "POST", body, signal })),
        signal,
      );
    },
    async listModels({ signal }) {
      const response = await accepted(await call("/api/tags", { signal }));
      const models = field(await response.json(), "models");
      const names = Array.isArray(models) ? models.map((each) => field(each, "name")) : [];
      return names.filter((name) => typeof name === "string").map((id) => ({ id }));
    },
  };
}

function requestBody({ model, system, messages, tools, maxOutputTokens }: ModelRequest) {
  return {
    model,
    messages: [{ role: "system", content: system }, ...messages.map(wireMessage)],
    tools: tools.map(({ name, description, inputSchema }) => ({
      type: "function",
      function: { name, description, parameters: inputSchema },
    })),
    options: { num_predict: maxOutputTokens },
  };
}

function wireMessage(message: ModelMessage): Readonly<Record<string, unknown>> {
  switch (message.role) {
    case "user": {
      const texts = message.content.filter((part) => part.type === "text");
      const images = message.content.filter((part) => part.type === "image");
      return {
        role: "user",
        content: texts.map(({ text }) => text).join("\n\n"),
        ...(images.length === 0 ? {} : { images: images.map(({ data }) => data) }),
      };
    }
    case "assistant":
      return {
        role: "assistant",
        content: message.text,
        tool_calls: message.calls.map((call) => ({
          function: { name: call.name, arguments: JSON.parse(call.arguments) },
        })),
      };
    case "tool":
      return { role: "tool", tool_name: message.name, content: message.text };
  }
}

/** Any number of deltas, and then one completion or one error. */
async function* events(response: Response, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  let text = "";
  const calls: ModelToolCall[] = [];
  try {
    for await (const line of linesOf(response)) {
      const failure = field(line, "error");
      if (failure !== undefined) {
        throw new ProviderError(`The model failed: ${String(failure).slice(0, 300)}`, {
          code: "server_error",
        });
      }
      const message = field(line, "message");
      const thinking = textField(message, "thinking");
      if (thinking !== "") yield { type: "reasoning_delta", delta: thinking };
      const delta = textField(message, "content");
      if (delta !== "") yield { type: "text_delta", delta };
      text += delta;
      for (const call of callsOf(message)) {
        calls.push(call);
        yield { type: "tool_delta" };
      }
      if (field(line, "done") === true) {
        return yield completion({ role: "assistant", text, calls }, line);
      }
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof ProviderError) throw error;
    throw interrupted(error);
  }
  throw interrupted();
}

function completion(message: AssistantMessage, line: unknown): ModelEvent {
  const input = field(line, "prompt_eval_count");
  const output = field(line, "eval_count");
  const isCounted = typeof input === "number" && typeof output === "number";
  return {
    type: "completed",
    message,
    ...(isCounted ? { usage: { input, output } } : {}),
    ...(field(line, "done_reason") === "length" ? { truncated: true } : {}),
  };
}

/** The server gives calls no id; the host makes one for each that has none. */
function callsOf(message: unknown): readonly ModelToolCall[] {
  const calls = field(message, "tool_calls");
  if (!Array.isArray(calls)) return [];
  return calls.map((call) => ({
    id: textField(call, "id"),
    name: textField(field(call, "function"), "name"),
    arguments: JSON.stringify(field(field(call, "function"), "arguments") ?? {}),
  }));
}

async function* linesOf(response: Response): AsyncGenerator<unknown> {
  let rest = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > MAX_LINE_CHARS) {
      throw new ProviderError("The server sent a line without end", { code: "invalid_response" });
    }
    for (const line of lines) if (line.trim() !== "") yield parsed(line);
  }
  if (rest.trim() !== "") yield parsed(rest);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new ProviderError("The server sent something else than JSON lines", {
      code: "invalid_response",
      cause: error,
    });
  }
}

async function accepted(response: Response): Promise<Response> {
  if (response.ok) return response;
  const said = await response.text();
  if (/exceeds the context length/.test(said)) {
    throw new ProviderError("The conversation is too long for the model", {
      code: "context_overflow",
    });
  }
  const codes: Readonly<Record<number, ProviderErrorCode>> = {
    400: "invalid_request",
    401: "authentication",
    403: "permission",
    404: "model_not_found",
    429: "rate_limited",
    503: "overloaded",
  };
  const { status } = response;
  const code = codes[status] ?? "server_error";
  const retryable = status === 429 || status >= 500;
  throw new ProviderError(`The server answered with status ${status}`, { code, status, retryable });
}

function interrupted(cause?: unknown): ProviderError {
  return new ProviderError("The connection broke before the answer was complete", {
    code: "stream_interrupted",
    retryable: true,
    cause,
  });
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function textField(value: unknown, name: string): string {
  const text = field(value, name);
  return typeof text === "string" ? text : "";
}

export default definePlugin({
  id: "ollama-native",
  name: "Ollama, natively",
  description: "Talks to Ollama in its own protocol",
  version: "0.1.0",
  apiVersion: 1,
  categories: ["model-provider"],
  setup(api) {
    api.providers.register({
      id: "ollama-native",
      name: "Ollama",
      fields: [
        { name: "baseURL", label: "Address", default: LOCAL },
        { name: "apiKey", label: "Key", secret: true },
      ],
      create({ profile, credentials }) {
        const { baseURL = LOCAL } = profile;
        if (typeof baseURL !== "string" || !URL.canParse(baseURL)) {
          throw new TypeError('"baseURL" is no address');
        }
        return ollamaProvider(baseURL.replace(/\/+$/, ""), credentials.apiKey);
      },
    });
  },
});
