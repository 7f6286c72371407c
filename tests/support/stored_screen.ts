/**
 * Screens of the terminal interface, held against stored ones.
 *
 * With `ALISIO_STORE_SCREENS=1` what is seen is stored instead, to be looked at in the difference.
 *
 * @module
 */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { VERSION } from "../../core/version.ts";

const STORES = Deno.env.get("ALISIO_STORE_SCREENS") === "1";

/** What differs from one run to the next, and what stands for it. Most keep the width. */
const CHANGING: readonly (readonly [RegExp, string])[] = [
  [/127\.0\.0\.1:\d+/g, "127.0.0.1:54321"],
  [/alisio-test-[0-9a-f]{16}/g, "alisio-test-0123456789abcdef"],
  // A narrow window breaks it.
  [/alisio-test-[0-9a-f]{15}\n {3}[0-9a-f]/g, "alisio-test-0123456789abcde\n   f"],
  [/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, "⠋"],
  [/(?<=· |resume )[0-9a-f]{8}\b/g, "0a1b2c3d"],
  [/~\d+(?:\.\d+)?k?(?= \/ )/g, "~1k"],
  [/\b\d+ms\b/g, "0ms"],
  [/\b\d+(?:\.\d+)?s\b/g, "0s"],
  [/\b\d+m \d\ds\b/g, "0s"],
];

/**
 * A screen without what changes from one run to the next.
 *
 * @param screen The screen.
 */
export function withoutChance(screen: string): string {
  const plain = screen.replaceAll(VERSION, "VERSION");
  return CHANGING.reduce((text, [pattern, stands]) => text.replaceAll(pattern, stands), plain);
}

/**
 * Holds a screen against the stored one.
 *
 * @param path Where it is stored.
 * @param screen The screen.
 */
export async function assertStoredScreen(path: string, screen: string): Promise<void> {
  const text = `${withoutChance(screen)}\n`;
  if (STORES) {
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.writeTextFile(path, text);
    return;
  }
  assert.equal(text, await Deno.readTextFile(path), path);
}
