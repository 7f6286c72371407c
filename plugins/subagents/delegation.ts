import {
  type AgentInfo,
  type AgentList,
  type ChildRunResult,
  type ChildSessionInfo,
  type ChildSessionSpec,
  type JsonObject,
  type PluginAgents,
  type PluginSessions,
  type SessionStatus,
  textResult,
  type ToolResult,
} from "@alisio/sdk";
import { chosenModel, delegates, listAgents } from "./agent_catalog.ts";
import { childSpec, mayWrite } from "./child_spec.ts";
import type { SubagentSettings } from "./subagent_settings.ts";
import { TaskQueue } from "./task_queue.ts";
import {
  formatFailure,
  formatNotice,
  formatReport,
  formatStarted,
  noticeStart,
} from "./task_text.ts";
import { TaskTree } from "./task_tree.ts";
import { SHARED_WRITERS, type WriterGuard } from "./writers/writer_guard.ts";
import { untilAborted } from "./until_aborted.ts";

/** What handing work over needs. */
export interface DelegationPorts {
  readonly sessions: PluginSessions;
  readonly agents: PluginAgents | undefined;
  readonly settings: SubagentSettings;
  /** Keeps writers apart. */
  readonly writers?: WriterGuard;
}

/** A task that this program runs or ran. */
export interface Task {
  readonly id: string;
  readonly parentId: string;
  /** The session at the top. */
  readonly rootId: string;
  readonly agent: string;
  readonly title: string;
  readonly color?: string;
  state: SessionStatus;
  /** Whether nobody waits for it in the call that began it. */
  isBackground: boolean;
  startedAt?: number;
  endedAt?: number;
}

/** When a task may run. */
type Turn = ReturnType<TaskQueue["enter"]>;

interface LiveTask extends Task {
  readonly canWrite: boolean;
  readonly turn: Turn;
  readonly stop: AbortController;
  /** What is to be said about the result. */
  notes: string[];
  /** Resolves when it has ended. */
  done: Promise<void>;
  /** Lets the call that waits for it return. */
  detached: PromiseWithResolvers<void>;
  /** Calls that wait for it. */
  waiters: number;
  /** Whether its caller has heard of the end. */
  isRead: boolean;
  result?: ChildRunResult;
}

/** Where a tool call that hands work over comes from. */
export interface Caller {
  readonly session: string;
  readonly signal: AbortSignal;
}

/** So many finished tasks are remembered; the record has all of them. */
const MAX_FINISHED = 200;
/** A timer beyond this fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const GO_ON = "Go on with the task.";

/** Something that the model asks for and cannot have, told to it. */
class Refusal extends Error {
  readonly facts: JsonObject;

  constructor(message: string, facts: JsonObject = {}) {
    super(message);
    this.facts = facts;
  }
}

/** Hands tasks to other agents and keeps track of them. */
export class Delegation {
  /** What the agents do at this moment. */
  readonly tree: TaskTree;
  readonly #ports: DelegationPorts;
  readonly #queue: TaskQueue;
  readonly #writers: WriterGuard;
  readonly #tasks = new Map<string, LiveTask>();
  /** The task that is being made last. */
  #making: Promise<unknown> = Promise.resolve();

