import type { Application } from "../../core/application.ts";
import { AlisioError, errorMessage } from "../../core/errors.ts";
import { visibleLines, visibleName } from "../../core/process/visible_text.ts";
import type { ApprovalChannel } from "../../core/gate/approval.ts";
import type { CompactionOutcome } from "../../core/compaction/compactor.ts";
import type { ImplementationPrompt } from "../../core/plan/implementation_prompt.ts";
import type { RunResult } from "../../core/run/run_ports.ts";
import type { OpenSession } from "../../core/run/open_session.ts";
import { RunCancelledError, RunFailedError } from "../../core/run/run_error.ts";
import { withoutQuestionMark } from "../../core/text/question_mark.ts";
import type { QuestionAsker } from "../../core/tools/user_question.ts";
import { untilAborted } from "../../core/until_aborted.ts";
import { VERSION } from "../../core/version.ts";
import { assertPromptFits } from "../assert_prompt_fits.ts";
import type { CommandContext } from "../command_context.ts";
import { EXIT_STATUS, SignalError } from "../exit_status.ts";
import { openApplication } from "../open_application.ts";
import { createTextFrontEnd } from "../text_front_end.ts";
import { createTerminalChannel } from "./terminal_channel.ts";
import { type CommandTarget, isCommand, LINE_COMMAND_NAMES, runCommand } from "./commands.ts";
import { confirm, type DialoguePorts } from "./dialogue.ts";
import { Keyboard } from "./keyboard.ts";
import { createQuestionAsker } from "./question_asker.ts";
import { type LineAnswer, readLine } from "./read_line.ts";
import { Screen } from "./screen.ts";
import { showsStartupScreen, startupFacts } from "./startup.ts";
import type { Terminal } from "./terminal.ts";

/** How long nothing may be typed before a question takes an answer. */
const QUIET_MS = 300;
/** How long plugins may take to end a session where a signal ends the program. */
const HURRIED_LEAVE_MS = 1_500;
/** How long they may take without a word. */
const SILENT_LEAVE_MS = 1_000;
const MAX_HISTORY = 500;
const PROMPT = "› ";

const BRACKETED_PASTE_ON = "\x1b[?2004h";
const BRACKETED_PASTE_OFF = "\x1b[?2004l";

/** What a conversation is held with. */
export interface ConversationOptions {
  readonly terminal: Terminal;
  /** The session to go on with; a new one begins with the first prompt otherwise. */
  readonly session?: string;
  /** @default QUIET_MS */
  readonly quietMs?: number;
}

/**
 * Holds a conversation in lines: prompt, answer, prompt, with the person asked where a call needs
 * it, until they leave.
 *
 * @param context What the command was called with.
 * @param options What it is held with.
 * @returns The exit status.
 * @throws {AlisioError} If the application or the session cannot be opened.
 * @throws The reason of the context's signal, if that aborts.
 */
export async function holdConversation(
  context: CommandContext,
  options: ConversationOptions,
): Promise<number> {
  const { terminal } = options;
  const screen = new Screen(context.output);
  terminal.setRaw(true);
  if (terminal.hasSequences) screen.print(BRACKETED_PASTE_ON);
  try {
    return await new Conversation(context, screen, options).hold();
  } finally {
    screen.freshLine();
    if (terminal.hasSequences) screen.print(BRACKETED_PASTE_OFF);
    await screen.flush();
    terminal.setRaw(false);
  }
}

class Conversation {
  readonly #context: CommandContext;
  readonly #ports: DialoguePorts;
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  readonly #history: string[] = [];
  /** The session that was asked for, until another one begins. */
  #sessionId: string | undefined;
  #application: Application | undefined;
  #session: OpenSession | undefined;
  #isReading = false;
  /** Has the line that is read wait for a question. */
  #pause: AbortController | undefined;
  /** Questions of agents that work while a line is read. */
  readonly #asked = new Set<Promise<unknown>>();
  /** What Ctrl+C stops, while no line is read. */
  #running: AbortController = this.#stop;

