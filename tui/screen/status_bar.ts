import type { Role, Theme } from "../theme/theme.ts";
import { fitParts, type RowPart } from "./fit_parts.ts";
import { formatElapsed, formatTokens } from "./format_count.ts";
import type { RunStateText } from "./run_state.ts";
import type { ContextFacts, StatusFacts, UsageFacts } from "./status_facts.ts";

const BAR_CELLS = 8;
/** From this share of what makes it shorter on, the bar warns. */
const WARNING_SHARE = 0.75;

/**
 * The last row: what a run does, how full the context is, and what was used.
 *
 * @param facts What it tells.
 * @param theme The colours.
 * @param columns Columns.
 */
export function statusBar(facts: StatusFacts, theme: Theme, columns: number): string {
  const { run, runMs, context, usage, plugins, mode, endKey } = facts;
  const idle = mode === "" ? "opening" : "ready";
  return fitParts(
    [
      { text: run === undefined ? theme.paint("dim", idle) : runText(run, theme), priority: 10 },
      {
        text: endKey === undefined ? "" : theme.paint("accent", endText(endKey)),
        priority: 9,
      },
      {
        text: runMs === undefined ? "" : theme.paint("dim", `run ${formatElapsed(runMs)}`),
        priority: 2,
      },
      { text: context === undefined ? "" : contextBar(context, theme), priority: 8 },
      ...usageParts(usage, theme),
      ...plugins.map((text, index) => ({ text: theme.paint("dim", text), priority: 1 - index })),
    ],
    "  ",
    columns,
  );
}

function endText(key: string): string {
  return key === "" ? "more below" : `more below: ${key}`;
}

/**
 * What a run does and since when, and how long it has been silent.
 *
 * @param run What it does.
 * @param theme The colours.
 */
export function runText({ activity, elapsedMs, silence }: RunStateText, theme: Theme): string {
  const doing = `${theme.paint("accent", activity)} ${
    theme.paint("dim", formatElapsed(elapsedMs))
  }`;
  if (silence === undefined) return doing;
  const silent = theme.paint("dim", `no response for ${Math.floor(silence.ms / 1_000)}s`);
  return `${doing} ${silent}${silence.isStuck ? ` ${theme.paint("warning", "(stuck?)")}` : ""}`;
}

/**
 * How full the context is, as numbers and as a bar; without a bar where its size is not known.
 *
 * @param context How full it is.
 * @param theme The colours.
 */
export function contextBar(context: ContextFacts, theme: Theme): string {
  const { usedTokens, isEstimated, totalTokens, compactsAtTokens } = context;
  const used = `${isEstimated ? "~" : ""}${formatTokens(usedTokens)}`;
  if (totalTokens === null) return theme.paint("dim", `${used} / ?`);
  const share = totalTokens === 0 ? 1 : Math.min(1, usedTokens / totalTokens);
  const full = Math.min(BAR_CELLS, Math.ceil(share * BAR_CELLS));
  const bar = theme.glyph("barFull").repeat(full) +
    theme.glyph("barEmpty").repeat(BAR_CELLS - full);
  const role = roleOf(usedTokens, compactsAtTokens);
  return `${theme.paint(role, bar)} ${
    theme.paint("dim", `${used} / ${formatTokens(totalTokens)} (${Math.round(share * 100)}%)`)
  }`;
}

function roleOf(usedTokens: number, limit: number): Role {
  if (usedTokens >= limit) return "error";
  return usedTokens >= limit * WARNING_SHARE ? "warning" : "success";
}

function usageParts(usage: UsageFacts, theme: Theme): readonly RowPart[] {
  const { inputTokens, outputTokens, cachedTokens, turns } = usage;
  if (turns === 0) return [];
  const dim = (text: string): string => theme.paint("dim", text);
  return [
    {
      // Some servers report nothing.
      text: inputTokens + outputTokens === 0 ? "" : dim(
        `${theme.glyph("up")}${formatTokens(inputTokens)} ` +
          `${theme.glyph("down")}${formatTokens(outputTokens)}`,
      ),
      priority: 6,
    },
    {
      text: cachedTokens === 0 ? "" : dim(`${theme.glyph("cached")}${formatTokens(cachedTokens)}`),
      priority: 4,
    },
    { text: dim(turns === 1 ? "1 turn" : `${turns} turns`), priority: 5 },
  ];
}
