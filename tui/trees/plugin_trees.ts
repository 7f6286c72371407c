import { matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import type { Application } from "../../core/application.ts";
import { visibleName } from "../../core/process/visible_text.ts";
import type { KeyMap } from "../keys/key_map.ts";
import { listKey } from "../panels/panel_keys.ts";
import type { Theme } from "../theme/theme.ts";
import { isLive, type TreeLine, treeLines } from "./tree_lines.ts";
import { shownLines, treeRows, type TreeView } from "./tree_rows.ts";

/** What trees of plugins are shown with. */
export interface PluginTreePorts {
  /** The application, once it is open. */
  readonly application: () => Application | undefined;
  /** The session, once one is open. */
  readonly sessionId: () => string | undefined;
  /** Sessions that are blocked on an answer of the person. */
  readonly waiting: () => ReadonlySet<string>;
  /** Whether a prompt runs. */
  readonly isRunning: () => boolean;
  readonly keys: KeyMap;
  /** Has the screen drawn again, soon. */
  readonly redraw: () => void;
  /**
   * Shows a session to look at.
   *
   * @param sessionId The session.
   */
  readonly view: (sessionId: string) => boolean;
  /**
   * Asks the person to confirm something.
   *
   * @param title The question.
   * @param yes What a yes does.
   */
  readonly confirm: (title: string, yes: string) => Promise<boolean>;
  /** Tells the person what a key did. */
  readonly hint: (text: string) => void;
}

/** Two keys that are one, such as Ctrl+X and then down, follow each other within this time. */
const CHORD_MS = 800;
/** Events that follow each other closely are looked at once. */
const SETTLE_MS = 100;
/** The part of the window that trees may take: one row in so many. */
const SHARE = 5;
/** The same while the keyboard is in them. */
const FOCUSED_SHARE = 3;
const MIN_FOCUSED_ROWS = 5;

/** The trees that plugins show below the editor, such as the one of agents, and the keys in them. */
export class PluginTrees {
  readonly #ports: PluginTreePorts;
  #views: readonly TreeView[] = [];
  /** What was seen at the last look. */
  #seen = "[]";
  #selected: string | undefined;
  readonly #folded = new Set<string>();
  #focusedAt = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param ports What they are shown with. */
  constructor(ports: PluginTreePorts) {
    this.#ports = ports;
  }

  /** Whether they have the keyboard. */
  get isFocused(): boolean {
    return this.#selected !== undefined;
  }

  /** Whether something in them goes on, so that times in them change. */
  get isLive(): boolean {
    return this.#lines().some((line) => line.isLive);
  }

  /**
   * Asks plugins what they show. Until the next look, frames show that.
   *
   * @returns Whether something of it changes on the screen.
   */
  look(): boolean {
    const sessionId = this.#ports.sessionId();
    const panels = this.#ports.application()?.pluginPanels(sessionId) ?? [];
    const waiting = this.#ports.waiting();
    const views = panels.map((panel) => ({
      title: panel.title,
      lines: treeLines(panel, waiting),
    }));
    const seen = JSON.stringify(
      views.map((
        { title, lines },
      ) => [title, lines.map(({ node, isWaiting }) => [node, isWaiting])]),
    );
    const changes = seen !== this.#seen;
    this.#seen = seen;
    if (changes) this.#views = views;
    this.#keepSelection();
    return changes;
  }

  /** Something happened that they may show: looks at it soon, once for all that happens meanwhile. */
  lookSoon(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.look()) this.#ports.redraw();
    }, SETTLE_MS);
    Deno.unrefTimer(this.#timer);
  }

  /** Looks no more. */
  close(): void {
    clearTimeout(this.#timer);
  }

  /**
   * Draws them.
   *
   * @param theme The colours.
   * @param size Columns, and rows of the window.
   */
  rows(
    theme: Theme,
    { columns, rows }: { readonly columns: number; readonly rows: number },
  ): readonly string[] {
    if (this.#views.length === 0) return [];
    const { keys, isRunning } = this.#ports;
    return treeRows(this.#views, theme, {
      columns,
      rows: this.isFocused
        ? Math.max(Math.min(MIN_FOCUSED_ROWS, rows - 4), Math.floor(rows / FOCUSED_SHARE))
        : Math.floor(rows / SHARE),
      now: Date.now(),
      folded: this.#folded,
      ...this.#selected === undefined ? {} : { selected: this.#selected },
      help: this.#help(theme),
      keyLabel: keys.label("focusAgents"),
      isFolded: !this.isFocused && !isRunning() && !this.isLive,
    });
  }

  /**
   * Gives them the keyboard.
   *
   * @returns False where there is nothing to be in.
   */
  focus(): boolean {
    const first = this.#shown()[0];
    if (first === undefined) return false;
    this.#selected ??= first.key;
    this.#focusedAt = performance.now();
    this.#ports.redraw();
    return true;
  }

  /** Gives the keyboard back. */
  blur(): void {
    if (this.#selected === undefined) return;
    this.#selected = undefined;
    this.#ports.redraw();
  }

  /**
   * Takes a key while they have the keyboard.
   *
   * @param data The key.
   * @returns False for one that is not theirs.
   */
  take(data: string): boolean {
    const line = this.#shown().find(({ key }) => key === this.#selected);
    if (line === undefined) return false;
    const isChord = performance.now() - this.#focusedAt < CHORD_MS;
    this.#focusedAt = -Infinity;
    if (this.#ports.keys.matches(data, "cancelAgent")) return this.#cancel(line);
    if (matchesKey(data, "left")) return this.#fold(line);
    if (matchesKey(data, "right")) return this.#unfold(line);
    if (matchesKey(data, "tab")) return this.#leave();
    const key = listKey(data);
    if (key === "down" && isChord) return this.#open(line);
    switch (key) {
      case "up":
        return this.#move(-1);
      case "down":
        return this.#move(1);
      case "home":
        return this.#move(-Infinity);
      case "end":
        return this.#move(Infinity);
      case "confirm":
        return this.#open(line);
      case "cancel":
        return this.#leave();
      default:
        return false;
    }
  }

  /**
   * Sends whatever the conversation waits for to the background.
   *
   * @returns False where nothing goes on.
   */
  background(): boolean {
    const lines = this.#lines().filter(({ node, depth, panel }) =>
      depth === 0 && panel.acts && isLive(node)
    );
    for (const { panel, node } of lines) this.#act(panel.id, "background", node.id);
    return lines.length > 0;
  }

  /**
   * Stops what stands for a session, after a question where more hangs on it.
   *
   * @param sessionId The session.
   * @returns False where no line stands for it.
   */
  cancelSession(sessionId: string): boolean {
    const line = this.#lines().find(({ node }) => node.sessionId === sessionId);
    return line === undefined ? false : this.#cancel(line);
  }

  #lines(): readonly TreeLine[] {
    return this.#views.flatMap(({ lines }) => lines);
  }

  #shown(): readonly TreeLine[] {
    return this.#views.flatMap(({ lines }) => shownLines(lines, this.#folded));
  }

  /** What is selected may be gone. */
  #keepSelection(): void {
    if (this.#selected === undefined) return;
    const shown = this.#shown();
    if (shown.some(({ key }) => key === this.#selected)) return;
    this.#selected = shown[0]?.key;
  }

  #move(by: number): true {
    const shown = this.#shown();
    const at = shown.findIndex(({ key }) => key === this.#selected);
    const to = Math.max(0, Math.min(shown.length - 1, at + by));
    return this.#select(shown[to]?.key);
  }

  #select(key: string | undefined): true {
    if (key !== undefined) this.#selected = key;
    this.#ports.redraw();
    return true;
  }

  #fold({ key, below, parentKey }: TreeLine): true {
    if (below === 0 || this.#folded.has(key)) return this.#select(parentKey);
    this.#folded.add(key);
    return this.#select(key);
  }

  #unfold({ key, below }: TreeLine): true {
    if (this.#folded.delete(key)) return this.#select(key);
    return below === 0 ? true : this.#move(1);
  }

  #leave(): true {
    this.blur();
    return true;
  }

  #open({ node: { sessionId } }: TreeLine): true {
    if (sessionId === undefined || !this.#ports.view(sessionId)) {
      this.#ports.hint("There is no conversation behind this line");
    }
    return true;
  }

  #cancel({ panel, node, below, isLive }: TreeLine): true {
    if (!panel.acts || !isLive) {
      this.#ports.hint(panel.acts ? "It has ended already" : "It cannot be stopped from here");
    } else if (below === 0) this.#act(panel.id, "cancel", node.id);
    else {void this.#cancelWith(
        panel.id,
        node.id,
        `Cancel ${visibleName(node.label)}, and all below?`,
      );}
    return true;
  }

  async #cancelWith(panel: string, nodeId: string, title: string): Promise<void> {
    if (await this.#ports.confirm(title, "Cancel them")) this.#act(panel, "cancel", nodeId);
  }

  #act(panel: string, name: "cancel" | "background", nodeId: string): void {
    const sessionId = this.#ports.sessionId();
    const action = { panel, name, nodeId, ...sessionId === undefined ? {} : { sessionId } };
    void this.#ports.application()?.actOnPanel(action).then(() => this.lookSoon());
  }

  #help(theme: Theme): readonly string[] {
    const { keys } = this.#ports;
    const labelled = (label: string, does: string) => label === "" ? [] : [`${label} ${does}`];
    return [
      "Enter open",
      "Esc back",
      ...labelled(keys.label("cancelAgent"), "cancel"),
      ...labelled(keys.label("backgroundAgents"), "background"),
      `${theme.look.unicode ? "←→" : "Left Right"} fold`,
    ];
  }
}
