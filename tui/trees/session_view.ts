import type { ModelToolCall, RunEvent } from "@alisio/sdk";
import { matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import type { Application } from "../../core/application.ts";
import type { StoredMessage } from "../../core/session/stored_message.ts";
import type { KeyMap } from "../keys/key_map.ts";
import type { Panel, PanelFrame } from "../panels/panel.ts";
import { chromeRows, drawPanel } from "../panels/panel_box.ts";
import { keyHelp, listKey } from "../panels/panel_keys.ts";
import { formatTokens } from "../screen/format_count.ts";
import type { Theme } from "../theme/theme.ts";
import type { Transcript } from "../transcript/transcript.ts";

/** What a session is looked at with. */
export interface SessionViewOptions {
  readonly application: () => Application;
  readonly frame: PanelFrame;
  readonly theme: Theme;
  readonly keys: KeyMap;
  /** Draws the conversation. */
  readonly transcript: Transcript;
  /** Called when the person goes back. */
  readonly onClose: () => void;
  /**
   * Stops what works in a session.
   *
   * @param sessionId The session.
   */
  readonly cancel: (sessionId: string) => void;
  /** Sends what the conversation waits for to the background. */
  readonly background: () => void;
}

/** A conversation to look at: what is stored of it, and what happens in it meanwhile. */
export class SessionView implements Panel {
  focused = false;
  /** Keys that would scroll the conversation of the person scroll this one. */
  readonly capturesViewportInput = true;
  readonly #options: SessionViewOptions;
  #sessionId = "";
  #height = 1;
  /** Whether the response at hand began before anybody looked. */
  #missesStart = false;
  /** Calls that had begun before. */
  #begun: ReadonlySet<string> = new Set();

  /** @param options What it is looked at with. */
  constructor(options: SessionViewOptions) {
    this.#options = options;
  }

  /** The session that is shown. */
  get sessionId(): string {
    return this.#sessionId;
  }

  /**
   * Shows a session from its end.
   *
   * @param sessionId The session.
   */
  show(sessionId: string): void {
    this.#sessionId = sessionId;
    this.#load({ isBetween: false });
    this.#options.transcript.scrollToEnd();
    this.#options.frame.redraw();
  }

  /**
   * Takes in what happened.
   *
   * @param event An event of any session.
   */
  observe(event: RunEvent): void {
    if (event.sessionId !== this.#sessionId) return;
    if (event.type === "run_started" || (this.#missesStart && event.type === "turn_completed")) {
      return this.#load({ isBetween: true });
    }
    if (event.type === "tool_started" && this.#begun.has(String(event.data.id))) return;
    this.#options.transcript.observe(event);
    this.#options.frame.redraw();
  }

  /** It is shown no more. */
  close(): void {
    this.#options.transcript.clear();
  }

  invalidate(): void {
    this.#options.transcript.invalidate();
  }

  scroll(rows: number): void {
    this.#options.transcript.scrollBy(rows);
  }

  handleInput(data: string): void {
    const { keys, transcript, onClose, cancel, background } = this.#options;
    if (keys.matches(data, "cancelAgent")) return cancel(this.#sessionId);
    if (keys.matches(data, "backgroundAgents")) return background();
    if (keys.matches(data, "toggleLast")) return void transcript.toggleLast();
    if (matchesKey(data, "left")) return this.#goBeside(-1);
    if (matchesKey(data, "right")) return this.#goBeside(1);
    switch (listKey(data)) {
      case "up":
        return this.#goUp();
      case "down":
        return this.#go(this.#children(this.#sessionId)[0]);
      case "pageUp":
        return transcript.scrollBy(1 - this.#height);
      case "pageDown":
        return transcript.scrollBy(this.#height - 1);
      case "home":
        return transcript.scrollToStart();
      case "end":
        return transcript.scrollToEnd();
      case "cancel":
        return onClose();
    }
  }

  render(width: number): string[] {
    const { frame, theme, transcript } = this.#options;
    const rows = frame.rows();
    this.#height = Math.max(1, rows - chromeRows(rows));
    const body = transcript.render(width, this.#height);
    const empty = Array.from({ length: this.#height - body.length }, () => "");
    return drawPanel({
      title: this.#title(),
      aside: this.#info()?.status ?? "",
      body: [...body, ...empty],
      help: this.#help(),
    }, { width, rows, theme });
  }

  /** What is stored is all that there was up to an event that came with it. */
  #load({ isBetween }: { readonly isBetween: boolean }): void {
    const { application, transcript } = this.#options;
    const { store, children } = application();
    const isRunning = children?.isRunning(this.#sessionId) ?? false;
    const messages = store.loadMessages(this.#sessionId);
    const { settled, pending } = isRunning ? withoutPending(messages) : allSettled(messages);
    transcript.clear();
    transcript.load(settled, this.#sessionId);
    this.#missesStart = isRunning && !isBetween && pending.length === 0;
    this.#begun = new Set(isBetween ? [] : pending.map(({ id }) => id));
    if (isBetween) return;
    for (const { id, name, arguments: args } of pending) {
      transcript.observe({
        schemaVersion: 1,
        runId: "",
        sessionId: this.#sessionId,
        seq: 0,
        type: "tool_started",
        timestamp: "",
        data: { id, name, arguments: args, effect: "read" },
      });
    }
  }

  #info() {
    return this.#options.application().children?.get(this.#sessionId);
  }

  #children(parentId: string): readonly string[] {
    const { children } = this.#options.application();
    return children?.children(parentId).map(({ id }) => id) ?? [];
  }

  #siblings(): readonly string[] {
    const parentId = this.#info()?.parentId;
    return parentId === undefined ? [] : this.#children(parentId);
  }

  #go(sessionId: string | undefined): void {
    if (sessionId !== undefined) this.show(sessionId);
  }

  /** The conversation of the person is not looked at: it is gone back to. */
  #goUp(): void {
    const { application, onClose } = this.#options;
    const parentId = this.#info()?.parentId;
    if (parentId === undefined || application().children?.get(parentId) === undefined) {
      return onClose();
    }
    this.show(parentId);
  }

  #goBeside(by: number): void {
    const siblings = this.#siblings();
    if (siblings.length < 2) return;
    const at = siblings.indexOf(this.#sessionId);
    this.#go(siblings[(at + by + siblings.length) % siblings.length]);
  }

  #title(): string {
    const { application } = this.#options;
    const { store, children } = application();
    const info = this.#info();
    if (info === undefined) {
      const title = store.session(this.#sessionId)?.title ?? "";
      return `Session ${this.#sessionId.slice(0, 8)}${title === "" ? "" : `: ${title}`}`;
    }
    const above = children?.ancestors(info.id).toReversed()
      .flatMap((id) => children.get(id)?.agent ?? []) ?? [];
    return `${[...above, info.agent].join(" › ")}: ${info.title}`;
  }

  #help(): readonly string[] {
    const { application, keys, theme } = this.#options;
    const info = this.#info();
    const siblings = this.#siblings();
    const context = application().children?.contextUsage(this.#sessionId);
    const labelled = (label: string, does: string) => label === "" ? [] : [`${label} ${does}`];
    const used = (info?.usage.input ?? 0) + (info?.usage.output ?? 0);
    return [
      ...keyHelp("cancel", "back"),
      ...siblings.length < 2 ? [] : [`${siblings.indexOf(this.#sessionId) + 1}/${siblings.length}`],
      ...context === undefined || context.totalTokens === null
        ? []
        : [`${Math.round(100 * context.usedTokens / context.totalTokens)}% context`],
      ...used === 0 ? [] : [`${formatTokens(used)} tokens`],
      ...info?.status === "running" ? labelled(keys.label("cancelAgent"), "cancel") : [],
      `${theme.glyph("up")} above`,
      ...this.#children(this.#sessionId).length === 0 ? [] : [`${theme.glyph("down")} below`],
      ...siblings.length < 2 ? [] : [`${theme.look.unicode ? "←→" : "Left Right"} beside`],
      "PgUp PgDn scroll",
    ];
  }
}

interface Loaded {
  readonly settled: readonly StoredMessage[];
  /** Calls without a result. */
  readonly pending: readonly ModelToolCall[];
}

function allSettled(messages: readonly StoredMessage[]): Loaded {
  return { settled: messages, pending: [] };
}

/** Calls of the last response that have no result yet go on, and are no part of what was said. */
function withoutPending(messages: readonly StoredMessage[]): Loaded {
  const at = messages.findLastIndex(({ role }) => role === "assistant");
  const last = messages[at];
  if (last?.role !== "assistant") return allSettled(messages);
  const answered = new Set(
    messages.slice(at + 1).flatMap((message) => message.role === "tool" ? [message.callId] : []),
  );
  const pending = last.calls.filter(({ id }) => !answered.has(id));
  const calls = last.calls.filter(({ id }) => answered.has(id));
  return {
    settled: messages.with(at, { ...last, calls }),
    pending,
  };
}
