import { VERSION } from "../core/version.ts";
import { configHome, userHome } from "../core/config/directories.ts";
import { AlisioError, errorMessage } from "../core/errors.ts";
import { visibleName } from "../core/process/visible_text.ts";
import { RunCancelledError, RunFailedError } from "../core/run/run_error.ts";
import { shortenPath } from "../core/startup/startup_sections.ts";
import type { Application } from "../core/application.ts";
import { resolveWorkspace } from "../core/workspace.ts";
import type { OpenSession } from "../core/run/open_session.ts";
import { createCommandTable } from "./commands/command_table.ts";
import { runCommandLine } from "./commands/run_command_line.ts";
import type { CommandTable } from "./commands/slash_command.ts";
import { Conversation } from "./conversation.ts";
import { createPromptEditor } from "./editor/create_prompt_editor.ts";
import type { PromptEditor, Submission } from "./editor/prompt_editor.ts";
import { applyKeys } from "./keys/apply_keys.ts";
import { CurrentKeyMap } from "./keys/current_key_map.ts";
import { createKeyMap } from "./keys/key_map.ts";
import { LetterKeys } from "./keys/letter_keys.ts";
import type { InterfacePorts } from "./interface_ports.ts";
import type { Panel } from "./panels/panel.ts";
import { PanelStack } from "./panels/panel_stack.ts";
import { createQuestions } from "./questions/create_questions.ts";
import { AlternateScreen } from "./screen/alternate_screen.ts";
import { RunState } from "./screen/run_state.ts";
import { ScreenRoot } from "./screen/screen_root.ts";
import { ScreenTerminal } from "./screen/screen_terminal.ts";
import { headerRow, statusBar, type StatusFacts, statusRow } from "./screen/status.ts";
import type { NoticeKind, Stage } from "./stage.ts";
import { createTheme, CurrentTheme } from "./theme/create_theme.ts";
import { openTheme } from "./theme/open_theme.ts";
import { terminalLook } from "./theme/terminal_look.ts";
import type { Theme } from "./theme/theme.ts";
import type { Transcript } from "./transcript/transcript.ts";
import { TranscriptView } from "./transcript/transcript_view.ts";

/** What stays on the terminal after the screen was left. */
const MAX_PRINTED_ROWS = 2_000;
/** How often elapsed times are drawn anew. */
const TICK_MS = 1_000;
const PADDING_X = 2;

