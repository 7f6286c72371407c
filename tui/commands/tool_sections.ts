import type { ToolStatus } from "../../core/gate/gate.ts";
import type { Verdict } from "../../core/gate/policy.ts";
import type { Section } from "./layout.ts";

const HEADINGS: Readonly<Record<Verdict, string>> = {
  allow: "Enabled: runs without a question",
  ask: "Ask: asks before each call; /permission chooses what runs unasked",
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
  // What the heading says is not said again.
  if (decision.decision === "allow" || isAskedByDefault({ tool, decision })) {
    return `${tool.effect} (${decision.matched})`;
  }
  const remedy = decision.remedy === undefined ? "" : `; to change that, ${decision.remedy}`;
  return `${tool.effect}: ${decision.reason} (${decision.matched})${remedy}`;
}

function isAskedByDefault({ tool, decision }: ToolStatus): boolean {
  return decision.decision === "ask" && decision.matched === `flags:${tool.effect}`;
}
