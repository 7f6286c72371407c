import type {
  ChildRunResult,
  ChildSessionInfo,
  ChildSessionSpec,
  PluginSessions,
  RunEvent,
  SessionCapabilities,
  SessionStatus,
} from "@alisio/sdk";
import { quoted } from "../config/quoted.ts";
import { AlisioError, errorMessage } from "../errors.ts";
import { decide } from "../gate/decide.ts";
import type { Gate } from "../gate/gate.ts";
import { NO_GRANTS } from "../gate/grants.ts";
import type { Policy, Verdict } from "../gate/policy.ts";
import type { OpenSession } from "../run/open_session.ts";
import type { ContextUsage } from "../run/context_meter.ts";
import { settlesWithin } from "../process/settles_within.ts";
import { RunCancelledError } from "../run/run_error.ts";
import type { RunObserver } from "../run/run_events.ts";
import type { PauseWhile, RunResult } from "../run/run_ports.ts";
import { assertRecovered } from "../session/recovery.ts";
import { isSessionId } from "../session/session_files.ts";
import type { RunRecord, SessionRecord } from "../session/session_records.ts";
import type { SessionStore } from "../session/session_store.ts";
import { isOwnerAlive, TaskOwner } from "../tasks/task_owner.ts";
import { checkChildSpec } from "./check_child_spec.ts";
import type { ChildSettings, NarrowedEffect } from "./child_settings.ts";
import { type ChildRecord, ChildStore } from "./child_store.ts";
import { childWorkspace } from "./child_workspace.ts";
import { interruptedNotice } from "./interrupted_notice.ts";
import { childPolicies, narrowChild, type ParentPowers } from "./narrow_child.ts";

/** Where a child works, and under which rules. */
export interface ChildPlace {
  /** Real path. */
  readonly workspace: string;
  /** Real paths that its tools may touch; the workspace is the first. */
  readonly roots: readonly string[];
  /** The rules of its parent, and its own. */
  readonly policies: readonly Policy[];
}

/** How the session of a child is opened for a run. */
export interface OpenChild {
  readonly child: ChildRecord;
  readonly place: ChildPlace;
  readonly gate: Gate;
  /** Agents from the main one down to this one. */
  readonly agentPath: readonly string[];
  /** Lets the clocks of the runs above stand still, too. */
  readonly pauseAbove: PauseWhile;
  readonly signal: AbortSignal;
}

/** What child sessions need from around them. */
export interface ChildSessionsPorts {
  readonly store: SessionStore;
  /** What sessions have that work for no other one. */
  readonly root: {
    readonly gate: Gate;
    readonly roots: readonly string[];
    readonly policies: () => readonly Policy[];
  };
  /** Whether somebody can be asked. */
  readonly canAsk: boolean;
  /** Why no child can work outside the roots of its parent; undefined if it can. */
  readonly fixedWorkspace: () => string | undefined;
  readonly createGate: (place: ChildPlace) => Gate;
  readonly open: (request: OpenChild) => Promise<OpenSession>;
  /** A session that works for no other one, where this process has it open. */
  readonly openRoot: (sessionId: string) => OpenSession | undefined;
  /** Finds a model by its name; throws if there is none. */
  readonly resolveModel: (
    reference: string,
  ) => Promise<{ readonly reference: string; readonly provider: string }>;
  readonly redact: (text: string) => string;
  /** Why no work can be handed to an agent; undefined if it can. */
  readonly agentProblem?: (agent: string) => string | undefined;
}

/** A wait for somebody who is behind. */
type Drained = () => Promise<void> | undefined;

interface RunningChild {
  readonly controller: AbortController;
  readonly gate: Gate;
  readonly done: Promise<unknown>;
  session?: OpenSession;
}

/** So many levels stand above no child: whoever delegates has limits of its own below this one. */
const MAX_DEPTH = 16;
/** So long others may take to put things in order when everything is closed. */
const MAX_RELEASE_MS = 5_000;
const MAX_MAIL_CHARS = 100_000;
const MAX_MAIL = 100;

/**
 * Sessions that work for other ones. Each runs like any other, with less than its parent has: its
 * policies are those of its parent with its own beside them, and the strictest of all wins.
 */
