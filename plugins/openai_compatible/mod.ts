/**
 * The built-in plugin `openai-compatible`: any server that speaks Chat Completions or Responses.
 *
 * @module
 */
import { definePlugin, type Plugin, type ProviderRegistration } from "@alisio/sdk";
import { createOpenAiProvider } from "./openai_provider.ts";

/** Registers the provider `openai-compatible`. */
export const openAiCompatiblePlugin: Plugin = definePlugin({
  id: "openai-compatible",
  version: "0.1.0",
  apiVersion: 1,
  name: "OpenAI compatible",
  description: "Chat Completions and Responses over HTTP, hosted or local.",
  categories: ["model-provider"],
  setup(api) {
    api.providers.register(OPENAI_COMPATIBLE);
  },
});

const YES_OR_NO = ["false", "true"] as const;

const OPENAI_COMPATIBLE: ProviderRegistration = {
  id: "openai-compatible",
  name: "OpenAI compatible",
  description: "Any server that speaks Chat Completions or Responses, for example a local one.",
  defaultApiKeyEnv: "OPENAI_API_KEY",
  fields: [
    {
      name: "baseURL",
      label: "Base URL",
      default: "https://api.openai.com/v1",
      description: "Include /v1 if the server needs it.",
    },
    { name: "apiKey", label: "API key", secret: true },
    { name: "apiMode", label: "API mode", options: ["chat", "responses"], default: "chat" },
    { name: "auth", label: "Authentication", options: ["bearer", "none"], default: "bearer" },
    {
      name: "tokenParameter",
      label: "Token parameter",
      options: ["max_tokens", "max_completion_tokens", "omit"],
      default: "max_tokens",
      description: "How the output limit is named in chat mode.",
    },
    {
      name: "streamUsage",
      label: "Stream usage",
      options: YES_OR_NO,
      default: "false",
      description: "Ask the server to count tokens while it streams.",
    },
    {
      name: "keepReasoning",
      label: "Keep reasoning",
      options: YES_OR_NO,
      default: "false",
      description: "Send visible reasoning back, for servers that demand it.",
    },
    {
      name: "textToolCalls",
      label: "Text tool calls",
      options: YES_OR_NO,
      default: "false",
      description: "Run a tool call that the model wrote as plain text.",
    },
    {
      name: "contextWindow",
      label: "Context window",
      description: "Tokens, if the server does not report it.",
    },
  ],
  create: (request) => createOpenAiProvider(request),
};
