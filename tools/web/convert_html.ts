import type { ConvertedPage, PageSource } from "./convert_page.ts";
import type { ThreadSource } from "./convert_worker.ts";
import type { ReadFeed } from "./read_feed.ts";

/** Longest conversion, the start of the thread included. */
const LIMIT_MS = 10_000;

/**
 * Converts a page on a thread of its own. Where that takes too long, or the page is too deep or too
 * large, it becomes plain text instead, and a note says so.
 *
 * @param source The page.
 * @param signal Ends it at once.
 * @throws The reason of the signal.
 */
export async function convertHtml(source: PageSource, signal: AbortSignal): Promise<ConvertedPage> {
  const answer = await onThread<ConvertedPage>(source, signal);
  if ("done" in answer) return answer.done;
  const { plainText } = await import("./plain_text.ts");
  return {
    title: "",
    content: plainText(source.html),
    part: "page",
    notes: [`The page could not be converted (${answer.failure}); this is its plain text`],
  };
}

/**
 * Reads a feed on a thread of its own.
 *
 * @param feed The feed.
 * @param url Its address.
 * @param signal Ends it at once.
 * @returns `null` where it cannot be read as a feed.
 * @throws The reason of the signal.
 */
export async function convertFeed(
  feed: string,
  url: string,
  signal: AbortSignal,
): Promise<ReadFeed | null> {
  const answer = await onThread<ReadFeed | null>({ feed, url }, signal);
  return "done" in answer ? answer.done : null;
}

type Answer<T> = { readonly done: T } | { readonly failure: string };

function onThread<T>(source: ThreadSource, signal: AbortSignal): Promise<Answer<T>> {
  signal.throwIfAborted();
  const worker = new Worker(new URL("./convert_worker.ts", import.meta.url).href, {
    type: "module",
    name: "alisio-page",
  });
  const { promise, resolve, reject } = Promise.withResolvers<Answer<T>>();
  const abort = () => reject(signal.reason);
  const timer = setTimeout(() => resolve({ failure: "it takes too long" }), LIMIT_MS);
  signal.addEventListener("abort", abort, { once: true });
  worker.onmessage = ({ data }: MessageEvent<Answer<T>>) => resolve(data);
  worker.onerror = (event) => {
    event.preventDefault();
    resolve({ failure: event.message.slice(0, 200) });
  };
  worker.postMessage(source);
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
    worker.terminate();
  });
}
