import { textResult, type ToolContext, type ToolDefinition, type ToolResult } from "@alisio/sdk";
import {
  askHerdr,
  type HerdrAgent,
  type HerdrAnswer,
  parseAgents,
  parseAgentState,
  readable,
} from "./ask_herdr.ts";
import type { HerdrPane } from "./pane.ts";

const ANSWER_TIMEOUT_MS = 10_000;
const MAX_WAIT_MS = 60_000;
const DEFAULT_WAIT_MS = 30_000;
/** How much longer than the wait itself Herdr's program may take. */
const WAIT_MARGIN_MS = 5_000;
const MAX_PROMPT_CHARS = 32_000;
const DEFAULT_LINES = 80;
const MAX_LINES = 500;
const MAX_READ_CHARS = 60_000;
const MAX_AGENTS = 200;
const STATES = ["idle", "working", "blocked", "done", "unknown"] as const;
/** In each of these an agent does not go on by itself. */
const SETTLED = ["idle", "done", "blocked"] as const;

const TARGET = {
  type: "string",
  minLength: 1,
  maxLength: 128,
  description: "Id of its pane, or its name if no other agent has the same.",
} as const;

type Input = Readonly<Record<string, unknown>>;

/**
 * The tools that talk to other agents in Herdr. They reach agents that are there: none opens a pane
 * or changes what the person looks at, and no message is sent twice.
 *
 * @param pane The pane that Alisio runs in.
 */
export function agentTools(pane: HerdrPane): readonly ToolDefinition[] {
  return [
    {
      name: "herdr_agents",
      description: "Lists the agents in the panes of Herdr with pane, name, kind and state.",
      effect: "external",
      inputSchema: { type: "object", properties: {}, additionalProperties: false },
      execute: (_input, context) => listAgents(pane, context),
    },
    {
      name: "herdr_prompt",
      description: "Sends a message to another agent in Herdr, as if a person had typed it. " +
        "Never send the same message again: see with herdr_read what became of it.",
      effect: "external",
      inputSchema: {
        type: "object",
        properties: {
          target: TARGET,
          text: {
            type: "string",
            minLength: 1,
            maxLength: MAX_PROMPT_CHARS,
            description: "The message; it must not begin with a dash.",
          },
        },
        required: ["target", "text"],
        additionalProperties: false,
      },
      execute: (input, context) => sendPrompt(pane, input, context),
    },
    {
      name: "herdr_read",
      description: "Reads the newest lines that another agent in Herdr shows.",
      effect: "external",
      inputSchema: {
        type: "object",
        properties: {
          target: TARGET,
          lines: {
            type: "integer",
            minimum: 1,
            maximum: MAX_LINES,
            description: `How many lines; ${DEFAULT_LINES} by default.`,
          },
        },
        required: ["target"],
        additionalProperties: false,
      },
      execute: (input, context) => readAgent(pane, input, context),
    },
    {
      name: "herdr_wait",
      description: "Waits until another agent in Herdr is in one of some states, for " +
        `${MAX_WAIT_MS / 1000} seconds at most.`,
      effect: "external",
      inputSchema: {
        type: "object",
        properties: {
          target: TARGET,
          states: {
            type: "array",
            items: { type: "string", enum: [...STATES] },
            minItems: 1,
            maxItems: STATES.length,
            description: `The states; ${SETTLED.join(", ")} by default.`,
          },
          timeoutMs: {
            type: "integer",
            minimum: 100,
            maximum: MAX_WAIT_MS,
            description: `How long; ${DEFAULT_WAIT_MS} by default.`,
          },
        },
        required: ["target"],
        additionalProperties: false,
      },
      concurrent: true,
      execute: (input, context) => waitForAgent(pane, input, context),
    },
  ];
}

async function listAgents(pane: HerdrPane, { signal }: ToolContext): Promise<ToolResult> {
  const found = await findAgents(pane, signal);
  if ("problem" in found) return failed(found.problem);
  const { agents } = found;
  if (agents.length === 0) return textResult("Herdr knows of no agent");
  const left = agents.length - MAX_AGENTS;
  return textResult([
    ...agents.slice(0, MAX_AGENTS).map((agent) => formatAgent(agent, pane)),
    ...left > 0 ? [`… and ${left} more`] : [],
  ].join("\n"));
}

async function sendPrompt(
  pane: HerdrPane,
  { target, text }: Input,
  { signal }: ToolContext,
): Promise<ToolResult> {
  const message = String(text);
  const flaw = flawOf(message);
  if (flaw !== null) return failed(`Cannot send the message: ${flaw}`);
  const agent = await findAgent(pane, target, signal);
  if ("problem" in agent) return failed(agent.problem);
  if (agent.pane === pane.id) {
    return failed("Cannot send the message: that pane is the one that you run in yourself");
  }
  const answer = await askHerdr(pane, ["agent", "prompt", agent.pane, message], {
    timeoutMs: ANSWER_TIMEOUT_MS,
    signal,
  });
  switch (answer.status) {
    case "answered":
      return textResult(`Sent to ${formatAgent(agent, pane)}`);
    case "not_sent":
    case "refused":
      // Herdr saw no sign that the agent took it up, which is not to say that it did not.
      if (answer.status === "refused" && /stalled|timeout/.test(answer.code)) break;
      return failed(`Cannot send the message: ${reasonOf(answer)}; it was not sent`);
  }
  return failed(
    `It is not known whether the message arrived: ${reasonOf(answer)}. Do not send it again; ` +
      "see with herdr_read what the agent shows",
  );
}

