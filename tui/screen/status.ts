import { visibleWidth } from "@earendil-works/pi-tui/dist/utils.js";
import type { Theme } from "../theme/theme.ts";
import { fitRow, spreadRow } from "./frame_rows.ts";
import type { RunStateText } from "./run_state.ts";

/** What rows around the conversation tell. Names in it are visible already. */
export interface StatusFacts {
  readonly version: string;
  readonly cwd: string;
  readonly model?: string;
  readonly session?: string;
  readonly mode: string;
  readonly run?: RunStateText;
}

/** The row above the conversation. */
export function headerRow(facts: StatusFacts, theme: Theme, width: number): string {
  const separator = theme.paint("dim", ` ${theme.glyph("separator")} `);
  return spreadRow(
    [
      theme.bold(`Alisio Code ${facts.version}`),
      ...facts.model === undefined ? [] : [theme.paint("accent", facts.model)],
    ].join(separator),
    theme.paint("dim", facts.cwd),
    width,
  );
}

/** The row below the editor. Parts at its end are dropped first. */
export function statusRow(facts: StatusFacts, theme: Theme, width: number): string {
  const separator = ` ${theme.glyph("separator")} `;
  const parts = [`mode: ${facts.mode}`, ...facts.model === undefined ? [] : [facts.model]];
  while (parts.length > 1 && visibleWidth(parts.join(separator)) > width) parts.pop();
  return fitRow(theme.paint("dim", parts.join(separator)), width);
}

/** The last row: what a run does, and since when. */
export function statusBar(facts: StatusFacts, theme: Theme, width: number): string {
  const { run } = facts;
  if (run === undefined) return fitRow(theme.paint("dim", "ready"), width);
  const seconds = Math.floor(run.elapsedMs / 1_000);
  const silence = run.silence === undefined
    ? ""
    : ` no response for ${Math.floor(run.silence.ms / 1_000)}s${
      run.silence.isStuck ? theme.paint("warning", " (stuck?)") : ""
    }`;
  return fitRow(`${theme.paint("accent", run.activity)} ${seconds}s${silence}`, width);
}
