/** What a diagram shows. */
export type DiagramType =
  | "overview"
  | "flow"
  | "components"
  | "architecture"
  | "sequence"
  | "data"
  | "state"
  | "other";

/** A diagram that was accepted. */
export interface PlanDiagram {
  /** Kebab-case; the same in every revision. */
  readonly id: string;
  /** A heading. */
  readonly title: string;
  /** What it is for. */
  readonly explanation: string;
  /** Id of the section that it belongs to. */
  readonly section?: string;
  /** What it shows. */
  readonly type: DiagramType;
  /** The keyword of Mermaid. */
  readonly syntax: string;
  /** Mermaid. */
  readonly source: string;
}

/** One that was left out. */
export interface DroppedDiagram {
  /** Its id, as far as it can be told. */
  readonly id: string;
  /** Why, as the end of a sentence about it. */
  readonly reason: string;
}

/** Diagrams of a plan, looked at. */
export interface CheckedDiagrams {
  readonly accepted: readonly PlanDiagram[];
  readonly dropped: readonly DroppedDiagram[];
}
