import type { Effect } from "@alisio/sdk";
import type { DecisionSubject } from "./decide.ts";
import type { DecisionSource } from "./decision_record.ts";

/** What a person may choose. `edit` refuses the call and answers the model in its place. */
export type ApprovalChoice = "once" | "session" | "deny" | "edit";

/** What a person answers. */
export type ApprovalAnswer = Exclude<ApprovalChoice, "edit"> | ApprovalReplacement;

/** A refusal with an answer of the person, which the model receives instead of a result. */
export interface ApprovalReplacement {
  /** Control characters are taken out of it, and it is cut to 64 KiB. Blank, it is a plain no. */
  readonly replacement: string;
}

/** An answer, and who gave it. */
export interface AttributedAnswer {
  /** The answer. */
  readonly answer: ApprovalAnswer;
  /** Who gave it, as the channel knows them; the audit names them. */
  readonly user: string;
}

/** That nobody decided, and why; the next channel is asked then, and without one it is a no. */
export interface NoDecision {
  /** `unavailable`: nobody is there; `unreachable`: sending failed; `timed_out`: silence. */
  readonly undecided: Exclude<DecisionSource, "policy" | "operator">;
}

/** What comes back from a question. */
export type ApprovalReply = ApprovalAnswer | AttributedAnswer | NoDecision;

/** A program of a command whose name alone does not say what runs. */
export interface ApprovalProgram {
  /** As the command names it. */
  readonly name: string;
  /** Real path of what would start; `null` if there is no such program, or nobody can tell. */
  readonly path: string | null;
}

/** What a call is about, for whoever shows the question. Secrets are taken out. */
export interface ApprovalSummary {
  /** The whole command line that would run; absent for a tool that starts no program. */
  readonly command?: string;
  /** Real paths that the call touches. */
  readonly paths: readonly string[];
  /**
   * Programs of the command that are named by a path, or that the search path finds where tools or
   * everybody can write.
   */
  readonly programs: readonly ApprovalProgram[];
}

/** A question about one call. Plain data, so that it can cross to another process. */
export interface ApprovalQuestion {
  /** The session that the call belongs to. */
  readonly sessionId: string;
  /** Agents from the main one down to the one that asks; empty for the main agent. */
  readonly agentPath: readonly string[];
  /** Id of the call. */
  readonly callId: string;
  /** Name of the tool. */
  readonly tool: string;
  /** Effect of the tool. */
  readonly effect: Effect;
  /**
   * JSON text of the input, exactly what will run, but for `[redacted]` in place of secrets. No
   * more than one word is ever hidden in a command line.
   */
  readonly arguments: string;
  /** What of it a person should see first. */
  readonly summary: ApprovalSummary;
  /** What is asked about. */
  readonly subject: DecisionSubject;
  /** Why it is asked. */
  readonly reason: string;
  /** Choices that are on offer; any other answer permits nothing. */
  readonly choices: readonly ApprovalChoice[];
}

/**
 * Asks the person that the run belongs to.
 *
 * Contract: called for one question at a time, in order; may take as long as the person does; an
 * exception or an answer that was not offered denies the call; when the signal aborts, the
 * question is taken back and the answer no longer matters.
 */
export type Approver = (
  question: ApprovalQuestion,
  signal: AbortSignal,
) => Promise<ApprovalReply>;

/** How one question is put. */
export interface AskOptions {
  /** Where to on this channel; absent for the person that the run belongs to. */
  readonly recipient?: string;
  /** Aborts when the question is taken back or its time is over; no answer matters then. */
  readonly signal: AbortSignal;
}

/**
 * A way to reach a person: the terminal, an editor, a room of a chat.
 *
 * Contract: as for {@linkcode Approver}. The first reply counts; one that comes after the time
 * limit has no effect.
 */
export interface ApprovalChannel {
  /**
   * Its name in the audit; for one that profiles can name in a route, `<platform>.<alias>` such as
   * `matrix.ops`.
   */
  readonly key: string;
  /**
   * Longest wait for an answer; 0 asks nobody, so that every question is a no at once.
   *
   * @default as long as the person takes
   */
  readonly timeoutMs?: number;
  /**
   * Puts one question.
   *
   * @param question The question.
   * @param options Where to, and until when.
   */
  ask(question: ApprovalQuestion, options: AskOptions): Promise<ApprovalReply>;
}
