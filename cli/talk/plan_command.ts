import type { Application } from "../../core/application.ts";
import { PLAN_TOOL, planHistory } from "../../core/plan/plan_history.ts";
import { describePlans, readPlanRequest } from "../../core/plan/plan_request.ts";
import { visibleLines } from "../../core/process/visible_text.ts";
import { compareTexts } from "../compare_texts.ts";

/** What the plans of a session are shown with. */
export interface PlanCommandPorts {
  readonly store: Pick<Application["store"], "callsOf">;
  /** The session, once one is open. */
  readonly sessionId: string | undefined;
  /** Whether colours can be shown. */
  readonly hasColour: boolean;
}

const COLOURS: Readonly<Record<string, string>> = {
  "+": "\x1b[32m",
  "-": "\x1b[31m",
  "@": "\x1b[36m",
};
const PLAIN = "\x1b[0m";

/**
 * What `/plan` says between lines; the only control sequences in it are colours.
 *
 * @param words What follows the command.
 * @param ports Where the plans are.
 */
export async function plansText(
  words: readonly string[],
  { store, sessionId, hasColour }: PlanCommandPorts,
): Promise<string> {
  const history = planHistory(sessionId === undefined ? [] : store.callsOf(sessionId, PLAN_TOOL));
  const request = readPlanRequest(words, history);
  switch (request.kind) {
    case "problem":
      return visibleLines(request.message);
    case "list":
      return describePlans(history).map((line) => visibleLines(line)).join("\n");
    case "show":
      return visibleLines(request.plan.markdown);
    case "diff": {
      const lines = await compareTexts(request.before.markdown, request.after.markdown);
      if (lines.length === 0) return "Nothing changed between them";
      return lines.map((line) => painted(visibleLines(line), hasColour)).join("\n");
    }
  }
}

function painted(line: string, hasColour: boolean): string {
  const colour = COLOURS[line[0] ?? ""];
  return hasColour && colour !== undefined ? `${colour}${line}${PLAIN}` : line;
}
