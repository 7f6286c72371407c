import type { ModelMessage } from "@alisio/sdk";
import { withoutPrivate } from "./observation.ts";

const MAX_PROMPTS = 10;
const MAX_PROMPT_CHARS = 2_000;
/** What stands for an earlier part of the conversation is no prompt. */
const CHECKPOINT_START = "[Checkpoint:";

/**
 * The last prompts of a person, the oldest first, without what is private.
 *
 * @param messages The conversation.
 */
export function promptsOf(messages: readonly ModelMessage[]): readonly string[] {
  return messages.flatMap((message) => {
    if (message.role !== "user") return [];
    const texts = message.content.flatMap((part) => part.type === "text" ? [part.text] : []);
    // What stands before the prompt in its message came from plugins.
    const prompt = texts.at(-1) ?? "";
    if (prompt.startsWith(CHECKPOINT_START)) return [];
    const cleaned = withoutPrivate(prompt);
    return cleaned === "" ? [] : [cleaned.slice(0, MAX_PROMPT_CHARS)];
  }).slice(-MAX_PROMPTS);
}
