import type { RunEventData, ToolResultPart } from "@alisio/sdk";
import { mergesWith } from "./call_kind.ts";
import { callResult, previewResult } from "./call_result.ts";
import {
  type AnswerEntry,
  type Call,
  type CallStatus,
  type Entry,
  type EntryChange,
  isOpen,
  type ThoughtEntry,
  type ToolEntry,
} from "./entry.ts";

/** What has to be known of the entries to say what an event does to them. */
export interface TranscriptState {
  /** Id of the next entry. */
  readonly nextId: number;
  /** The answer that grows. */
  readonly answer?: AnswerEntry;
  /** The last answer of the run, which may turn out to be the final one. */
  readonly lastAnswer?: AnswerEntry;
  /** What the model thinks at the moment. */
  readonly thought?: ThoughtEntry;
  /** Rows of calls that have not ended, by the id of their call. */
  readonly calls: ReadonlyMap<string, ToolEntry>;
  /** The two entries at the end, which a call that ends may be told together with. */
  readonly tail: readonly Entry[];
}

/** What an event did. */
export interface Step {
  /** The state after it. */
  readonly state: TranscriptState;
  /** What happens to the list, in order. */
  readonly changes: readonly EntryChange[];
}

/** What is known beside an event. */
export interface EventFacts {
  /** Milliseconds of a clock that only goes on. */
  readonly now: number;
  /** The whole result of the call that ended. */
  readonly content?: readonly ToolResultPart[];
}

/** How many entries at the end are remembered; more calls than that may end in any order. */
const TAIL_ENTRIES = 64;

