import type { PlanDiagram } from "./plan_diagram.ts";
import type { DiagramRevision } from "./plan_document.ts";
import type { HashedDiagram } from "./plan_hash.ts";

/**
 * Compares the diagrams of a plan with those of the revision before. Pure.
 *
 * @param diagrams Those of the plan, with their hashes.
 * @param before Those of the revision before.
 */
export function compareDiagrams(
  diagrams: readonly (PlanDiagram & { readonly hash: string })[],
  before: readonly HashedDiagram[],
): { readonly kept: readonly DiagramRevision[]; readonly removed: readonly HashedDiagram[] } {
  const known = new Map(before.map((diagram) => [diagram.id, diagram]));
  return {
    kept: diagrams.map((diagram) => {
      const hash = known.get(diagram.id)?.hash;
      const status = hash === undefined ? "new" : hash === diagram.hash ? "unchanged" : "updated";
      return { ...diagram, status };
    }),
    removed: before.filter(({ id }) => !diagrams.some((diagram) => diagram.id === id)),
  };
}
