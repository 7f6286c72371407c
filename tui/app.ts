import type { ImagePart, KnownRunEventType, RunEvent } from "@alisio/sdk";
import type { Application } from "../core/application.ts";
import { AlisioError, errorMessage } from "../core/errors.ts";
import type { OpenSession } from "../core/run/open_session.ts";
import { RunCancelledError, RunFailedError } from "../core/run/run_error.ts";
import { resolveWorkspace } from "../core/workspace.ts";
import { AppKeys } from "./app_keys.ts";
import { createCommandTable } from "./commands/command_table.ts";
import { parseCommandLine, runCommandLine } from "./commands/run_command_line.ts";
import type { CommandTable } from "./commands/slash_command.ts";
import { Conversation, type SessionChange } from "./conversation.ts";
import { createPromptEditor } from "./editor/create_prompt_editor.ts";
import type { PromptEditor, Submission } from "./editor/prompt_editor.ts";
import { GoalDriver } from "./goals/goal_driver.ts";
import type { InterfacePorts } from "./interface_ports.ts";
import { applyKeys } from "./keys/apply_keys.ts";
import { CurrentKeyMap } from "./keys/current_key_map.ts";
import { createKeyMap } from "./keys/key_map.ts";
import type { Panel } from "./panels/panel.ts";
import { PanelStack } from "./panels/panel_stack.ts";
import { personCall } from "./questions/person_call.ts";
import { createQuestions } from "./questions/create_questions.ts";
import { AlternateScreen } from "./screen/alternate_screen.ts";
import { ForeignOutput } from "./screen/foreign_output.ts";
import { FrameGuard } from "./screen/frame_guard.ts";
import { headerRows } from "./screen/header_rows.ts";
import { InlineScreen } from "./screen/inline_screen.ts";
import { ScreenLife } from "./screen/screen_life.ts";
import { ScreenRoot, type Size } from "./screen/screen_root.ts";
import { ScreenTerminal } from "./screen/screen_terminal.ts";
import { statusBar } from "./screen/status_bar.ts";
import { statusRow } from "./screen/status_row.ts";
import type { StatusFacts } from "./screen/status_facts.ts";
import { StatusTracker } from "./screen/status_tracker.ts";
import type { NoticeKind, Stage } from "./stage.ts";
import { chooseTheme } from "./screen/choose_theme.ts";
import { createTheme, CurrentTheme } from "./theme/create_theme.ts";
import { askBackground } from "./theme/background_colour.ts";
import { answersQueries, terminalLook } from "./theme/terminal_look.ts";
import type { Theme } from "./theme/theme.ts";
import type { Transcript } from "./transcript/transcript.ts";
import { TranscriptView } from "./transcript/transcript_view.ts";
import { TaskWatch } from "./tasks/task_watch.ts";
import { ChildWatch } from "./trees/child_watch.ts";
import { PluginTrees } from "./trees/plugin_trees.ts";
import type { SessionView } from "./trees/session_view.ts";
import { WaitingPrompts } from "./waiting_prompts.ts";

/** What stays on the terminal after the screen was left. */
const MAX_PRINTED_ROWS = 2_000;
/** What goes into the scrollback of a terminal when a session is opened again. */
const MAX_PRINTED_MESSAGES = 200;
/** How often elapsed times are drawn anew. */
const TICK_MS = 1_000;
/** How long it may take to leave before somebody says why. */
const SILENT_LEAVE_MS = 1_000;
/** Errors after which nothing was sent, so that the prompt stays where it can be sent again. */
const NEVER_SENT: ReadonlySet<string> = new Set(["attachment_invalid", "provider_not_configured"]);
/** Events of what streams, of which there are many. */
const STREAMS: ReadonlySet<string> = new Set<KnownRunEventType>([
  "text_delta",
  "reasoning_delta",
  "tool_progress",
]);
const USUAL_PADDING = { paddingX: 1, contentPaddingX: 2 } as const;

