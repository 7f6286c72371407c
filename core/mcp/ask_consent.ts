import type { McpServerSettings } from "../config/configuration.ts";
import { visibleText } from "../process/visible_text.ts";
import { redactSecrets } from "../redact.ts";
import { previewText } from "../text/bound_text.ts";
import type { HostToolContext } from "../tools/host_tool.ts";
import type { QuestionAsker } from "../tools/user_question.ts";
import type { McpServer } from "./mcp_server.ts";

const YES = "Allow for this session";
const NO = "Not now";
const MAX_SHOWN_CHARS = 2_000;

/**
 * Asks the person whether MCP servers may be started and reached until Alisio ends.
 *
 * @param ask Puts the question to them.
 * @param asked The server that is wanted, and all that the consent covers.
 * @param context The call that wants it.
 * @returns Whether they consent.
 */
export async function askConsent(
  ask: QuestionAsker,
  { server, servers }: { readonly server: McpServer; readonly servers: readonly string[] },
  context: HostToolContext,
): Promise<boolean> {
  const { callId, session, agentPath, signal, run } = context;
  const others = servers.filter((name) => name !== server.name);
  const question = {
    header: "MCP",
    question: `${whatItDoes(server)}${
      others.length === 0
        ? ""
        : ` The consent covers the other configured servers too: ${others.join(", ")}.`
    } Allow it?\n${whatItIs(server.settings)}`,
    multiSelect: false,
    options: [
      {
        label: YES,
        description: "Until Alisio ends; each call is still asked about as others are",
        value: "yes",
      },
      { label: NO, description: "Nothing is started or reached", value: "no" },
    ],
  };
  const asking = () =>
    ask([question], {
      callId,
      ...(session === undefined ? {} : { session }),
      ...(agentPath === undefined ? {} : { agentPath }),
      signal,
    });
  const [answer] = await (run === undefined ? asking() : run.pauseWhile(asking));
  return answer !== undefined && !answer.skipped && answer.selected.includes(YES);
}

/** Arguments may hold a secret, which is shown nowhere. */
function whatItIs({ transport, command, args, url }: McpServerSettings): string {
  const words = transport === "stdio" ? [command ?? "", ...args] : [url ?? ""];
  const text = words.map((word) => /^[^\s"'\\]+$/.test(word) ? word : JSON.stringify(word)).join(
    " ",
  );
  const shown = previewText(visibleText(redactSecrets(text, [])), MAX_SHOWN_CHARS);
  return transport === "stdio" ? `Program: ${shown}` : `Address: ${shown}`;
}

function whatItDoes({ name, settings }: McpServer): string {
  return settings.transport === "stdio"
    ? `The MCP server "${name}" is a program that would run with all your rights, outside every ` +
      "sandbox."
    : `The MCP server "${name}" is at another address, which would be sent what its tools are given.`;
}
