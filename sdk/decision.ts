/** One question of a decision, with a closed set of answers. */
export type DecisionQuestion =
  | {
    readonly kind: "select";
    readonly question: string;
    /** 2 to 20. */
    readonly options: readonly string[];
  }
  | { readonly kind: "boolean"; readonly question: string }
  | {
    readonly kind: "ordinal";
    readonly question: string;
    /** 2 to 12, from the lowest to the highest. */
    readonly levels: readonly string[];
  };

/** Questions that are decided together, up to 32 KB as JSON. */
export interface DecisionRequest {
  /** Version of this shape. */
  readonly version: 1;
  /** `^[a-z0-9][a-z0-9._-]{0,127}$` */
  readonly id: string;
  /** A set of questions that belong together. */
  readonly pack?: string;
  /** A language tag. */
  readonly language?: string;
  /** What there is to know, up to 16 KB. */
  readonly state: string;
  /** 1 to 16 questions by key, `^[a-zA-Z][a-zA-Z0-9_]{0,63}$`. */
  readonly decisions: Readonly<Record<string, DecisionQuestion>>;
}

/**
 * Why a provider cannot answer, as the `code` of what it throws; anything else counts as `internal`.
 *
 * - `not_ready`: not yet, such as while a model is loaded
 * - `unavailable`: not at this moment, such as with too many requests
 * - `timeout`: it took too long
 * - `invalid_response`: what it is made of answered nonsense
 * - `internal`: it failed
 */
export type DecisionErrorCode =
  | "not_ready"
  | "unavailable"
  | "timeout"
  | "invalid_response"
  | "internal";

/** One answer, with a confidence from 0 to 1. */
export type DecisionAnswer =
  | { readonly kind: "select"; readonly value: string; readonly confidence: number }
  | {
    readonly kind: "boolean";
    readonly value: boolean;
    readonly probability?: number;
    readonly confidence: number;
  }
  | {
    readonly kind: "ordinal";
    readonly level: string;
    readonly index: number;
    readonly confidence: number;
  };

/** Decides small, closed questions, quickly. */
export interface DecisionProvider {
  /** `^[a-z0-9][a-z0-9.-]{0,63}$` */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** Kinds of questions that it answers. */
  readonly capabilities: readonly DecisionQuestion["kind"][];
  /**
   * Answers.
   *
   * @param request The questions.
   * @param options How long it may take.
   * @returns An answer by the key of each question.
   * @throws {Error} If it cannot; a {@linkcode DecisionErrorCode} as its `code` says why.
   */
  decide(
    request: DecisionRequest,
    options: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<Readonly<Record<string, DecisionAnswer>>>;
  /** How it is doing, in one sentence. */
  health?(): Promise<string>;
  /** Called when it becomes the active one. */
  activate?(): Promise<void>;
  /** Called when it is no longer the active one. */
  deactivate?(): Promise<void>;
}

/** The side of decisions that asks. */
export interface DecisionConsumer {
  /**
   * Asks the active provider.
   *
   * @param request The questions.
   * @param options What ends the wait.
   * @returns Null if there is no answer to rely on.
   * @throws {TypeError} If the request is malformed.
   */
  tryDecide(
    request: DecisionRequest,
    options?: { readonly signal?: AbortSignal },
  ): Promise<Readonly<Record<string, DecisionAnswer>> | null>;
}

/** What became of the wish to be the active provider. */
export type DecisionActivation =
  | "activated"
  | "already_active"
  | "other_provider_active"
  | "declined"
  | "needs_confirmation"
  | "disabled"
  | "unavailable";

/**
 * Decisions, for a plugin.
 *
 * @example Whether anybody decides
 * ```ts
 * import { definePlugin } from "@alisio/sdk";
 *
 * export default definePlugin({
 *   id: "acme.decisions",
 *   version: "0.1.0",
 *   apiVersion: 1,
 *   setup(api) {
 *     const state = () => api.decisions?.available() === true ? "on" : "off";
 *     api.commands.register("decisions", () => Promise.resolve(state()));
 *   },
 * });
 * ```
 */
export interface PluginDecisions extends DecisionConsumer {
  /**
   * Adds a provider, which the person may choose.
   *
   * @param provider The provider.
   * @returns Takes it back.
   */
  registerProvider(provider: DecisionProvider): () => void;
  /** Whether a provider is active. */
  available(): boolean;
  /** Id of the active provider. */
  activeProvider(): string | undefined;
  /**
   * Asks the person to choose a provider of this plugin, in a step that they began.
   *
   * @param providerId The provider.
   * @param options Whether yes is what is picked unless they pick otherwise.
   */
  activate?(
    providerId: string,
    options?: { readonly recommend?: boolean },
  ): Promise<DecisionActivation>;
}