/** The terminal interface, from its first frame to its last. */
export class App implements Stage {
  readonly theme: CurrentTheme;
  readonly keys = new CurrentKeyMap(createKeyMap().keys);
  readonly panels: PanelStack;
  readonly env: Readonly<Record<string, string>>;
  readonly #ports: InterfacePorts;
  readonly #terminal: ScreenTerminal;
  readonly #screen: AlternateScreen;
  readonly #root: ScreenRoot;
  readonly #transcript: Transcript;
  readonly #editor: PromptEditor;
  readonly #conversation: Conversation;
  readonly #runState = new RunState();
  readonly #letters = new LetterKeys({
    keys: this.keys,
    text: () => this.#editor.text(),
    erase: () => this.setDraft(""),
  });
  readonly #left = Promise.withResolvers<void>();
  readonly #commands = createCommandTable(this);
  #panel: Panel | undefined;
  /** Settles when the first frame is on its way: whatever else is loaded has to wait for it. */
  readonly #drawn = Promise.withResolvers<void>();
  readonly #opened: Promise<Application>;
  #wantsToLeave = false;

  /** @param ports What it gets from the command line. */
  constructor(ports: InterfacePorts) {
    this.#ports = ports;
    this.env = ports.env;
    this.theme = new CurrentTheme(createTheme(terminalLook(ports.env)));
    applyKeys(this.keys);
    this.#terminal = new ScreenTerminal({
      env: ports.env,
      input: ports.first.input,
      onGone: () => this.exit(),
    });
    this.#screen = new AlternateScreen(this.#terminal, { mouse: true });
    this.panels = new PanelStack({
      show: (panel) => this.#showPanel(panel),
      rows: () => this.#root.panelRows(),
      redraw: () => this.redraw(),
    });
    this.#transcript = new TranscriptView({
      theme: () => this.theme,
      redraw: () => this.redraw(),
      paddingX: () => PADDING_X,
      env: ports.env,
      cwd: ports.cwd,
      result: (sessionId, callId) =>
        this.#conversation.application?.store.call(sessionId, callId)?.content,
    });
    this.#editor = createPromptEditor({
      stage: this,
      workspace: workspaceOf(ports.cwd),
      keys: this.keys,
      commands: () => this.#conversation.application === undefined ? NO_COMMANDS : this.#commands,
      size: () => this.#size(),
      redraw: () => this.redraw(),
      onSubmit: (submission) => void this.#take(submission),
    });
    this.#root = new ScreenRoot({
      header: (width) => [headerRow(this.#facts(), this.theme, width)],
      transcript: this.#transcript,
      panel: () => this.#panel,
      border: (width) => this.theme.paint("border", this.theme.glyph("horizontal").repeat(width)),
      editor: this.#editor,
      footer: (width) => [
        statusRow(this.#facts(), this.theme, width),
        statusBar(this.#facts(), this.theme, width),
      ],
      rows: () => this.#terminal.rows,
      takeKey: (data) => this.#takeKey(data),
    });
    const questions = createQuestions({
      panels: this.panels,
      theme: () => this.theme,
      view: (question) => this.#ports.view(question, this.application),
      size: () => this.#size(),
      redraw: () => this.redraw(),
      say: (text, kind) => this.say(text, kind),
      interrupt: () => this.interrupt(),
      keepTyped: (data) => this.#editor.handleInput(data),
    });
    this.#conversation = new Conversation({
      ...ports,
      person: {
        approve: questions.approvals,
        ask: questions.ask,
        onNotice: (notice) => this.say(notice, "info"),
      },
      observe: (event) => {
        this.#runState.observe(event);
        this.#transcript.observe(event);
        this.redraw();
      },
      drained: () => this.#terminal.isBusy ? this.#terminal.flushed() : undefined,
      onSession: (session) => this.#showSession(session),
    });
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
    const { signal } = this.#ports;
    const stop = (): void => this.#left.reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    this.#screen.addChild(this.#root);
    this.#ports.first.handOver();
    this.#screen.setFocus(this.#root);
    this.#screen.start();
    this.#screen.renderNow();
    setTimeout(() => this.#drawn.resolve());
    const timer = setInterval(() => this.#tick(), TICK_MS);
    try {
      void this.#greet();
      await this.#left.promise;
    } finally {
      signal.removeEventListener("abort", stop);
      clearInterval(timer);
      this.panels.close();
      await this.#leave();
    }
  }

  session(): OpenSession | undefined {
    return this.#conversation.session;
  }

  isRunning(): boolean {
    return this.#conversation.isRunning;
  }

  say(text: string, kind: NoticeKind = "info"): void {
    this.#transcript.addNotice(text, kind);
  }

  sayMarkdown(text: string): void {
    this.#transcript.addMarkdown(text);
  }

  async submit(prompt: string, display: string = prompt): Promise<void> {
    await this.#opened;
    this.#transcript.addPrompt(display);
    this.#transcript.scrollToEnd();
    this.#runState.begin();
    this.redraw();
    try {
      const answer = await this.#conversation.prompt(prompt);
      if (answer !== null) this.say(answer);
    } catch (error) {
      this.#report(error);
    } finally {
      this.#runState.end();
      this.redraw();
    }
  }

  interrupt(): void {
    this.#conversation.interrupt();
  }

  async switchSession(id?: string): Promise<void> {
    await this.#conversation.switchSession(id);
  }

  async reopen(overrides?: { readonly model?: string }): Promise<void> {
    await this.#conversation.reopen(overrides);
  }

  async copy(text: string): Promise<string> {
    const { copyText } = await import("./clipboard/copy_text.ts");
    return await copyText(text, {
      env: this.env,
      exclude: [workspaceOf(this.#ports.cwd)],
      write: (sequence) => this.#terminal.write(sequence),
    });
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

  exit(): void {
    this.#left.resolve();
  }

  async #greet(): Promise<void> {
    try {
      const application = await this.#opened;
      await this.#dress(application);
      const model = this.session()?.model;
      this.#transcript.addLines(
        await this.#ports.greet(application, {
          columns: this.#terminal.columns,
          ...(model === undefined ? {} : { model }),
        }),
      );
      this.redraw();
    } catch (error) {
      this.#left.reject(error);
    }
  }

  /** Takes on the colours that the person chose. */
  async #dress({ loaded }: Application): Promise<void> {
    const { theme, problem } = await openTheme(loaded.configuration.tui.theme, {
      look: this.theme.look,
      configHome: configHome(this.env),
    });
    if (problem !== undefined) this.say(problem, "warning");
    this.#wear(theme);
  }

  #wear(theme: Theme): void {
    this.theme.use(theme);
    this.#root.invalidate();
    this.redraw();
  }

  async #take({ prompt, display }: Submission): Promise<void> {
    if (prompt.trim() === "") return;
    try {
      // What is typed before Alisio is open waits for it.
      await this.#opened;
      if (prompt.trim() === "exit") return this.exit();
      if (await runCommandLine(prompt, this, this.#commands)) return;
    } catch (error) {
      return this.#report(error);
    }
    if (this.isRunning()) {
      this.setDraft(prompt);
      return this.say("A prompt runs; Esc stops it", "warning");
    }
    await this.submit(prompt.trim(), display);
  }

  #takeKey(data: string): boolean {
    if (this.#panel !== undefined) return false;
    const keys = this.keys;
    const isEmpty = this.#editor.text() === "";
    if (keys.matches(data, "clear")) {
      this.#clear(isEmpty);
      return true;
    }
    this.#wantsToLeave = false;
    if (keys.matches(data, "exit") && isEmpty) {
      this.exit();
      return true;
    }
    if (keys.matches(data, "interrupt") && this.isRunning() && !this.#editor.isCompleting()) {
      this.interrupt();
      return true;
    }
    if (this.#letters.press(data, this.#letterActions())) return true;
    const page = Math.max(1, this.#terminal.rows - 6);
    // A menu has pages of its own.
    if (this.#editor.isCompleting()) return false;
    if (keys.matches(data, "scrollUp")) this.#transcript.scrollBy(-page);
    else if (keys.matches(data, "scrollDown")) this.#transcript.scrollBy(page);
    else if (keys.matches(data, "scrollToStart")) this.#transcript.scrollToStart();
    else if (keys.matches(data, "scrollToEnd")) this.#transcript.scrollToEnd();
    else return false;
    return true;
  }

  #letterActions(): Parameters<LetterKeys["press"]>[1] {
    const answer = this.isRunning() ? undefined : this.lastAnswer();
    return {
      ...(answer === undefined ? {} : { copyAnswer: () => void this.#copyAnswer(answer) }),
      toggleLast: () => {
        if (this.#transcript.toggleLast()) this.redraw();
      },
    };
  }

  async #copyAnswer(answer: string): Promise<void> {
    try {
      this.say(await this.copy(answer), "success");
    } catch (error) {
      this.say(errorMessage(error), "warning");
    }
  }

  /** Ctrl+C stops what runs, else clears what was typed, else leaves when it is pressed again. */
  #clear(isEmpty: boolean): void {
    if (this.isRunning()) return this.interrupt();
    if (!isEmpty) return this.setDraft("");
    if (this.#wantsToLeave) return this.exit();
    this.#wantsToLeave = true;
    this.say("Press Ctrl+C again to leave");
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

  #showSession(session: OpenSession | undefined): void {
    const { application } = this.#conversation;
    if (session !== undefined && application !== undefined && this.#ports.session !== undefined) {
      this.#transcript.load(application.store.loadMessages(session.id));
    }
    this.redraw();
  }

  #showPanel(panel: Panel | undefined): void {
    if (this.#panel !== undefined) this.#panel.focused = false;
    this.#panel = panel;
    this.redraw();
  }

  #tick(): void {
    if (this.isRunning()) this.redraw();
  }

  #size(): { readonly columns: number; readonly rows: number } {
    return { columns: this.#terminal.columns, rows: this.#terminal.rows };
  }

  #facts(): StatusFacts {
    const { application, session } = this.#conversation;
    const home = userHome(this.env);
    const run = this.#runState.text();
    return {
      version: VERSION,
      cwd: visibleName(
        shortenPath(application?.workspace ?? this.#ports.cwd, home === undefined ? {} : { home }),
      ),
      mode: application?.permissionMode() ?? "",
      ...(session === undefined ? {} : { model: visibleName(session.model), session: session.id }),
      ...(run === undefined ? {} : { run }),
    };
  }

  async #leave(): Promise<void> {
    const id = this.session()?.id;
    this.#screen.stop({ preserveScreen: true });
    this.#transcript.scrollToEnd();
    const rows = this.#transcript.render(this.#terminal.columns, MAX_PRINTED_ROWS);
    if (rows.length > 0) this.#terminal.write(`${rows.join("\r\n")}\r\n`);
    if (id !== undefined && !this.#ports.quiet) {
      this.#terminal.write(`The session is kept: alisio resume ${id.slice(0, 8)}\r\n`);
    }
    await this.#terminal.flushed();
    await Promise.all([this.#conversation.close(), this.#editor.close()]);
  }
}

/** Where it cannot be worked in, the application says so when it opens. */
function workspaceOf(cwd: string): string {
  try {
    return resolveWorkspace(cwd);
  } catch {
    return cwd;
  }
}

const NO_COMMANDS: CommandTable = { list: () => [], find: () => undefined };
