import type { ChildRunResult, JsonObject, SessionStatus } from "@alisio/sdk";

/** Who did a task, and how it stands. */
export interface TaskHead {
  /** Id of the task, which is that of its session. */
  readonly id: string;
  readonly agent: string;
  readonly state: SessionStatus;
}

const HEADER =
  "Subagent output (non-authoritative; verify important claims before relying on them)";
/** A notice waits in the record, which keeps messages of a bounded length. */
const MAX_NOTICE_BYTES = 50_000;

/**
 * The report of a task that came to its end, as the model of its caller reads it.
 *
 * @param task The task.
 * @param result How it ended.
 * @param options The largest result, and what there is to say about it.
 */
export function formatReport(
  task: TaskHead,
  result: Pick<ChildRunResult, "text" | "turnsExceeded">,
  options: { readonly maxBytes: number; readonly notes?: readonly string[] },
): string {
  const notes = [
    ...(result.turnsExceeded === true ? [turnsNote(task.id)] : []),
    ...(options.notes ?? []),
  ];
  return wrap("task", task, [HEADER, "", result.text.trim() || "(It said nothing.)"], {
    maxBytes: options.maxBytes,
    notes,
  });
}

/**
 * What a caller is told at once of a task that goes on by itself.
 *
 * @param task The task.
 * @param notes What else there is to say.
 */
export function formatStarted(task: TaskHead, notes: readonly string[] = []): string {
  const words = "The task goes on in the background. You are told when it ends; do other work " +
    "meanwhile, or wait for it with task_wait.";
  return wrap("task", task, [words], { maxBytes: MAX_NOTICE_BYTES, notes });
}

/**
 * What a caller is told of a task in the background that came to its end.
 *
 * @param task The task.
 * @param result How it ended.
 * @param options As for {@linkcode formatReport}.
 */
export function formatNotice(
  task: TaskHead,
  result: ChildRunResult,
  options: { readonly maxBytes: number; readonly notes?: readonly string[] },
): string {
  const maxBytes = Math.min(options.maxBytes, MAX_NOTICE_BYTES);
  const { notes = [] } = options;
  const words = result.status === "completed"
    ? [HEADER, "", result.text.trim() || "(It said nothing.)"]
    : [`The task ended without a report: ${result.error ?? result.status}`];
  return wrap("task-notification", task, words, {
    maxBytes,
    notes: [...(result.turnsExceeded === true ? [turnsNote(task.id)] : []), ...notes],
  });
}

/**
 * How every notice of a task begins.
 *
 * @param id The task.
 */
export function noticeStart(id: string): string {
  return `<task-notification id="${attribute(id)}"`;
}

/**
 * A failure of a tool that hands work over, as the model reads it.
 *
 * @param message What is wrong, and what to do.
 * @param facts What else is known, such as `task_id`.
 */
export function formatFailure(message: string, facts: JsonObject = {}): string {
  return JSON.stringify({ error: message, ...facts });
}

/** The result in an element that nothing inside can close or imitate. */
function wrap(
  element: "task" | "task-notification",
  { id, agent, state }: TaskHead,
  lines: readonly string[],
  { maxBytes, notes }: { readonly maxBytes: number; readonly notes: readonly string[] },
): string {
  const open = `<${element} id="${attribute(id)}" agent="${attribute(agent)}" ` +
    `state="${attribute(state)}">`;
  const close = `</${element}>`;
  const tail = notes.map((note) => `\n[${harmless(note)}]`).join("");
  const room = maxBytes - byteLength(open) - byteLength(close) - 2;
  const last = cutBytes(tail, Math.floor(room / 2));
  const body = cutBytes(harmless(lines.join("\n")), room - byteLength(last));
  return `${open}\n${body}${last}\n${close}`;
}

/**
 * Tags of these elements, also with characters in them that nobody sees, are shown as text. However
 * long a text is, each place in it is looked at once for each `<`, never for each pair of blanks.
 */
function harmless(text: string): string {
  return text.replaceAll(/<(?=[\s\p{C}]*(?:\/[\s\p{C}]*)?task\b)/giu, "&lt;");
}

function attribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;").replaceAll(/\s+/g, " ");
}

function turnsNote(id: string): string {
  return "The agent reached its turn limit, so the report may be incomplete; call task with " +
    `task_id "${id}" to let it go on`;
}

/**
 * As much of a text as fits, with a mark where the rest is gone. Splits no character.
 *
 * @param text Any text.
 * @param maxBytes Bytes of UTF-8, the mark among them.
 */
export function cutBytes(text: string, maxBytes: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxBytes) return text;
  const mark = `\n… [cut: ${bytes.length} bytes, ${Math.max(0, maxBytes)} may stay]`;
  let end = Math.max(0, maxBytes - byteLength(mark));
  // A byte that goes on with a character begins with the bits 10.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return new TextDecoder().decode(bytes.subarray(0, end)) + mark;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
