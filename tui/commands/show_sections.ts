import { showText } from "../panels/show_panels.ts";
import type { Stage } from "../stage.ts";
import { layOutSections, type Section } from "./layout.ts";

/**
 * Lets the person read sections.
 *
 * @param stage The conversation.
 * @param title What they are about.
 * @param sections The sections.
 */
export async function showSections(
  stage: Stage,
  title: string,
  sections: readonly Section[],
): Promise<void> {
  await showText(stage, {
    title,
    body: (width) => layOutSections(sections, { width, theme: stage.theme }),
  });
}
