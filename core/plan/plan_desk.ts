import type { RunEventData } from "@alisio/sdk";
import { artifactsPath } from "../artifacts/artifact_paths.ts";
import { publishArtifact, type PublishedArtifact } from "../artifacts/publish_artifact.ts";
import type { PlanSettings } from "../config/configuration.ts";
import { errorMessage } from "../errors.ts";
import type { SessionStore } from "../session/session_store.ts";
import { previewText } from "../text/bound_text.ts";
import type { QuestionAsker } from "../tools/user_question.ts";
import { checkDiagrams } from "./check_diagrams.ts";
import { compareDiagrams } from "./compare_diagrams.ts";
import {
  type ImplementationPrompt,
  implementationPrompt,
  planRequestId,
} from "./implementation_prompt.ts";
import type { CheckedDiagrams } from "./plan_diagram.ts";
import { createPlanDocument, type DiagramRevision } from "./plan_document.ts";
import { PLAN_FILE, planFiles, revisionTitle } from "./plan_files.ts";
import { diagramHash, type HashedDiagram, planHash } from "./plan_hash.ts";
import { PLAN_MESSAGES, type PlanInput, type PlanOutcome } from "./plan_outcome.ts";
import { PLAN_QUESTION, type PlanVerdict, type ProposedPlan, readVerdict } from "./plan_review.ts";
import { type SectionedPlan, slugOf, splitPlan } from "./plan_sections.ts";
import type { PlanState } from "./plan_state.ts";
import { PlanStore } from "./plan_store.ts";

/** What plans are proposed with. */
export interface PlanDeskPorts {
  readonly store: SessionStore;
  /** Real path of the workspace. */
  readonly workspace: string;
  /** Takes configured secrets out of a text. */
  readonly redact: (text: string) => string;
  /** Puts a plan to the person; absent where nobody can decide. */
  readonly ask?: QuestionAsker;
  /** What counts at this moment. */
  readonly settings: () => PlanSettings;
}

/** The call that proposes a plan. */
export interface PlanCall {
  readonly sessionId: string;
  readonly callId: string;
  /** Stops the run. */
  readonly signal: AbortSignal;
  /** Records an event of the run. */
  record<T extends PlanEvent>(type: T, data: RunEventData[T]): void;
  /** Waits for the person while the clock of the run stands still. */
  pauseWhile<T>(wait: () => Promise<T>): Promise<T>;
}

/** An event that a proposal leads to. */
export type PlanEvent = "plan_proposed" | "plan_decided" | "artifact_published";

/** A revision with everything that was found out about it. */
interface Revision {
  readonly state: PlanState;
  readonly markdown: string;
  readonly parts: SectionedPlan;
  readonly kept: readonly DiagramRevision[];
  readonly removed: readonly HashedDiagram[];
}

const MAX_TITLE_CHARS = 120;
const SLUG_CHARS = 40;

/** Takes plans from models to the person, and an approved one to the run that implements it. */
export class PlanDesk {
  readonly #ports: PlanDeskPorts;
  readonly #plans: PlanStore;
  /** The review that is open in each session. */
  readonly #open = new Map<string, AbortController>();

  /** @param ports What plans are proposed with. */
  constructor(ports: PlanDeskPorts) {
    this.#ports = ports;
    this.#plans = new PlanStore(ports.store);
  }

