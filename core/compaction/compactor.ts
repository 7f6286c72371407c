import type {
  CompactionInput,
  CompactionReason,
  CompactionResult,
  JsonValue,
  ModelProvider,
} from "@alisio/sdk";
import type { CompactionSettings } from "../config/configuration.ts";
import { errorMessage } from "../errors.ts";
import type { CompactionExtra, CompactionWish } from "../plugins/compaction_hooks.ts";
import type { ContextMeter, ContextSize } from "../run/context_meter.ts";
import type { CostMeter } from "../run/cost_meter.ts";
import type { RunEvents } from "../run/run_events.ts";
import type { RunLimits } from "../run/run_limits.ts";
import { toModelMessage } from "../run/transcript.ts";
import type { ActiveMessage } from "../session/session_records.ts";
import type { SessionStore } from "../session/session_store.ts";
import type { StoredMessage, StoredUserMessage } from "../session/stored_message.ts";
import { textOf } from "../session/stored_message.ts";
import { boundText } from "../text/bound_text.ts";
import { MAX_CHARS_PER_TOKEN } from "./bounded_provider.ts";
import { CHECKPOINT_FIELDS } from "./checkpoint.ts";
import { checkpointMessage } from "./checkpoint_message.ts";
import { chooseCut } from "./choose_cut.ts";
import { charsOf } from "./reduce_messages.ts";
import { summarise, type Summary, SummaryError } from "./summarise.ts";

/** What plugins are asked and told. Neither call rejects. */
export interface CompactionHookPort {
  readonly before: (
    input: Omit<CompactionInput, "signal">,
    signal: AbortSignal,
  ) => Promise<readonly CompactionWish[]>;
  readonly after: (
    resultFor: (plugin: string) => Omit<CompactionResult, "signal">,
    signal: AbortSignal,
  ) => Promise<readonly CompactionExtra[]>;
}

/** What making a conversation shorter works with. */
export interface CompactorPorts {
  readonly store: SessionStore;
  readonly sessionId: string;
  readonly provider: ModelProvider;
  /** The model's id at its server. */
  readonly model: string;
  readonly meter: ContextMeter;
  readonly settings: CompactionSettings;
  readonly limits: Pick<RunLimits, "firstTokenTimeoutMs" | "firstTokenRetries">;
  /** What stands before the conversation, in characters. */
  readonly overhead: Omit<ContextSize, "transcript">;
  readonly events: Pick<RunEvents, "emit">;
  /** Asked and told, where any plugin wants to be. */
  readonly hooks?: CompactionHookPort | undefined;
  /** Emits what hooks failed at. */
  readonly reportHooks: () => void;
  readonly signal: AbortSignal;
  /** Milliseconds that a summary may take. */
  readonly timeoutMs: () => number;
  readonly retryBaseMs: number;
  /** Takes configured secrets out of what is sent. */
  readonly redact: (text: string) => string;
  readonly cost?: CostMeter | undefined;
}

/** What is wanted of it. */
export interface CompactOptions {
  readonly reason: CompactionReason;
  /** What the person wants to be kept in view. */
  readonly focus?: string | undefined;
  /** The conversation, where it was read already. */
  readonly active?: readonly ActiveMessage[];
}

/** What became of a conversation that was to be made shorter. */
export type CompactionOutcome =
  | {
    readonly status: "completed";
    /** Tokens of the context before, as far as they are known. */
    readonly before: number;
    /** Tokens of the context now, estimated. */
    readonly after: number;
    /** Messages that the checkpoint stands for. */
    readonly replaced: number;
    /** Whether the model wrote the fields that it was asked for. */
    readonly structured: boolean;
    /** Whether the output limit cut the checkpoint. */
    readonly partial: boolean;
    /** What plugins report, by their ids. */
    readonly plugins: Readonly<Record<string, string>>;
  }
  /** There was nothing to make shorter. */
  | { readonly status: "skipped"; readonly before: number; readonly detail: string }
  /** There is no summary; the conversation is as it was. */
  | { readonly status: "failed"; readonly before: number; readonly error: string };

