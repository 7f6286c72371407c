/**
 * Converts one page or feed on a thread of its own, so that a hard one keeps nothing else waiting.
 *
 * @module
 */
import { convertPage, type PageSource } from "./convert_page.ts";
import { readFeed } from "./read_feed.ts";

/** What is converted: a page, or a feed. */
export type ThreadSource =
  | PageSource
  | { readonly feed: string; readonly url: string };

const scope = globalThis as unknown as {
  onmessage: ((event: MessageEvent<ThreadSource>) => void) | null;
  postMessage(answer: unknown): void;
};

scope.onmessage = ({ data }) => {
  try {
    const done = "feed" in data ? readFeed(data.feed, data.url) : convertPage(data);
    scope.postMessage({ done });
  } catch (error) {
    scope.postMessage({ failure: error instanceof Error ? error.message : String(error) });
  }
};
