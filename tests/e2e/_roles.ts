import { callTurn, messagesOf, type ModelTurn } from "../support/scripted_model.ts";
import { chatReply } from "../support/stub_replies.ts";
import type { RecordedRequest, StubHandler, StubReply } from "../support/stub_server.ts";

/** What a model answers to a request. */
export type Turn = (request: RecordedRequest) => StubReply | Promise<StubReply>;

/**
 * Turns of a model for each session, by the first word of its first prompt; the number of answers so
 * far picks the turn.
 *
 * @param roles The turns of each; after the last one, it says that it is done.
 */
export function playing(roles: Readonly<Record<string, readonly Turn[]>>): readonly ModelTurn[] {
  const handler: StubHandler = (request) => {
    const role = roleOf(request);
    const played = messagesOf(request).filter(({ role: from }) => from === "assistant").length;
    const turn = roles[role]?.[played] ?? (() => chatReply({ text: `${role} is done` }));
    return turn(request);
  };
  return Array.from({ length: 200 }, () => handler);
}

/**
 * The first word of the first prompt.
 *
 * @param request A request for an answer.
 */
export function roleOf(request: RecordedRequest): string {
  const [first = ""] = said(request);
  return first.split(/\s/)[0] ?? "";
}

/**
 * What stands in the messages of a user, oldest first.
 *
 * @param request A request for an answer.
 */
export function said(request: RecordedRequest): readonly string[] {
  return messagesOf(request).filter(({ role }) => role === "user").map(({ content }) =>
    typeof content === "string" ? content : JSON.stringify(content)
  );
}

/**
 * A turn that calls `task` for each of these: agent and prompt, and more fields.
 *
 * @param tasks The tasks.
 */
export function delegates(
  ...tasks: readonly (readonly [string, string, Readonly<Record<string, unknown>>?])[]
): Turn {
  return () =>
    callTurn(
      ...tasks.map(([agent, prompt, more]) =>
        ["task", { description: `do ${prompt}`, prompt, subagent_type: agent, ...more }] as const
      ),
    );
}

/**
 * A turn that says something.
 *
 * @param text What.
 */
export function answers(text: string): Turn {
  return () => chatReply({ text });
}

/** A turn that never answers. */
export function hangs(): StubReply {
  return { steps: [{ do: "hang" }] };
}

/**
 * The id of the task that a result is about.
 *
 * @param result The result of a tool.
 */
export function taskIdOf(result: string | undefined): string {
  const [, id] = /(?:id=|"task_id":)"([^"]+)"/.exec(result ?? "") ?? [];
  if (id === undefined) throw new TypeError(`There is no id in ${result}`);
  return id;
}
