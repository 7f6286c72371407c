import type { RunEvent } from "@alisio/sdk";
import { visibleName } from "../core/process/visible_text.ts";
import type { Application } from "../core/application.ts";
import { AlisioError } from "../core/errors.ts";
import { settlesWithin } from "../core/process/settles_within.ts";
import type { OpenSession, PromptOptions } from "../core/run/open_session.ts";
import { RunFailedError } from "../core/run/run_error.ts";
import { untilAborted } from "../core/until_aborted.ts";
import type { InterfacePorts, PersonPorts } from "./interface_ports.ts";

/** How long a run may take to stop when the program ends. */
const STOP_MS = 3_000;
/** How long plugins may take to end a session when the program is ended from outside. */
const LEAVE_MS = 1_500;

/** What a conversation tells the screen. */
export interface ConversationPorts extends InterfacePorts {
  /** Who answers for the person. */
  readonly person: PersonPorts;
  /** Sees each event of each run. */
  readonly observe: (event: RunEvent) => void;
  /**
   * Called when a run begins that nobody typed the prompt of.
   *
   * @param display What stands for the prompt.
   */
  readonly onPrompt: (display: string) => void;
  /** A wait for the screen, while it is behind. */
  readonly drained: () => Promise<void> | undefined;
  /**
   * Called when another session is open, or none any more.
   *
   * @param session The session.
   * @param change Whether it is new, stored and opened, or the one before in another application.
   */
  readonly onSession: (session: OpenSession | undefined, change: SessionChange) => void;
}

/** How a session came to be the one that is open; `left` means that there is none. */
export type SessionChange = "new" | "opened" | "reopened" | "left";

/** The application, the session that is open in it, and the prompt that runs in that. */
export class Conversation {
  readonly #ports: ConversationPorts;
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  #application: Application | undefined;
  #session: OpenSession | undefined;
  /** The session in which the person was told about images. */
  #noted: string | undefined;
  #run: AbortController | undefined;
  #running: Promise<unknown> = Promise.resolve();
  /** A prompt that came meanwhile would begin another session. */
  #reopening: Promise<void> | undefined;

  /** @param ports What it tells the screen. */
  constructor(ports: ConversationPorts) {
    this.#ports = ports;
    this.#signal = AbortSignal.any([ports.signal, this.#stop.signal]);
  }

  /** The application, once it is open. */
  get application(): Application | undefined {
    return this.#application;
  }

  /** The session, once one is open. */
  get session(): OpenSession | undefined {
    return this.#session;
  }

  /** Whether a prompt runs, or is being stopped. */
  get isRunning(): boolean {
    return this.#run !== undefined;
  }

  /**
   * Opens the application, and the session that was asked for.
   *
   * @throws {AlisioError} If one of them cannot be opened.
   */
  async open(): Promise<Application> {
    this.#application = await this.#ports.open(this.#ports.person, { signal: this.#signal });
    this.#signal.throwIfAborted();
    if (this.#ports.session !== undefined) {
      await this.#openSession(this.#ports.session, "opened");
    }
    return this.#application;
  }

  /**
   * The session, which begins now where none is open.
   *
   * @throws {AlisioError} If none can begin, or Alisio is still opening.
   */
  async ensureSession(): Promise<OpenSession> {
    const application = this.#application;
    if (application === undefined) {
      throw new AlisioError("usage", "Cannot begin a session: Alisio is still opening; try again");
    }
    return this.#session ?? await this.#newSession(application, this.#signal);
  }