/** The terminal interface, from its first frame to its last. */
export class App implements Stage {
  readonly theme: CurrentTheme;
  readonly keys = new CurrentKeyMap(createKeyMap().keys);
  readonly panels: PanelStack;
  readonly env: Readonly<Record<string, string>>;
  readonly #ports: InterfacePorts;
  readonly #terminal: ScreenTerminal;
  readonly #screen: AlternateScreen | InlineScreen;
  readonly #life: ScreenLife;
  readonly #root: ScreenRoot;
  readonly #transcript: Transcript;
  readonly #editor: PromptEditor;
  readonly #commands = createCommandTable(this);
  readonly #conversation: Conversation;
  readonly #status: StatusTracker;
  readonly #waiting = new WaitingPrompts();
  readonly #tasks = new TaskWatch({
    application: () => this.#conversation.application,
    idleSession: () =>
      this.isRunning() || this.panels.questions > 0 ? undefined : this.session()?.id,
    send: ({ prompt, display }) => this.#send(prompt, display, { attachments: [] }),
  });
  readonly #children = new ChildWatch({
    observe: (event) => this.#observeChild(event),
    drained: () => this.#drained(),
  });
  readonly #trees = new PluginTrees({
    application: () => this.#conversation.application,
    sessionId: () => this.session()?.id,
    waiting: () => this.#children.waiting,
    isRunning: () => this.isRunning(),
    keys: this.keys,
    redraw: () => this.redraw(),
    view: (sessionId) => this.#viewSession(sessionId),
    confirm: (title, yes) => this.#confirm(title, yes),
    hint: (text) => this.#answerKey(text),
  });
  /** The session that is looked at. */
  #view: SessionView | undefined;
  readonly #goal: GoalDriver;
  readonly #left = Promise.withResolvers<void>();
  readonly #greeted = Promise.withResolvers<void>();
  /** Settles when the first frame is on its way: whatever else is loaded has to wait for it. */
  readonly #drawn = Promise.withResolvers<void>();
  readonly #opened: Promise<Application>;
  /** Ends with the last change of agents that a key asked for. */
  #agentChange = Promise.resolve();
  #panel: Panel | undefined;
  /** As the terminal says, once it did. */
  #background: "dark" | "light" | undefined;

  /** @param ports What it gets from the command line. */
  constructor(ports: InterfacePorts) {
    const { env, cwd, first } = ports;
    this.#ports = ports;
    this.env = env;
    this.theme = new CurrentTheme(createTheme(terminalLook(env)));
    applyKeys(this.keys);
    this.#terminal = new ScreenTerminal({ env, input: first.input, onGone: () => this.exit() });
    this.panels = new PanelStack({
      show: (panel) => this.#showPanel(panel),
      rows: () => this.#root.panelRows(),
      redraw: () => this.redraw(),
    });
    this.#transcript = this.#createTranscript();
    this.#editor = createPromptEditor({
      stage: this,
      workspace: workspaceOf(cwd),
      keys: this.keys,
      commands: () => this.#conversation.application === undefined ? NO_COMMANDS : this.#commands,
      size: () => this.#size(),
      redraw: () => this.redraw(),
      onSubmit: (submission) => void this.#take(submission),
    });
    const keys = this.#createKeys();
    this.#root = new ScreenRoot({
      header: (size) => headerRows(this.#status.facts(), this.theme, size),
      transcript: this.#transcript,
      above: (columns) => [
        ...this.#goal.rows(this.theme, columns),
        ...this.#waiting.rows(this.theme, { columns, key: this.keys.label("cursorUp") }),
        ...this.#editor.attachments(),
      ],
      panel: () => this.#panel,
      isQuestion: () => this.panels.shown === "question",
      border: (width) => this.theme.paint("border", this.theme.glyph("horizontal").repeat(width)),
      editor: this.#editor,
      isAside: () => this.#trees.isFocused,
      footer: (columns) => [
        ...this.#trees.rows(this.theme, { columns, rows: this.#size().rows }),
        statusRow(this.#status.facts(), this.theme, columns),
        statusBar(this.#facts(), this.theme, columns),
      ],
      size: () => this.#size(),
      paddingX: () => this.#padding().paddingX,
      takeKey: (data) => keys.take(data),
      takeBesidePanel: (data) => keys.takeBesidePanel(data),
    });
    const isAlternate = first.setting === "alternate";
    const guard = new FrameGuard({
      again: () => this.redraw(),
      giveUp: (error) => this.#left.reject(error),
    });
    this.#screen = isAlternate
      ? new AlternateScreen(this.#terminal, guard, { mouse: true })
      : new InlineScreen(this.#terminal, guard, this.#root);
    this.#life = new ScreenLife(
      this.#screen,
      this.#terminal,
      new ForeignOutput((text) => this.say(text, "warning")),
      isAlternate,
      () => this.#panel?.comesBack?.(),
    );
    this.#conversation = this.#createConversation();
    this.#goal = this.#createGoalDriver();
    this.#status = new StatusTracker({ cwd, env, conversation: this.#conversation });
    this.#opened = this.#drawn.promise.then(() => this.#conversation.open());
    this.#opened.catch(() => {});
  }

  get application(): Application {
    const { application } = this.#conversation;
    if (application === undefined) {
      throw new AlisioError("usage", "Cannot do that yet: Alisio is still opening; try again");
    }
    return application;
  }

  /** Shows the screen until the person leaves, then prints the conversation. */
  async run(): Promise<void> {
    const { signal, first } = this.#ports;
    const stop = (): void => this.#left.reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    this.#screen.addChild(this.#root);
    this.#screen.setFocus(this.#root);
    first.handOver();
    this.#life.open();
    void this.#learnBackground();
    setTimeout(() => this.#drawn.resolve());
    const timer = setInterval(() => this.#tick(), TICK_MS);
    try {
      void this.#greet();
      await this.#left.promise;
    } finally {
      signal.removeEventListener("abort", stop);
      clearInterval(timer);
      await this.#leave();
    }
  }

  session(): OpenSession | undefined {
    return this.#conversation.session;
  }

  async ensureSession(): Promise<OpenSession> {
    return await this.#conversation.ensureSession();
  }

  goalChanged(): void {
    this.#goal.look();
  }

  isRunning(): boolean {
    return this.#conversation.isRunning;
  }

  say(text: string, kind: NoticeKind = "info", topic?: string): void {
    this.#transcript.addNotice(text, kind, topic);
  }

  sayMarkdown(text: string): void {
    this.#transcript.addMarkdown(text);
  }

  async submit(prompt: string, display: string = prompt): Promise<void> {
    await this.#submit(prompt, display);
  }

  async #submit(prompt: string, display: string, requestId?: string): Promise<void> {
    await this.#opened;
    // The conversation begins with the startup screen, however early somebody types.
    await this.#greeted.promise;
    // Who was chosen before the prompt is who it is for.
    await this.#agentChange;
    if (this.isRunning()) {
      // A turn of a goal that is not run is claimed again when its time has come.
      if (requestId === undefined) this.#waiting.add({ prompt, display });
      return this.redraw();
    }
    await this.#send(prompt, display, {
      attachments: requestId === undefined ? this.#editor.takeImages() : [],
      ...(requestId === undefined ? {} : { requestId }),
    });
  }

  async #send(
    prompt: string,
    display: string,
    { attachments, requestId }: {
      readonly attachments: readonly ImagePart[];
      /** Of a turn of the goal. */
      readonly requestId?: string;
    },
  ): Promise<void> {
    this.#transcript.addPrompt(withImages(display, attachments.length));
    this.#transcript.scrollToEnd();
    this.#status.begin();
    this.redraw();
    let isDone = false;
    try {
      const answer = await this.#conversation.prompt(prompt, {
        display,
        attachments,
        ...(requestId === undefined ? {} : { requestId }),
      });
      if (answer !== null) this.say(answer);
      isDone = true;
    } catch (error) {
      if (error instanceof AlisioError && NEVER_SENT.has(error.code)) {
        this.#editor.putImagesBack(attachments);
        // What nobody typed is not given back.
        if (this.draft() === "" && requestId === undefined) this.setDraft(prompt);
      }
      if (await this.#lacksProvider(error)) {
        this.say("No model is connected yet: /connect chooses one", "error");
      } else this.#report(error);
    } finally {
      this.#status.end();
      this.#goOn(isDone);
      this.redraw();
    }
  }

  async compact(focus: string): Promise<void> {
    await this.#opened;
    this.#status.begin();
    this.redraw();
    let isDone = false;
    try {
      if (!await this.#conversation.compact(focus)) this.say("There is nothing to summarise yet");
      isDone = true;
    } catch (error) {
      this.#report(error);
    } finally {
      this.#status.end();
      this.#goOn(isDone);
      this.redraw();
    }
  }

  interrupt(): void {
    this.#conversation.interrupt();
  }

  async switchSession(id?: string, options?: { readonly comesBack: boolean }): Promise<void> {
    await this.#conversation.switchSession(id, options);
  }

  async reopen(overrides?: { readonly model?: string }): Promise<void> {
    await this.#conversation.reopen(overrides);
    await this.#dress();
  }

  async copy(text: string): Promise<string> {
    const { copyText } = await import("./clipboard/copy_text.ts");
    return await copyText(text, {
      env: this.env,
      exclude: [workspaceOf(this.#ports.cwd)],
      write: (sequence) => this.#terminal.write(sequence),
    });
  }

  async compareTexts(before: string, after: string): Promise<readonly string[]> {
    return await this.#ports.compareTexts(before, after);
  }

  lastAnswer(): string | undefined {
    return this.#transcript.lastAnswer();
  }

  draft(): string {
    return this.#editor.text();
  }

  setDraft(text: string): void {
    this.#editor.setText(text);
    this.redraw();
  }

  redraw(): void {
    this.#screen.requestRender();
  }

  async leaveScreen(use: () => Promise<void>): Promise<void> {
    await this.#life.leave(async () => {
      await this.#terminal.flushed();
      await use();
    });
  }

  exit(): void {
    this.#left.resolve();
  }

  #closeView(): void {
    this.#view?.close();
    this.#view = undefined;
  }

  #createTranscript(): Transcript {
    const { env, cwd } = this.#ports;
    return new TranscriptView({
      theme: () => this.theme,
      redraw: () => this.redraw(),
      paddingX: () => this.#padding().contentPaddingX,
      env,
      cwd,
      result: (sessionId, callId) =>
        this.#conversation.application?.store.call(sessionId, callId)?.content,
    });
  }

  #createKeys(): AppKeys {
    return new AppKeys({
      keys: this.keys,
      transcript: this.#transcript,
      pageRows: () => Math.max(1, this.#root.conversationRows - 1),
      isCompleting: () => this.#editor.isCompleting(),
      isRunning: () => this.isRunning(),
      hasAnswer: () => this.lastAnswer() !== undefined,
      interrupt: () => this.interrupt(),
      takeBack: () => this.#takeBack(),
      clearDraft: () => this.setDraft(""),
      copyAnswer: () => void this.#copyAnswer(),
      suspend: () => void this.#life.suspend(),
      openEditor: () => void this.#openEditor(),
      nextAgent: () => this.#nextAgent(),
      trees: this.#trees,
      exit: () => this.exit(),
      hint: (text) => this.#answerKey(text),
      draft: () => this.draft(),
    });
  }

  async #openEditor(): Promise<void> {
    const { editExternally } = await import("./editor/external_editor.ts");
    try {
      const text = await editExternally(this.draft(), {
        env: this.env,
        lend: (use) =>
          this.#life.leave(() => this.#terminal.lend(() => this.#ports.lendTerminal(use))),
      });
      this.setDraft(text);
    } catch (error) {
      this.say(errorMessage(error), "warning");
    }
  }

  #createConversation(): Conversation {
    const questions = createQuestions({
      panels: this.panels,
      theme: () => this.theme,
      view: (question) => this.#ports.view(question, this.application),
      size: () => this.#size(),
      redraw: () => this.redraw(),
      say: (text, kind) => this.say(text, kind),
      sayMarkdown: (text) => this.sayMarkdown(text),
      interrupt: () => this.interrupt(),
      keepTyped: (data) => this.#editor.handleInput(data),
      callPerson: (text) => this.#callPerson(text),
    });
    return new Conversation({
      ...this.#ports,
      person: {
        approve: questions.approvals,
        ask: questions.ask,
        onNotice: (notice) => this.say(notice),
        view: (sessionId) => this.#viewSession(sessionId),
      },
      observe: (event) => this.#observe(event),
      drained: () => this.#drained(),
      onPrompt: (display) => this.#transcript.addPrompt(display),
      onSession: (session, change) => this.#showSession(session, change),
    });
  }

  #createGoalDriver(): GoalDriver {
    return new GoalDriver({
      application: () => this.#conversation.application,
      session: () => this.session(),
      isRunning: () => this.isRunning(),
      hasDraft: () => this.draft().trim() !== "",
      asksPerson: () => this.panels.shown !== undefined,
      run: (turn) => this.#submit(turn.prompt, turn.display, turn.requestId),
      say: (text, kind) => this.say(text, kind),
      redraw: () => this.redraw(),
    });
  }

  #observe(event: RunEvent): void {
    this.#status.observe(event);
    this.#tasks.observe(event);
    this.#transcript.observe(event);
    this.#lookAfter(event);
    this.redraw();
  }

  #observeChild(event: RunEvent): void {
    this.#view?.observe(event);
    this.#lookAfter(event);
  }

  /** What streams changes nothing that a tree shows. */
  #lookAfter({ type }: RunEvent): void {
    if (!STREAMS.has(type)) this.#trees.lookSoon();
  }

  #drained(): Promise<void> | undefined {
    return this.#terminal.isBusy ? this.#terminal.flushed() : undefined;
  }

  async #confirm(title: string, yes: string): Promise<boolean> {
    const { askToConfirm } = await import("./panels/show_panels.ts");
    return await askToConfirm(this, { title, yes });
  }

  /** Shows a session to look at, in place of the one that is looked at already. */
  #viewSession(sessionId: string): boolean {
    if (this.#conversation.application?.store.session(sessionId) === undefined) return false;
    // The person's own conversation is on the screen.
    if (sessionId === this.session()?.id) return true;
    if (this.#view !== undefined) this.#view.show(sessionId);
    else void this.#openView(sessionId).catch((error) => this.say(errorMessage(error), "error"));
    return true;
  }

  async #openView(sessionId: string): Promise<void> {
    const { SessionView } = await import("./trees/session_view.ts");
    if (this.#view !== undefined) return this.#view.show(sessionId);
    this.#trees.blur();
    try {
      await this.panels.open<never>((done, frame) => {
        const view = new SessionView({
          application: () => this.application,
          frame,
          theme: this.theme,
          keys: this.keys,
          transcript: this.#createTranscript(),
          onClose: () => done(undefined),
          cancel: (id) => {
            if (!this.#trees.cancelSession(id)) {
              this.#conversation.application?.children?.cancel(id);
            }
          },
          background: () => void this.#trees.background(),
        });
        this.#view = view;
        view.show(sessionId);
        return view;
      });
    } finally {
      this.#closeView();
    }
  }

  async #greet(): Promise<void> {
    try {
      const application = await this.#opened;
      await this.#dress();
      const model = this.session()?.model;
      const lines = await this.#ports.greet(application, {
        columns: this.#terminal.columns - 2 * this.#padding().paddingX,
        ...(model === undefined ? {} : { model }),
      });
      if (lines.length > 0) this.#transcript.addLines(lines);
      this.#greeted.resolve();
      this.redraw();
      if (this.#ports.session === undefined) await this.#offerProvider(application);
    } catch (error) {
      this.#left.reject(error);
    } finally {
      this.#greeted.resolve();
    }
  }

  /** Whoever opens Alisio for the first time has no model yet. */
  async #offerProvider(application: Application): Promise<void> {
    try {
      if (!await application.needsProvider()) return;
      const { offerProvider } = await import("./connect/offer_provider.ts");
      await offerProvider(this);
    } catch (error) {
      this.#report(error);
    }
  }

  /** Takes on what the configuration says of colours, and what is known of the model. */
  async #dress(): Promise<void> {
    const { loaded } = this.application;
    const { keys, problems } = createKeyMap(loaded.configuration.tui.keys);
    this.keys.use(keys);
    applyKeys(keys);
    for (const problem of problems) this.say(problem, "warning");
    this.#wear(
      await chooseTheme(loaded.configuration.tui.theme, {
        look: terminalLook(this.env, this.#background),
        env: this.env,
        say: (text) => this.say(text, "warning"),
      }),
    );
    await this.#status.refresh();
    this.redraw();
  }

  #wear(theme: Theme): void {
    this.theme.use(theme);
    this.#root.invalidate();
    this.redraw();
  }

  /** Asks the terminal for its background, now and whenever it says that its colours changed. */
  async #learnBackground(): Promise<void> {
    if (!answersQueries(this.env)) return;
    const learn = (background: "dark" | "light"): void => {
      this.#background = background;
      // Other themes were chosen, whatever is behind them.
      if (this.theme.name !== "auto" || background === this.theme.look.background) return;
      this.#wear(createTheme(terminalLook(this.env, background)));
    };
    const ask = async (): Promise<void> => {
      const background = await askBackground(this.#screen, learn);
      if (background !== undefined) learn(background);
    };
    this.#screen.onTerminalColorSchemeChange(() => void ask());
    this.#screen.setTerminalColorSchemeNotifications(true);
    await ask();
  }

  /** Tells a person who looks elsewhere that a question waits, if they want that. */
  #callPerson(text: string): void {
    // A plugin may ask before everything is open, and then nobody knows yet.
    const notify = this.#conversation.application?.loaded.configuration.tui.notify ?? "off";
    const call = personCall(text, { notify, hasFocus: this.#terminal.hasFocus });
    if (call !== "") this.#terminal.write(call);
  }

  async #take({ prompt, display }: Submission): Promise<void> {
    if (prompt.trim() === "") return;
    try {
      // What is typed before Alisio is open waits for it.
      await this.#opened;
      if (prompt.trim() === "exit") return this.exit();
      // What a command says has to be seen, wherever the person was reading.
      if (parseCommandLine(prompt) !== null) this.#transcript.scrollToEnd();
      if (await runCommandLine(prompt, this, this.#commands)) return this.redraw();
    } catch (error) {
      return this.#report(error);
    }
    await this.submit(prompt.trim(), display);
  }

  /** What waits is sent, unless the person wants to say something else to what happened. */
  #goOn(isDone: boolean): void {
    if (!isDone) {
      this.#takeBack();
      return this.#goal.look();
    }
    const next = this.#waiting.take();
    if (next !== undefined) return void this.submit(next.prompt, next.display);
    this.#tasks.noteIdle();
    this.#goal.look();
  }

  /** Puts what waits into the editor, before what is typed there. */
  #takeBack(): boolean {
    const next = this.#waiting.take();
    if (next === undefined) return false;
    const draft = this.draft();
    this.setDraft(draft === "" ? next.prompt : `${next.prompt}\n\n${draft}`);
    return true;
  }

  async #copyAnswer(): Promise<void> {
    const answer = this.lastAnswer();
    if (answer === undefined) return;
    try {
      this.#answerKey(await this.copy(answer), "success");
    } catch (error) {
      this.#answerKey(errorMessage(error), "warning");
    }
  }

  /** Says what a key did, where the person sees it. */
  #answerKey(text: string, kind?: NoticeKind): void {
    this.#transcript.scrollToEnd();
    this.say(text, kind, "key");
  }

  #facts(): StatusFacts {
    const facts = this.#status.facts();
    return this.#transcript.isAtEnd ? facts : { ...facts, endKey: this.keys.label("scrollToEnd") };
  }

  /** Each press goes one agent on, however fast they follow each other. */
  #nextAgent(): void {
    this.#agentChange = this.#agentChange.then(() => this.#changeAgent());
  }

  async #changeAgent(): Promise<void> {
    // While Alisio is still opening there is nobody to change.
    if (this.#conversation.application === undefined) return;
    try {
      const { nextAgent } = await import("./agents/agent_menu.ts");
      await nextAgent(this, this.keys.label("nextAgent"));
    } catch (error) {
      this.say(errorMessage(error), "warning");
    }
  }

  /** Whether nothing says which model answers, which is said in words of a shell otherwise. */
  async #lacksProvider(error: unknown): Promise<boolean> {
    if (!(error instanceof AlisioError) || error.code !== "provider_not_configured") return false;
    try {
      return await this.application.needsProvider();
    } catch {
      // The error that is at hand says what is wrong with the files.
      return false;
    }
  }

  #report(error: unknown): void {
    if (this.#ports.signal.aborted) return;
    if (error instanceof RunCancelledError) return;
    // The conversation shows how a run ended.
    if (!(error instanceof RunFailedError)) this.say(errorMessage(error), "error");
    const isOver = error instanceof RunFailedError
      ? !error.isResumable
      : !(error instanceof AlisioError);
    if (isOver) this.#left.reject(error);
  }

  #showSession(session: OpenSession | undefined, change: SessionChange): void {
    const { application } = this.#conversation;
    if (change === "left" || change === "opened") {
      this.#transcript.clear();
      this.#status.reset();
    }
    if (change === "opened" && session !== undefined && application !== undefined) {
      const messages = application.store.loadMessages(session.id);
      const shown = this.#screen instanceof InlineScreen
        ? messages.slice(-MAX_PRINTED_MESSAGES)
        : messages;
      if (shown.length < messages.length) {
        this.say(`${messages.length - shown.length} earlier messages are not shown`);
      }
      this.#transcript.load(shown, session.id);
    }
    this.#children.follow(application);
    this.#trees.lookSoon();
    this.#tasks.noteIdle();
    void this.#status.refresh().then(() => this.redraw());
  }

  #showPanel(panel: Panel | undefined): void {
    if (this.#panel !== undefined) this.#panel.focused = false;
    this.#panel = panel;
    this.redraw();
  }

  #tick(): void {
    this.#children.follow(this.#conversation.application);
    const changes = [this.#status.look(), this.#trees.look()].includes(true);
    this.#goal.look();
    // Lines of a tree tell how long they have been going on.
    if (changes || this.isRunning() || this.#trees.isLive) this.redraw();
  }

  #size(): Size {
    return { columns: this.#terminal.columns, rows: this.#terminal.rows };
  }

  #padding(): { readonly paddingX: number; readonly contentPaddingX: number } {
    return this.#conversation.application?.loaded.configuration.tui ?? USUAL_PADDING;
  }

  /** What stays on the terminal; nothing if drawing it is what failed. */
  #lastRows(): readonly string[] {
    try {
      this.#transcript.scrollToEnd();
      return this.#transcript.render(this.#terminal.columns, MAX_PRINTED_ROWS);
    } catch {
      return [];
    }
  }

  async #leave(): Promise<void> {
    this.#tasks.close();
    this.#children.close();
    this.#trees.close();
    const id = this.session()?.id;
    this.panels.close();
    if (this.#screen instanceof InlineScreen) this.#screen.clearLive();
    this.#life.close();
    await this.#terminal.flushed();
    const rows = this.#lastRows();
    if (rows.length > 0) this.#terminal.write(`${rows.join("\r\n")}\r\n`);
    if (id !== undefined && !this.#ports.quiet) {
      this.#terminal.write(resumeHint(id.slice(0, 8), this.#terminal.columns));
    }
    await this.#terminal.flushed();
    const timer = setTimeout(() => this.#sayStaying(), SILENT_LEAVE_MS);
    await Promise.all([this.#conversation.close(), this.#editor.close()]);
    clearTimeout(timer);
  }

  #sayStaying(): void {
    if (this.#ports.quiet) return;
    this.#terminal.write("Plugins end their part of the session; Ctrl+C leaves at once\r\n");
  }
}

/** The command stays in one row, to be copied. */
function resumeHint(id: string, columns: number): string {
  const said = "The session is kept:";
  const command = `alisio resume ${id}`;
  return `${said}${said.length + command.length < columns ? " " : "\r\n"}${command}\r\n`;
}

const NO_COMMANDS: CommandTable = { list: () => [], find: () => undefined };

/** Where it cannot be worked in, the application says so when it opens. */
function workspaceOf(cwd: string): string {
  try {
    return resolveWorkspace(cwd);
  } catch {
    return cwd;
  }
}

function withImages(prompt: string, count: number): string {
  return count === 0 ? prompt : `${prompt}\n[${count === 1 ? "1 image" : `${count} images`}]`;
}
