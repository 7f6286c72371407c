import type { AgentInfo, AgentList, ChildSessionInfo } from "@alisio/sdk";
import type { Delegation } from "./delegation.ts";

/** What the command works with. */
export interface AgentsCommandPorts {
  readonly delegation: Pick<
    Delegation,
    "list" | "find" | "resume" | "cancel" | "merge" | "discard" | "definitions"
  >;
  /** How a task ended last, where that is known. */
  readonly report: (id: string) => string | undefined;
  /** Shows a session to the person; false where there is no interface that can. */
  readonly open: (sessionId: string) => boolean;
  /** The session that is open, where one is. */
  readonly sessionId: string | undefined;
}

/** One thing that the command does. */
interface Verb {
  readonly name: string;
  readonly usage: string;
  run(rest: string, ports: AgentsCommandPorts): string | Promise<string>;
}

const SHORT_ID_CHARS = 8;
const MAX_LISTED = 100;
const MAX_TITLE_CHARS = 80;
const NO_SESSION = "No session is open, so there are no tasks";

const VERBS: readonly Verb[] = [
  { name: "list", usage: "", run: (_, ports) => listTasks(ports) },
  { name: "open", usage: "<id>", run: openTask },
  { name: "cancel", usage: "<id>", run: cancelTask },
  { name: "kill", usage: "<id>", run: cancelTask },
  { name: "resume", usage: "<id> [message]", run: resumeTask },
  {
    name: "merge",
    usage: "<id>",
    run: async (rest, ports) =>
      await ports.delegation.merge(ports.sessionId ?? "", findTask("merge", rest, ports).id),
  },
  {
    name: "discard",
    usage: "<id>",
    run: async (rest, ports) =>
      await ports.delegation.discard(ports.sessionId ?? "", findTask("discard", rest, ports).id),
  },
  {
    name: "reload",
    usage: "",
    run: async (_, { delegation }) => {
      const { agents } = await delegation.definitions();
      return `${agents.length} definitions; files are looked for at each use`;
    },
  },
  {
    name: "defs",
    usage: "",
    run: async (_, { delegation }) => formatDefinitions(await delegation.definitions()),
  },
];

/**
 * Names of what the command does, with what follows each.
 *
 * @returns Such as `open <id>`.
 */
export function agentsUsage(): readonly string[] {
  return VERBS.map(({ name, usage }) => `${name} ${usage}`.trimEnd());
}

/**
 * Does what a person wants with the tasks of the session.
 *
 * @param args What follows the command.
 * @param ports What it works with.
 * @returns What the person is told; empty where they see it.
 * @throws {Error} If it cannot be done. The message is for the person.
 */
export async function runAgentsCommand(args: string, ports: AgentsCommandPorts): Promise<string> {
  const [name, rest] = splitWord(args);
  const verb = VERBS.find((each) => each.name === (name === "" ? "list" : name));
  if (verb === undefined) {
    throw new Error(
      `there is no "${name.slice(0, 40)}": write /agents ${agentsUsage().join(", /agents ")}`,
    );
  }
  return await verb.run(rest, ports);
}

function listTasks({ delegation, sessionId }: AgentsCommandPorts): string {
  if (sessionId === undefined) return NO_SESSION;
  const tasks = delegation.list(sessionId);
  if (tasks.length === 0) return "No task was handed to an agent in this session";
  const depth = Math.min(...tasks.map((task) => task.depth));
  const rows = tasks.slice(-MAX_LISTED).map((task) => taskRow(task, task.depth - depth));
  const more = tasks.length - rows.length;
  return [...more > 0 ? [`(${more} earlier tasks)`] : [], ...rows].join("\n");
}

function taskRow({ id, status, agent, title, usage }: ChildSessionInfo, depth: number): string {
  const tokens = usage.input + usage.output;
  return [
    `${"  ".repeat(depth)}${shortId(id)}`,
    status.padEnd(11),
    `${agent}: ${oneLine(title)}`,
    ...tokens === 0 ? [] : [`(${tokens} tokens)`],
  ].join("  ");
}

/** Without an interface, the facts and the report are what there is to see. */
function openTask(rest: string, ports: AgentsCommandPorts): string {
  const task = findTask("open", rest, ports);
  if (ports.open(task.id)) return "";
  const { id, agent, title, status, model, usage } = task;
  const report = ports.report(id);
  return [
    `${agent}: ${oneLine(title)}`,
    `Id: ${id}`,
    `Status: ${status}`,
    `Model: ${model}`,
    `Tokens: ${usage.input} in, ${usage.output} out`,
    `The whole conversation: alisio sessions show ${shortId(id)}`,
    ...report === undefined || report === "" ? [] : ["", report],
  ].join("\n");
}

function cancelTask(rest: string, ports: AgentsCommandPorts): string {
  const { id, agent, title, status } = findTask("cancel", rest, ports);
  const count = ports.delegation.cancel(id);
  const name = `${agent}: ${oneLine(title)}`;
  if (count === 0) return `${name} has ended already (${status})`;
  return `Cancelled ${name}${count === 1 ? "" : `, and ${count - 1} below it`}; ` +
    `/agents resume ${shortId(id)} goes on`;
}

function resumeTask(rest: string, ports: AgentsCommandPorts): string {
  const [idOrPrefix, message] = splitWord(rest);
  const { id } = findTask("resume", idOrPrefix, ports);
  const { delegation, sessionId = "" } = ports;
  const { agent, title } = delegation.resume(
    sessionId,
    id,
    ...message === "" ? [] : [message] as const,
  );
  return `${agent}: ${oneLine(title)} goes on in the background`;
}

function findTask(
  verb: string,
  idOrPrefix: string,
  { delegation, sessionId }: AgentsCommandPorts,
): ChildSessionInfo {
  if (idOrPrefix === "") throw new Error(`write /agents ${verb} and an id; /agents list has them`);
  if (sessionId === undefined) throw new Error(NO_SESSION);
  return delegation.find(sessionId, idOrPrefix);
}

/** All definitions, where each comes from, what hides what, and what is wrong with any. */
function formatDefinitions({ agents, shadowed, notices }: AgentList): string {
  return [
    ...agents.map((agent) => `${agent.id} (${facts(agent)}): ${oneLine(agent.description)}`),
    ...shadowed.map((agent) => `${agent.id} (${agent.path ?? agent.origin}) is hidden by another`),
    ...notices.map(({ source, severity, message }) => `${severity}: ${source}: ${message}`),
  ].join("\n");
}

function facts({ mode, path, origin, readOnly, tools }: AgentInfo): string {
  return [
    mode,
    path ?? origin,
    ...readOnly ? ["read-only"] : [],
    tools === null ? "all tools" : `${tools.length} tools`,
  ].join(", ");
}

function shortId(id: string): string {
  return id.slice(0, SHORT_ID_CHARS);
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= MAX_TITLE_CHARS ? line : `${line.slice(0, MAX_TITLE_CHARS)}…`;
}

function splitWord(text: string): readonly [string, string] {
  const [, word = "", rest = ""] = /^\s*(\S*)\s*([^]*)$/.exec(text) ?? [];
  return [word, rest.trim()];
}
