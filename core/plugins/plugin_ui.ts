import type { PluginUi, SelectRequest } from "@alisio/sdk";
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
 * What a person sees of a plugin. Nothing shows panels yet, so they go nowhere; questions are asked
 * where somebody can answer.
 *
 * @param plugin The plugin's id.
 * @param statuses Keeps its short texts.
 * @param ask Puts a question to the person; absent where nobody is there.
 */
export function createPluginUi(
  plugin: string,
  statuses: PluginStatuses,
  ask: PluginAsker | undefined,
): PluginUi {
  return {
    status: (key, text, detail) => statuses.set(plugin, key, text, detail),
    panel: () => () => {},
    async select(request) {
      const checked = checkedRequest(request);
      return await ask?.(plugin, checked);
    },
    open: () => false,
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