export class ChildSessions implements PluginSessions {
  readonly #ports: ChildSessionsPorts;
  readonly #children: ChildStore;
  readonly #owner: TaskOwner;
  readonly #running = new Map<string, RunningChild>();
  /** Sessions whose run was stopped: nothing new begins below them before their next one. */
  readonly #stopped = new Set<string>();
  /** Children that somebody has still to do something about, and how many have. */
  readonly #held = new Map<string, number>();
  #hasRun = false;
  readonly #listeners = new Set<() => void>();
  readonly #watchers = new Map<RunObserver, Drained>();
  #isClosed = false;

  /** @param ports What they need. */
  constructor(ports: ChildSessionsPorts) {
    this.#ports = ports;
    this.#children = new ChildStore(ports.store.database);
    this.#owner = new TaskOwner(ports.store.stateRoot);
  }

  /**
   * Shows somebody the events of every child that runs from now on.
   *
   * @param observer Who.
   * @param drained A wait for them, while they are behind; runs of children wait with it.
   * @returns Ends it.
   */
  watch(observer: RunObserver, drained: Drained = () => undefined): () => void {
    this.#watchers.set(observer, drained);
    return () => void this.#watchers.delete(observer);
  }

  /**
   * Tells somebody whenever another child runs or waits than before.
   *
   * @param listener Who.
   * @returns Ends it.
   */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Whether any was run, or was to be run, since the application was opened. */
  get hasRun(): boolean {
    return this.#hasRun;
  }

