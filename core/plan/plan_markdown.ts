import type { DiagramRevision } from "./plan_document.ts";
import { diagramFile } from "./plan_files.ts";
import type { ProposedPlan } from "./plan_review.ts";

/** Lines of the source of a diagram that are shown. */
export const SHOWN_DIAGRAM_LINES = 8;

/**
 * A plan as a person reads it at a terminal: all of its text, what each diagram is for with the
 * start of its source, and where the files lie. Pure.
 *
 * @param plan The plan.
 */
export function planMarkdown(
  { markdown, revision, diagrams, removed, folder }: ProposedPlan,
): string {
  return [
    closed(markdown.trimEnd()),
    ...diagrams.map((diagram) => describeDiagram(diagram, revision)),
    ...removed.map(({ title }) => `Diagram removed: ${plain(title)}`),
    ...(folder === undefined ? [] : [`Files: ${inline(`${folder}/files`)}`]),
  ].join("\n\n");
}

/**
 * Puts lines into a fence that nothing in them ends. Pure.
 *
 * @param lines The lines.
 * @param language What they are written in.
 */
export function fenced(lines: readonly string[], language: string): string {
  const fence = "`".repeat(Math.max(3, longestTicks(lines.join("\n")) + 1));
  return [`${fence}${language}`, ...lines, fence].join("\n");
}

function describeDiagram(diagram: DiagramRevision, revision: number): string {
  const { id, title, explanation, section, source, status } = diagram;
  const lines = source.split("\n");
  const left = lines.length - SHOWN_DIAGRAM_LINES;
  const marks = [
    ...(section === undefined ? [] : [`section ${section}`]),
    ...(revision > 1 && status !== "unchanged" ? [status] : []),
  ];
  return [
    `**${plain(title)}**${marks.length === 0 ? "" : ` (${plain(marks.join(", "))})`}`,
    plain(explanation),
    fenced(lines.slice(0, SHOWN_DIAGRAM_LINES), "mermaid") +
    (left > 0 ? `\n\n… ${left} more lines in ${inline(diagramFile(id))}` : ""),
  ].join("\n\n");
}

/** A fence that the plan leaves open would hide what follows it. */
function closed(markdown: string): string {
  let fence: string | undefined;
  for (const line of markdown.split("\n")) {
    const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (mark === undefined) continue;
    if (fence === undefined) fence = mark;
    else if (mark[0] === fence[0] && mark.length >= fence.length && line.trim() === mark) {
      fence = undefined;
    }
  }
  return fence === undefined ? markdown : `${markdown}\n${fence}`;
}

function plain(text: string): string {
  return text.replace(/[\\`*_[\]<>#|~]/g, "\\$&");
}

function inline(text: string): string {
  const ticks = "`".repeat(longestTicks(text) + 1);
  return `${ticks}${text}${ticks}`;
}

function longestTicks(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
}