  /**
   * Publishes a plan, and waits for what the person decides about it. Whatever happens to the files
   * or the review, there is an outcome.
   *
   * @param input The plan.
   * @param call The call that proposes it.
   * @throws {AlisioError} If the record cannot be written.
   */
  async propose(input: PlanInput, call: PlanCall): Promise<PlanOutcome> {
    const parts = splitPlan(this.#ports.redact(input.plan));
    const { diagrams, maxDiagrams } = this.#ports.settings();
    const checked = checkDiagrams(this.#redacted(input.diagrams), {
      sections: parts.sections,
      max: diagrams ? maxDiagrams : 0,
    });
    const revision = await this.#begin(input, { parts, checked, call });
    const { state } = revision;
    // Only the latest revision can be decided about.
    this.#open.get(call.sessionId)?.abort(new Error("Another revision was proposed"));
    const published = await this.#publish(revision, call);
    const { planId, revision: number, hash, title } = state;
    const artifactId = "problem" in published ? {} : { artifactId: published.artifact.id };
    call.record("plan_proposed", {
      callId: call.callId,
      planId,
      revision: number,
      hash,
      title,
      ...artifactId,
    });
    const decided = await this.#decide(revision, {
      call,
      ...("problem" in published ? {} : { folder: published.folder }),
    });
    return {
      ...decided,
      planId,
      revision: number,
      ...artifactId,
      ...describeDiagrams(checked, revision.removed),
      ...("problem" in published ? { note: published.problem } : {}),
      ...("note" in published && published.note !== undefined ? { note: published.note } : {}),
    };
  }

  /**
   * Whether a plan of a session was approved and waits to be implemented.
   *
   * @param sessionId The session, in which nothing runs.
   */
  isApproved(sessionId: string): boolean {
    return this.#plans.read(sessionId)?.status === "approved";
  }

  /**
   * Takes an approved plan to implement it. Of two who ask, one gets it.
   *
   * @param sessionId The session, in which nothing runs.
   */
  take(sessionId: string): ImplementationPrompt | null {
    const step = this.#plans.advance(sessionId, { status: "approved" }, {
      status: "implementing",
      at: Date.now(),
    });
    return step === null ? null : implementationPrompt(step.before);
  }

  /**
   * Drops an approval.
   *
   * @param sessionId The session.
   */
  drop(sessionId: string): void {
    this.#plans.advance(sessionId, { status: "approved" }, {
      status: "cancelled",
      at: Date.now(),
    });
  }

  /**
   * Settles what a run left open: a review counts as skipped, and an approval is dropped where the
   * run was cancelled.
   *
   * @param sessionId The session.
   * @param end How its run ended.
   */
  endRun(sessionId: string, end: "cancelled" | "ended"): void {
    const at = Date.now();
    this.#plans.advance(sessionId, { status: "pending" }, { status: "skipped", at });
    if (end === "cancelled") this.drop(sessionId);
  }

  /**
   * Settles what a process left behind that did not end in order: a plan that nobody began to
   * implement is not implemented later, unasked.
   *
   * @param sessionId A session that this process holds the lease of.
   * @returns What the person should know, if there is anything.
   */
  recover(sessionId: string): string | null {
    this.endRun(sessionId, "ended");
    const state = this.#plans.read(sessionId);
    if (state === null || !this.#isUnbegun(sessionId, state)) return null;
    this.#plans.advance(sessionId, { status: state.status }, {
      status: "cancelled",
      at: Date.now(),
    });
    return `The plan ${JSON.stringify(previewText(state.title, MAX_TITLE_CHARS))} was approved, ` +
      "and Alisio ended before anything of it was implemented; ask for it to go on";
  }

  #isUnbegun(sessionId: string, { status, planId }: PlanState): boolean {
    if (status === "approved") return true;
    if (status !== "implementing") return false;
    const requestId = planRequestId(planId);
    return !this.#ports.store.runs(sessionId).some((run) => run.requestId === requestId);
  }

  /** Takes secrets out of every text. */
  #redacted(value: unknown): unknown {
    if (value === undefined) return undefined;
    return JSON.parse(
      JSON.stringify(value) ?? "null",
      (_key, each) => typeof each === "string" ? this.#ports.redact(each) : each,
    );
  }

  async #begin(
    input: PlanInput,
    { parts, checked, call }: {
      readonly parts: SectionedPlan;
      readonly checked: CheckedDiagrams;
      readonly call: PlanCall;
    },
  ): Promise<Revision> {
    const markdown = this.#ports.redact(input.plan);
    const hashed = await Promise.all(
      checked.accepted.map(async (each) => ({ ...each, hash: await diagramHash(each) })),
    );
    const hash = await planHash(markdown, hashed);
    const before = this.#plans.read(call.sessionId);
    const state = this.#plans.propose(call.sessionId, {
      callId: call.callId,
      hash,
      title: titleOf(
        input.title === undefined ? undefined : this.#ports.redact(input.title),
        parts,
      ),
      diagrams: hashed.map(({ id, title, hash }) => ({ id, title, hash })),
      updatedAt: Date.now(),
    });
    const known = state.revision > 1 ? before?.diagrams ?? [] : [];
    return { state, markdown, parts, ...compareDiagrams(hashed, known) };
  }

  async #publish(
    revision: Revision,
    call: PlanCall,
  ): Promise<(PublishedArtifact & { readonly note?: string }) | { readonly problem: string }> {
    const { markdown, parts, kept, removed, state } = revision;
    const document = createPlanDocument(parts, state, { kept, removed });
    const files = planFiles(markdown, document, kept);
    const [plan] = files;
    const published = await this.#write(files, revision, call).catch(async (error) =>
      // The text alone may still fit.
      files.length > 1
        ? {
          ...await this.#write([plan], revision, call),
          note: `The diagrams could not be written: ${errorMessage(error)}`,
        }
        : Promise.reject(error)
    ).catch((error) => ({
      problem: `The plan could not be written to a file: ${errorMessage(error)}. It is kept in ` +
        "the session",
    }));
    if ("problem" in published) return published;
    const { artifact, path } = published;
    this.#plans.attach(call.sessionId, call.callId, artifact.id);
    call.record("artifact_published", { artifact: { ...artifact }, path, callId: call.callId });
    return published;
  }

  async #write(
    files: ReturnType<typeof planFiles>,
    { state: { title, revision } }: Revision,
    { sessionId, callId }: PlanCall,
  ): Promise<PublishedArtifact> {
    const { store: { stateRoot }, workspace } = this.#ports;
    return await publishArtifact(await artifactsPath({ stateRoot, workspace, sessionId }), {
      sessionId,
      title: revisionTitle(title, revision),
      slug: asciiSlug(title),
      kind: "document",
      mimeType: "text/markdown",
      previewable: true,
      files,
      callId,
      ...(files.length === 1 ? {} : { download: "plan.zip" }),
    }, Date.now());
  }

  async #decide(
    revision: Revision,
    { call, folder }: { readonly call: PlanCall; readonly folder?: string },
  ): Promise<Pick<PlanOutcome, "decision" | "message" | "feedback">> {
    const { ask } = this.#ports;
    const { sessionId, callId } = call;
    if (ask === undefined) {
      this.#advance(revision, call, "skipped");
      return { decision: "unavailable", message: PLAN_MESSAGES.unavailable };
    }
    const withdrawn = new AbortController();
    this.#open.set(sessionId, withdrawn);
    try {
      const verdict = await this.#ask(ask, revision, {
        call,
        signal: AbortSignal.any([call.signal, withdrawn.signal]),
        ...(folder === undefined ? {} : { folder }),
      });
      const decision = DECISIONS[verdict.decision];
      if (!this.#advance(revision, call, decision)) {
        return { decision: "skipped", message: PLAN_MESSAGES.skipped };
      }
      const { planId, hash } = revision.state;
      call.record("plan_decided", { callId, planId, hash, decision: verdict.decision });
      return {
        decision,
        message: PLAN_MESSAGES[decision],
        ...(verdict.decision === "context"
          ? { feedback: this.#ports.redact(verdict.feedback) }
          : {}),
      };
    } finally {
      if (this.#open.get(sessionId) === withdrawn) this.#open.delete(sessionId);
    }
  }

  #advance(
    { state, markdown }: Revision,
    { sessionId, callId }: PlanCall,
    status: (typeof DECISIONS)[PlanVerdict["decision"]],
  ): boolean {
    const step = this.#plans.advance(sessionId, { status: "pending", callId }, {
      status,
      at: Date.now(),
      ...(status === "approved" ? { plan: markdown } : {}),
    });
    return step !== null && step.after.hash === state.hash;
  }

  /** A review that cannot be held, or is taken back, is no decision. */
  async #ask(
    ask: QuestionAsker,
    revision: Revision,
    { call, signal, folder }: {
      readonly call: PlanCall;
      readonly signal: AbortSignal;
      readonly folder?: string;
    },
  ): Promise<PlanVerdict> {
    const { state: { title, revision: number }, markdown, kept, removed } = revision;
    const plan: ProposedPlan = {
      title,
      revision: number,
      markdown,
      diagrams: kept,
      removed,
      ...(folder === undefined ? {} : { folder }),
    };
    const { callId, sessionId: session } = call;
    try {
      return await call.pauseWhile(async () =>
        readVerdict(await ask([PLAN_QUESTION], { callId, session, plan, signal }))
      );
    } catch {
      return { decision: "skip" };
    }
  }
}

const DECISIONS = { approve: "approved", skip: "skipped", context: "feedback" } as const;

/** What the model called it, or its own title, or its first words. */
function titleOf(given: string | undefined, { title, lead, sections }: SectionedPlan): string {
  const first = lead.find((line) => line.trim() !== "");
  const found = [given, title, first, sections[0]?.title].map(oneLine)
    .find((each) => each !== "");
  return previewText(found ?? "Plan", MAX_TITLE_CHARS);
}

function oneLine(text = ""): string {
  // deno-lint-ignore no-control-regex -- what steers a terminal has no place in a title
  return text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
}

function asciiSlug(title: string): string {
  return slugOf(title.replace(/[^\x20-\x7e\u00c0-\u024f]/g, " "), SLUG_CHARS)
    .replace(/[^a-z0-9-]/g, "") || PLAN_FILE.replace(".md", "");
}

function describeDiagrams(
  { accepted, dropped }: CheckedDiagrams,
  removed: readonly HashedDiagram[],
): Pick<PlanOutcome, "diagrams"> {
  if (accepted.length + dropped.length + removed.length === 0) return {};
  return {
    diagrams: {
      accepted: accepted.map(({ id }) => id),
      dropped,
      removed: removed.map(({ id }) => id),
    },
  };
}
