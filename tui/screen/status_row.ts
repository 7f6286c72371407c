import type { Theme } from "../theme/theme.ts";
import { fitParts } from "./fit_parts.ts";
import type { StatusFacts } from "./status_facts.ts";

/**
 * The row below the editor: with what the next prompt will run.
 *
 * @param facts What it tells.
 * @param theme The colours.
 * @param columns Columns.
 */
export function statusRow(
  { agent, mode, model, provider, effort }: StatusFacts,
  theme: Theme,
  columns: number,
): string {
  const parts = [
    { text: agent === undefined ? "" : `agent: ${agent}`, priority: 4 },
    { text: mode === "" ? "" : `mode: ${mode}`, priority: 3 },
    { text: model ?? "", priority: 2 },
    { text: provider ?? "", priority: 1 },
    { text: effort === undefined ? "" : `effort: ${effort}`, priority: 0 },
  ].map(({ text, priority }) => ({ text: text && theme.paint("dim", text), priority }));
  return fitParts(parts, theme.paint("dim", ` ${theme.glyph("separator")} `), columns);
}
