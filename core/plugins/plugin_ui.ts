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

/**
 * What a person sees of a plugin. Nothing shows texts and panels yet, so they go nowhere; questions
 * are asked where somebody can answer.
 *
 * @param plugin The plugin's id.
 * @param ask Puts a question to the person; absent where nobody is there.
 */
export function createPluginUi(plugin: string, ask: PluginAsker | undefined): PluginUi {
  return {
    status() {},
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