/** What is left of the room is for what comes next; whoever asks for room wants more of it. */
const TAIL_SHARES: Readonly<Record<CompactionReason, number>> = {
  manual: 0.2,
  auto: 0.5,
  budget: 0.5,
};

/** A shorter beginning is not worth a request. */
const MIN_REPLACED_CHARS = 400;

/** Quotes of the person take this much of what is saved, up to a bound. */
const QUOTE_SHARE = 0.1;
const MAX_QUOTE_CHARS = 8_000;

/** A server that ignores its output limit does not fill the context by it. */
const MAX_CHECKPOINT_SHARE = 0.4;

/** What plugins add, taken together. */
const MAX_CONTEXT_SHARE = 0.1;

/** A small window is not used up by the summary alone. */
const MAX_OUTPUT_SHARE = 0.25;

/** Makes a stored conversation shorter: a checkpoint takes the place of its beginning. */
export class Compactor {
  readonly #ports: CompactorPorts;

  /** @param ports What it works with. */
  constructor(ports: CompactorPorts) {
    this.#ports = ports;
  }

  /**
   * Summarises the beginning of the conversation. Whatever fails, the conversation stays as it was;
   * what is replaced is kept as compacted.
   *
   * @param options What is wanted.
   * @throws {AlisioError} With a `database_*` code.
   * @throws The reason of the signal, if that aborts.
   */
  async compact({ reason, focus, active }: CompactOptions): Promise<CompactionOutcome> {
    const { store, sessionId, events, cost } = this.#ports;
    const part = this.#choose(active ?? store.activeMessages(sessionId), reason);
    const { before } = part;
    if (part.replaced.length === 0) {
      const detail = "there is nothing before the latest turns that would be worth a summary";
      events.emit("compaction_skipped", { reason, before, detail });
      return { status: "skipped", before, detail };
    }
    events.emit("compaction_started", { reason, before, messages: part.replaced.length });
    try {
      const refusal = cost?.refusal() ?? null;
      if (refusal !== null) throw new SummaryError(refusal);
      return await this.#replace(part, { reason, focus });
    } catch (error) {
      const isStopped = this.#ports.signal.aborted;
      if (!isStopped && !(error instanceof SummaryError)) throw error;
      const text = this.#ports.redact(errorMessage(error));
      events.emit("compaction_failed", { reason, error: text });
      if (isStopped) throw error;
      return { status: "failed", before, error: text };
    } finally {
      this.#ports.reportHooks();
    }
  }

  #choose(active: readonly ActiveMessage[], reason: CompactionReason): Part {
    const { meter, overhead, settings } = this.#ports;
    const messages = active.map(({ message }) => message);
    const sizes = messages.map(charsOf);
    const total = sum(sizes);
    const cut = chooseCut(messages, sizes, {
      keepTurns: settings.keepTurns,
      maxTailChars: Math.floor(this.#room() * TAIL_SHARES[reason]),
    });
    const replacedChars = sum(sizes.slice(0, cut));
    const isWorthIt = replacedChars >= MIN_REPLACED_CHARS;
    return {
      replaced: isWorthIt ? messages.slice(0, cut) : [],
      replacedChars,
      keptChars: total - replacedChars,
      place: active[cut - 1]?.place ?? 0,
      holdsPrompt: !messages.slice(cut).some(isPrompt),
      before: meter.usage({ ...overhead, transcript: total }).usedTokens,
    };
  }

