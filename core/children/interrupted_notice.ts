import type { ChildRecord } from "./child_store.ts";

const MAX_TITLE_CHARS = 200;

/**
 * What a session is told of a child of its own that was cut short when its process ended. It begins
 * like every notice of how a child ended, so that it is taken back in the same way.
 *
 * @param child The child.
 */
export function interruptedNotice(
  { id, title, settings: { agent } }: Pick<ChildRecord, "id" | "title"> & {
    readonly settings: Pick<ChildRecord["settings"], "agent">;
  },
): string {
  const name = harmless(title).slice(0, MAX_TITLE_CHARS);
  return [
    `<task-notification id="${id}" agent="${harmless(agent)}" state="interrupted">`,
    `Interrupted when Alisio ended, and nothing goes on by itself: ${name}`,
    `What it did by then is kept. Call task with task_id "${id}" to let it go on.`,
    "</task-notification>",
  ].join("\n");
}

/** Nothing in it closes or imitates an element, or begins a line. */
function harmless(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
