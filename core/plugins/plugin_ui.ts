import type { PanelNode, PanelProvider, PluginUi, SelectRequest, Unregister } from "@alisio/sdk";
import { quoted } from "../config/quoted.ts";
import { isObject } from "../config/is_object.ts";
import { previewText } from "../text/bound_text.ts";
import type { QuestionAsker } from "../tools/user_question.ts";

/** Puts a question of a plugin to the person. */
export type PluginAsker = (
  plugin: string,
  request: SelectRequest,
) => Promise<string | undefined>;

const MAX_OPTIONS = 20;
const MAX_TEXT_CHARS = 500;

/** So many short texts of one plugin are kept. */
const MAX_PER_PLUGIN = 8;
const MAX_KEY_CHARS = 200;
const MAX_STATUS_CHARS = 80;
const MAX_DETAIL_CHARS = 500;

/**
 * What a person sees of a plugin. Questions are asked where somebody can answer; texts and panels
 * are kept for an interface that shows them.
 *
 * @param plugin The plugin's id.
 * @param statuses Keeps its short texts.
 * @param addPanel Keeps a panel of it.
 * @param person Puts a question to the person, and shows them a session; absent where nobody is
 * there.
 */
export function createPluginUi(
  plugin: string,
  statuses: PluginStatuses,
  addPanel: PluginUi["panel"],
  { ask, view }: {
    readonly ask: PluginAsker | undefined;
    readonly view: ((sessionId: string) => boolean) | undefined;
  },
): PluginUi {
  return {
    status: (key, text, detail) => statuses.set(plugin, key, text, detail),
    panel: (id, provider) => addPanel(id, provider),
    async select(request) {
      const checked = checkedRequest(request);
      return await ask?.(plugin, checked);
    },
    open(sessionId) {
      if (typeof sessionId !== "string" || sessionId === "") {
        throw new TypeError("ui.open needs the id of a session");
      }
      return view?.(sessionId) ?? false;
    },
    interactive: () => ask !== undefined,
  };
}

/**
 * Puts questions of plugins to whoever answers those of the model.
 *
 * @param asker Asks the person.
 * @param signal Ends every wait.
 */
export function createPluginAsker(asker: QuestionAsker, signal: AbortSignal): PluginAsker {
  return async (plugin, { title, options }) => {
    const question = {
      header: plugin,
      question: title,
      multiSelect: false,
      options: options.map(({ label, description }) => ({
        label,
        ...(description === undefined ? {} : { description }),
      })),
    };
    const [answer] = await asker([question], { callId: `plugin:${plugin}`, plugin, signal });
    // Words of the person's own pick nothing.
    return options.find(({ label }) => label === answer?.selected[0])?.value;
  };
}

function checkedRequest(request: SelectRequest): SelectRequest {
  const given: unknown = request;
  const { title, options }: Record<string, unknown> = isObject(given) ? given : {};
  const list: readonly unknown[] = Array.isArray(options) ? options : [];
  const labels = list.map((each) => isObject(each) ? each.label : undefined);
  const isUsable = typeof title === "string" && list.length > 0 && list.length <= MAX_OPTIONS &&
    list.every((each) => isObject(each) && typeof each.value === "string") &&
    labels.every((label) => typeof label === "string" && label.trim() !== "") &&
    new Set(labels).size === labels.length;
  if (!isUsable) {
    throw new TypeError(
      `ui.select needs { title, options: [{ value, label }] }, with 1 to ${MAX_OPTIONS} options ` +
        "whose labels differ",
    );
  }
  return {
    title: previewText(title, MAX_TEXT_CHARS),
    options: request.options.map(({ value, label, description }) => ({
      value,
      label,
      ...(description === undefined
        ? {}
        : { description: previewText(String(description), MAX_TEXT_CHARS) }),
    })),
  };
}

/** A short text that a plugin shows beside the conversation. Its texts may hold anything. */
export interface PluginStatus {
  /** The plugin. */
  readonly plugin: string;
  /** Names the text among those of its plugin. */
  readonly key: string;
  readonly text: string;
  /** More about it. */
  readonly detail?: string;
}

/** What plugins show beside the conversation, in the order in which it was set first. */
export class PluginStatuses {
  readonly #statuses = new Map<string, PluginStatus>();

  /**
   * Sets a text, in place of the one before.
   *
   * @param plugin The plugin's id.
   * @param key Names it among the plugin's own.
   * @param text The text, of which the beginning is kept; undefined removes it.
   * @param detail More about it.
   * @throws {TypeError} If something is no text, or the plugin shows too many.
   */
  set(plugin: string, key: string, text: string | undefined, detail?: string): void {
    if (typeof key !== "string" || key === "" || key.length > MAX_KEY_CHARS) {
      throw new TypeError(`ui.status needs a key of 1 to ${MAX_KEY_CHARS} characters`);
    }
    const id = JSON.stringify([plugin, key]);
    if (text === undefined) return void this.#statuses.delete(id);
    if (typeof text !== "string" || (detail !== undefined && typeof detail !== "string")) {
      throw new TypeError("ui.status needs a text, and a text for the detail");
    }
    const isNew = !this.#statuses.has(id);
    if (isNew && this.#of(plugin).length >= MAX_PER_PLUGIN) {
      throw new TypeError(`ui.status keeps at most ${MAX_PER_PLUGIN} texts of a plugin`);
    }
    this.#statuses.set(id, {
      plugin,
      key,
      text: previewText(text, MAX_STATUS_CHARS),
      ...detail === undefined ? {} : { detail: previewText(detail, MAX_DETAIL_CHARS) },
    });
  }

  /** All texts. */
  list(): readonly PluginStatus[] {
    return [...this.#statuses.values()];
  }

  /**
   * Removes the texts of a plugin that is closed.
   *
   * @param plugin Its id.
   */
  removeOf(plugin: string): void {
    for (const { key } of this.#of(plugin)) this.set(plugin, key, undefined);
  }

  #of(plugin: string): readonly PluginStatus[] {
    return this.list().filter((status) => status.plugin === plugin);
  }
}

