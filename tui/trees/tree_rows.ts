import { visibleWidth } from "@earendil-works/pi-tui/dist/utils.js";
import { fitText, oneLine } from "../panels/fit_text.ts";
import { fitParts } from "../screen/fit_parts.ts";
import { formatElapsed, formatTokens } from "../screen/format_count.ts";
import type { Glyph, Role, Theme } from "../theme/theme.ts";
import { countLines, type TreeLine } from "./tree_lines.ts";

/** The tree of one panel, and what of it is seen. */
export interface TreeView {
  readonly title: string;
  /** Every line of it. */
  readonly lines: readonly TreeLine[];
}

/** How trees are drawn. */
export interface TreeLook {
  readonly columns: number;
  /** The most rows. */
  readonly rows: number;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Lines of which those below are hidden. */
  readonly folded: ReadonlySet<string>;
  /** The line that the keyboard is on; undefined while the editor has it. */
  readonly selected?: string;
  /** What keys do; drawn while the keyboard is here. */
  readonly help: readonly string[];
  /** The key that leads here; may be empty. */
  readonly keyLabel: string;
  /** Whether only headings are drawn. */
  readonly isFolded: boolean;
}

/** How a state looks. A word stands behind those that a sign alone does not tell. */
const STATES: Readonly<
  Record<string, { readonly glyph: Glyph; readonly role: Role; readonly word: boolean }>
> = {
  running: { glyph: "running", role: "accent", word: false },
  queued: { glyph: "pending", role: "dim", word: true },
  waiting: { glyph: "waiting", role: "question", word: true },
  completed: { glyph: "ok", role: "success", word: false },
  failed: { glyph: "failed", role: "error", word: true },
  cancelled: { glyph: "skipped", role: "warning", word: true },
  interrupted: { glyph: "skipped", role: "warning", word: true },
};
const OTHER_STATE = { glyph: "bullet", role: "dim", word: true } as const;

/** Colours by the names that definitions of agents have for them, as the theme has them. */
const COLOURS: Readonly<Record<string, Role>> = {
  red: "error",
  green: "success",
  yellow: "warning",
  orange: "number",
  blue: "function",
  cyan: "accent",
  magenta: "provider",
  purple: "keyword",
  pink: "provider",
  gray: "dim",
  grey: "dim",
  white: "user",
};

/** Fewer columns tell nothing of what an agent does. */
const MIN_DETAIL_COLUMNS = 10;
/** A name is cut before that. */
const MIN_LABEL_COLUMNS = 12;

/**
 * Trees of plugins as rows: a heading that counts, and the lines below it. Where there is no room for
 * all, what has ended is left out first, and the last row says how many lines are. Pure.
 *
 * @param views The trees.
 * @param theme The colours.
 * @param look What is seen of them.
 */
export function treeRows(
  views: readonly TreeView[],
  theme: Theme,
  look: TreeLook,
): readonly string[] {
  const { columns, rows, selected, help, isFolded } = look;
  if (rows < 1 || views.length === 0) return [];
  const all = views.flatMap((view): readonly Row[] => [
    { text: headRow(view, theme, look) },
    ...isFolded ? [] : shownLines(view.lines, look.folded).map((line) => ({
      text: "",
      line,
    })),
  ]);
  const hasHelp = selected !== undefined && rows >= 4;
  const room = hasHelp ? rows - 1 : rows;
  const kept = selected === undefined ? fitting(all, room, theme) : around(all, room, selected);
  return [
    ...kept.map(({ text, line }) => line === undefined ? text : lineRow(line, theme, look)),
    ...hasHelp ? [helpRow(help, theme, columns)] : [],
  ];
}

/**
 * The lines that are not hidden below a folded one.
 *
 * @param lines The lines of a panel, in order.
 * @param folded Lines of which those below are hidden.
 */
export function shownLines(
  lines: readonly TreeLine[],
  folded: ReadonlySet<string>,
): readonly TreeLine[] {
  const hidden = new Set<string>();
  return lines.filter(({ key, parentKey }) => {
    const isHidden = parentKey !== undefined && (folded.has(parentKey) || hidden.has(parentKey));
    if (isHidden) hidden.add(key);
    return !isHidden;
  });
}

interface Row {
  readonly text: string;
  readonly line?: TreeLine;
}

