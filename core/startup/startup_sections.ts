import type { StartupContext } from "@alisio/sdk";
import { cellsOf } from "../text/cell_width.ts";

// deno-lint-ignore no-control-regex -- colour sequences take no cells
const COLOUR_REGEXP = /\x1b\[[0-9;:]*m/g;
const BOLD = "\x1b[1m";
const DIM = "\x1b[2m";
const PLAIN = "\x1b[0m";
const MAX_PLUGINS = 5;

/**
 * The name and the version of Alisio.
 *
 * @param context What the screen is drawn from.
 */
export function titleSection(
  { version, terminal }: Pick<StartupContext, "terminal" | "version">,
): string[] {
  return [styled(`Alisio ${version}`, BOLD, terminal.color)];
}

/**
 * A greeting, with the person's name where it is known.
 *
 * @param context What the screen is drawn from.
 */
export function welcomeSection({ userName }: Pick<StartupContext, "userName">): string[] {
  return [userName === undefined ? "Welcome" : `Welcome, ${userName}`];
}

/**
 * The model, where it runs, the workspace, and whatever else is worth knowing, one line each.
 *
 * @param context What the screen is drawn from.
 */
export function infoSection(
  { model, provider, cwd, facts = [], terminal }: Pick<
    StartupContext,
    "terminal" | "model" | "provider" | "cwd" | "facts"
  >,
): string[] {
  const rows = [
    ["Model", model ?? "none yet; alisio doctor says why"],
    ...provider === undefined ? [] : [["Server", provider]],
    ["Workspace", cwd],
    ...facts.map(({ label, value }) => [label, value]),
  ];
  const width = Math.max(...rows.map(([label = ""]) => label.length));
  return rows.map(([label = "", value = ""]) =>
    `${styled(label.padEnd(width), DIM, terminal.color)}  ${value}`
  );
}

/**
 * The plugins that do not come with Alisio; no line where there is none.
 *
 * @param context What the screen is drawn from.
 */
export function pluginsSection(
  { plugins, terminal }: Pick<StartupContext, "terminal" | "plugins">,
): string[] {
  const external = plugins.filter(({ builtin }) => !builtin);
  if (external.length === 0) return [];
  const names = external.slice(0, MAX_PLUGINS).map(({ id, version }) => `${id} ${version}`);
  const more = external.length - names.length;
  const list = [...names, ...more > 0 ? [`${more} more`] : []].join(", ");
  return [`${styled("Plugins", DIM, terminal.color)}  ${list}`];
}

/**
 * Advice, one line each.
 *
 * @param context What the screen is drawn from.
 */
export function tipsSection(
  { tips, terminal }: Pick<StartupContext, "terminal" | "tips">,
): string[] {
  return tips.map((tip) => styled(`Tip: ${tip}`, DIM, terminal.color));
}

/**
 * The mascot that was chosen.
 *
 * @param context What the screen is drawn from.
 */
export function mascotSection(
  { mascot, terminal, version }: Pick<StartupContext, "terminal" | "mascot" | "version">,
): string[] {
  return [mascot.render({ terminal, version })].flat();
}

/**
 * Puts two blocks of lines side by side, or one below the other where the terminal is too narrow.
 *
 * @param left Stands left, or above.
 * @param right Stands right, or below.
 * @param options How much room there is.
 */
export function composeSideBySide(
  left: readonly string[],
  right: readonly string[],
  options: {
    /** Cells of a line. */
    readonly columns: number;
    /**
     * Cells between the blocks.
     *
     * @default 3
     */
    readonly gap?: number;
  },
): string[] {
  const { columns, gap = 3 } = options;
  const leftWidth = Math.max(0, ...left.map(widthOf));
  const rightWidth = Math.max(0, ...right.map(widthOf));
  if (left.length === 0 || leftWidth + gap + rightWidth > columns) return [...left, ...right];
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => {
    const [start, end] = [left[index] ?? "", right[index] ?? ""];
    return end === "" ? start : start + " ".repeat(leftWidth - widthOf(start) + gap) + end;
  });
}

/**
 * Shortens a path for people: the home folder is `~`, and a long one begins with a dot for what is
 * left out.
 *
 * @param path An absolute path.
 * @param options What is known of the place.
 */
export function shortenPath(
  path: string,
  options: {
    /** The person's home folder. */
    readonly home?: string;
    /**
     * Characters that it may have.
     *
     * @default 60
     */
    readonly maxChars?: number;
  } = {},
): string {
  const { home = "", maxChars = 60 } = options;
  const below = home !== "" && path.startsWith(home) ? path.slice(home.length) : null;
  const short = below !== null && /^(?:[\\/]|$)/.test(below) ? `~${below}` : path;
  if (short.length <= maxChars) return short;
  const end = short.slice(short.length - maxChars + 1);
  return `…${end.slice(Math.max(0, end.search(/[\\/]/)))}`;
}

const TIPS: readonly string[] = [
  "/tools shows what runs, what asks and what is refused",
  "/permission ask, auto or full chooses what runs without a question",
  "Ctrl+C stops what runs; the session stays",
  "alisio resume <session> goes on where a conversation ended",
  "alisio doctor --permissions shows all that limits a run",
  "alisio audit shows what was decided about every call",
  "AGENTS.md in the project tells the model how things are done there",
  'git diff | alisio run "review this" works in a pipe',
  "--read-only refuses every change, program and outside directory",
];

/**
 * Advice for the person: the same for the same seed.
 *
 * @param seed Any whole number.
 * @param count How many.
 */
export function startupTips(seed: number, count = 2): string[] {
  const start = Math.abs(Math.trunc(seed)) % TIPS.length;
  const rotated = [...TIPS.slice(start), ...TIPS.slice(0, start)];
  return rotated.slice(0, Math.max(0, count));
}

function styled(text: string, style: string, hasColour: boolean): string {
  return hasColour ? `${style}${text}${PLAIN}` : text;
}

function widthOf(line: string): number {
  return cellsOf(line.replace(COLOUR_REGEXP, ""));
}
