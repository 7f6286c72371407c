import type { SearchResult } from "@alisio/sdk";
import { isObject } from "../../core/config/is_object.ts";
import { errorMessage } from "../../core/errors.ts";
import { callHook } from "../../core/plugins/call_hook.ts";
import { type Extension, extensionName } from "../../core/plugins/extension_registry.ts";
import { visibleName } from "../../core/process/visible_text.ts";
import { previewText } from "../../core/text/bound_text.ts";
import { cleanResults } from "./clean_results.ts";
import type { FoundPage } from "./search_provider.ts";

/** What a plugin is asked with. */
export interface ExtensionSearch {
  readonly query: string;
  /** How long it may take. */
  readonly timeoutMs: number;
  /** Ends the wait, which is nobody's failure. */
  readonly signal: AbortSignal;
  /** Is told of a plugin that fails. */
  readonly failed: (plugin: string, error: unknown) => void;
}

/** What a plugin answered to a search. */
export type ExtensionOutcome =
  | {
    readonly kind: "found";
    readonly source: string;
    readonly results: readonly SearchResult[];
  }
  /** It threw, took too long, or answered what no search does. */
  | { readonly kind: "failed"; readonly diagnostic: string };

/** More is none of a search. */
const MAX_ENTRIES = 1_000;

/**
 * Searches with what a plugin offers.
 *
 * @param extension What it offers.
 * @param search What it is asked with.
 * @throws The reason of `search.signal`, if it aborts.
 */
export async function searchWithExtension(
  extension: Extension<"websearch">,
  { query, timeoutMs, signal, failed }: ExtensionSearch,
): Promise<ExtensionOutcome> {
  const { plugin, provider } = extension;
  let reason: string | null = null;
  let pages: readonly FoundPage[] = [];
  await callHook({
    plugin,
    handle: (limit) => provider.search(query, { signal: limit }),
    check: (answer) => {
      pages = readPages(answer);
    },
    timeoutMs,
    signal,
    failed: (id, error) => {
      reason = previewText(visibleName(errorMessage(error)), 300);
      failed(id, error);
    },
  });
  signal.throwIfAborted();
  const name = extensionName(extension);
  if (reason !== null) return { kind: "failed", diagnostic: `${name} failed: ${reason}` };
  return { kind: "found", source: name, results: await cleanResults(pages) };
}

/** Whatever it is, it is anyone's code. */
function readPages(answer: unknown): readonly FoundPage[] {
  if (!Array.isArray(answer)) throw new TypeError("it returned no list of results");
  if (answer.length > MAX_ENTRIES) {
    throw new RangeError(`it returned ${answer.length} results; ${MAX_ENTRIES} are allowed`);
  }
  return answer.map((entry: unknown) => {
    if (!isObject(entry)) throw new TypeError("a result of it is no object");
    const { title = "", url, snippet = "" } = entry;
    if (typeof url !== "string" || typeof title !== "string" || typeof snippet !== "string") {
      throw new TypeError("a result of it has no title, url and snippet, all texts");
    }
    if (!/^https?:\/\//i.test(url.trim())) {
      throw new TypeError("the url of a result of it is no http:// or https:// address");
    }
    return { title, url, snippet };
  });
}