  /**
   * Runs a prompt to its end, or a command of a plugin.
   *
   * @param prompt The prompt.
   * @param rest What goes with it.
   * @returns What a command of a plugin answered; null after a prompt.
   * @throws What the run throws.
   */
  async prompt(
    prompt: string,
    rest: Pick<PromptOptions, "display" | "attachments" | "requestId"> = {},
  ): Promise<string | null> {
    if (this.#reopening !== undefined) await this.#reopening;
    const application = this.#application;
    if (application === undefined || this.#run !== undefined) return null;
    const run = new AbortController();
    this.#run = run;
    const running = this.#prompt(application, prompt, {
      ...rest,
      signal: AbortSignal.any([this.#signal, run.signal]),
    });
    this.#running = running.catch(() => {});
    try {
      return await running;
    } finally {
      this.#run = undefined;
    }
  }

  /**
   * Summarises the older part of the conversation.
   *
   * @param focus What the person wants to be kept in view; may be empty.
   * @returns False where there is no session yet, or something runs.
   * @throws {AlisioError} If the session cannot be summarised.
   */
  async compact(focus: string): Promise<boolean> {
    const session = this.#session;
    if (session === undefined || this.#run !== undefined) return false;
    const run = new AbortController();
    this.#run = run;
    const running = session.compact({
      focus,
      signal: AbortSignal.any([this.#signal, run.signal]),
      observers: [this.#ports.observe],
    });
    this.#running = running.catch(() => {});
    try {
      await running;
    } catch (error) {
      // Its last event says that it was stopped.
      if (!run.signal.aborted) throw error;
    } finally {
      this.#run = undefined;
    }
    return true;
  }

  /** Stops what runs. */
  interrupt(): void {
    this.#run?.abort(new Error("Stopped by the person"));
  }

  /**
   * Leaves the session, and goes on in another one.
   *
   * @param id The session; a new one begins with the next prompt otherwise.
   * @param options Whether the person comes back to the session at once, so that it is not at its
   * end, and no plugin hears of one.
   * @throws {AlisioError} If it cannot be opened; the one before stays open then.
   */
  async switchSession(
    id?: string,
    { comesBack = false }: { readonly comesBack?: boolean } = {},
  ): Promise<void> {
    const before = this.#session;
    if (id === undefined) {
      this.#session = undefined;
      this.#ports.onSession(undefined, "left");
    } else await this.#openSession(id, "opened");
    if (before === undefined) return;
    this.#noteAgents(before);
    await (comesBack ? before.close() : this.#leave(before, this.#signal));
  }

  /** They go on, and their questions come, wherever the person is. */
  #noteAgents({ id }: OpenSession): void {
    const { children } = this.#application ?? {};
    const count = children?.live().filter((child) => children.ancestors(child.id).includes(id))
      .length ?? 0;
    if (count === 0 || this.#session?.id === id) return;
    const what = count === 1 ? "An agent goes" : `${count} agents go`;
    this.#ports.person.onNotice(
      `${what} on in the session before; /resume ${id.slice(0, 8)} comes back to it`,
    );
  }

  /**
   * Opens the application anew, and goes on in the session.
   *
   * @param overrides What is changed beside what files say.
   * @throws {AlisioError} If it cannot be opened; the one before goes on then.
   */
  async reopen(overrides: { readonly model?: string } = {}): Promise<void> {
    const reopening = this.#reopen(overrides);
    this.#reopening = reopening.catch(() => {});
    try {
      await reopening;
    } finally {
      this.#reopening = undefined;
    }
  }

  async #reopen(overrides: { readonly model?: string }): Promise<void> {
    await this.#assertNoTasks();
    const next = await this.#ports.open(this.#ports.person, { ...overrides, signal: this.#signal });
    const before = this.#application;
    const session = this.#session;
    this.#application = next;
    this.#session = undefined;
    await session?.close();
    try {
      if (session !== undefined) await this.#openSession(session.id, "reopened");
    } catch (error) {
      this.#application = before;
      if (session !== undefined) await this.#openSession(session.id, "reopened");
      await next.close();
      throw error;
    }
    await before?.close();
  }

  /** They would end with the application. */
  async #assertNoTasks(): Promise<void> {
    const agents = this.#application?.children?.live().length ?? 0;
    if (agents > 0) {
      const what = agents === 1 ? "an agent works" : `${agents} agents work`;
      throw new AlisioError(
        "usage",
        `Cannot open Alisio anew: ${what}, and would be stopped; wait for the end, or stop with ` +
          "/agents cancel",
      );
    }
    if (this.#application?.hasTasks !== true) return;
    const count = (await this.#application.tasks()).live().length;
    if (count === 0) return;
    const what = count === 1 ? "a background task runs" : `${count} background tasks run`;
    throw new AlisioError(
      "usage",
      `Cannot open Alisio anew: ${what}, and would be stopped; wait for the end, or stop with /tasks`,
    );
  }

  /** Stops what runs and closes everything, within bounds. */
  async close(): Promise<void> {
    this.#stop.abort(new Error("The person left"));
    await settlesWithin(this.#running, STOP_MS);
    const session = this.#session;
    this.#session = undefined;
    const { signal } = this.#ports;
    const end = signal.aborted ? AbortSignal.timeout(LEAVE_MS) : signal;
    if (session !== undefined) await this.#leave(session, end);
    await this.#application?.close();
  }

  async #prompt(
    application: Application,
    prompt: string,
    { signal, ...rest }: Pick<PromptOptions, "display" | "attachments" | "requestId" | "signal">,
  ): Promise<string | null> {
    this.#ports.assertFits(prompt, application);
    const sessionId = this.#session?.id;
    const answer = await application.runCommand(prompt, {
      signal,
      ...(sessionId === undefined ? {} : { sessionId }),
    });
    if (answer !== null) return answer.text;
    const session = this.#session ?? await this.#newSession(application, signal);
    if ((rest.attachments ?? []).length > 0) this.#noteImages(session);
    const options = {
      signal,
      observers: [this.#ports.observe],
      drained: this.#ports.drained,
    };
    const failure = await session.run(prompt, { ...rest, ...options }).then(() => null, keepGoing);
    const plan = await application.takeApprovedPlan(session.id);
    if (plan === null && failure !== null) throw failure;
    if (plan === null) return null;
    this.#ports.onPrompt(plan.display);
    const { prompt: approved, display, requestId } = plan;
    await session.run(approved, { ...options, display, requestId });
    return null;
  }

  /** Once for each session: the model may well take them. */
  #noteImages({ id, model, takesImages }: OpenSession): void {
    if (takesImages !== undefined || this.#noted === id) return;
    this.#noted = id;
    const name = visibleName(model);
    this.#ports.person.onNotice(`The server does not say whether ${name} takes images; it is sent`);
  }

  async #newSession(application: Application, signal: AbortSignal): Promise<OpenSession> {
    const session = await untilAborted(application.createSession({ signal }), signal);
    return this.#enter(session, "new");
  }

  async #openSession(id: string, change: SessionChange): Promise<void> {
    const signal = this.#signal;
    const opening = this.#application?.openSession(id, { signal });
    if (opening !== undefined) this.#enter(await untilAborted(opening, signal), change);
  }

  #enter(session: OpenSession, change: SessionChange): OpenSession {
    this.#session = session;
    this.#ports.onSession(session, change);
    return session;
  }

  async #leave(session: OpenSession, signal: AbortSignal): Promise<void> {
    await this.#application?.leaveSession(session, signal);
    await session.close();
  }
}

/** A run may fail after its plan was approved; where the session is lost, that is all. */
function keepGoing(error: unknown): RunFailedError {
  if (error instanceof RunFailedError && error.isResumable) return error;
  throw error;
}