  async #replace(
    part: Part,
    { reason, focus }: CompactOptions,
  ): Promise<CompactionOutcome> {
    const { store, sessionId, signal, events, hooks } = this.#ports;
    const input: Omit<CompactionInput, "signal"> = {
      sessionId,
      reason: reason === "manual" ? "manual" : "auto",
      messages: hooks === undefined ? [] : part.replaced.flatMap(sent),
      ...(focus === undefined || focus === "" ? {} : { focus }),
    };
    const wishes = await hooks?.before(input, signal) ?? [];
    signal.throwIfAborted();
    const fields = askedFields(wishes);
    const summary = await this.#summarise(part, { focus, wishes, fields });
    const message = this.#messageOf(part, summary);
    signal.throwIfAborted();
    const { place } = part;
    store.replaceMessages(
      sessionId,
      { through: place, seqs: [], added: [{ place, message }] },
      Date.now(),
    );
    const extras = await this.#tellHooks(input, { part, summary, message, fields });
    const added = contextMessage(extras, this.#room() * MAX_CONTEXT_SHARE);
    if (added !== null) {
      const change = { through: 0, seqs: [], added: [{ place, message: added }] };
      store.replaceMessages(sessionId, change, Date.now());
    }
    const standIns = charsOf(message) + (added === null ? 0 : charsOf(added));
    const outcome = this.#outcome(part, { summary, standIns, extras });
    events.emit("compaction_completed", {
      reason,
      before: outcome.before,
      after: outcome.after,
      replaced: outcome.replaced,
      structured: outcome.structured,
      summarizedTokens: this.#tokens(part.replacedChars),
      checkpointTokens: this.#tokens(standIns),
      plugins: outcome.plugins,
      ...(outcome.partial ? { partial: true } : {}),
    });
    return outcome;
  }

  async #summarise(
    part: Part,
    { focus, wishes, fields }: {
      readonly focus: string | undefined;
      readonly wishes: readonly CompactionWish[];
      readonly fields: readonly AskedField[];
    },
  ): Promise<Summary> {
    const { provider, model, limits, signal, events, retryBaseMs, redact, cost } = this.#ports;
    return await summarise({
      provider,
      model,
      signal,
      retryBaseMs,
      ...this.#summaryBounds(),
      firstTokenTimeoutMs: limits.firstTokenTimeoutMs,
      firstTokenRetries: limits.firstTokenRetries,
      timeoutMs: this.#ports.timeoutMs(),
      onRetry: (data) => events.emit("request_retry", data),
      count: (usage, chars) =>
        usage === undefined ? cost?.countEstimate(chars) : cost?.count(usage),
    }, {
      messages: part.replaced,
      ...(focus === undefined ? {} : { focus: redact(focus) }),
      instructions: wishes.filter(({ instructions }) => instructions !== "")
        .map(({ plugin, instructions }) => redact(`From plugin ${plugin}: ${instructions}`)),
      fields: fields.map(({ asked, description }) => [asked, redact(description)]),
    });
  }

  /** The request and its answer fit the window together, as far as that is known. */
  #summaryBounds(): { readonly maxOutputTokens: number; readonly maxInputChars: number } {
    const { meter, settings } = this.#ports;
    const window = meter.usage({ system: 0, tools: 0, transcript: 0 }).totalTokens;
    const { maxContextChars } = meter.bounds;
    if (window === null) {
      return { maxOutputTokens: settings.maxOutputTokens, maxInputChars: maxContextChars };
    }
    const share = Math.max(1, Math.floor(window * MAX_OUTPUT_SHARE));
    const maxOutputTokens = Math.min(settings.maxOutputTokens, share);
    const inputChars = Math.floor((window - maxOutputTokens) * 0.9 / meter.tokensPerChar);
    return { maxOutputTokens, maxInputChars: Math.min(maxContextChars, inputChars) };
  }

  /** @throws {SummaryError} If nothing would be gained by it. */
  #messageOf(part: Part, { checkpoint }: Summary): StoredUserMessage {
    const { settings } = this.#ports;
    const room = Math.floor(this.#room() * MAX_CHECKPOINT_SHARE);
    const most = Math.min(settings.maxOutputTokens * MAX_CHARS_PER_TOKEN, room);
    const text = boundText(checkpoint.text, Math.max(most, MIN_REPLACED_CHARS)).text;
    const quoted = Math.min(MAX_QUOTE_CHARS, Math.floor(part.replacedChars * QUOTE_SHARE));
    for (const maxQuoteChars of [quoted, 0]) {
      const message = checkpointMessage({ ...part, text, maxQuoteChars });
      if (charsOf(message) < part.replacedChars) return message;
    }
    throw new SummaryError("the summary is longer than what it would stand for");
  }

  async #tellHooks(
    input: Omit<CompactionInput, "signal">,
    { part, summary, message, fields }: {
      readonly part: Part;
      readonly summary: Summary;
      readonly message: StoredUserMessage;
      readonly fields: readonly AskedField[];
    },
  ): Promise<readonly CompactionExtra[]> {
    const { hooks, model, signal } = this.#ports;
    if (hooks === undefined) return [];
    const { checkpoint } = summary;
    return await hooks.after((plugin) => ({
      ...input,
      model,
      replaced: part.replaced.length,
      structured: checkpoint.structured,
      checkpoint: checkpoint.fields,
      checkpointText: textOf(message.content),
      extracted: extractedFor(plugin, fields, checkpoint.others),
    }), signal);
  }

  #outcome(
    part: Part,
    { summary, standIns, extras }: {
      readonly summary: Summary;
      readonly standIns: number;
      readonly extras: readonly CompactionExtra[];
    },
  ): Extract<CompactionOutcome, { status: "completed" }> {
    const { meter, overhead } = this.#ports;
    meter.forget();
    const transcript = part.keptChars + standIns;
    meter.observe({ ...overhead, transcript });
    return {
      status: "completed",
      before: part.before,
      after: meter.usage({ ...overhead, transcript }).usedTokens,
      replaced: part.replaced.length,
      structured: summary.checkpoint.structured,
      partial: summary.isPartial,
      plugins: reportsOf(extras),
    };
  }

  /** Characters that the conversation may have at most. */
  #room(): number {
    return this.#ports.meter.transcriptChars(this.#ports.overhead);
  }

  #tokens(chars: number): number {
    return Math.ceil(chars * this.#ports.meter.tokensPerChar);
  }
}