  /** @inheritdoc */
  hold(id: string): () => void {
    this.#child(id);
    this.#hasRun = true;
    this.#held.set(id, (this.#held.get(id) ?? 0) + 1);
    this.#changed();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const left = (this.#held.get(id) ?? 1) - 1;
      if (left === 0) this.#held.delete(id);
      else this.#held.set(id, left);
      this.#changed();
    };
  }

  /** Those that run, or that somebody has still to do something about, oldest first. */
  live(): readonly ChildSessionInfo[] {
    return [...new Set([...this.#running.keys(), ...this.#held.keys()])]
      .flatMap((id) => this.get(id) ?? [])
      .sort((one, other) => one.createdAt - other.createdAt);
  }

  /**
   * Notes that children of processes that are gone were interrupted, and lets the sessions that they
   * work for know. None is ever run again.
   */
  reap(): void {
    const { stateRoot } = this.#ports.store;
    for (const { id, ownerToken } of this.#children.unfinished()) {
      const isOurs = ownerToken === this.#owner.token;
      if (isOurs || (ownerToken !== "" && isOwnerAlive(stateRoot, ownerToken))) continue;
      this.#ports.store.interruptRuns(id);
      this.#note(id, "interrupted");
      this.#tellInterrupted(id);
    }
  }

  /** The call that began it ended without its id, so nothing else names it to its parent. */
  #tellInterrupted(id: string): void {
    const child = this.#children.find(id);
    if (child === undefined) return;
    try {
      this.#ports.store.keepMail(child.parentId, interruptedNotice(child), MAX_MAIL);
    } catch {
      // Where nothing can be kept, the list of children still has it.
    }
  }

  /**
   * Makes a child session with the model of its parent.
   *
   * @param spec What it is to be. What its parent has not it has not either, and says so.
   * @throws {AlisioError} `usage` if that cannot be, `session_not_found` if there is no such parent.
   */
  spawn(spec: ChildSessionSpec): ChildSessionInfo {
    if (spec.model !== undefined) {
      throw new AlisioError(
        "usage",
        'Cannot make a child session with "spawn": it names a model, which has to be looked for; ' +
          'use "create"',
      );
    }
    const { model, provider } = this.#session(spec.parentId);
    return this.#make(spec, { reference: model, provider });
  }

  /**
   * Makes a child session with a model of its own, if it names one.
   *
   * @param spec What it is to be.
   * @throws {AlisioError} As `spawn`, and if there is no such model.
   */
  async create(spec: ChildSessionSpec): Promise<ChildSessionInfo> {
    const { model: reference, ...rest } = spec;
    if (reference === undefined) return this.spawn(rest);
    this.#session(spec.parentId);
    return this.#make(rest, await this.#ports.resolveModel(reference));
  }

  #make(
    spec: ChildSessionSpec,
    model: { readonly reference: string; readonly provider: string },
  ): ChildSessionInfo {
    checkChildSpec(spec);
    const problem = this.#ports.agentProblem?.(spec.agent);
    if (problem !== undefined) {
      throw new AlisioError("usage", `Cannot make a child session: ${problem}`);
    }
    const { store, redact } = this.#ports;
    const parent = this.#session(spec.parentId);
    this.#assertMayStart(parent.id);
    const { id = crypto.randomUUID() } = spec;
    if (!isSessionId(id) || store.session(id) !== undefined) {
      throw new AlisioError("usage", `Cannot make a child session: its id ${quoted(id)} is taken`);
    }
    const depth = parent.depth + 1;
    if (depth > MAX_DEPTH) {
      throw new AlisioError(
        "usage",
        `Cannot make a child session: ${MAX_DEPTH} sessions stand above it, and no more may`,
      );
    }
    const { instructions } = spec;
    const settings = narrowChild({
      ...spec,
      agent: redact(spec.agent),
      ...(instructions === undefined ? {} : { instructions: redact(instructions) }),
    }, this.#powersOf(parent));
    const { workspace } = spec;
    this.#owner.hold();
    this.#children.insert({
      id,
      parentId: parent.id,
      depth,
      title: redact(spec.title),
      model: model.reference,
      provider: model.provider,
      workspace: workspace === undefined
        ? parent.workspace
        : childWorkspace(workspace, this.#rootsOf(parent), this.#ports.fixedWorkspace()),
      settings,
      createdAt: Date.now(),
      ownerToken: this.#owner.token,
    });
    return this.#infoOf(this.#child(id));
  }

  /**
   * Runs one prompt in a child.
   *
   * @param id The child.
   * @param prompt What is asked for.
   * @param options What stops it.
   * @returns How it ended. What goes wrong while it runs is told there, and thrown by nothing.
   * @throws {AlisioError} `session_not_found` if there is no such child, `session_locked` while it
   * runs already.
   */
  async run(
    id: string,
    prompt: string,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<ChildRunResult> {
    const child = this.#child(id);
    if (this.#running.has(id)) {
      throw new AlisioError(
        "session_locked",
        `Cannot run child session ${id}: it runs already; send it a message instead`,
      );
    }
    if (this.#isClosed || this.#isStopped(child.parentId)) {
      return this.#unused(id, "the run that it works for was stopped");
    }
    const controller = new AbortController();
    const stop = () => controller.abort(signal?.reason);
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted === true) stop();
    this.#stopped.delete(id);
    controller.signal.addEventListener("abort", () => this.#stop(id, toReason(controller.signal)), {
      once: true,
    });
    const gate = this.#ports.createGate(this.#placeOf(child));
    const finished = Promise.withResolvers<void>();
    this.#running.set(id, { controller, gate, done: finished.promise });
    this.#hasRun = true;
    this.#changed();
    try {
      return await this.#run(child, prompt, controller.signal);
    } finally {
      signal?.removeEventListener("abort", stop);
      this.#running.delete(id);
      finished.resolve();
      this.#changed();
    }
  }

  async #run(child: ChildRecord, prompt: string, signal: AbortSignal): Promise<ChildRunResult> {
    const { id, settings } = child;
    const running = this.#running.get(id);
    if (running === undefined) throw new TypeError("The child does not run");
    const before = this.#lastRun(id)?.id;
    try {
      signal.throwIfAborted();
      this.#owner.hold();
      this.#note(id, "running");
      const session = await this.#ports.open({
        child,
        place: this.#placeOf(child),
        gate: running.gate,
        agentPath: this.#agentPath(child),
        pauseAbove: (wait) => this.#pauseAbove(child.parentId, wait),
        signal,
      });
      running.session = session;
      try {
        const result = await session.run(prompt, {
          signal,
          observers: [(event) => this.#watchers.forEach((_, watcher) => tell(watcher, event))],
          drained: () => this.#drained(),
          limits: limitsOf(settings),
        });
        return this.#ended(id, result);
      } finally {
        await session.close();
      }
    } catch (error) {
      const isCancelled = error instanceof RunCancelledError || signal.aborted;
      const run = this.#lastRun(id);
      const usage = run?.id === before ? undefined : run?.usage;
      return this.#endedBy(id, isCancelled ? "cancelled" : "failed", { error, usage });
    }
  }

  #drained(): Promise<void> | undefined {
    const waits = [...this.#watchers.values()].flatMap((drained) => drained() ?? []);
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => {});
  }

  #ended(id: string, { text, usage, status }: RunResult): ChildRunResult {
    const result: ChildRunResult = {
      id,
      status: "completed",
      text,
      usage,
      ...(status === "turns-exceeded" ? { turnsExceeded: true } : {}),
    };
    this.#note(id, "completed", result);
    return result;
  }

  #endedBy(
    id: string,
    status: "cancelled" | "failed",
    { error, usage = { input: 0, output: 0 } }: {
      readonly error: unknown;
      readonly usage: ChildRunResult["usage"] | undefined;
    },
  ): ChildRunResult {
    const result: ChildRunResult = {
      id,
      status,
      text: "",
      usage,
      error: this.#ports.redact(errorMessage(error)),
    };
    this.#note(id, status, result);
    return result;
  }

  /** A record that is lost is told by whoever needs it. */
  #lastRun(id: string): RunRecord | undefined {
    try {
      return this.#ports.store.runs(id).at(-1);
    } catch {
      return undefined;
    }
  }

  #unused(id: string, reason: string): ChildRunResult {
    this.#note(id, "cancelled");
    return {
      id,
      status: "cancelled",
      text: "",
      usage: { input: 0, output: 0 },
      error: `Not run: ${reason}`,
    };
  }

  #note(id: string, status: SessionStatus, result?: ChildRunResult): void {
    try {
      this.#children.setStatus(id, {
        status,
        ownerToken: this.#owner.token,
        ...(result === undefined ? {} : { used: result.usage }),
      });
    } catch {
      // The run says that the record is lost; the next start finds the child unfinished.
    }
  }

  /** @inheritdoc */
  get(id: string): ChildSessionInfo | undefined {
    const child = this.#children.find(id);
    return child === undefined ? undefined : this.#infoOf(child);
  }

  /** @inheritdoc */
  children(parentId: string): readonly ChildSessionInfo[] {
    return this.#children.children(parentId).map((child) => this.#infoOf(child));
  }

  /** @inheritdoc */
  ancestors(id: string): readonly string[] {
    return this.#children.ancestors(id);
  }

  /**
   * Stops a child and all that run for it.
   *
   * @param id The child.
   * @returns How many were running.
   */
  cancel(id: string): number {
    return this.#stop(id, new Error("The session was cancelled"));
  }

  /**
   * Stops all that run for a session whose own run is stopped; nothing begins there any more before
   * its next run.
   *
   * @param sessionId The session.
   */
  stopBelow(sessionId: string): void {
    this.#stop(sessionId, new Error("The run that it works for was stopped"));
  }

  /**
   * Lets children of a session run again, because it begins a run itself.
   *
   * @param sessionId The session.
   */
  allowBelow(sessionId: string): void {
    this.#stopped.delete(sessionId);
  }

  /**
   * Lets children of a session run again, however deep below it, except below what is being stopped:
   * the person wants something of them.
   *
   * @param sessionId The session.
   */
  letGoOn(sessionId: string): void {
    for (const id of this.#stopped) {
      const isBelow = id === sessionId || this.#children.ancestors(id).includes(sessionId);
      if (isBelow && !this.#running.has(id)) this.#stopped.delete(id);
    }
  }

  #stop(id: string, reason: Error): number {
    this.#stopped.add(id);
    // Each that stops says so itself once more: those are not looked for in the record again.
    const below = [...this.#running].filter(([each, { controller }]) =>
      !controller.signal.aborted &&
      (each === id || this.#children.ancestors(each).includes(id))
    );
    for (const [each, { controller }] of below) {
      this.#stopped.add(each);
      controller.abort(reason);
    }
    return below.length;
  }

  /**
   * Adds a message for the next turn of a session, or its next run. It is kept until then, also when
   * this process ends.
   *
   * @param id Any session.
   * @param text The message.
   * @throws {AlisioError} `session_not_found`; `usage` if it is empty or too long, or too many wait.
   */
  enqueue(id: string, text: string): void {
    this.#session(id);
    const isUsable = typeof text === "string" && text.trim() !== "" &&
      text.length <= MAX_MAIL_CHARS;
    if (!isUsable) {
      throw new AlisioError(
        "usage",
        `Cannot send a message to session ${id}: it has to hold 1 to ${MAX_MAIL_CHARS} characters`,
      );
    }
    if (this.#ports.store.keepMail(id, text, MAX_MAIL)) return;
    throw new AlisioError(
      "usage",
      `Cannot send a message to session ${id}: ${MAX_MAIL} messages wait for it already`,
    );
  }

  /** @inheritdoc */
  withdraw(id: string, start: string): number {
    this.#session(id);
    return start === "" ? 0 : this.#ports.store.dropMail(id, start);
  }

  /** @inheritdoc */
  lastResult(id: string): ChildRunResult | undefined {
    const { status } = this.#child(id);
    const run = this.#lastRun(id);
    if (run === undefined || status === "queued" || status === "running") return undefined;
    const text =
      this.#ports.store.loadMessages(id).flatMap((message) =>
        message.role === "assistant" && message.text !== "" ? [message.text] : []
      ).at(-1) ?? "";
    return {
      id,
      status,
      text: status === "completed" ? text : "",
      usage: run.usage ?? { input: 0, output: 0 },
      ...(run.status === "turns_exceeded" ? { turnsExceeded: true } : {}),
      ...(run.error === undefined ? {} : { error: run.error }),
    };
  }

  /** @inheritdoc */
  blocker(id: string): string | undefined {
    this.#child(id);
    if (this.#running.has(id)) return undefined;
    try {
      assertRecovered(id, this.#ports.store.uncertainCalls(id));
      return undefined;
    } catch (error) {
      return errorMessage(error);
    }
  }

  /** @inheritdoc */
  isRunning(id: string): boolean {
    return this.#running.has(id) || this.#ports.openRoot(id)?.isBusy === true;
  }

  /**
   * How full the context of a child is; undefined while it does not run.
   *
   * @param id The child.
   */
  contextUsage(id: string): ContextUsage | undefined {
    return this.#running.get(id)?.session?.contextUsage();
  }

  /** @inheritdoc */
  capabilities(id: string): SessionCapabilities {
    return this.#capabilitiesOf(this.#session(id));
  }

  /** @inheritdoc */
  model(id: string): string {
    return this.#session(id).model;
  }

  /** @inheritdoc */
  fixedWorkspace(): string | undefined {
    return this.#ports.fixedWorkspace();
  }

  /** @inheritdoc */
  workspace(id: string): string {
    return this.#session(id).workspace;
  }

  /**
   * Says how a child is doing, for one that waits to be run.
   *
   * @param id The child.
   * @param status How.
   * @throws {AlisioError} `session_not_found`; `session_locked` while it runs, which says it itself.
   */
  setStatus(id: string, status: SessionStatus): void {
    this.#child(id);
    if (this.#running.has(id)) {
      throw new AlisioError(
        "session_locked",
        `Cannot change how child session ${id} is doing: it runs`,
      );
    }
    this.#children.setStatus(id, { status, ownerToken: this.#owner.token });
  }

  #changed(): void {
    this.#listeners.forEach((listener) => listener());
  }

  /** Decides by other rules from now on, also for what runs: those of the main session changed. */
  refresh(): void {
    for (const [id, { gate }] of this.#running) {
      const child = this.#children.find(id);
      if (child !== undefined) gate.replacePolicies(this.#placeOf(child).policies);
    }
  }

  /** Stops everything and waits for it. Never throws. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const running = [...this.#running.values()];
    for (const { controller } of running) controller.abort(new Error("Alisio is closing"));
    await Promise.all(running.map(({ done }) => done));
    await settlesWithin(this.#released(), MAX_RELEASE_MS);
    this.#owner.release();
  }

  async #released(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => {
      if (this.#held.size === 0) resolve();
    };
    const leave = this.subscribe(look);
    look();
    await promise;
    leave();
  }

  /** How many children run. */
  get runningCount(): number {
    return this.#running.size;
  }

  #session(id: string): SessionRecord {
    const session = this.#ports.store.session(id);
    if (session !== undefined) return session;
    throw new AlisioError("session_not_found", `Cannot find session ${quoted(id)}`);
  }

  #child(id: string): ChildRecord {
    const child = this.#children.find(id);
    if (child !== undefined) return child;
    throw new AlisioError("session_not_found", `Cannot find child session ${quoted(id)}`);
  }

  #assertMayStart(parentId: string): void {
    if (!this.#isClosed && !this.#isStopped(parentId)) return;
    throw new AlisioError(
      "usage",
      "Cannot make a child session: the run that it would work for was stopped",
    );
  }

  #isStopped(id: string): boolean {
    return [id, ...this.#children.ancestors(id)].some((each) => this.#stopped.has(each));
  }

  async #pauseAbove<T>(parentId: string, wait: () => Promise<T>): Promise<T> {
    const session = this.#running.get(parentId)?.session ?? this.#ports.openRoot(parentId);
    return session === undefined ? await wait() : await session.pauseWhile(wait);
  }

  #agentPath({ id, settings }: ChildRecord): readonly string[] {
    const above = this.#children.ancestors(id).toReversed().flatMap((each) =>
      this.#children.find(each)?.settings.agent ?? []
    );
    return [...above, settings.agent];
  }

  /** Everything that narrows a session, from the main one down. */
  #policiesOf(id: string): readonly Policy[] {
    const { root, canAsk } = this.#ports;
    const child = this.#children.find(id);
    if (child === undefined) return root.policies();
    return [...this.#policiesOf(child.parentId), ...childPolicies(child.settings, { canAsk })];
  }

  #rootsOf({ id, workspace }: Pick<SessionRecord, "id" | "workspace">): readonly string[] {
    const { roots } = this.#ports.root;
    const child = this.#children.find(id);
    // A worktree lies beside the workspace of its repository: its child has that instead of it.
    if (child === undefined || roots[0] === workspace) return roots;
    return [workspace, ...roots.slice(1)];
  }

  #placeOf(child: ChildRecord): ChildPlace {
    return {
      workspace: child.workspace,
      roots: this.#rootsOf(child),
      policies: this.#policiesOf(child.id),
    };
  }

  #powersOf(session: SessionRecord): ParentPowers {
    const { root, createGate } = this.#ports;
    const child = this.#children.find(session.id);
    const policies = this.#policiesOf(session.id);
    const gate = child === undefined ? root.gate : createGate(this.#placeOf(child));
    const { maxTurns, timeoutMs, maxTokens }: Partial<ChildSettings> = child?.settings ?? {};
    return {
      onlyReads: onlyReads(policies),
      verdicts: {
        write: verdictOf("write", policies),
        process: verdictOf("process", policies),
        external: verdictOf("external", policies),
      },
      tools: new Set(
        gate.status(session.id).filter(({ decision }) => decision.decision !== "deny")
          .map(({ tool }) => tool.name),
      ),
      limits: {
        ...(maxTurns === undefined ? {} : { maxTurns }),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        ...(maxTokens === undefined ? {} : { maxTokens }),
      },
    };
  }

  #capabilitiesOf({ id }: Pick<SessionRecord, "id">): SessionCapabilities {
    const policies = this.#policiesOf(id);
    const isPossible = (effect: NarrowedEffect) =>
      !onlyReads(policies) && verdictOf(effect, policies) !== "deny";
    const write = isPossible("write");
    const process = isPossible("process");
    return {
      write,
      process,
      approvals: this.#ports.canAsk && !onlyReads(policies),
      readOnly: !write && !process && !isPossible("external"),
    };
  }

  #infoOf(child: ChildRecord): ChildSessionInfo {
    const { id, parentId, depth, title, status, model, workspace, usage, settings } = child;
    const { createdAt, updatedAt } = child;
    return {
      id,
      parentId,
      depth,
      agent: settings.agent,
      title,
      status,
      model,
      workspace,
      usage,
      capabilities: this.#capabilitiesOf(child),
      ...(settings.narrowed.length === 0 ? {} : { narrowed: settings.narrowed }),
      createdAt,
      updatedAt,
    };
  }
}

/** What one of them throws is no matter of the others. */
function tell(watcher: RunObserver, event: RunEvent): void {
  try {
    watcher(event);
  } catch {
    // As with observers of any run.
  }
}

function onlyReads(policies: readonly Policy[]): boolean {
  return policies.some((policy) => policy.kind === "agent" && policy.onlyReads);
}

/** What happens with calls of an effect, where no rule about a single tool says otherwise. */
function verdictOf(effect: NarrowedEffect, policies: readonly Policy[]): Verdict {
  if (onlyReads(policies)) return "deny";
  const call = { tool: "", effect, approvedOnce: false, paths: [], grants: NO_GRANTS };
  const effects = policies.filter(({ kind }) => kind === "effects");
  return decide({ ...call, profileInput: null }, effects).decision;
}

function toReason({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error("The run that it works for was stopped");
}

function limitsOf(
  { maxTurns, timeoutMs, maxTokens, maxOutputTokens }: ChildSettings,
): Partial<Record<"maxTurns" | "timeoutMs" | "maxTokens" | "maxOutputTokens", number>> {
  return {
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}
