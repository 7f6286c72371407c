import type { ToolStatus } from "../../core/gate/gate.ts";
import type { Verdict } from "../../core/gate/policy.ts";
import type { Section } from "./layout.ts";

const HEADINGS: Readonly<Record<Verdict, string>> = {
  allow: "Enabled: runs without a question",
  ask: "Ask: asks before each call",
  deny: "Disabled: never runs",
};

/**
 * What is told of tools: by what is done with their calls, with the rule that says so. Pure.
 *
 * @param tools Every tool with the decision about it.
 */
export function toolSections(tools: readonly ToolStatus[]): readonly Section[] {
  const verdicts = Object.keys(HEADINGS) as Verdict[];
  return verdicts.map((verdict) => ({
    heading: HEADINGS[verdict],
    entries: tools.filter(({ decision }) => decision.decision === verdict).map((status) => ({
      name: status.tool.name,
      text: formatReason(status),
    })),
  }));
}

function formatReason({ tool, decision }: ToolStatus): string {
  const remedy = decision.remedy === undefined || decision.decision === "allow"
    ? ""
    : `; to change that, ${decision.remedy}`;
  return `${tool.effect}: ${decision.reason} (${decision.matched})${remedy}`;
}
