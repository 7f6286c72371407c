import { moreRows } from "../blocks/block_facts.ts";
import { boundText } from "../../core/text/bound_text.ts";
import type { NoticeKind } from "../stage.ts";
import type { Glyph, Role } from "../theme/theme.ts";
import { formatDuration } from "../text/format_duration.ts";
import { safeText } from "../text/safe_text.ts";
import { type Line, lineOf, span } from "../text/span.ts";
import { clipLine, wrapWords } from "../text/wrap.ts";
import type { NoticeEntry, PromptEntry, ThoughtEntry } from "./entry.ts";
import {
  behindGutter,
  type EntryLook,
  type EntryRows,
  gutterOf,
  innerLook,
  toggleSign,
} from "./entry_look.ts";
import { imageLabel } from "./tool_rows.ts";

/** Rows of a thought that is open. */
const THOUGHT_ROWS = 40;
/** Characters of a thought that are laid out: enough for its rows in any window. */
const MAX_THOUGHT_CHARS = 20_000;
/** Rows of a prompt that are shown while it is closed. */
const PROMPT_ROWS = 30;
const MAX_PROMPT_ROWS = 600;
const MAX_PROMPT_CHARS = 64_000;
const MAX_NOTICE_CHARS = 16_000;

const TONES: Readonly<Record<NoticeKind, { readonly glyph?: Glyph; readonly role: Role }>> = {
  info: { glyph: "separator", role: "dim" },
  success: { glyph: "ok", role: "success" },
  warning: { role: "warning" },
  error: { glyph: "failed", role: "error" },
};

/**
 * Rows of what the person asked for.
 *
 * @param entry The prompt.
 * @param look What it is drawn with.
 */
export function promptRows(entry: PromptEntry, look: EntryLook): EntryRows {
  const { width } = innerLook(look);
  const text = safeText(boundText(entry.text, MAX_PROMPT_CHARS).text);
  const all = text.split("\n").flatMap((line) => wrapWords(lineOf(line, "user"), width));
  const canToggle = all.length > PROMPT_ROWS;
  const shown = all.slice(0, canToggle && !look.isExpanded ? PROMPT_ROWS : MAX_PROMPT_ROWS);
  const left = moreRows(all.length - shown.length, "lines", look);
  const images = entry.images.map((image) => clipLine(lineOf(imageLabel(image), "accent"), width));
  const sign = { ...span(look.theme.glyph("prompt"), "user"), bold: true };
  return {
    rows: behindGutter([...shown, ...left, ...images], look.width, sign),
    toggles: !canToggle ? [] : [0, ...(left.length > 0 ? [shown.length] : [])],
  };
}

/**
 * Rows of what the model thought: one, and its words only where somebody asks for them.
 *
 * @param entry The thought.
 * @param look What it is drawn with.
 */
export function thoughtRows(entry: ThoughtEntry, look: EntryLook): EntryRows {
  const time = entry.durationMs === undefined ? "" : ` · ${formatDuration(entry.durationMs)}`;
  const heading: Line = entry.isLive
    ? [span(`${look.theme.glyph("thought")} thinking…`, "accent")]
    : [span(`${toggleSign(look)} Thought${time}`, "dim")];
  const header = clipLine(heading, look.width);
  if (!look.isExpanded) return { rows: [header], toggles: [0] };
  const { width } = innerLook(look);
  const kept = entry.isLive
    ? entry.text.slice(-MAX_THOUGHT_CHARS)
    : entry.text.slice(0, MAX_THOUGHT_CHARS);
  const all = safeText(kept).trim().split("\n")
    .flatMap((line) => wrapWords(lineOf(line, "dim"), width));
  // While it thinks, the end is what is new.
  const shown = entry.isLive ? all.slice(-THOUGHT_ROWS) : all.slice(0, THOUGHT_ROWS);
  const left = entry.isLive ? [] : moreRows(all.length - shown.length, "lines", look);
  return { rows: [header, ...behindGutter([...shown, ...left], look.width)], toggles: [0] };
}

/**
 * Rows of Alisio's own words.
 *
 * @param entry The notice.
 * @param look What it is drawn with.
 */
export function noticeRows(entry: NoticeEntry, look: EntryLook): EntryRows {
  const { glyph, role } = TONES[entry.tone];
  const sign = glyph === undefined ? "!" : look.theme.glyph(glyph);
  const text = safeText(boundText(entry.text, MAX_NOTICE_CHARS).text);
  const { width } = innerLook(look);
  const rows = text.split("\n").flatMap((line) => wrapWords(lineOf(line, role), width));
  return {
    rows: behindGutter(rows, look.width, span(sign, role)),
    toggles: [],
  };
}

/**
 * The row below an answer that can be copied.
 *
 * @param look What it is drawn with.
 */
export function copyHint(look: EntryLook): Line {
  const sign = look.theme.look.unicode ? `${look.theme.glyph("copy")} copy` : "[copy]";
  const row = lineOf(`${sign} · /copy`, "dim");
  return clipLine([span(" ".repeat(gutterOf(look.width))), ...row], look.width);
}
