import type { ContextSize } from "../run/context_meter.ts";
import type { RunEvents } from "../run/run_events.ts";
import type { StoredMessage } from "../session/stored_message.ts";
import { CompactionPace, MAX_FAILURES } from "./compaction_pace.ts";
import { type CompactionOutcome, Compactor, type CompactorPorts } from "./compactor.ts";
import { describeLack, MIN_TRANSCRIPT_CHARS } from "./describe_lack.ts";
import { reduceMessages } from "./reduce_messages.ts";

/** What making room for a request works with. */
export interface RoomPorts extends CompactorPorts {
  readonly events: Pick<RunEvents, "emit" | "batch">;
}

/** What became of a conversation that is too long, or nearly so. */
export interface RoomReport {
  /** Whether the stored conversation is another one now. */
  readonly hasChanged: boolean;
  /** Why it still cannot be sent, for the person; null where it can. */
  readonly problem: string | null;
}

/** A conversation that is cut leaves this much of its room to what comes next. */
const REDUCED_SHARE = 0.85;

/** A server that refused a request is not asked with nearly as much again. */
const REFUSED_SHARE = 0.6;

const MIN_TARGET_CHARS = 4_000;

/** What compaction did in a turn, for whoever reads why a run failed. */
type Did = CompactionOutcome["status"] | "off" | "given up" | "not due";

/** Makes the conversation of a run fit, before each request. It never loops: each way is taken once. */
export class RoomMaker {
  readonly #ports: RoomPorts;
  readonly #compactor: Compactor;
  readonly #pace: CompactionPace;
  #hasSaid = false;

  /** @param ports What it works with. */
  constructor(ports: RoomPorts) {
    this.#ports = ports;
    this.#compactor = new Compactor(ports);
    this.#pace = new CompactionPace(ports.store, ports.sessionId, ports.model);
  }

  /**
   * Summarises the beginning of a conversation that is nearly full, cuts long messages of one that is
   * too full, and summarises as a last chance.
   *
   * @param transcript Characters of the conversation.
   * @param isRefused Whether the server refused it as too long.
   * @throws {AlisioError} With a `database_*` code.
   * @throws The reason of the signal, if that aborts.
   */
  async makeRoom(transcript: number, isRefused = false): Promise<RoomReport> {
    const { meter, overhead } = this.#ports;
    const work = new Work({ ...overhead, transcript });
    if (meter.transcriptChars(overhead) < MIN_TRANSCRIPT_CHARS) return this.#report(work);
    await this.#compactIfDue(work, isRefused);
    this.#reduceIfOver(work, isRefused);
    if (this.#isOver(work.size) && work.did === "not due") {
      await this.#compact(work, "budget");
      this.#reduceIfOver(work, isRefused);
    }
    return this.#report(work);
  }

  async #compactIfDue(work: Work, isRefused: boolean): Promise<void> {
    const { settings, meter } = this.#ports;
    if (!settings.auto) return void (work.did = "off");
    if (!isRefused && !meter.isDue(work.size)) return;
    if (this.#pace.isGivenUp) return this.#sayGivenUp(work);
    if (isRefused || this.#pace.isDue(work.size.transcript)) await this.#compact(work, "auto");
  }

  async #compact(work: Work, reason: "auto" | "budget"): Promise<void> {
    const outcome = await this.#compactor.compact({ reason });
    work.did = outcome.status;
    const { size } = this.#ports.meter;
    if (outcome.status === "completed" && size !== null) {
      work.size = size;
      work.hasChanged = true;
    }
    const { transcript } = work.size;
    if (outcome.status === "failed") {
      work.error = outcome.error;
      this.#pace.failed(transcript);
    } else if (outcome.status === "skipped" || this.#ports.meter.isDue(work.size)) {
      this.#pace.didNotHelp(transcript);
    } else this.#pace.helped();
  }

  #sayGivenUp(work: Work): void {
    const { events, meter } = this.#ports;
    work.did = "given up";
    if (this.#hasSaid) return;
    this.#hasSaid = true;
    events.emit("compaction_skipped", {
      reason: "auto",
      before: meter.usage(work.size).usedTokens,
      detail:
        `it failed ${MAX_FAILURES} times in a row: try it with /compact, or with another model`,
    });
  }

  #reduceIfOver(work: Work, isRefused: boolean): void {
    const { store, sessionId, meter, overhead, events } = this.#ports;
    const room = meter.transcriptChars(overhead);
    const isTooLong = isRefused && work.size.transcript > room * REDUCED_SHARE;
    if (!this.#isOver(work.size) && !isTooLong) return;
    const share = isRefused ? REFUSED_SHARE : REDUCED_SHARE;
    const active = store.activeMessages(sessionId);
    const messages = active.map(({ message }) => message);
    const target = Math.max(Math.min(MIN_TARGET_CHARS, room), Math.floor(room * share));
    const reduced = reduceMessages(messages, target);
    // What would be cut for nothing is left as it is: a summary may yet be made of it.
    if (reduced.changed === 0 || reduced.chars > room) return;
    const changed = active.flatMap(({ seq, place }, index) =>
      changedAt(index, messages, reduced.messages).map((message) => ({ seq, place, message }))
    );
    events.batch(() => {
      const seqs = changed.map(({ seq }) => seq);
      store.replaceMessages(sessionId, { through: 0, seqs, added: changed }, Date.now());
      events.emit("context_reduced", { messages: changed.length });
    });
    meter.forget();
    this.#pace.reduced(work.size.transcript - reduced.chars);
    work.hasChanged = true;
    work.size = { ...overhead, transcript: reduced.chars };
    meter.observe(work.size);
  }

  /** With next to nothing left, an answer would have no room. */
  #isOver(size: ContextSize): boolean {
    const { meter } = this.#ports;
    const { maxContextChars } = meter.bounds;
    return meter.isOver(size) || size.system + size.transcript > maxContextChars * 0.98;
  }

  #report(work: Work): RoomReport {
    const { meter } = this.#ports;
    return {
      hasChanged: work.hasChanged,
      problem: this.#isOver(work.size) ? describeLack(meter, work.size, didWords(work)) : null,
    };
  }
}

/** What has become of the conversation so far. */
class Work {
  did: Did = "not due";
  error = "";
  hasChanged = false;
  size: ContextSize;

  constructor(size: ContextSize) {
    this.size = size;
  }
}

function changedAt(
  index: number,
  before: readonly StoredMessage[],
  after: readonly StoredMessage[],
): readonly StoredMessage[] {
  const message = after[index];
  return message === undefined || message === before[index] ? [] : [message];
}

function didWords({ did, error }: Work): string {
  switch (did) {
    case "completed":
      return "compaction ran, and what is left is still too long";
    case "skipped":
      return "compaction found nothing to summarise";
    case "failed":
      return `compaction failed: ${error}`;
    case "given up":
      return "compaction failed too often and is not tried by itself";
    case "off":
      return '"compaction.auto" is off';
    case "not due":
      return "compaction had no part in it";
  }
}
