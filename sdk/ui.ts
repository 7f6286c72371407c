import type { Unregister } from "./plugin.ts";

/** One answer that a person can pick. */
export interface SelectOption {
  /** What picking it answers. */
  readonly value: string;
  /** What the person reads. */
  readonly label: string;
  /** What picking it means. */
  readonly description?: string;
}

/** A question to the person. */
export interface SelectRequest {
  /** The question. */
  readonly title: string;
  /** The answers. */
  readonly options: readonly SelectOption[];
}

/** One line of a panel. */
export interface PanelNode {
  /** Unique in its panel. */
  readonly id: string;
  /** The line that it hangs below. */
  readonly parentId?: string;
  /** What the person reads. */
  readonly label: string;
  /** Name of a colour. */
  readonly color?: string;
  /** Such as `running` or `completed`. */
  readonly status: string;
  /** Epoch milliseconds. */
  readonly startedAt?: number;
  /** Epoch milliseconds. */
  readonly endedAt?: number;
  /** Tokens that it used. */
  readonly tokens?: number;
  /** More about it. */
  readonly detail?: string;
  /** The session that it stands for. */
  readonly sessionId?: string;
}

/** What fills a panel. */
export interface PanelProvider {
  /** Heading of the panel. */
  readonly title: string;
  /**
   * The lines that it has now.
   *
   * @param context The session that is open, where one is.
   */
  nodes(context: { readonly sessionId?: string }): readonly PanelNode[];
  /**
   * Acts on a line.
   *
   * @param name What the person wants.
   * @param nodeId The line.
   * @param context The session that is open, where one is.
   */
  action?(
    name: "cancel" | "background",
    nodeId: string,
    context: { readonly sessionId?: string },
  ): void | Promise<void>;
}

/**
 * What a person sees of a plugin. An interface shows what it has a place for and ignores the rest;
 * without one, as in `alisio run`, nothing is shown and nobody answers.
 */
export interface PluginUi {
  /**
   * Sets a short text of the status bar.
   *
   * @param key Names it among the plugin's own.
   * @param text The text; undefined removes it.
   * @param detail More about it.
   */
  status(key: string, text: string | undefined, detail?: string): void;
  /**
   * Adds a panel that is a tree.
   *
   * @param id Names it among the plugin's own.
   * @param provider What fills it.
   */
  panel(id: string, provider: PanelProvider): Unregister;
  /**
   * Asks the person to choose.
   *
   * @param request The question.
   * @returns The value of what was picked; undefined where nobody can answer.
   */
  select(request: SelectRequest): Promise<string | undefined>;
  /**
   * Opens a session to look at.
   *
   * @param sessionId The session.
   * @returns Whether there is an interface that can.
   */
  open(sessionId: string): boolean;
  /** Whether an interface is there that can answer `select`. */
  interactive(): boolean;
}
