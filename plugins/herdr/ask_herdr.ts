import type { HerdrPane } from "./pane.ts";
import { runHerdr } from "./run_herdr.ts";

/** What became of a question to Herdr. */
export type HerdrAnswer =
  | { readonly status: "answered"; readonly text: string }
  /** Herdr refused; `code` is its own word for why. */
  | { readonly status: "refused"; readonly code: string; readonly message: string }
  /** Nothing was sent. */
  | { readonly status: "not_sent"; readonly message: string }
  /** It may or may not have happened. */
  | { readonly status: "unknown"; readonly message: string };

/** An agent that Herdr knows. */
export interface HerdrAgent {
  /** Id of its pane. */
  readonly pane: string;
  /** What kind of agent it is. */
  readonly kind: string;
  /** What it is called, if it has a name. */
  readonly name?: string;
  /** `idle`, `working`, `blocked`, `done` or `unknown`. */
  readonly state: string;
  /** Where it works, as far as Herdr knows. */
  readonly cwd?: string;
}

const MAX_MESSAGE_CHARS = 500;

/**
 * Asks Herdr, once.
 *
 * @param pane Where it is.
 * @param args What is asked.
 * @param options How long it may take, and what ends it.
 */
export async function askHerdr(
  pane: HerdrPane,
  args: readonly string[],
  options: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<HerdrAnswer> {
  const run = await runHerdr(pane, args, options);
  if (run.status === "not_started") {
    return { status: "not_sent", message: `Herdr's program was not started: ${run.reason}` };
  }
  if (run.status === "killed") {
    return { status: "unknown", message: `Herdr's program did not answer: ${run.reason}` };
  }
  const failure = failureIn(run.stdout) ?? failureIn(run.stderr);
  if (failure !== null) return { status: "refused", ...failure };
  if (run.code === 0) return { status: "answered", text: run.stdout };
  // What it could not understand it does not do.
  const status = run.code === 2 ? "not_sent" : "unknown";
  const said = readable(run.stderr.trim() || run.stdout.trim()).slice(0, MAX_MESSAGE_CHARS);
  const message = `Herdr's program ended with status ${run.code}${said === "" ? "" : `: ${said}`}`;
  return { status, message };
}

/**
 * The agents of an answer to `agent list`.
 *
 * @param text The answer.
 * @returns Null if it is none.
 */
export function parseAgents(text: string): readonly HerdrAgent[] | null {
  const { result } = asRecord(parseJson(text));
  const { agents } = asRecord(result);
  if (!Array.isArray(agents)) return null;
  return agents.map(asRecord).flatMap((agent) => {
    const { pane_id: pane, agent: kind, name, agent_status: state, cwd } = agent;
    if (typeof pane !== "string" || pane === "") return [];
    return [{
      pane,
      kind: wordOr(kind, "unknown"),
      state: wordOr(state, "unknown"),
      ...(typeof name === "string" && name !== "" ? { name } : {}),
      ...(typeof cwd === "string" && cwd !== "" ? { cwd } : {}),
    }];
  });
}

/**
 * The state of the agent in an answer to `agent wait`.
 *
 * @param text The answer.
 */
export function parseAgentState(text: string): string {
  const { result } = asRecord(parseJson(text));
  return wordOr(asRecord(asRecord(result).agent).agent_status, "unknown");
}

/**
 * Text of another terminal without what could drive this one.
 *
 * @param text The text.
 */
export function readable(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(/[^\P{Cc}\n\t]/gu, "");
}

function failureIn(text: string): { readonly code: string; readonly message: string } | null {
  const { error } = asRecord(parseJson(text));
  const { code, message } = asRecord(error);
  if (typeof code !== "string") return null;
  const reason = typeof message === "string" ? readable(message) : "no reason was given";
  return { code: readable(code).slice(0, 80), message: reason.slice(0, MAX_MESSAGE_CHARS) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}

function wordOr(value: unknown, other: string): string {
  return typeof value === "string" && value !== "" ? value : other;
}
