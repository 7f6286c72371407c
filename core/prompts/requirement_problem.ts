import type { Effect } from "@alisio/sdk";
import type { PromptRequirement } from "./prompt_template.ts";

const DEEDS: Readonly<Record<PromptRequirement, string>> = {
  write: "changes files",
  process: "runs programs",
};

/**
 * Why a run cannot do what a template requires. Pure.
 *
 * @param requires Effects that the template needs.
 * @param run What the run may do: effects of the tools that it offers, those among them that a
 * person is asked about.
 * @returns The rest of a sentence; null if nothing is missing.
 */
export function requirementProblem(
  requires: readonly PromptRequirement[],
  run: {
    readonly offered: readonly Effect[];
    readonly readOnly: boolean;
    readonly canAsk: boolean;
  },
): string | null {
  const missing = requires.filter((effect) => !run.offered.includes(effect));
  if (missing.length === 0) return null;
  const what = `it ${missing.map((effect) => DEEDS[effect]).join(" and ")}`;
  if (run.readOnly) return `${what}, and "--read-only" was given`;
  if (run.canAsk) return `${what}, and the active agent or the risk profile does not let it`;
  return `${what}, and nobody can be asked; ` +
    `pass ${missing.map((effect) => `--allow-${effect}`).join(" and ")}`;
}
