/**
 * A terminal that a test can look at: tmux, with a server of its own for each terminal.
 *
 * @module
 */
import assert from "node:assert/strict";
import { canRun } from "../e2e/_support.ts";
import type { CliScene } from "./cli_harness.ts";
import { DENO, ROOT } from "./paths.ts";

/** How long a text may take to appear. */
const TIME_LIMIT_MS = 30_000;
/** How often the screen is looked at. */
const LOOK_MS = 20;

/** Whether tmux can be had here. */
export const HAS_TMUX = Deno.build.os !== "windows" && await canRun(["tmux", "-V"]);

/** How a terminal is started. */
export interface TmuxOptions {
  /** More lines for the configuration of tmux. */
  readonly settings?: readonly string[];
  /** @default 80 */
  readonly columns?: number;
  /** @default 24 */
  readonly rows?: number;
  /** Arguments of the command line. */
  readonly args?: readonly string[];
  /** Variables on top of the scene's. */
  readonly env?: Readonly<Record<string, string>>;
  /** What the shell runs after the program has ended, such as `; stty -a`. */
  readonly then?: string;
  /**
   * Whether a shell with jobs starts it, which Ctrl+Z goes back to.
   *
   * @default false
   */
  readonly inShell?: boolean;
}

/** The program in a terminal. */
export interface TmuxTerminal extends AsyncDisposable {
  /** Id of the process in the terminal, which is the shell that started the program. */
  readonly pid: number;
  /**
   * Types text as it stands.
   *
   * @param text The text; a control character is a key.
   */
  type(text: string): Promise<void>;
  /**
   * Presses keys by their names for tmux, such as `Enter`, `Escape`, `C-c`, `BTab`, `PageUp`.
   *
   * @param keys The names.
   */
  press(...keys: readonly string[]): Promise<void>;
  /**
   * Pastes a text as a terminal does, in brackets where the program asked for that.
   *
   * @param text The text.
   */
  paste(text: string): Promise<void>;
  /** What is on the screen: one row a line, without spaces and empty rows at the ends. */
  screen(): Promise<string>;
  /** The same with colours. */
  colouredScreen(): Promise<string>;
  /** The screen and everything that scrolled away above it. */
  history(): Promise<string>;
  /**
   * Waits until the screen looks as expected.
   *
   * @param pattern What it must match.
   * @returns The screen.
   */
  sees(pattern: RegExp): Promise<string>;
  /**
   * Waits until the screen no longer matches.
   *
   * @param pattern What must go away.
   * @returns The screen.
   */
  seesNo(pattern: RegExp): Promise<string>;
  /**
   * Waits until the screen has not changed for a moment, and answers it.
   *
   * @param view What of it counts, such as all but a sign that turns.
   */
  settled(view?: (screen: string) => string): Promise<string>;
  /**
   * Changes the size of the window.
   *
   * @param columns Columns.
   * @param rows Rows.
   */
  resize(columns: number, rows: number): Promise<void>;
  /**
   * Asks tmux about the window.
   *
   * @param format What, such as `#{window_bell_flag}`.
   */
  tells(format: string): Promise<string>;
  /**
   * Changes an option of tmux.
   *
   * @param option Which, such as `window-style`.
   * @param value Its value.
   */
  set(option: string, value: string): Promise<void>;
  /** Waits until the program has ended. Answers its exit status. */
  ended(): Promise<number>;
}

/**
 * Starts the command line in a terminal of its own. Ends with `await using`.
 *
 * @param scene Where it runs.
 * @param options The terminal, and what is started.
 */
