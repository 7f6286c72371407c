import type { ChildSessionInfo } from "@alisio/sdk";
import { visibleName } from "../../core/process/visible_text.ts";
import type { ArgumentChoice } from "../commands/slash_command.ts";
import type { Stage } from "../stage.ts";

/** The command of the plugin that hands work to agents. */
const COMMAND = "agents";
/** How long it may take where nothing shows that it is waited for. */
const LIMIT_MS = 60_000;
const SHORT_ID_CHARS = 8;
const MAX_DEPTH = 8;

/**
 * Whether there is a plugin that hands work to agents.
 *
 * @param stage The conversation.
 */
export function handsOut({ application }: Stage): boolean {
  return application.pluginCommands().some(({ name }) => name === COMMAND);
}

/**
 * Has the plugin that hands work to agents do something with its tasks.
 *
 * @param stage The conversation.
 * @param argument What follows `/agents`.
 * @throws {AlisioError} If it cannot be done.
 */
export async function runTaskVerb(stage: Stage, argument: string): Promise<void> {
  const { application } = stage;
  if (!handsOut(stage)) {
    return stage.say('Tasks of agents are switched off: the plugin "subagents" is not loaded');
  }
  const sessionId = stage.session()?.id;
  const answer = await application.runCommand(`/${COMMAND} ${argument}`, {
    signal: AbortSignal.timeout(LIMIT_MS),
    ...sessionId === undefined ? {} : { sessionId },
  });
  if (answer !== null && answer.text !== "") stage.say(answer.text);
}

/**
 * The tasks that a word may be about, the newest first.
 *
 * @param stage The conversation.
 * @param typed The word before it, what was typed of the id, and which tasks it is about.
 */
export function completeTask(
  stage: Stage,
  { verb, rest, tasks }: {
    readonly verb: string;
    readonly rest: string;
    readonly tasks?: "any" | "live" | "ended";
  },
): readonly ArgumentChoice[] {
  const sessionId = stage.session()?.id;
  if (sessionId === undefined) return [];
  return below(stage, sessionId, 0).toReversed()
    .filter(({ id, status }) => {
      const isLive = status === "running" || status === "queued";
      return id.startsWith(rest) && (tasks === "any" || isLive === (tasks === "live"));
    })
    .map(({ id, agent, title, status }) => ({
      value: `${verb} ${id.slice(0, SHORT_ID_CHARS)}`,
      label: `${id.slice(0, SHORT_ID_CHARS)} ${visibleName(agent)}: ${visibleName(title)}`,
      description: status,
    }));
}

function below(stage: Stage, sessionId: string, depth: number): readonly ChildSessionInfo[] {
  const children = stage.application.children?.children(sessionId) ?? [];
  if (depth >= MAX_DEPTH) return children;
  return children.flatMap((child) => [child, ...below(stage, child.id, depth + 1)]);
}
