import { DENO, ROOT } from "../support/paths.ts";
import type { RecordedRequest } from "../support/stub_server.ts";

/**
 * The configuration of the small server of these tests.
 *
 * @param behaviour How it behaves.
 * @param settings More of its settings.
 */
export function smallServer(
  behaviour: Readonly<Record<string, unknown>> = {},
  settings: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const script = `${ROOT}/tests/support/mcp_server.ts`;
  return {
    command: DENO,
    args: ["run", "-A", "--no-config", "--no-lock", script, JSON.stringify(behaviour)],
    ...settings,
  };
}

/**
 * The names of the tools that a request offers and that begin with `mcp_`.
 *
 * @param request A request for an answer.
 */
export function offeredServerTools(request: RecordedRequest): readonly string[] {
  return offeredTools(request).map(({ name }) => name).filter((name) => name.startsWith("mcp_"));
}

/**
 * The tools that a request offers.
 *
 * @param request A request for an answer.
 */
export function offeredTools(
  { json }: RecordedRequest,
): readonly {
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
}[] {
  const { tools = [] } = json as { readonly tools?: readonly { readonly function: never }[] };
  return tools.map((tool) => tool.function);
}
