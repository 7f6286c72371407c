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

type WireMessage = OpenAI.Chat.ChatCompletionMessageParam;

/**
 * Builds bodies of `POST /chat/completions`.
 *
 * Everything before the end of `messages` depends on the model, the tools and the history alone,
 * in that order, so that a body without its closing fields is a byte prefix of the next one.
 */
export class ChatRequestEncoder {
  readonly #profile: OpenAiProfile;
  readonly #messages: WireMessages;
  readonly #tools = new WireTools(toWireTool);

  /**
   * Prepares to build bodies for one profile.
   *
   * @param profile Decides the optional fields.
   */
  constructor(profile: OpenAiProfile) {
    this.#profile = profile;
    this.#messages = new WireMessages((group) => formatGroup(group, profile.keepReasoning));
  }

  /**
   * Renders a request.
   *
   * @param request What to ask.
   */
  encode(request: ModelRequest): Uint8Array<ArrayBuffer> {
    const system = request.system.trim() === "" ? "" : JSON.stringify(
      {
        role: "system",
        content: request.system.toWellFormed(),
      } satisfies WireMessage,
    );
    return this.#messages.render({
      head: `{"model":${JSON.stringify(request.model)}${this.#tools.encode(request.tools)}` +
        `,"messages":[${system}`,
      hasItems: system !== "",
      closing: `]${this.#encodeClosing(request)}}`,
    }, request.messages);
  }

  #encodeClosing(request: ModelRequest): string {
    const { tokenParameter, streamUsage } = this.#profile;
    const limit = tokenParameter === "omit" ? {} : { [tokenParameter]: request.maxOutputTokens };
    const closing = {
      stream: true,
      ...(streamUsage ? { stream_options: { include_usage: true } } : {}),
      ...limit,
      ...(request.effort === undefined ? {} : { reasoning_effort: request.effort }),
      ...answerFields(request.answer),
    };
    return `,${JSON.stringify(closing).slice(1, -1)}`;
  }
}

/** This protocol has no summaries of reasoning. */
function answerFields({ verbosity, format }: AnswerStyle = {}): Readonly<Record<string, unknown>> {
  return {
    ...(verbosity === undefined ? {} : { verbosity }),
    ...(format === undefined ? {} : { response_format: { type: format } }),
  };
}

function toWireTool(tool: ModelTool): OpenAI.Chat.ChatCompletionFunctionTool {
  return {
    type: "function",
    function: { name: tool.name, description: tool.description, parameters: tool.inputSchema },
  };
}

function formatGroup(group: MessageGroup, keepReasoning: boolean): string {
  switch (group.role) {
    case "user":
      return JSON.stringify(toWireUser(group.messages));
    case "assistant":
      return JSON.stringify(toWireAssistant(group.messages, keepReasoning));
    case "tool":
      return JSON.stringify(toWireResult(group.messages[0]));
  }
}

/** Plain text goes as a string: many local servers accept nothing else. */
function toWireUser(messages: readonly UserMessage[]): WireMessage {
  const content = messages.flatMap((message) => message.content);
  if (content.every((part) => part.type === "text")) {
    return { role: "user", content: joinTexts(content.map((part) => part.text)) };
  }
  const parts: OpenAI.Chat.ChatCompletionContentPart[] = [];
  for (const part of content) {
    if (part.type === "image") {
      parts.push({
        type: "image_url",
        image_url: { url: `data:${part.mimeType};base64,${part.data}` },
      });
    } else if (part.text.trim() !== "") {
      parts.push({ type: "text", text: part.text.toWellFormed() });
    }
  }
  return { role: "user", content: parts };
}

function toWireAssistant(
  messages: readonly AssistantMessage[],
  keepReasoning: boolean,
): WireMessage & { readonly reasoning_content?: string } {
  const text = joinTexts(messages.map((message) => message.text));
  const calls = messages.flatMap((message) => message.calls);
  const reasoning = messages.findLast((message) => message.reasoning !== undefined)?.reasoning;
  return {
    role: "assistant",
    ...(keepReasoning && reasoning !== undefined
      ? { reasoning_content: reasoning.toWellFormed() }
      : {}),
    content: text === "" ? null : text,
    ...(calls.length === 0 ? {} : {
      tool_calls: calls.map((call) => ({
        id: call.id,
        type: "function" as const,
        function: {
          name: formatCallName(call.name),
          arguments: formatArguments(call.arguments),
        },
      })),
    }),
  };
}

function toWireResult(message: ToolMessage): WireMessage {
  return { role: "tool", tool_call_id: message.callId, content: message.text.toWellFormed() };
}