export async function startTmux(scene: CliScene, options: TmuxOptions = {}): Promise<TmuxTerminal> {
  const { columns = 80, rows = 24, args = [], env = {}, then = "", inShell = false } = options;
  const socket = `alisio-test-${Deno.pid}-${crypto.randomUUID().slice(0, 8)}`;
  const words = [DENO, "run", "-A", "--config", `${ROOT}/deno.json`, `${ROOT}/cli.ts`, ...args];
  const status = `${scene.dir}/status-${socket}`;
  // The status is told through a file, and the terminal stays to be looked at.
  const command = `${words.map(quoted).join(" ")}; echo $? >${quoted(status)}${then}`;
  const { TERM: term = "tmux-256color", ...variables }: Readonly<Record<string, string>> = {
    ...scene.environment,
    LANG: "C.UTF-8",
    PS1: "shell> ",
    // A shell that ends with the terminal would still write its history into the scene's folder.
    HISTFILE: "/dev/null",
    ...env,
  };
  const terminal = new Terminal(socket, status);
  const config = `${scene.dir}/tmux-${socket}.conf`;
  await Deno.writeTextFile(
    config,
    [
      `set -g default-terminal ${term}`,
      "set -g escape-time 0",
      "set -g history-limit 50000",
      "set -g status off",
      "set -g allow-passthrough off",
      "set -g set-clipboard off",
      ...options.settings ?? [],
    ].join("\n"),
  );
  await terminal.tmux([
    "-u",
    "-f",
    config,
    ...["new-session", "-d", "-x", String(columns), "-y", String(rows), "-c", scene.workspace],
    "env",
    "-i",
    ...Object.entries({ ...variables, TERM: term }).map(([name, value]) => `${name}=${value}`),
    ...(inShell ? ["bash", "--norc", "--noprofile", "-i"] : ["sh", "-c", `${command}; exec cat`]),
  ], { PATH: Deno.env.get("PATH") ?? "", LANG: "C.UTF-8" });
  await terminal.resize(columns, rows);
  await terminal.start();
  if (inShell) await terminal.type(`${command}\r`);
  return terminal;
}

class Terminal implements TmuxTerminal {
  readonly #socket: string;
  readonly #status: string;
  #pid = 0;

  constructor(socket: string, status: string) {
    this.#socket = socket;
    this.#status = status;
  }

  get pid(): number {
    return this.#pid;
  }

  async start(): Promise<void> {
    this.#pid = Number(await this.tmux(["display-message", "-p", "#{pane_pid}"]));
  }

  async type(text: string): Promise<void> {
    await this.tmux(["send-keys", "-l", "--", text]);
  }

  async press(...keys: readonly string[]): Promise<void> {
    await this.tmux(["send-keys", "--", ...keys]);
  }

  async paste(text: string): Promise<void> {
    await this.tmux(["set-buffer", "--", text]);
    await this.tmux(["paste-buffer", "-p", "-r"]);
  }

  async screen(): Promise<string> {
    return trimmed(await this.tmux(["capture-pane", "-p"]));
  }

  async colouredScreen(): Promise<string> {
    return trimmed(await this.tmux(["capture-pane", "-p", "-e"]));
  }

  async history(): Promise<string> {
    return trimmed(await this.tmux(["capture-pane", "-p", "-S", "-"]));
  }

  async sees(pattern: RegExp): Promise<string> {
    return await this.#until((screen) => pattern.test(screen), `to match ${pattern}`);
  }

  async seesNo(pattern: RegExp): Promise<string> {
    return await this.#until((screen) => !pattern.test(screen), `not to match ${pattern}`);
  }

  async settled(view: (screen: string) => string = (screen) => screen): Promise<string> {
    let before = "";
    let same = 0;
    return await this.#until((screen) => {
      const viewed = view(screen);
      same = viewed === before ? same + 1 : 0;
      before = viewed;
      return same >= 5;
    }, "to settle");
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.tmux(["resize-window", "-x", String(columns), "-y", String(rows)]);
  }

  async tells(format: string): Promise<string> {
    return (await this.tmux(["display-message", "-p", format])).trim();
  }

  async set(option: string, value: string): Promise<void> {
    await this.tmux(["set", "-g", option, value]);
  }

  async ended(): Promise<number> {
    await this.#until(() => existsSync(this.#status), "to end");
    const text = await Deno.readTextFile(this.#status);
    return Number(text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.tmux(["kill-server"]).catch(() => {});
  }

  async tmux(args: readonly string[], env?: Record<string, string>): Promise<string> {
    const { success, stdout, stderr } = await new Deno.Command("tmux", {
      args: ["-L", this.#socket, ...args],
      ...(env === undefined ? {} : { clearEnv: true, env }),
    }).output();
    assert.ok(success, `tmux ${args[0]}: ${new TextDecoder().decode(stderr)}`);
    return new TextDecoder().decode(stdout);
  }

  async #until(test: (screen: string) => boolean, expected: string): Promise<string> {
    const end = performance.now() + TIME_LIMIT_MS;
    while (true) {
      const screen = await this.screen();
      if (test(screen)) return screen;
      if (performance.now() > end) assert.fail(`Expected the screen ${expected}:\n${screen}`);
      // A terminal tells nobody that it changed.
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function trimmed(screen: string): string {
  return screen.split("\n").map((row) => row.trimEnd()).join("\n").replace(/\n+$/, "");
}

function existsSync(path: string): boolean {
  try {
    return Deno.readTextFileSync(path).endsWith("\n");
  } catch {
    return false;
  }
}
