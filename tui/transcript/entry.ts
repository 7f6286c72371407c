import type { Effect, UiBlock } from "@alisio/sdk";
import type { NoticeKind } from "../stage.ts";

/** What becomes of a call. */
export type CallStatus =
  /** It runs. */
  | "running"
  /** A person is asked about it. */
  | "waiting"
  /** It ended well. */
  | "done"
  /** It ended with an error. */
  | "failed"
  /** Permissions or a person refused it. */
  | "denied"
  /** It was stopped, or never begun because the run was. */
  | "cancelled"
  /** A person answered the model in its place. */
  | "answered";

/** An image of a result, as far as a terminal shows it. */
export interface ImageFacts {
  /** Such as `image/png`. */
  readonly mimeType: string;
  /** Pixels; absent where they cannot be told. */
  readonly size?: { readonly width: number; readonly height: number };
}

/** What a call was answered, bounded. */
export interface CallResult {
  /** Lines for a person, as the tool wrote them. */
  readonly text: string;
  /** The exit code of a program, where the tool ran one. */
  readonly exitCode?: number;
  /** Blocks that are shown below the row. */
  readonly blocks: readonly (UiBlock | unknown)[];
  /** Images. */
  readonly images: readonly ImageFacts[];
  /** The patch of what an edit changed. */
  readonly patch?: string;
}

/** One call of a tool. */
export interface Call {
  /** Id of the call. */
  readonly id: string;
  /** Name of the tool, as the model uses it. */
  readonly name: string;
  /** JSON text, as the model wrote it. */
  readonly arguments: string;
  /** What the call does to the world; unknown for calls of another time. */
  readonly effect?: Effect;
  /** The call that made this one; absent for a call of the model. */
  readonly parentId?: string;
  /** What becomes of it. */
  readonly status: CallStatus;
  /** How long it took. */
  readonly durationMs?: number;
  /** What it was answered. */
  readonly result?: CallResult;
  /** The session that keeps what it was answered, which is looked up where the call is shown. */
  readonly storedIn?: string;
  /** Whether that holds a block or an image. */
  readonly hasNative?: boolean;
  /** The last line of progress, while it runs. */
  readonly progress?: string;
  /** Why it was refused, and what a person could do about it. */
  readonly refusal?: string;
}

/** What the person asked for. */
export interface PromptEntry {
  /** Which entry this is. */
  readonly kind: "prompt";
  /** Counts entries. */
  readonly id: number;
  /** What was typed. */
  readonly text: string;
  /** Images that were sent with it. */
  readonly images: readonly ImageFacts[];
}

/** What the model said, or Markdown of Alisio's own. */
export interface AnswerEntry {
  /** Which entry this is. */
  readonly kind: "answer";
  /** Counts entries. */
  readonly id: number;
  /** Markdown. */
  readonly text: string;
  /** Whether more of it comes. */
  readonly isLive: boolean;
  /** Whether it ends a run, and can be copied by key. */
  readonly isFinal: boolean;
  /** Whether it is Alisio's own, which no model has seen. */
  readonly isOwn?: true;
}

/** What the model thought. */
export interface ThoughtEntry {
  /** Which entry this is. */
  readonly kind: "thought";
  /** Counts entries. */
  readonly id: number;
  /** Its words. */
  readonly text: string;
  /** Whether it thinks. */
  readonly isLive: boolean;
  /** When it began; milliseconds of a clock that only goes on. */
  readonly startedAt: number;
  /** How long it thought; unknown for thoughts of another time. */
  readonly durationMs?: number;
}

/** Calls that are shown together: one, or several of a kind that ended one after another. */
export interface ToolEntry {
  /** Which entry this is. */
  readonly kind: "tool";
  /** Counts entries. */
  readonly id: number;
  /** The calls, in the order they began. */
  readonly calls: readonly [Call, ...Call[]];
  /** When the first began; milliseconds of a clock that only goes on. */
  readonly startedAt: number;
}

/** Words of Alisio's own. */
export interface NoticeEntry {
  /** Which entry this is. */
  readonly kind: "notice";
  /** Counts entries. */
  readonly id: number;
  /** How it looks. */
  readonly tone: NoticeKind;
  /** What it says. */
  readonly text: string;
  /** What it is about, where another one about that takes its place. */
  readonly topic?: string;
}

/** Rows that were drawn elsewhere. */
export interface LinesEntry {
  /** Which entry this is. */
  readonly kind: "lines";
  /** Counts entries. */
  readonly id: number;
  /** The rows, coloured. */
  readonly lines: readonly string[];
}

/** One thing that the conversation shows. Never changed: what happens to it makes another one. */
export type Entry =
  | PromptEntry
  | AnswerEntry
  | ThoughtEntry
  | ToolEntry
  | NoticeEntry
  | LinesEntry;

/** What happens to the list of entries. */
export type EntryChange =
  /** It stands at the end from now on. */
  | { readonly type: "add"; readonly entry: Entry }
  /** It takes the place of the one with its id. */
  | { readonly type: "replace"; readonly entry: Entry }
  /** The one with this id is gone. */
  | { readonly type: "remove"; readonly id: number };

/**
 * Whether something about an entry still moves.
 *
 * @param entry The entry.
 */
export function isLive(entry: Entry): boolean {
  switch (entry.kind) {
    case "answer":
    case "thought":
      return entry.isLive;
    case "tool":
      return entry.calls.some(isOpen);
    case "prompt":
    case "notice":
    case "lines":
      return false;
    default:
      return entry satisfies never;
  }
}

/**
 * Whether a call has not ended yet.
 *
 * @param call The call.
 */
export function isOpen(call: Call): boolean {
  return call.status === "running" || call.status === "waiting";
}
