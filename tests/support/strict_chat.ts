/**
 * What a strict server refuses. Each checker returns the first violation, or `undefined`.
 *
 * @module
 */

type Fields = Readonly<Record<string, unknown>>;

/** Options of {@linkcode strictChat}. */
export interface StrictChatOptions {
  /** Every assistant message must carry `reasoning_content`, the empty string included. */
  readonly reasoning?: boolean;
}

/**
 * Checks a body of `POST /chat/completions`.
 *
 * @param json The body.
 * @param options What else is demanded.
 */
export function strictChat(json: unknown, options: StrictChatOptions = {}): string | undefined {
  const body = toFields(json);
  if (typeof body.model !== "string" || body.model === "") return "model: expected text";
  if (!Array.isArray(body.messages)) return "messages: expected a list";
  const messages = body.messages.map(toFields);
  return checkTools(body.tools, (tool) => toFields(tool.function)) ??
    checkRoles(messages) ??
    checkAlternation(messages) ??
    first(messages, (message) => checkMessage(message, options)) ??
    checkPairs(messages.flatMap(toChatPairs));
}

/**
 * Checks a body of `POST /responses`.
 *
 * @param json The body.
 */
export function strictResponses(json: unknown): string | undefined {
  const body = toFields(json);
  if (typeof body.model !== "string" || body.model === "") return "model: expected text";
  if (body.store !== false) return "store: expected false";
  if (!Array.isArray(body.input)) return "input: expected a list";
  const items = body.input.map(toFields);
  return checkTools(body.tools, (tool) => tool) ??
    checkRoles(items.filter((item) => item.role !== undefined || item.type === "function_call")) ??
    first(items, checkItem) ??
    checkReasoningOrder(items) ??
    checkPairs(items.flatMap(toResponsesPairs));
}

function checkTools(tools: unknown, toTool: (tool: Fields) => Fields): string | undefined {
  if (tools === undefined) return undefined;
  if (!Array.isArray(tools) || tools.length === 0) return "tools: expected a list with entries";
  const names = tools.map((tool) => String(toTool(toFields(tool)).name));
  if (new Set(names).size !== names.length) return "tools: a name is used twice";
  return names.every(isName) ? undefined : "tools: a name has characters that are not allowed";
}

function checkRoles(messages: readonly Fields[]): string | undefined {
  for (const [index, { role }] of messages.entries()) {
    if (role === "system" && index > 0) return "a system message is not the first message";
    if (role === "user" && messages[index - 1]?.role === "user") {
      return "two user messages follow each other";
    }
  }
  return undefined;
}

function checkAlternation(messages: readonly Fields[]): string | undefined {
  const isAnswer = (message: Fields | undefined) => message?.role === "assistant";
  const repeats = messages.some((message, index) =>
    isAnswer(message) && isAnswer(messages[index - 1])
  );
  return repeats ? "two assistant messages follow each other" : undefined;
}

function checkMessage(message: Fields, options: StrictChatOptions): string | undefined {
  const { role, content } = message;
  if (role === "user" || role === "system") return checkContent(content, String(role));
  if (role === "tool") return typeof content === "string" ? undefined : "tool: expected text";
  if (role !== "assistant") return `unknown role: ${role}`;
  if (options.reasoning && typeof message.reasoning_content !== "string") {
    return "assistant: reasoning_content is missing";
  }
  if (message.tool_calls === undefined) {
    return checkContent(content, "assistant");
  }
  if (!Array.isArray(message.tool_calls) || message.tool_calls.length === 0) {
    return "assistant: tool_calls is empty";
  }
  return first(message.tool_calls.map(toFields), (call) => checkFunction(toFields(call.function)));
}

function checkItem(item: Fields): string | undefined {
  if (item.type === "function_call") return checkFunction(item);
  if (item.type === "function_call_output") {
    return typeof item.output === "string" ? undefined : "output: expected text";
  }
  if (item.type === "reasoning") {
    if (item.status === null) return "reasoning: status is null";
    return Array.isArray(item.summary) ? undefined : "reasoning: summary is missing";
  }
  return checkContent(item.content, String(item.role));
}

function checkContent(content: unknown, role: string): string | undefined {
  const isEmpty = content === undefined || content === null || content === "" ||
    (Array.isArray(content) && content.length === 0);
  return isEmpty ? `${role}: the message is empty` : undefined;
}

function checkFunction(call: Fields): string | undefined {
  if (!isName(call.name)) return `call: the name ${JSON.stringify(call.name)} is not allowed`;
  if (typeof call.arguments !== "string") return "call: arguments are not a string";
  try {
    const value: unknown = JSON.parse(call.arguments);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return undefined;
  } catch {
    // Answered below.
  }
  return "call: arguments hold no object";
}

/** A call, or a result; anything else ends a batch. */
type Pair = { readonly call: unknown } | { readonly result: unknown } | "other";

function toChatPairs(message: Fields): Pair[] {
  if (message.role === "tool") return [{ result: message.tool_call_id }];
  if (!Array.isArray(message.tool_calls)) return ["other"];
  return ["other", ...message.tool_calls.map((call) => ({ call: toFields(call).id }))];
}

function toResponsesPairs(item: Fields): Pair[] {
  if (item.type === "function_call") return [{ call: item.call_id }];
  return item.type === "function_call_output" ? [{ result: item.call_id }] : ["other"];
}

function checkPairs(pairs: readonly Pair[]): string | undefined {
  const seen = new Set<unknown>();
  const open = new Set<unknown>();
  for (const pair of pairs) {
    if (pair === "other") {
      if (open.size > 0) return "a call has no result";
    } else if ("call" in pair) {
      if (typeof pair.call !== "string" || pair.call === "") return "call: the id is missing";
      if (seen.has(pair.call)) return `call: the id ${pair.call} is used twice`;
      seen.add(pair.call);
      open.add(pair.call);
    } else if (!open.delete(pair.result)) {
      return `result: no open call has the id ${pair.result}`;
    }
  }
  return open.size > 0 ? "a call has no result" : undefined;
}

function checkReasoningOrder(items: readonly Fields[]): string | undefined {
  for (const [index, item] of items.entries()) {
    if (item.type !== "reasoning") continue;
    const next = items[index + 1];
    const follows = next?.type === "reasoning" || next?.type === "function_call" ||
      next?.role === "assistant";
    if (!follows) return "reasoning: the item that it belongs to is missing";
  }
  return undefined;
}

function isName(name: unknown): boolean {
  return typeof name === "string" && /^[a-zA-Z0-9_-]{1,64}$/.test(name);
}

function first<T>(
  entries: readonly T[],
  check: (entry: T) => string | undefined,
): string | undefined {
  for (const entry of entries) {
    const violation = check(entry);
    if (violation !== undefined) return violation;
  }
  return undefined;
}

function toFields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? value as Fields : {};
}