/** The result of a command that did not end by itself. The preview may be cut, so it is no JSON. */
const STOPPED_COMMAND_REGEXP = /^\{"exitCode":(?:null|\d+),"endedBy":"cancelled"/;

/** Tools whose result the conversation shows when it is given. */
const SAID_ELSEWHERE: ReadonlySet<string> = new Set(["ask_user_question"]);

/** A conversation in which nothing was said. */
export const EMPTY_STATE: TranscriptState = { nextId: 1, calls: new Map(), tail: [] };

/** A state that is being changed, and what the changes are. The state that it began with stays. */
export class TranscriptDraft {
  #state: TranscriptState;
  readonly #changes: EntryChange[] = [];

  /** @param state The state that it begins with. */
  constructor(state: TranscriptState) {
    this.#state = state;
  }

  /** What came of it. */
  step(): Step {
    return { state: this.#state, changes: this.#changes };
  }

  /**
   * Adds an entry at the end.
   *
   * @param create Makes the entry with its id.
   */
  add<T extends Entry>(create: (id: number) => T): T {
    const entry = create(this.#state.nextId);
    this.#changes.push({ type: "add", entry });
    const tail = [...this.#state.tail.slice(1 - TAIL_ENTRIES), entry];
    this.#state = { ...this.#state, nextId: entry.id + 1, tail };
    return entry;
  }

  /**
   * Goes on with the answer, or begins one.
   *
   * @param delta What came of it.
   */
  appendAnswer(delta: string): void {
    if (delta === "") return;
    const { answer } = this.#state;
    const next: AnswerEntry = answer === undefined
      ? this.add((id) => ({ kind: "answer", id, text: delta, isLive: true, isFinal: false }))
      : this.#replace({ ...answer, text: answer.text + delta });
    this.#state = { ...this.#state, answer: next, lastAnswer: next };
  }

  /** Ends the answer that grows, if there is one. */
  endAnswer(): void {
    const { answer, ...rest } = this.#state;
    if (answer === undefined) return;
    this.#state = rest;
    this.#state = { ...rest, lastAnswer: this.#replace({ ...answer, isLive: false }) };
  }

  /**
   * Marks the answer that ends the run; one that did not stream is added whole.
   *
   * @param text The answer.
   */
  finalAnswer(text: string): void {
    this.endAnswer();
    const { lastAnswer, tail } = this.#state;
    if (lastAnswer !== undefined && tail.at(-1)?.id === lastAnswer.id) {
      this.#replace({ ...lastAnswer, isFinal: true });
    } else if (text !== "") {
      this.add((id) => ({ kind: "answer", id, text, isLive: false, isFinal: true }));
    }
    const { lastAnswer: _, ...rest } = this.#state;
    this.#state = rest;
  }

  /**
   * Goes on with a thought, or begins one.
   *
   * @param delta What came of it.
   * @param now When.
   */
  appendThought(delta: string, now: number): void {
    if (delta === "") return;
    const { thought } = this.#state;
    const next: ThoughtEntry = thought === undefined
      ? this.add((id) => ({ kind: "thought", id, text: delta, isLive: true, startedAt: now }))
      : this.#replace({ ...thought, text: thought.text + delta });
    this.#state = { ...this.#state, thought: next };
  }

  /**
   * Ends the thought, if there is one.
   *
   * @param now When.
   */
  endThought(now: number): void {
    const { thought, ...rest } = this.#state;
    if (thought === undefined) return;
    this.#state = rest;
    this.#replace({ ...thought, isLive: false, durationMs: now - thought.startedAt });
  }

  /**
   * Begins a call.
   *
   * @param data What it is.
   * @param now When.
   */
  startCall(data: RunEventData["tool_started"], now: number): void {
    const { id: callId, name, arguments: args, effect } = data;
    const call: Call = {
      id: callId,
      name,
      arguments: args,
      effect,
      ...parentOf(data),
      status: "running",
    };
    const entry = this.add((id) => ({ kind: "tool", id, calls: [call], startedAt: now }));
    this.#setCall(callId, entry);
  }

  /**
   * Changes a call that has not ended.
   *
   * @param callId The call; one that is not known changes nothing.
   * @param change Makes the call as it is from now on.
   */
  updateCall(callId: string, change: (call: Call) => Call): void {
    const entry = this.#state.calls.get(callId);
    if (entry === undefined) return;
    this.#setCall(callId, this.#replace({ ...entry, calls: [change(entry.calls[0])] }));
  }

  /**
   * Ends a call, and tells it together with its neighbours where that goes.
   *
   * @param data How it ended.
   * @param facts What is known beside that.
   */
  endCall(data: RunEventData["tool_completed"], { now, content }: EventFacts): void {
    if (!this.#state.calls.has(data.id)) {
      // It never began, because the run was stopped before it.
      const { id: callId, name } = data;
      const status = "cancelled";
      const call: Call = { id: callId, name, arguments: "", ...parentOf(data), status };
      this.add((id) => ({ kind: "tool", id, calls: [call], startedAt: now }));
      return;
    }
    const { preview } = data;
    const known = content === undefined ? previewResult(preview) : callResult(data.name, content);
    const result = SAID_ELSEWHERE.has(data.name) ? { ...known, text: "" } : known;
    this.updateCall(data.id, (call) => ended(call, data, result));
    this.#forgetCall(data.id);
  }

  /** Ends what has no end of its own: the run is over. */
  endCalls(): void {
    for (const callId of [...this.#state.calls.keys()]) {
      this.updateCall(callId, ({ progress: _, ...call }) => ({ ...call, status: "cancelled" }));
      this.#forgetCall(callId);
    }
  }

  #setCall(callId: string, entry: ToolEntry): void {
    this.#state = { ...this.#state, calls: new Map(this.#state.calls).set(callId, entry) };
  }

  /** A call that ended is told together with its neighbours, if they are of one kind. */
  #forgetCall(callId: string): void {
    const calls = new Map(this.#state.calls);
    const entry = calls.get(callId);
    calls.delete(callId);
    this.#state = { ...this.#state, calls };
    if (entry === undefined) return;
    this.#mergeWithNext(this.#mergeWithPrevious(entry));
  }

  #mergeWithPrevious(entry: ToolEntry): ToolEntry {
    const index = this.#state.tail.findIndex(({ id }) => id === entry.id);
    const before = this.#state.tail[index - 1];
    return before?.kind === "tool" ? this.#merge(before, entry) ?? entry : entry;
  }

  #mergeWithNext(entry: ToolEntry): void {
    const index = this.#state.tail.findIndex(({ id }) => id === entry.id);
    const after = this.#state.tail[index + 1];
    if (index >= 0 && after?.kind === "tool") this.#merge(entry, after);
  }

  #merge(before: ToolEntry, after: ToolEntry): ToolEntry | undefined {
    if (before.calls.some(isOpen) || after.calls.some(isOpen)) return undefined;
    const last = before.calls[before.calls.length - 1] ?? before.calls[0];
    if (!mergesWith(last, after.calls[0])) return undefined;
    const merged = this.#replace({ ...before, calls: [...before.calls, ...after.calls] });
    this.#changes.push({ type: "remove", id: after.id });
    const tail = this.#state.tail.filter(({ id }) => id !== after.id);
    this.#state = { ...this.#state, tail };
    return merged;
  }

  #replace<T extends Entry>(entry: T): T {
    this.#changes.push({ type: "replace", entry });
    const tail = this.#state.tail.map((each) => each.id === entry.id ? entry : each);
    this.#state = { ...this.#state, tail };
    return entry;
  }
}

function parentOf({ parentId }: { readonly parentId?: string }): Pick<Call, "parentId"> {
  return parentId === undefined ? {} : { parentId };
}

function ended(
  { progress: _, ...call }: Call,
  data: RunEventData["tool_completed"],
  result: Call["result"] & object,
): Call {
  const status = endStatus(call.status, data);
  const reason = data.refused === undefined ? undefined : refusalText(data.refused, call.refusal);
  return {
    ...call,
    status,
    durationMs: data.durationMs,
    ...(status === "denied" ? {} : { result }),
    ...(reason === undefined ? {} : { refusal: reason }),
  };
}

function endStatus(before: CallStatus, data: RunEventData["tool_completed"]): CallStatus {
  if (before === "answered" || before === "denied") return before;
  if (data.refused !== undefined) return "denied";
  if (STOPPED_COMMAND_REGEXP.test(data.preview)) return "cancelled";
  return data.isError ? "failed" : "done";
}

function refusalText(
  refused: RunEventData["tool_completed"]["refused"] & object,
  known: string | undefined,
): string {
  const reason = known ?? `refused by ${refused.matched}`;
  return refused.remedy === undefined ? reason : `${reason}; to permit it, ${refused.remedy}`;
}
