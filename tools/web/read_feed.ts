import { parseFeed } from "../_html_parser.ts";
import { plainText } from "./plain_text.ts";

const MAX_ENTRIES = 200;
const MAX_SUMMARY_CHARS = 1_000;

/** A feed as a reader gets it. */
export interface ReadFeed {
  /** Its title; empty where it has none. */
  readonly title: string;
  /** Its entries as Markdown. */
  readonly content: string;
}

interface Entry {
  readonly title: string;
  readonly link: string;
  readonly date: string;
  readonly summary: string;
}

/**
 * Reads a feed in RSS, Atom or JSON Feed.
 *
 * @param text The feed.
 * @param url Its address.
 * @returns `null` where it is no feed that can be read.
 */
export function readFeed(text: string, url: string): ReadFeed | null {
  try {
    const feed = text.trimStart().startsWith("{") ? jsonFeed(JSON.parse(text)) : xmlFeed(text);
    if (feed === null) return null;
    const shown = feed.entries.slice(0, MAX_ENTRIES).map((entry) => formatEntry(entry, url));
    const left = feed.entries.length - shown.length;
    return {
      title: feed.title,
      content: [
        ...shown,
        ...left > 0 ? [`(${left} more entries are left out; format "html" gives all of it)`] : [],
      ].join("\n\n"),
    };
  } catch (error) {
    // Broken, or nested too deeply for the stack.
    if (error instanceof SyntaxError || error instanceof RangeError) return null;
    throw error;
  }
}

interface FoundFeed {
  readonly title: string;
  readonly entries: readonly Entry[];
}

function xmlFeed(text: string): FoundFeed | null {
  const feed = parseFeed(text, { xmlMode: true });
  if (feed === null) return null;
  return {
    title: oneLine(feed.title),
    entries: feed.items.map(({ title, link, pubDate, description }) => ({
      title: oneLine(title),
      link: link ?? "",
      date: pubDate === undefined || Number.isNaN(pubDate.getTime()) ? "" : pubDate.toISOString(),
      summary: description ?? "",
    })),
  };
}

function jsonFeed(value: unknown): FoundFeed | null {
  const feed = value as { readonly title?: unknown; readonly items?: unknown } | null;
  if (typeof feed !== "object" || feed === null || !Array.isArray(feed.items)) return null;
  const items = feed.items.filter((item) => typeof item === "object" && item !== null);
  return {
    title: oneLine(feed.title),
    entries: items.map((item: Record<string, unknown>) => ({
      title: oneLine(item.title),
      link: oneLine(item.url),
      date: oneLine(item.date_published),
      summary: [item.summary, item.content_text, item.content_html]
        .find((each): each is string => typeof each === "string") ?? "",
    })),
  };
}

function oneLine(value: unknown): string {
  return typeof value === "string" ? value.replaceAll(/\s+/g, " ").trim().slice(0, 300) : "";
}

function formatEntry({ title, link, date, summary }: Entry, url: string): string {
  const target = link === "" ? null : URL.parse(link, url);
  const isUseful = target !== null && /^https?:$/.test(target.protocol);
  const name = title === "" ? "(no title)" : title.replaceAll(/[[\]]/g, "\\$&");
  const heading = isUseful ? `[${name}](${target.href})` : name;
  const text = plainText(summary.slice(0, MAX_SUMMARY_CHARS * 10)).slice(0, MAX_SUMMARY_CHARS);
  return [`## ${heading}`, date, text].filter((line) => line !== "").join("\n");
}