/** The part of a conversation that is summarised. */
interface Part {
  readonly replaced: readonly StoredMessage[];
  readonly replacedChars: number;
  readonly keptChars: number;
  /** Where the last of it stands. */
  readonly place: number;
  /** Whether the prompt that is being worked on is in it. */
  readonly holdsPrompt: boolean;
  /** Tokens of the whole context. */
  readonly before: number;
}

/** A field that a plugin asked for, by the name that the model knows. */
interface AskedField {
  readonly plugin: string;
  readonly name: string;
  readonly asked: string;
  readonly description: string;
}

/** Two plugins may choose one name, and neither may take the place of a field of the checkpoint. */
function askedFields(wishes: readonly CompactionWish[]): readonly AskedField[] {
  const taken = new Set(CHECKPOINT_FIELDS.map(([name]) => name));
  return wishes.flatMap(({ plugin, fields }) =>
    fields.map(([name, description]) => {
      let asked = name;
      for (let count = 2; taken.has(asked); count++) asked = `${name}_${count}`;
      taken.add(asked);
      return { plugin, name, asked, description };
    })
  );
}

function extractedFor(
  plugin: string,
  fields: readonly AskedField[],
  others: Readonly<Record<string, JsonValue>>,
): Readonly<Record<string, JsonValue>> {
  return Object.fromEntries(
    fields.flatMap((field) =>
      field.plugin === plugin && Object.hasOwn(others, field.asked)
        // A copy, because it becomes the plugin's own.
        ? [[field.name, structuredClone(others[field.asked] ?? null)]]
        : []
    ),
  );
}

/** What plugins add stands behind the checkpoint, and is summarised with it the next time. */
function contextMessage(
  extras: readonly CompactionExtra[],
  maxChars: number,
): StoredUserMessage | null {
  const texts = extras.filter(({ context }) => context !== "")
    .map(({ plugin, context }) => `# From plugin ${plugin}\n\n${context}`);
  if (texts.length === 0) return null;
  const { text } = boundText(texts.join("\n\n"), Math.floor(maxChars));
  return { role: "user", content: [{ type: "text", text }], summary: true };
}

function reportsOf(extras: readonly CompactionExtra[]): Readonly<Record<string, string>> {
  const said = extras.filter(({ report }) => report !== "");
  return Object.fromEntries(
    [...new Set(said.map(({ plugin }) => plugin))].map((id) => [
      id,
      said.filter(({ plugin }) => plugin === id).map(({ report }) => report).join("; "),
    ]),
  );
}

function sent(message: StoredMessage) {
  const model = toModelMessage(message);
  return model === null ? [] : [model];
}

function isPrompt(message: StoredMessage): boolean {
  return message.role === "user" && message.summary !== true;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
