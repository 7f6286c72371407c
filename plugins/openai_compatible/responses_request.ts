import type {
  AnswerStyle,
  AssistantMessage,
  ModelRequest,
  ModelTool,
  ToolMessage,
  UserMessage,
} from "@alisio/sdk";
import type { OpenAI } from "openai";
import type { OpenAiProfile } from "./profile.ts";
import {
  formatArguments,
  formatCallName,
  joinTexts,
  type MessageGroup,
  WireMessages,
} from "./wire_messages.ts";
import { WireTools } from "./wire_tools.ts";

type WireItem = OpenAI.Responses.ResponseInputItem;

/**
 * Builds bodies of `POST /responses`. Nothing is stored at the server, so reasoning comes back
 * encrypted and is replayed. The order of fields is that of {@linkcode ChatRequestEncoder}, for
 * the same reason.
 */
export class ResponsesRequestEncoder {
  readonly #messages: WireMessages;
  readonly #tools = new WireTools(toWireTool);

  /**
   * Prepares to build bodies for one profile.
   *
   * @param profile Decides whether visible reasoning is sent back.
   * @param providerId Opaque items of another provider are left out.
   */
  constructor(profile: OpenAiProfile, providerId: string) {
    this.#messages = new WireMessages((group) =>
      formatGroup(group, profile.keepReasoning, providerId)
    );
  }

  /**
   * Renders a request.
   *
   * @param request What to ask.
   */
  encode(request: ModelRequest): Uint8Array<ArrayBuffer> {
    const instructions = request.system.trim() === ""
      ? ""
      : `,"instructions":${JSON.stringify(request.system.toWellFormed())}`;
    const closing = {
      stream: true,
      store: false,
      include: ["reasoning.encrypted_content"],
      max_output_tokens: request.maxOutputTokens,
      ...reasoningFields(request),
      ...textFields(request.answer),
    };
    return this.#messages.render({
      head:
        `{"model":${JSON.stringify(request.model)}${
          this.#tools.encode(request.tools, request.serverTools)
        }` +
        `${instructions},"input":[`,
      hasItems: false,
      closing: `],${JSON.stringify(closing).slice(1, -1)}}`,
    }, request.messages);
  }
}

function reasoningFields(
  { effort, answer }: Pick<ModelRequest, "effort" | "answer">,
): Readonly<Record<string, unknown>> {
  const summary = answer?.reasoningSummary;
  if (effort === undefined && summary === undefined) return {};
  return {
    reasoning: {
      ...(effort === undefined ? {} : { effort }),
      ...(summary === undefined ? {} : { summary }),
    },
  };
}

function textFields({ verbosity, format }: AnswerStyle = {}): Readonly<Record<string, unknown>> {
  if (verbosity === undefined && format === undefined) return {};
  return {
    text: {
      ...(verbosity === undefined ? {} : { verbosity }),
      ...(format === undefined ? {} : { format: { type: format } }),
    },
  };
}

/** Strict schemas need every property to be required, which the tools do not promise. */
function toWireTool(tool: ModelTool): OpenAI.Responses.FunctionTool {
  return {
    type: "function",
    name: tool.name,
    description: tool.description,
    parameters: tool.inputSchema,
    strict: false,
  };
}

function formatGroup(group: MessageGroup, keepReasoning: boolean, providerId: string): string {
  switch (group.role) {
    case "user":
      return JSON.stringify(toWireUser(group.messages));
    case "assistant":
      return group.messages
        .flatMap((message) => toWireItems(message, keepReasoning, providerId))
        .map((item) => JSON.stringify(item))
        .join(",");
    case "tool":
      return JSON.stringify(toWireResult(group.messages[0]));
  }
}

function toWireUser(messages: readonly UserMessage[]): WireItem {
  const content = messages.flatMap((message) => message.content);
  if (content.every((part) => part.type === "text")) {
    return { role: "user", content: joinTexts(content.map((part) => part.text)) };
  }
  const parts: OpenAI.Responses.ResponseInputContent[] = [];
  for (const part of content) {
    if (part.type === "image") {
      const url = `data:${part.mimeType};base64,${part.data}`;
      parts.push({ type: "input_image", image_url: url, detail: "auto" });
    } else if (part.text.trim() !== "") {
      parts.push({ type: "input_text", text: part.text.toWellFormed() });
    }
  }
  return { role: "user", content: parts };
}

/** The order is part of the protocol: reasoning must stand before what followed from it. */
function toWireItems(
  message: AssistantMessage,
  keepReasoning: boolean,
  providerId: string,
): unknown[] {
  const items: unknown[] = [];
  if (message.continuation?.provider === providerId) items.push(...message.continuation.items);
  if (items.length === 0 && keepReasoning && message.reasoning !== undefined) {
    const content = [{ type: "reasoning_text", text: message.reasoning.toWellFormed() }];
    items.push({ type: "reasoning", summary: [], content });
  }
  const text = joinTexts([message.text]);
  if (text !== "") items.push({ role: "assistant", content: text } satisfies WireItem);
  for (const call of message.calls) {
    items.push(
      {
        type: "function_call",
        call_id: call.id,
        name: formatCallName(call.name),
        arguments: formatArguments(call.arguments),
      } satisfies WireItem,
    );
  }
  return items;
}

function toWireResult(message: ToolMessage): WireItem {
  return {
    type: "function_call_output",
    call_id: message.callId,
    output: message.text.toWellFormed(),
  };
}
