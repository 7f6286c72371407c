import { sha256Hex } from "../files/sha256.ts";
import type { PlanDiagram } from "./plan_diagram.ts";

/** What is known of a diagram without its source. */
export interface HashedDiagram {
  /** The same in every revision. */
  readonly id: string;
  /** A heading. */
  readonly title: string;
  /** SHA-256 of all that a reader sees of it. */
  readonly hash: string;
}

/**
 * The hash of a diagram: over its title, explanation, section, type and source.
 *
 * @param diagram The diagram.
 */
export async function diagramHash(diagram: PlanDiagram): Promise<string> {
  const { title, explanation, section = "", type, source } = diagram;
  return await hashOf(JSON.stringify([title, explanation, section, type, source]));
}

/**
 * The hash of a plan: over its Markdown, and over `id:hash` of each diagram where there are any.
 *
 * @param markdown The plan.
 * @param diagrams Its diagrams, in order.
 */
export async function planHash(
  markdown: string,
  diagrams: readonly Pick<HashedDiagram, "id" | "hash">[],
): Promise<string> {
  return await hashOf([markdown, ...diagrams.map(({ id, hash }) => `${id}:${hash}`)].join("\n"));
}

async function hashOf(text: string): Promise<string> {
  return await sha256Hex(new TextEncoder().encode(text));
}