  /** @param ports What it needs. */
  constructor(ports: DelegationPorts) {
    this.#ports = ports;
    this.#queue = new TaskQueue(ports.settings);
    this.#writers = ports.writers ?? SHARED_WRITERS;
    this.tree = new TaskTree(() => this.#tasks.values());
  }

  /** Every definition of an agent that there is now. */
  async definitions(): Promise<AgentList> {
    return await listAgents(this.#ports.agents);
  }

  /**
   * The tool `task`.
   *
   * @param input Its input.
   * @param caller Where the call comes from.
   */
  async task(input: Readonly<Record<string, unknown>>, caller: Caller): Promise<ToolResult> {
    return await answering(async () => {
      const { task_id: id, prompt, background } = input;
      const task = typeof id === "string"
        ? this.#continued(id, input, caller)
        : await this.#created(input, caller);
      if (typeof background === "boolean") task.isBackground = background;
      this.#begin(task, String(prompt));
      if (!task.isBackground) {
        await this.#waitFor(task, caller, [task.detached.promise]);
        if (task.result !== undefined) return this.#report(task, task.result);
      }
      return textResult(formatStarted(task, task.notes));
    });
  }

  /**
   * The tool `task_status`.
   *
   * @param idOrPrefix The task.
   * @param session The session that asks.
   */
  status(idOrPrefix: string, session: string): ToolResult {
    try {
      const info = this.find(session, idOrPrefix);
      const isOver = !this.#isLive(info.id);
      if (isOver) this.#read(info);
      return textResult(JSON.stringify(this.#statusOf(info)));
    } catch (error) {
      return refused(error);
    }
  }

  /**
   * The tool `task_wait`.
   *
   * @param idOrPrefix The task.
   * @param options Where the call comes from, and how long it waits.
   */
  async wait(
    idOrPrefix: string,
    { timeoutMs, ...caller }: Caller & { readonly timeoutMs?: number },
  ): Promise<ToolResult> {
    return await answering(async () => {
      const info = this.find(caller.session, idOrPrefix);
      const task = this.#tasks.get(info.id);
      const { waitMaxMs } = this.#ports.settings;
      const limitMs = Math.min(timeoutMs ?? waitMaxMs, waitMaxMs, MAX_TIMER_MS);
      if (task !== undefined && this.#isLive(task.id)) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, limitMs);
        try {
          await this.#waitFor(task, caller, [promise], { stops: false });
        } finally {
          clearTimeout(timer);
        }
      }
      if (this.#isLive(info.id)) {
        return textResult(
          JSON.stringify({ ...this.#statusOf(this.#info(info.id)), timed_out: true }),
        );
      }
      const result = task?.result ?? this.#ports.sessions.lastResult?.(info.id);
      this.#read(info);
      if (result === undefined) return textResult(JSON.stringify(this.#statusOf(info)));
      return this.#report({ ...this.#headOf(info.id), notes: task?.notes ?? [] }, result);
    });
  }

  /**
   * The tool `send_message`.
   *
   * @param idOrPrefix The task.
   * @param text The message.
   * @param session The session that sends it.
   */
  async send(idOrPrefix: string, text: string, session: string): Promise<ToolResult> {
    return await answering(() => {
      const { id } = this.find(session, idOrPrefix);
      if (this.#isLive(id)) {
        this.#ports.sessions.enqueue(id, text);
        return textResult(JSON.stringify({ ...this.#headFacts(id), delivered: "next_turn" }));
      }
      this.resume(session, id, text);
      return textResult(JSON.stringify({ ...this.#headFacts(id), delivered: "resumed" }));
    });
  }

  /**
   * Lets a task that has ended go on in the background.
   *
   * @param session A session above it.
   * @param idOrPrefix The task.
   * @param message What it is told.
   * @returns The task.
   * @throws {Error} If there is no such task, it has not ended, a person has to look at it first, or
   * no more tasks may wait.
   */
  resume(session: string, idOrPrefix: string, message: string = GO_ON): Task {
    const info = this.find(session, idOrPrefix);
    // Nobody waits for it: what it would fail with at once has to be said here.
    const blocker = this.#isLive(info.id) ? undefined : this.#ports.sessions.blocker?.(info.id);
    if (blocker !== undefined) throw new Refusal(blocker, this.#headFacts(info.id));
    const task = this.#revived(info, session, { isAwaited: false });
    task.isBackground = true;
    this.#begin(task, message);
    return task;
  }

  /**
   * Stops a task and all that work for it, whether they run or wait.
   *
   * @param id The task.
   * @returns How many were stopped.
   */
  cancel(id: string): number {
    const { sessions } = this.#ports;
    const live = [...this.#tasks.values()].filter((task) =>
      this.#isLive(task.id) && !task.stop.signal.aborted && this.#isAt(task, id)
    );
    for (const task of live) task.stop.abort(new Error("The task was cancelled"));
    sessions.cancel(id);
    return live.length;
  }

  /** Whether a task is another one, or works for it; the record is asked where memory ends. */
  #isAt(task: Task, id: string): boolean {
    let top = task;
    while (top.id !== id && top.parentId !== id) {
      const above = this.#tasks.get(top.parentId);
      if (above === undefined) {
        return top.parentId !== top.rootId && this.#ports.sessions.ancestors(top.id).includes(id);
      }
      top = above;
    }
    return true;
  }

  /**
   * Lets the call that waits for a task return, while the task goes on.
   *
   * @param id The task.
   * @returns Whether a call waited for it.
   */
  detach(id: string): boolean {
    const task = this.#tasks.get(id);
    if (task === undefined || task.isBackground || !this.#isLive(id)) return false;
    task.isBackground = true;
    task.detached.resolve();
    return true;
  }

  /**
   * Merges the branch of a task, and removes its worktree.
   *
   * @param session A session above it.
   * @param idOrPrefix The task.
   * @returns What the person is told.
   * @throws {Error} That says why not.
   */
  async merge(session: string, idOrPrefix: string): Promise<string> {
    return await this.#writers.merge(this.find(session, idOrPrefix).id);
  }

  /**
   * Removes the worktree and the branch of a task.
   *
   * @param session A session above it.
   * @param idOrPrefix The task.
   * @returns What the person is told.
   * @throws {Error} That says why not.
   */
  async discard(session: string, idOrPrefix: string): Promise<string> {
    return await this.#writers.discard(this.find(session, idOrPrefix).id);
  }

  /**
   * Every task below a session, each behind the one that it works for.
   *
   * @param session The session.
   */
  list(session: string): readonly ChildSessionInfo[] {
    return this.#ports.sessions.children(session).flatMap((child) => [
      child,
      ...this.list(child.id),
    ]);
  }

  /**
   * A task below a session.
   *
   * @param session The session.
   * @param idOrPrefix Its id, or a start of it that fits no other one.
   * @throws {Error} If there is none, or several.
   */
  find(session: string, idOrPrefix: string): ChildSessionInfo {
    const { sessions } = this.#ports;
    const facts = { task_id: idOrPrefix };
    if (idOrPrefix === session) {
      throw new Refusal("A session cannot be a task of its own", facts);
    }
    const above = sessions.ancestors(session);
    if (above.includes(idOrPrefix)) {
      throw new Refusal("That session works above this one: only its own tasks can be used", facts);
    }
    const info = sessions.get(idOrPrefix);
    if (info !== undefined && sessions.ancestors(info.id).includes(session)) return info;
    const matches = idOrPrefix === ""
      ? []
      : this.list(session).filter(({ id }) => id.startsWith(idOrPrefix));
    const [match, second] = matches;
    if (match !== undefined && second === undefined) return match;
    throw new Refusal(
      second === undefined
        ? "This session has no such task; use an id that task returned"
        : `${matches.length} tasks of this session begin like that; write more of the id`,
      facts,
    );
  }

  #continued(
    idOrPrefix: string,
    { subagent_type: agent, model, background }: Readonly<Record<string, unknown>>,
    caller: Caller,
  ): LiveTask {
    const info = this.find(caller.session, idOrPrefix);
    const facts = this.#headFacts(info.id);
    if (agent !== info.agent) {
      throw new Refusal(
        `The task belongs to the agent "${info.agent}"; pass that as subagent_type`,
        facts,
      );
    }
    const { model: wanted } = chosenModel(typeof model === "string" ? model : undefined);
    if (wanted !== undefined && wanted !== info.model) {
      throw new Refusal(
        `The task goes on with its own model, "${info.model}"; leave model out, or begin a new task`,
        facts,
      );
    }
    // Whoever goes on with the task of another one gives no place to that one's tasks.
    const isAwaited = background !== true && info.parentId === caller.session;
    return this.#revived(info, caller.session, { isAwaited });
  }

  #revived(
    info: ChildSessionInfo,
    session: string,
    { isAwaited }: { readonly isAwaited: boolean },
  ): LiveTask {
    const { id, parentId, agent, title, capabilities, usage } = info;
    const { sessions } = this.#ports;
    const facts = this.#headFacts(id);
    if (this.#isLive(id) || sessions.isRunning(id)) {
      throw new Refusal(
        "The task has not ended; send it a message with send_message, or wait with task_wait",
        facts,
      );
    }
    const turn = this.#lineUp(id, parentId, { facts, isAwaited });
    this.#read(info);
    const earlier = this.#tasks.get(id);
    this.tree.follow(id, usage.input + usage.output);
    return this.#keep({
      id,
      parentId,
      agent,
      title,
      rootId: [session, ...sessions.ancestors(session)].at(-1) ?? session,
      ...(earlier?.color === undefined ? {} : { color: earlier.color }),
      canWrite: earlier?.canWrite ?? (capabilities.write || capabilities.process),
      isBackground: false,
      turn,
      notes: [],
    });
  }

  async #created(
    input: Readonly<Record<string, unknown>>,
    caller: Caller,
  ): Promise<LiveTask> {
    const { sessions, settings } = this.#ports;
    const { session } = caller;
    const above = sessions.ancestors(session);
    const depth = above.length + 1;
    if (depth > settings.maxDepth) {
      throw new Refusal(
        `Tasks may be nested ${settings.maxDepth} deep, and this one would be the next: do the ` +
          "work yourself",
      );
    }
    const id = crypto.randomUUID();
    const turn = this.#lineUp(id, session, {
      facts: {},
      isAwaited: input["background"] !== true,
    });
    const rootId = above.at(-1) ?? session;
    // One after another, so that calls of one turn come in their order.
    const made = this.#making.then(async () => {
      caller.signal.throwIfAborted();
      const agent = await this.#agent(String(input["subagent_type"]));
      const { background = agent.background } = input;
      // That it is not waited for was not known when it was lined up.
      const isTooMany = background === true && this.#queue.queued > settings.maxQueued;
      if (isTooMany) throw this.#queueIsFull({});
      return await this.#made({ id, agent, depth, rootId, turn }, input, caller);
    });
    this.#making = made.catch(() => {});
    try {
      return await made;
    } catch (error) {
      this.#queue.leave(id);
      await this.#writers.forget(id);
      throw error;
    }
  }

  async #made(
    { id, agent, depth, rootId, turn }: {
      readonly id: string;
      readonly agent: AgentInfo;
      readonly depth: number;
      readonly rootId: string;
      readonly turn: Turn;
    },
    input: Readonly<Record<string, unknown>>,
    { session, signal }: Caller,
  ): Promise<LiveTask> {
    const { sessions, settings } = this.#ports;
    const asked = input["model"];
    const { model, warning } = chosenModel(typeof asked === "string" ? asked : agent.model);
    const title = String(input["description"]);
    const canWrite = mayWrite(agent, sessions.capabilities(session));
    const place = canWrite
      ? await this.#writers.place({
        id,
        parentId: session,
        agent: agent.id,
        title,
        isBackground: input["background"] === true ||
          (agent.background && input["background"] !== false),
        signal,
      })
      : { notes: [] };
    const { narrowed = [] } = await this.#createChild(
      childSpec({
        id,
        parentId: session,
        depth,
        title,
        agent,
        ...(model === undefined ? {} : { model }),
        ...(place.workspace === undefined ? {} : { workspace: place.workspace }),
      }, settings),
      signal,
    );
    this.tree.follow(id, 0);
    return this.#keep({
      id,
      parentId: session,
      rootId,
      agent: agent.id,
      title,
      ...(agent.color === undefined ? {} : { color: agent.color }),
      canWrite,
      isBackground: agent.background,
      turn,
      notes: [
        ...(warning === undefined ? [] : [warning]),
        ...narrowed.map((each) => `Not as its definition says: ${each}`),
        ...place.notes,
      ],
    });
  }

  /** A server that is asked for its models may be slow; whoever is stopped does not wait for it. */
  async #createChild(spec: ChildSessionSpec, signal: AbortSignal): Promise<ChildSessionInfo> {
    const { sessions } = this.#ports;
    const creating = sessions.create(spec);
    try {
      return await untilAborted(creating, signal);
    } catch (error) {
      if (signal.aborted) {
        creating.then(({ id }) => sessions.setStatus(id, "cancelled")).catch(() => {});
      }
      throw error;
    }
  }

  async #agent(name: string): Promise<AgentInfo> {
    const { agents, notices } = await this.definitions();
    const agent = agents.find(({ id }) => id === name);
    if (agent?.mode === "primary") {
      throw new Refusal(
        `The agent "${name}" only holds conversations of a person; choose another one`,
      );
    }
    if (agent !== undefined) return agent;
    const names = delegates(agents).filter(({ hidden }) => !hidden).map(({ id }) => id);
    const isBroken = notices.some(({ severity, source }) =>
      severity === "error" && (source.endsWith(`/${name}.md`) || source.endsWith(`(${name})`))
    );
    throw new Refusal(
      `There is no agent "${name.slice(0, 80)}"` +
        (isBroken ? ": its definition is broken, as /agents defs says" : "") +
        `; the agents are: ${names.join(", ")}`,
    );
  }

  /** Its place is taken before anything is waited for, so no other call can take it meanwhile. */
  #lineUp(
    id: string,
    parentId: string,
    { facts, isAwaited }: { readonly facts: JsonObject; readonly isAwaited: boolean },
  ): Turn {
    if (this.#queue.isFull(parentId, { isAwaited })) throw this.#queueIsFull(facts);
    return this.#queue.enter({ id, parentId });
  }

  #queueIsFull(facts: JsonObject): Refusal {
    return new Refusal(
      `${this.#queue.queued} tasks wait already, which is the limit: wait until one has ended, ` +
        "then call again",
      facts,
    );
  }

  #keep(
    fields: Pick<
      LiveTask,
      | "id"
      | "parentId"
      | "rootId"
      | "agent"
      | "title"
      | "color"
      | "canWrite"
      | "isBackground"
      | "notes"
      | "turn"
    >,
  ): LiveTask {
    const task: LiveTask = {
      ...fields,
      state: "queued",
      stop: new AbortController(),
      done: Promise.resolve(),
      detached: Promise.withResolvers<void>(),
      waiters: 0,
      isRead: false,
    };
    this.#tasks.delete(task.id);
    this.#tasks.set(task.id, task);
    const finished = [...this.#tasks.keys()].filter((id) => !this.#isLive(id));
    for (const id of finished.slice(0, Math.max(0, finished.length - MAX_FINISHED))) {
      this.#tasks.delete(id);
      this.tree.forget(id);
    }
    return task;
  }

  #begin(task: LiveTask, prompt: string): void {
    if (task.turn.waits) this.#ports.sessions.setStatus(task.id, "queued");
    else task.state = "running";
    const release = this.#ports.sessions.hold?.(task.id);
    task.done = this.#run(task, prompt).then((result) => {
      task.result = result;
      task.state = result.status;
      task.endedAt = Date.now();
      this.#queue.leave(task.id);
      this.#tell(task);
      release?.();
    });
  }

  /** Never throws. */
  async #run(task: LiveTask, prompt: string): Promise<ChildRunResult> {
    const { sessions } = this.#ports;
    const { id, turn, stop: { signal } } = task;
    try {
      await untilAborted(turn.started, signal);
      task.state = "running";
      task.startedAt = Date.now();
      if (!task.canWrite) return await sessions.run(id, prompt, { signal });
      return await this.#runWriter(task, prompt);
    } catch (error) {
      if (task.canWrite) await this.#writers.forget(id);
      const status = signal.aborted ? "cancelled" : "failed";
      try {
        sessions.setStatus(id, status);
      } catch {
        // It runs after all, or its record is lost, which the next look at it says.
      }
      return { id, status, text: "", usage: { input: 0, output: 0 }, error: reasonOf(error) };
    }
  }

  async #runWriter(task: LiveTask, prompt: string): Promise<ChildRunResult> {
    const { sessions } = this.#ports;
    const { id, stop: { signal } } = task;
    const writer = { id, ancestors: sessions.ancestors(id), workspace: sessions.workspace(id) };
    // Whoever waits for other writers holds nobody else up.
    this.#queue.pause(id, id);
    try {
      task.notes.push(...await this.#writers.enter(writer, signal));
    } finally {
      await this.#queue.resume(id, id, signal);
    }
    try {
      return await sessions.run(id, prompt, { signal });
    } finally {
      task.notes.push(...await this.#writers.leave(id));
    }
  }

  /** Waits for the end of a task, or something that comes before; others run in the caller's place. */
  async #waitFor(
    task: LiveTask,
    { session, signal }: Caller,
    others: readonly Promise<void>[],
    { stops = true }: { readonly stops?: boolean } = {},
  ): Promise<void> {
    const isWriter = this.#tasks.get(session)?.canWrite === true;
    task.waiters += 1;
    this.#queue.pause(session, task.id);
    if (isWriter) this.#writers.pause(session);
    try {
      await untilAborted(Promise.race([task.done, ...others]), signal);
    } catch (error) {
      if (stops) this.cancel(task.id);
      throw error;
    } finally {
      task.waiters -= 1;
      if (signal.aborted) this.#tell(task);
      if (isWriter) await this.#writers.resume(session, signal);
      await this.#queue.resume(session, task.id, signal);
    }
  }

  /** Tells the caller of the end of a task that nobody waits for, once. */
  #tell(task: LiveTask): void {
    const { parentId, result, waiters, isBackground, isRead } = task;
    if (result === undefined || waiters > 0 || !isBackground || isRead) return;
    task.isRead = true;
    const { resultMaxBytes: maxBytes } = this.#ports.settings;
    try {
      this.#ports.sessions.enqueue(
        parentId,
        formatNotice(task, result, { maxBytes, notes: task.notes }),
      );
    } catch {
      // Too many messages wait, or the record is lost: task_wait has the report all the same.
    }
  }

  /** Its caller knows of the end, so it is not told again. */
  #read({ id, parentId }: Pick<ChildSessionInfo, "id" | "parentId">): void {
    const task = this.#tasks.get(id);
    if (task !== undefined) task.isRead = true;
    this.#ports.sessions.withdraw?.(parentId, noticeStart(id));
  }

  #report(
    task: Pick<LiveTask, "id" | "agent" | "notes">,
    result: ChildRunResult,
  ): ToolResult {
    const { id, agent, notes } = task;
    const head = { id, agent, state: result.status };
    if (result.status === "completed") {
      const { resultMaxBytes: maxBytes } = this.#ports.settings;
      return textResult(formatReport(head, result, { maxBytes, notes }));
    }
    const facts = {
      ...factsOf(head),
      hint: "Call task with this task_id to let it go on with its history",
      ...(notes.length === 0 ? {} : { notes: [...notes] }),
    };
    return textResult(
      formatFailure(result.error ?? `The task is ${result.status}`, facts),
      true,
    );
  }

  #isLive(id: string): boolean {
    const task = this.#tasks.get(id);
    return task !== undefined && task.result === undefined;
  }

  #info(id: string): ChildSessionInfo {
    const info = this.#ports.sessions.get(id);
    if (info === undefined) throw new Refusal("The task is gone", { task_id: id });
    return info;
  }

  #headOf(id: string): { readonly id: string; readonly agent: string; state: SessionStatus } {
    const { agent, status } = this.#info(id);
    return { id, agent, state: this.#tasks.get(id)?.state ?? status };
  }

  #headFacts(id: string): JsonObject {
    return factsOf(this.#headOf(id));
  }

  #statusOf({ id, title, usage, model }: ChildSessionInfo): JsonObject {
    const task = this.#tasks.get(id);
    return {
      ...this.#headFacts(id),
      title,
      model,
      background: task?.isBackground ?? false,
      tokens: { input: usage.input, output: usage.output },
      ...(this.#isLive(id) ? {} : { next: "task_wait returns its report" }),
    };
  }
}

function factsOf(
  { id, agent, state }: { readonly id: string; readonly agent: string; state: SessionStatus },
): JsonObject {
  return { task_id: id, agent, state };
}

async function answering(work: () => ToolResult | Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await work();
  } catch (error) {
    return refused(error);
  }
}

function refused(error: unknown): ToolResult {
  const facts = error instanceof Refusal ? error.facts : {};
  return textResult(formatFailure(reasonOf(error), facts), true);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
