import { compareTexts } from "../../cli/compare_texts.ts";
import { visibleWidth } from "@earendil-works/pi-tui";
import type { Application } from "../../core/application.ts";
import type { OpenSession } from "../../core/run/open_session.ts";
import type { Panel } from "../../tui/panels/panel.ts";
import { PanelStack } from "../../tui/panels/panel_stack.ts";
import { createKeyMap } from "../../tui/keys/key_map.ts";
import type { Stage } from "../../tui/stage.ts";
import { createTheme } from "../../tui/theme/create_theme.ts";
import type { Theme } from "../../tui/theme/theme.ts";

/** A stage that notes what is done on it; panels wait for the keys of a test. */
export class FakeStage implements Stage {
  theme: Theme = createTheme({ depth: "none", unicode: true, background: "dark" });
  readonly keys = createKeyMap().keys;
  readonly env: Readonly<Record<string, string>>;
  readonly panels: PanelStack;
  application: Application;
  /** What became of it, in order. */
  readonly log: string[] = [];
  running = false;
  opened: OpenSession | undefined;
  answer: string | undefined;
  text = "";
  /** What `submit` does beside noting it. */
  onSubmit: (prompt: string, display?: string) => Promise<void> = () => Promise.resolve();
  /** What `reopen` does beside noting it. */
  onReopen: () => Promise<void> = () => Promise.resolve();
  /** Rows that a panel may take. */
  rows = 16;
  #shown: Panel | undefined;
  #waiting: ((panel: Panel) => void)[] = [];

  constructor(application: Application, env: Readonly<Record<string, string>> = {}) {
    this.application = application;
    this.env = env;
    this.panels = new PanelStack({
      rows: () => this.rows,
      redraw() {},
      show: (panel) => this.#show(panel),
    });
  }

  /** Waits until a panel is shown. */
  panel(): Promise<Panel> {
    return this.#shown === undefined
      ? new Promise((resolve) => this.#waiting.push(resolve))
      : Promise.resolve(this.#shown);
  }

  /** What is shown above the editor at a width, without the blanks at the ends of rows. */
  async screen(width: number): Promise<string> {
    const rows = (await this.panel()).render(width);
    for (const row of rows) {
      if (visibleWidth(row) > width) throw new Error(`Wider than ${width}: ${row}`);
    }
    if (rows.length > this.rows) throw new Error(`${rows.length} rows are more than ${this.rows}`);
    // deno-lint-ignore no-control-regex -- colours, which a cut line ends with, and marks of the cursor
    return rows.map((row) => row.replaceAll(/\x1b\[[0-9;]*m|\x1b_pi:[a-z/]+\x07/g, "").trimEnd())
      .join("\n");
  }

  /** Waits until the screen shows a text, and answers the screen. */
  async shows(text: string, width = 80): Promise<string> {
    await this.#until(async () => this.hasPanel && (await this.screen(width)).includes(text));
    return await this.screen(width);
  }

  /** Waits until so many things became of the stage. */
  async logs(count: number): Promise<void> {
    await this.#until(() => Promise.resolve(this.log.length >= count));
  }

  async #until(isTrue: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + 10_000;
    while (!await isTrue()) {
      if (performance.now() > deadline) {
        const screen = this.hasPanel ? await this.screen(80) : "no panel";
        throw new Error(`It did not come to that:\n${screen}\n${this.log.join("\n")}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  /** Presses keys, one after the other, in the panel that is shown. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      (await this.panel()).handleInput(key);
      await new Promise((resolve) => setTimeout(resolve));
    }
  }

  /** Whether a panel is shown. */
  get hasPanel(): boolean {
    return this.#shown !== undefined;
  }

  session(): OpenSession | undefined {
    return this.opened;
  }

  async ensureSession(): Promise<OpenSession> {
    return this.opened ??= await this.application.createSession();
  }

  goalChanged(): void {
    this.log.push("goal changed");
  }

  isRunning(): boolean {
    return this.running;
  }

  say(text: string, kind = "info"): void {
    this.log.push(`${kind}: ${text}`);
  }

  sayMarkdown(text: string): void {
    this.log.push(`markdown: ${text}`);
  }

  async submit(prompt: string, display?: string): Promise<void> {
    this.log.push(`submit: ${prompt}${display === undefined ? "" : ` as ${display}`}`);
    await this.onSubmit(prompt, display);
  }

  compareTexts(before: string, after: string): Promise<readonly string[]> {
    return compareTexts(before, after);
  }

  compact(focus: string): Promise<void> {
    this.log.push(`compact: ${focus}`);
    return Promise.resolve();
  }

  interrupt(): void {
    this.log.push("interrupt");
  }

  async switchSession(id?: string): Promise<void> {
    this.log.push(`switch to ${id ?? "a new session"}`);
    await this.opened?.close();
    this.opened = id === undefined ? undefined : await this.application.openSession(id);
  }

  async reopen(overrides: { readonly model?: string } = {}): Promise<void> {
    this.log.push(`reopen ${JSON.stringify(overrides)}`);
    await this.onReopen();
  }

  copy(text: string): Promise<string> {
    this.log.push(`copy: ${text}`);
    return Promise.resolve("Copied (test)");
  }

  lastAnswer(): string | undefined {
    return this.answer;
  }

  draft(): string {
    return this.text;
  }

  setDraft(text: string): void {
    this.text = text;
  }

  redraw(): void {}

  async leaveScreen(use: () => Promise<void>): Promise<void> {
    await use();
  }

  exit(): void {
    this.log.push("exit");
  }

  #show(panel: Panel | undefined): void {
    this.#shown = panel;
    if (panel === undefined) return;
    panel.focused = true;
    for (const resolve of this.#waiting.splice(0)) resolve(panel);
  }
}

/** Keys as a terminal sends them. */
export const KEYS = {
  up: "\x1b[A",
  down: "\x1b[B",
  right: "\x1b[C",
  left: "\x1b[D",
  home: "\x1b[H",
  end: "\x1b[F",
  pageUp: "\x1b[5~",
  pageDown: "\x1b[6~",
  enter: "\r",
  escape: "\x1b",
  space: " ",
  backspace: "\x7f",
} as const;
