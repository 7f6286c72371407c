import { isObject } from "../../config/is_object.ts";

/** Tools that start other agents: the same task may be given twice. */
const SPAWNING_TOOLS: ReadonlySet<string> = new Set(["task"]);

/** Tools of which one response holds an equal call only by mistake. */
const COMMAND_TOOLS: ReadonlySet<string> = new Set(["shell", "run_process", "bg_run"]);

/** More answers than one run collects; beyond it, the oldest is asked about again. */
const MAX_SETTLED = 1_000;

/**
 * What of a call need not be asked again.
 *
 * - `new`: nothing is known of it
 * - `duplicate`: the same command was asked about earlier in this very response
 * - `refused`: a person has refused it in this run
 * - `answered`: a person has answered it in its place in this run
 */
export type AskedBefore = "new" | "duplicate" | "refused" | "answered";

/**
 * The questions of one run, so that a person is not asked the same again and again. A call is the
 * same when its tool and its input are, whatever the order of its arguments.
 */
export class AskedCalls {
  readonly #settled = new Map<string, "refused" | "answered">();
  readonly #inResponse = new Set<string>();
  #turn = 0;

  /**
   * Looks whether a call was asked about before, and takes note that it is now.
   *
   * @param tool Name of the tool.
   * @param input Its input.
   * @param turn Which response of the run it belongs to.
   */
  look(tool: string, input: unknown, turn: number): AskedBefore {
    if (turn !== this.#turn) this.#inResponse.clear();
    this.#turn = turn;
    const name = normalName(tool);
    if (SPAWNING_TOOLS.has(name)) return "new";
    const key = keyOf(name, input);
    const settled = this.#settled.get(key);
    if (settled !== undefined) return settled;
    if (!COMMAND_TOOLS.has(name)) return "new";
    if (this.#inResponse.has(key)) return "duplicate";
    this.#inResponse.add(key);
    return "new";
  }

  /**
   * Takes note that a person did not let a call through.
   *
   * @param tool Name of the tool.
   * @param input Its input.
   * @param how What they did.
   */
  settle(tool: string, input: unknown, how: "refused" | "answered"): void {
    const [oldest] = this.#settled.keys();
    if (this.#settled.size >= MAX_SETTLED && oldest !== undefined) this.#settled.delete(oldest);
    this.#settled.set(keyOf(normalName(tool), input), how);
  }
}

function normalName(tool: string): string {
  return tool.trim().toLowerCase();
}

function keyOf(name: string, input: unknown): string {
  return `${name}\0${
    JSON.stringify(input, (_key, value) => isObject(value) ? sorted(value) : value)
  }`;
}

function sorted(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(object);
  return Object.fromEntries(entries.sort(([one], [other]) => one < other ? -1 : 1));
}