/** A panel of a plugin, as it is at this moment. */
export interface PluginPanel {
  /** Names it among all panels. */
  readonly id: string;
  readonly plugin: string;
  readonly title: string;
  readonly nodes: readonly PanelNode[];
  /** Whether its lines can be acted on. */
  readonly acts: boolean;
}

/** What a person wants to be done with a line of a panel. */
export interface PanelAction {
  /** The panel. */
  readonly panel: string;
  readonly name: "cancel" | "background";
  /** The line. */
  readonly nodeId: string;
  /** The session that is open, where one is. */
  readonly sessionId?: string;
}

const MAX_PANELS = 4;
const MAX_NODES = 200;
const MAX_PANEL_TEXT_CHARS = 200;
const MAX_COLOR_CHARS = 40;

/** Trees that plugins show beside the conversation. */
export class PluginPanels {
  readonly #panels = new Map<
    string,
    { readonly plugin: string; readonly provider: PanelProvider }
  >();

  /**
   * Adds a panel.
   *
   * @param plugin The plugin's id.
   * @param id Names it among the plugin's own.
   * @param provider What fills it.
   * @throws {TypeError} If it is none, the plugin has one of that id, or too many.
   */
  add(plugin: string, id: string, provider: PanelProvider): Unregister {
    const given: unknown = provider;
    const isUsable = typeof id === "string" && id !== "" && isObject(given) &&
      typeof given.title === "string" && typeof given.nodes === "function";
    if (!isUsable) throw new TypeError("ui.panel needs an id and { title, nodes }");
    const own = [...this.#panels.values()].filter((panel) => panel.plugin === plugin);
    if (own.length >= MAX_PANELS) {
      throw new TypeError(`ui.panel keeps at most ${MAX_PANELS} panels of a plugin`);
    }
    const key = JSON.stringify([plugin, id]);
    if (this.#panels.has(key)) throw new TypeError(`ui.panel has a panel ${quoted(id)} already`);
    this.#panels.set(key, { plugin, provider });
    return () => void this.#panels.delete(key);
  }

  /**
   * Does with a line what the person wants. A panel that is gone, or has no actions, does nothing.
   *
   * @param action What they want.
   * @param failed Is told which plugin failed, and why.
   */
  async act(
    { panel, name, nodeId, ...context }: PanelAction,
    failed: (plugin: string, error: unknown) => void,
  ): Promise<void> {
    const known = this.#panels.get(panel);
    try {
      await known?.provider.action?.(name, nodeId, context);
    } catch (error) {
      if (known !== undefined) failed(known.plugin, error);
    }
  }

  /**
   * Every panel that has lines. One whose plugin fails at them is taken away.
   *
   * @param context The session that is open, where one is.
   * @param failed Is told which plugin failed, and why.
   */
  list(
    context: { readonly sessionId?: string },
    failed: (plugin: string, error: unknown) => void,
  ): readonly PluginPanel[] {
    return [...this.#panels].flatMap(([id, { plugin, provider }]) => {
      try {
        const nodes = checkedNodes(provider.nodes(context));
        const title = previewText(provider.title, MAX_PANEL_TEXT_CHARS);
        const acts = typeof provider.action === "function";
        return nodes.length === 0 ? [] : [{ id, plugin, title, nodes, acts }];
      } catch (error) {
        // Asked again and again, it would fail again and again.
        this.#panels.delete(id);
        failed(plugin, error);
        return [];
      }
    });
  }
}

/** Lines that are none are left out. */
function checkedNodes(nodes: unknown): readonly PanelNode[] {
  if (!Array.isArray(nodes)) return [];
  return nodes.slice(0, MAX_NODES).flatMap((node) => {
    if (!isObject(node)) return [];
    const { id, label, status, parentId, startedAt, endedAt, tokens, detail } = node;
    const { color, sessionId } = node;
    if (typeof id !== "string" || typeof label !== "string" || typeof status !== "string") {
      return [];
    }
    return [{
      id,
      label: previewText(label, MAX_PANEL_TEXT_CHARS),
      status: previewText(status, MAX_PANEL_TEXT_CHARS),
      ...(typeof parentId === "string" ? { parentId } : {}),
      ...(typeof color === "string" ? { color: previewText(color, MAX_COLOR_CHARS) } : {}),
      ...(typeof sessionId === "string" ? { sessionId } : {}),
      ...(typeof startedAt === "number" ? { startedAt } : {}),
      ...(typeof endedAt === "number" ? { endedAt } : {}),
      ...(typeof tokens === "number" ? { tokens } : {}),
      ...(typeof detail === "string" ? { detail: previewText(detail, MAX_PANEL_TEXT_CHARS) } : {}),
    }];
  });
}