async function readAgent(
  pane: HerdrPane,
  { target, lines }: Input,
  { signal }: ToolContext,
): Promise<ToolResult> {
  const agent = await findAgent(pane, target, signal);
  if ("problem" in agent) return failed(agent.problem);
  const count = String(lines ?? DEFAULT_LINES);
  const answer = await askHerdr(
    pane,
    ["agent", "read", agent.pane, "--source", "recent", "--lines", count, "--format", "text"],
    { timeoutMs: ANSWER_TIMEOUT_MS, signal },
  );
  if (answer.status !== "answered") {
    return failed(`Cannot read what the agent shows: ${reasonOf(answer)}`);
  }
  const shown = readable(answer.text).trimEnd();
  if (shown === "") return textResult("The agent shows nothing");
  // The newest lines are at the end.
  return textResult(
    shown.length <= MAX_READ_CHARS
      ? shown
      : `[the beginning was left out]\n${shown.slice(-MAX_READ_CHARS)}`,
  );
}

async function waitForAgent(
  pane: HerdrPane,
  { target, states, timeoutMs }: Input,
  { signal }: ToolContext,
): Promise<ToolResult> {
  const wanted = Array.isArray(states) ? states.map(String) : SETTLED;
  const limitMs = typeof timeoutMs === "number" ? timeoutMs : DEFAULT_WAIT_MS;
  const agent = await findAgent(pane, target, signal);
  if ("problem" in agent) return failed(agent.problem);
  if (agent.pane === pane.id) {
    return failed("Cannot wait for the agent: that pane is the one that you run in yourself");
  }
  const answer = await askHerdr(
    pane,
    [
      ...["agent", "wait", agent.pane],
      ...wanted.flatMap((state) => ["--until", state]),
      ...["--timeout", String(limitMs)],
    ],
    { timeoutMs: limitMs + WAIT_MARGIN_MS, signal },
  );
  if (answer.status === "answered") {
    return textResult(`The agent is ${readable(parseAgentState(answer.text))}`);
  }
  if (answer.status === "refused" && answer.code === "timeout") {
    return textResult(`After ${limitMs} ms the agent is still not ${wanted.join(" or ")}`);
  }
  return failed(`Cannot wait for the agent: ${reasonOf(answer)}`);
}

type Problem = { readonly problem: string };

async function findAgents(
  pane: HerdrPane,
  signal: AbortSignal,
): Promise<{ readonly agents: readonly HerdrAgent[] } | Problem> {
  const answer = await askHerdr(pane, ["agent", "list"], { timeoutMs: ANSWER_TIMEOUT_MS, signal });
  if (answer.status !== "answered") {
    return { problem: `Cannot list the agents: ${reasonOf(answer)}` };
  }
  const agents = parseAgents(answer.text);
  return agents === null
    ? { problem: "Cannot list the agents: Herdr's program answered with no list of agents" }
    : { agents };
}

/** The one agent that is meant, so that nothing reaches another. */
async function findAgent(
  pane: HerdrPane,
  target: unknown,
  signal: AbortSignal,
): Promise<HerdrAgent | Problem> {
  const found = await findAgents(pane, signal);
  if ("problem" in found) return found;
  const { agents } = found;
  const inPane = agents.find((agent) => agent.pane === target);
  if (inPane !== undefined) return inPane;
  const [named, ...others] = agents.filter(({ name }) => name === target);
  const quoted = JSON.stringify(target);
  if (named === undefined) {
    return { problem: `There is no agent in a pane ${quoted} or with that name; see herdr_agents` };
  }
  if (others.length === 0) return named;
  const panes = [named, ...others].map((agent) => readable(agent.pane)).join(", ");
  return { problem: `${others.length + 1} agents have the name ${quoted}; name a pane: ${panes}` };
}

/** Typed into another terminal, a control character would be a key. */
function flawOf(message: string): string | null {
  if (message.trim() === "") return "it is empty";
  if (message.startsWith("-")) return "it begins with a dash, which could be taken for a flag";
  return readable(message) === message ? null : "it holds control characters";
}

function formatAgent({ pane, kind, name, state, cwd }: HerdrAgent, own: HerdrPane): string {
  const parts = [
    `pane ${pane}`,
    ...name === undefined ? [] : [`name ${name}`],
    `${kind}, ${state}`,
    ...cwd === undefined ? [] : [`in ${cwd}`],
    ...pane === own.id ? ["(this is you)"] : [],
  ];
  return readable(parts.join("  ")).replaceAll("\n", " ");
}

function reasonOf(answer: Exclude<HerdrAnswer, { status: "answered" }>): string {
  return answer.status === "refused" ? `${answer.message} (${answer.code})` : answer.message;
}

function failed(text: string): ToolResult {
  return textResult(text, true);
}
