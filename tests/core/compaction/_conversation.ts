import type { StoredMessage } from "../../../core/session/stored_message.ts";

/** A prompt of the person. */
export function prompt(text: string): StoredMessage {
  return { role: "user", content: [{ type: "text", text }] };
}

/** A message that stands for others. */
export function checkpoint(text: string): StoredMessage {
  return { role: "user", content: [{ type: "text", text }], summary: true };
}

/** An answer with calls of these ids. */
export function answer(text: string, ...ids: readonly string[]): StoredMessage {
  const calls = ids.map((id) => ({ id, name: "look", arguments: "{}" }));
  return { role: "assistant", text, calls };
}

/** A result. */
export function result(callId: string, text = "ok"): StoredMessage {
  return { role: "tool", callId, name: "look", content: [{ type: "text", text }], isError: false };
}

/** Numbers that look random and are the same every time. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9 >>> 0;
    return (state ^ (state >>> 13)) >>> 0;
  };
}

/** A conversation with prompts, batches of calls, texts and checkpoints in any order. */
export function randomConversation(seed: number): readonly StoredMessage[] {
  const next = randomNumbers(seed);
  const upTo = (count: number) => next() % count;
  const text = () => "words and more ".repeat(upTo(60));
  const messages: StoredMessage[] = upTo(4) === 0 ? [checkpoint(`sum ${text()}`)] : [];
  let calls = 0;
  for (let turn = upTo(6); turn >= 0; turn--) {
    messages.push(prompt(`do ${text()}`));
    if (upTo(8) === 0) messages.push(prompt("and this"));
    for (let step = upTo(6); step > 0; step--) {
      const ids = Array.from({ length: upTo(4) }, () => `c${calls++}`);
      messages.push(answer(`step ${text()}`, ...ids));
      const order = upTo(2) === 0 ? ids : ids.toReversed();
      messages.push(...order.map((id) => result(id, text())));
    }
  }
  return messages;
}