/** What goes on is seen, and the rest while there is room; a last row counts what is not. */
function fitting(all: readonly Row[], room: number, theme: Theme): readonly Row[] {
  if (all.length <= room) return all;
  if (room < 3) return all.slice(0, room);
  const live = all.filter(({ line }) => line === undefined || line.isLive);
  const ended = all.filter(({ line }) => line !== undefined && !line.isLive);
  const spare = Math.max(0, room - 1 - live.length);
  // Of what has ended, the newest stays.
  const dropped = new Set(ended.slice(0, ended.length - spare));
  const kept = all.filter((row) => !dropped.has(row)).slice(0, room - 1);
  const left = all.length - kept.length;
  return [...kept, { text: theme.paint("dim", `  ${theme.glyph("ellipsis")} ${left} more`) }];
}

/** The selected line and what is around it. */
function around(all: readonly Row[], room: number, selected: string): readonly Row[] {
  if (all.length <= room) return all;
  const at = Math.max(0, all.findIndex(({ line }) => line?.key === selected));
  const top = Math.min(Math.max(0, at - Math.floor(room / 2)), all.length - room);
  return all.slice(top, top + room);
}

function headRow({ title, lines }: TreeView, theme: Theme, look: TreeLook): string {
  const counts = Object.entries(countLines(lines)).filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`);
  const key = look.selected === undefined ? look.keyLabel : "";
  const separator = ` ${theme.glyph("separator")} `;
  return fitParts(
    [
      { text: theme.paint("heading", fitText(oneLine(title, theme), 40, theme)), priority: 3 },
      { text: counts.join(separator), priority: 2 },
      { text: key === "" ? "" : theme.paint("dim", key), priority: 1 },
    ],
    "  ",
    look.columns,
  );
}

function lineRow(
  { key, node, depth, below, isWaiting }: TreeLine,
  theme: Theme,
  { columns, now, folded, selected }: TreeLook,
): string {
  const { label, status, startedAt, endedAt, tokens, detail, color = "" } = node;
  const state = isWaiting ? "waiting" : status;
  const { glyph, role, word } = STATES[state] ?? OTHER_STATE;
  const isSelected = key === selected;
  const indent = depth === 0 ? "" : `${"  ".repeat(depth - 1)}${theme.glyph("treeLast")} `;
  const pointer = isSelected ? theme.glyph("cursor") : " ";
  const start = `${pointer} ${indent}`;
  const hidden = below > 0 && folded.has(key) ? `${theme.glyph("collapsed")}${below}` : "";
  const facts = [
    word ? { text: oneLine(state, theme), role } : undefined,
    startedAt === undefined
      ? undefined
      : { text: formatElapsed((endedAt ?? now) - startedAt), role: "dim" as const },
    tokens === undefined || tokens === 0
      ? undefined
      : { text: formatTokens(tokens), role: "dim" as const },
    hidden === "" ? undefined : { text: hidden, role: "dim" as const },
  ].filter((fact) => fact !== undefined);
  const before = visibleWidth(start) + 2;
  let told = facts;
  // In a narrow window the name counts more than numbers, the last of which goes first.
  while (told.length > 0 && columns - before - widthOf(told) < MIN_LABEL_COLUMNS) {
    told = told.slice(0, -1);
  }
  const name = fitText(oneLine(label, theme), columns - before - widthOf(told), theme);
  const painted = theme.paint(COLOURS[color.toLowerCase()] ?? "text", name);
  const used = before + visibleWidth(name) + widthOf(told);
  const room = columns - used - 2;
  const more = detail === undefined || detail === "" || room < MIN_DETAIL_COLUMNS
    ? ""
    : `  ${theme.paint("dim", fitText(oneLine(detail, theme), room, theme))}`;
  return `${start}${theme.paint(role, theme.glyph(glyph))} ` +
    `${isSelected ? theme.bold(painted) : painted}` +
    `${told.map((fact) => `  ${theme.paint(fact.role, fact.text)}`).join("")}${more}`;
}

function widthOf(facts: readonly { readonly text: string }[]): number {
  return facts.reduce((sum, { text }) => sum + visibleWidth(text) + 2, 0);
}

function helpRow(help: readonly string[], theme: Theme, columns: number): string {
  const parts = help.map((text, at) => ({ text, priority: help.length - at }));
  return theme.paint("dim", fitParts(parts, ` ${theme.glyph("separator")} `, columns));
}
