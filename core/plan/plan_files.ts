import type { ArtifactFile } from "../artifacts/artifact.ts";
import type { DiagramRevision, PlanDocument } from "./plan_document.ts";

/** The file that a plan is opened at. */
export const PLAN_FILE = "plan.md";

/**
 * The files of a plan. Pure. A plan without diagrams, and without any that it lost, is one file.
 *
 * @param markdown The plan.
 * @param document Its manifest.
 * @param diagrams Its diagrams.
 */
export function planFiles(
  markdown: string,
  document: PlanDocument,
  diagrams: readonly DiagramRevision[],
): readonly [ArtifactFile, ...ArtifactFile[]] {
  const plan = { path: PLAN_FILE, text: withFinalBreak(markdown) };
  if (diagrams.length === 0 && document.removed.length === 0) return [plan];
  return [
    plan,
    { path: "plan.json", text: `${JSON.stringify(document, null, 2)}\n` },
    ...diagrams.map(({ id, source }) => ({
      path: diagramFile(id),
      text: withFinalBreak(source),
    })),
  ];
}

/**
 * The file of a diagram, below the folder of a plan.
 *
 * @param id The diagram.
 */
export function diagramFile(id: string): string {
  return `diagrams/${id}.mmd`;
}

/**
 * The title of the artifact of a revision.
 *
 * @param title The title of the plan.
 * @param revision From 1.
 */
export function revisionTitle(title: string, revision: number): string {
  return revision < 2 ? title : `${title} (revision ${revision})`;
}

function withFinalBreak(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