  constructor(context: CommandContext, screen: Screen, options: ConversationOptions) {
    const { terminal, quietMs = QUIET_MS } = options;
    const keyboard = new Keyboard(terminal);
    this.#signal = AbortSignal.any([context.signal, this.#stop.signal]);
    this.#sessionId = options.session;
    this.#context = {
      ...context,
      output: screen,
      out: (text) => screen.out(text),
      err: (text) => screen.err(text),
      signal: this.#signal,
    };
    this.#ports = { terminal, keyboard, screen, quietMs, interrupt: () => this.#interrupt() };
    keyboard.onInterrupt = () => this.#interrupt();
  }

  async hold(): Promise<number> {
    void this.#ports.keyboard.listen();
    const application = await openApplication(this.#context, {
      approve: this.#approvals(),
      ask: this.#asker(),
      taskEnds: "untold",
    });
    this.#application = application;
    await this.#watchChildren(application);
    try {
      if (this.#sessionId !== undefined) await this.#openSession(application);
      await this.#greet(application);
      const status = await this.#talk(application);
      this.#signal.throwIfAborted();
      return status;
    } finally {
      const session = this.#session;
      if (session !== undefined) await this.#leave(application, session);
      const say = (text: string) => this.#context.err(text);
      if (session !== undefined && application.hasBackgroundWork) {
        const { stopLeftoverAgents } = await import("../leftover_tasks.ts");
        stopLeftoverAgents(application, session.id, say, "with the conversation");
      }
      if (application.hasTasks) {
        const { stopLeftoverTasks } = await import("../leftover_tasks.ts");
        await stopLeftoverTasks(application, say, "with the conversation");
      }
      await application.close();
      const id = session?.id;
      if (id !== undefined) this.#hint(`The session is kept: alisio resume ${id.slice(0, 8)}`);
    }
  }

  /** Gives plugins their time, which Ctrl+C cuts short. */
  async #leave(application: Application, session: OpenSession): Promise<void> {
    const leaving = new AbortController();
    this.#running = leaving;
    const end = this.#signal.aborted ? AbortSignal.timeout(HURRIED_LEAVE_MS) : this.#signal;
    const timer = setTimeout(
      () => this.#hint("Plugins end their part of the session; Ctrl+C leaves at once"),
      SILENT_LEAVE_MS,
    );
    await application.leaveSession(session, AbortSignal.any([leaving.signal, end]));
    clearTimeout(timer);
  }

  async #talk(application: Application): Promise<number> {
    let wantsToLeave = false;
    while (true) {
      const answer = await this.#readPrompt();
      if (answer.kind === "end" || answer.kind === "paused") return EXIT_STATUS.completed;
      if (answer.kind === "interrupt") {
        if (answer.typed === "" && wantsToLeave) return EXIT_STATUS.completed;
        wantsToLeave = answer.typed === "";
        if (wantsToLeave) this.#hint("Press Ctrl+C again to leave");
        continue;
      }
      wantsToLeave = false;
      const text = answer.text.trim();
      if (text === "") continue;
      // What stands for a paste means nothing in another line.
      if (answer.typed === answer.text) this.#remember(answer.text);
      const isPrompt = !isCommand(text) || await isTemplate(application, text);
      if (isPrompt) await this.#run(application, text);
      else if (await runCommand(text, this.#target(application)) === "leave") {
        return EXIT_STATUS.completed;
      }
      if (this.#signal.aborted) return EXIT_STATUS.completed;
    }
  }

  async #readPrompt(): Promise<LineAnswer> {
    let draft = "";
    while (true) {
      // A question that is still open comes first: there is one keyboard.
      while (this.#asked.size > 0) await Promise.allSettled(this.#asked);
      await this.#ports.screen.alone(() => Promise.resolve());
      // One may have come meanwhile.
      if (this.#asked.size > 0) continue;
      const answer = await this.#readLine(draft + this.#ports.keyboard.takeDraft());
      if (answer.kind !== "paused") return answer;
      draft = answer.typed;
    }
  }

  async #readLine(draft: string): Promise<LineAnswer> {
    const pause = new AbortController();
    this.#pause = pause;
    this.#isReading = true;
    // A notice must not be printed into the line.
    const release = this.#ports.screen.hold();
    try {
      return await readLine(this.#ports, {
        prompt: PROMPT,
        signal: this.#signal,
        pause: pause.signal,
        history: this.#history,
        draft,
      });
    } finally {
      release();
      this.#isReading = false;
      this.#pause = undefined;
    }
  }

  /** While the person writes a prompt, no plugin and no server takes the keyboard from them. */
  #asker(): QuestionAsker {
    const ask = createQuestionAsker(this.#ports);
    return async (questions, call) =>
      (call.plugin !== undefined || call.server !== undefined) && this.#isReading
        ? []
        : await this.#beforeLine(() => ask(questions, call));
  }

  #approvals(): ApprovalChannel {
    const channel = createTerminalChannel({ ...this.#ports, place: () => this.#place() });
    return {
      ...channel,
      ask: (question, options) => this.#beforeLine(() => channel.ask(question, options)),
    };
  }

  /** Agents in the background ask whenever they have to: the line that is written waits for that. */
  async #beforeLine<T>(ask: () => Promise<T>): Promise<T> {
    const asking = ask();
    this.#asked.add(asking);
    this.#pause?.abort();
    try {
      return await asking;
    } finally {
      this.#asked.delete(asking);
    }
  }

  async #watchChildren(application: Application): Promise<void> {
    if (application.children === undefined) return;
    const { watchChildren } = await import("../watch_children.ts");
    watchChildren(application, this.#ports.screen, {
      json: false,
      quiet: this.#context.flags.quiet,
    });
  }

  async #run(application: Application, prompt: string): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    const signal = AbortSignal.any([this.#signal, running.signal]);
    const { screen } = this.#ports;
    try {
      assertPromptFits(prompt, application.loaded.configuration.limits.maxContextChars);
      const sessionId = this.#session?.id;
      const answer = await application.runCommand(prompt, {
        signal,
        ...(sessionId === undefined ? {} : { sessionId }),
      });
      if (answer !== null) return this.#context.out(`${visibleLines(answer.text)}\n`);
      const { maxContextChars } = application.loaded.configuration.limits;
      const expanded = await application.expandPrompt(prompt, LINE_COMMAND_NAMES);
      if (expanded !== null) assertPromptFits(expanded.text, maxContextChars);
      const session = this.#session ?? await this.#openSession(application, signal);
      const { quiet } = this.#context.flags;
      const options = {
        signal,
        observers: [createTextFrontEnd(screen, { quiet, isOneOfMany: true })],
        drained: () => screen.drained(),
      };
      const result = await this.#runWithPlan(
        application,
        session,
        (plan) =>
          session.run(plan?.prompt ?? expanded?.text ?? prompt, {
            ...options,
            ...(plan === null ? { display: prompt } : plan),
          }),
      );
      if (result.status !== "completed") {
        this.#hint("Stopped at the turn limit; write what to go on with, such as: continue");
      }
    } catch (error) {
      this.#report(error, signal);
    } finally {
      this.#running = this.#stop;
    }
  }

  /** A plan that was approved in a run is implemented in the next, at once. */
  async #runWithPlan(
    application: Application,
    session: OpenSession,
    run: (plan: ImplementationPrompt | null) => Promise<RunResult>,
  ): Promise<RunResult> {
    const made = await run(null).catch((error) => {
      if (error instanceof RunFailedError && error.isResumable) return error;
      throw error;
    });
    const plan = await application.takeApprovedPlan(session.id);
    if (plan !== null) {
      this.#context.err(`${visibleLines(plan.display)}\n`);
      return await run(plan);
    }
    if (made instanceof RunFailedError) throw made;
    return made;
  }

  /** Ctrl+C stops it, which is said like the end of a run. */
  async #compact(focus: string): Promise<CompactionOutcome | "stopped" | null> {
    if (this.#session === undefined) return null;
    const running = new AbortController();
    this.#running = running;
    const signal = AbortSignal.any([this.#signal, running.signal]);
    this.#hint("Summarising the older part of the conversation; Ctrl+C stops it");
    try {
      return await this.#session.compact({ focus, signal, observers: [] });
    } catch (error) {
      this.#report(error, signal);
      return "stopped";
    } finally {
      this.#running = this.#stop;
    }
  }

  async #askAside(application: Application, question: string): Promise<string | "stopped" | null> {
    const session = this.#session;
    if (session === undefined) return null;
    const questions = await application.sideQuestions();
    const { id: sessionId, model } = session;
    if (question === "") return questions.list(sessionId).at(-1)?.answer ?? null;
    const running = new AbortController();
    this.#running = running;
    const signal = AbortSignal.any([this.#signal, running.signal]);
    try {
      return (await questions.ask(question, { sessionId, model, signal })).answer;
    } catch (error) {
      this.#report(error, signal);
      return "stopped";
    } finally {
      this.#running = this.#stop;
    }
  }

  async #leaveSession(application: Application): Promise<boolean> {
    const session = this.#session;
    this.#sessionId = undefined;
    this.#session = undefined;
    if (session === undefined) return false;
    await this.#leave(application, session);
    this.#running = this.#stop;
    await session.close();
    return true;
  }

  /** Says what became of a prompt. What nothing can be done about ends the conversation. */
  #report(error: unknown, signal: AbortSignal): void {
    if (this.#signal.aborted) return;
    const isOver = error instanceof RunFailedError || error instanceof RunCancelledError
      ? !error.isResumable
      : !(error instanceof AlisioError) && error !== signal.reason;
    if (isOver) throw error;
    this.#context.err(`alisio: ${visibleLines(errorMessage(error))}\n`);
  }

  async #openSession(
    application: Application,
    signal: AbortSignal = this.#signal,
  ): Promise<OpenSession> {
    const id = this.#sessionId;
    this.#session = await untilAborted(
      id === undefined
        ? application.createSession({ signal })
        : application.openSession(id, { signal }),
      signal,
    );
    return this.#session;
  }

  /** Ctrl+C stops the run at hand; while nothing can be asked yet, it ends the program. */
  #interrupt(): void {
    this.#running.abort(
      this.#running === this.#stop ? new SignalError("SIGINT") : new Error("Stopped by Ctrl+C"),
    );
  }

  async #greet(application: Application): Promise<void> {
    const { env, flags } = this.#context;
    const { screen, terminal } = this.#ports;
    if (showsStartupScreen({ env, flags })) {
      const model = this.#session?.model;
      const facts = startupFacts(application, {
        env,
        terminal,
        ...(model === undefined ? {} : { model }),
      });
      for (const line of await application.startupScreen(facts)) {
        screen.print(`${withoutQuestionMark(line)}\n`);
      }
    } else this.#hint(`Alisio ${VERSION} in ${visibleName(application.workspace)}`);
    this.#hint("Write what you want done; /help shows more, Ctrl+D leaves");
  }

  #hint(text: string): void {
    if (!this.#context.flags.quiet) this.#context.err(`${text}\n`);
  }

  #place() {
    const { workspace = "", roots = [] } = this.#application ?? {};
    const sandbox = this.#application?.sandboxBackend() ?? null;
    return { workspace, roots, env: this.#context.env, sandbox };
  }

  #target(application: Application): CommandTarget {
    return {
      pluginCommands: () => application.pluginCommands(),
      tools: () => application.gate.status(this.#session?.id ?? ""),
      say: (text) => this.#context.out(`${visibleLines(text)}\n`),
      permissions: application,
      compact: (focus) => this.#compact(focus),
      askAside: (question) => this.#askAside(application, question),
      leaveSession: () => this.#leaveSession(application),
      showPlans: async (words) => {
        const { plansText } = await import("./plan_command.ts");
        const text = await plansText(words, {
          store: application.store,
          sessionId: this.#session?.id,
          hasColour: this.#ports.terminal.hasColour,
        });
        this.#context.out(`${text}\n`);
      },
      showTasks: async (words) => {
        const { tasksText } = await import("./task_command.ts");
        const text = await tasksText(words, { application, sessionId: this.#session?.id });
        this.#context.out(`${visibleLines(text)}\n`);
      },
      mcpServers: async () => {
        const { formatServers, overviewOf } = await import("../../core/mcp/describe_mcp.ts");
        return formatServers(overviewOf(application));
      },
      runGoal: (argument) => this.#runGoal(application, argument),
      runAgents: (argument) => this.#run(application, `/command agents ${argument}`),
      confirm: (question) => this.#confirm(question),
    };
  }

  /** Ctrl+C pauses it. */
  async #runGoal(application: Application, argument: string): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    const signal = AbortSignal.any([this.#signal, running.signal]);
    try {
      const { runGoalLine } = await import("./goal_command.ts");
      await runGoalLine(argument, {
        context: { ...this.#context, signal },
        application,
        session: this.#session,
        openSession: () => this.#openSession(application, signal),
        confirm: (question) => this.#confirm(question),
        say: (text) => this.#context.out(`${visibleLines(text)}\n`),
      });
    } catch (error) {
      this.#report(error, signal);
    } finally {
      this.#running = this.#stop;
    }
  }

  async #confirm(question: string): Promise<boolean> {
    // Ctrl+C is a no here: there is no run to stop.
    const ports = { ...this.#ports, interrupt: () => {} };
    return await ports.screen.alone(() => confirm(ports, question, this.#signal));
  }

  #remember(line: string): void {
    if (this.#history[0] !== line) this.#history.unshift(line);
    this.#history.length = Math.min(this.#history.length, MAX_HISTORY);
  }
}

/** Whether a line that looks like a command is a prompt of the person's own, by its name. */
async function isTemplate(application: Application, line: string): Promise<boolean> {
  const [name = ""] = line.slice(1).split(/\s/);
  if (LINE_COMMAND_NAMES.includes(name)) return false;
  const { templates } = await application.listPromptTemplates(LINE_COMMAND_NAMES);
  return templates.some((template) => template.name === name);
}
