import type { GivenAgents } from "../core/agents/discover_agents.ts";
import { parseAgent } from "../core/agents/parse_agent.ts";
import { isObject } from "../core/config/is_object.ts";
import { quoted } from "../core/config/quoted.ts";
import { findRepeatedKey } from "../core/config/repeated_key.ts";
import { AlisioError, errorMessage } from "../core/errors.ts";

const FORM = '{"name": {"description": "…", "prompt": "…"}}';

/**
 * Reads the value of `--agents`. Whoever types a definition is told at once what is wrong with it.
 *
 * @param text JSON.
 * @throws {AlisioError} `usage` if it is not of that form, or a definition in it cannot be used.
 */
export function parseAgentsFlag(text: string): GivenAgents["agents"] {
  const value = parseJson(text);
  const repeated = findRepeatedKey(text);
  if (repeated !== null) throw unusable(`"${repeated.key}" stands in it twice`);
  if (!isObject(value)) throw unusable(`it is no object; write ${FORM}`);
  const agents = Object.entries(value).map(([name, fields]) => {
    if (!isObject(fields)) throw unusable(`${quoted(name, 80)} is no object; write ${FORM}`);
    const { prompt, ...rest } = fields;
    if (typeof prompt !== "string" || prompt.trim() === "") {
      throw unusable(`${quoted(name, 80)} has no "prompt", which says what the agent is told`);
    }
    const parsed = parseAgent(rest, { name, body: prompt, origin: "flag" });
    if (parsed.status === "invalid") {
      throw unusable(`${quoted(name, 80)}: ${parsed.flaws.join("; ")}`);
    }
    return [name, fields] as const;
  });
  return Object.fromEntries(agents);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unusable(`it is no JSON: ${errorMessage(error).slice(0, 200)}`);
  }
}

function unusable(reason: string): AlisioError {
  return new AlisioError("usage", `Cannot use "--agents": ${reason}`);
}
