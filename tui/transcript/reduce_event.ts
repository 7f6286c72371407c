import type { KnownRunEvent, RunEvent, RunEventData } from "@alisio/sdk";
import type { Call, Entry } from "./entry.ts";
import { noticeOfEvent } from "./event_notice.ts";
import { progressLine } from "./progress_line.ts";
import {
  type EventFacts,
  type Step,
  TranscriptDraft,
  type TranscriptState,
} from "./transcript_draft.ts";

/**
 * What an event does to the conversation. Pure: the same state and event give the same step. What it
 * costs depends on what is open, never on how much was said before.
 *
 * @param state The state before it.
 * @param event Any event; types that are not known do nothing.
 * @param facts What is known beside it.
 */
export function reduceEvent(state: TranscriptState, event: RunEvent, facts: EventFacts): Step {
  const draft = new TranscriptDraft(state);
  reduceKnown(draft, event as KnownRunEvent, facts);
  return draft.step();
}

/**
 * The state without entries that are gone from the list: nothing is told together with them.
 *
 * @param state The state.
 * @param firstId The first entry that is left.
 */
export function forgetBefore(state: TranscriptState, firstId: number): TranscriptState {
  return { ...state, tail: state.tail.filter(({ id }) => id >= firstId) };
}

/**
 * What it does to the conversation that an entry is added to it which no event told of.
 *
 * @param state The state before it.
 * @param create Makes the entry with its id.
 */
export function addEntry(state: TranscriptState, create: (id: number) => Entry): Step {
  const draft = new TranscriptDraft(state);
  draft.add(create);
  return draft.step();
}

function reduceKnown(draft: TranscriptDraft, event: KnownRunEvent, facts: EventFacts): void {
  switch (event.type) {
    case "text_delta":
      draft.endThought(facts.now);
      draft.appendAnswer(event.data.delta);
      return;
    case "reasoning_delta":
      draft.appendThought(event.data.delta, facts.now);
      return;
    case "turn_completed":
    case "truncation_recovery":
      draft.endThought(facts.now);
      draft.endAnswer();
      break;
    case "tool_started":
      draft.endThought(facts.now);
      draft.endAnswer();
      draft.startCall(event.data, facts.now);
      return;
    case "tool_progress":
      draft.updateCall(event.data.id, (call) => {
        const progress = progressLine(event.data.data);
        return progress === undefined ? call : { ...call, progress };
      });
      return;
    case "approval_requested":
      draft.updateCall(event.data.id, (call) => ({ ...call, status: "waiting" }));
      return;
    case "approval_resolved":
      draft.updateCall(event.data.id, (call) => ({ ...call, ...resolved(event.data) }));
      return;
    case "tool_completed":
      draft.endCall(event.data, facts);
      return;
    case "run_completed":
      draft.endThought(facts.now);
      draft.finalAnswer(event.data.text);
      draft.endCalls();
      return;
    case "run_failed":
    case "run_cancelled":
    case "run_turns_exceeded":
      draft.endThought(facts.now);
      draft.endAnswer();
      draft.endCalls();
      break;
  }
  const notice = noticeOfEvent(event);
  if (notice !== undefined) draft.add((id) => ({ kind: "notice", id, ...notice }));
}

function resolved(data: RunEventData["approval_resolved"]): Partial<Call> {
  if (data.decision === "edit") return { status: "answered" };
  if (data.decision !== "deny") return { status: "running" };
  const reasons = {
    operator: "refused by you",
    timed_out: "nobody answered in time",
    unavailable: "nobody could be asked",
    unreachable: "nobody could be reached",
  } as const;
  return { status: "denied", refusal: reasons[data.source] ?? "refused" };
}
