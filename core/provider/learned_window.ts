import { isObject } from "../config/is_object.ts";
import type { SessionStore } from "../session/session_store.ts";

/** What a server taught by refusing a request. */
export interface WindowLesson {
  /** Tokens that it can hold at most. */
  readonly tokens: number;
  /** Whether it named the number, or it was worked out from what it refused. */
  readonly isSaid: boolean;
}

const STATE_OWNER = "core:window";
const DAY_MS = 24 * 60 * 60 * 1_000;

/** A server may be started anew with a larger window, so a lesson is not kept for ever. */
const KEPT_MS: Readonly<Record<"said" | "guessed", number>> = {
  said: 30 * DAY_MS,
  guessed: DAY_MS,
};

/**
 * The window that a server taught.
 *
 * @param store Remembers it.
 * @param provider Id of the connection.
 * @param model The model's id at its server.
 * @returns Undefined if there is nothing to go by.
 */
export function learnedWindow(
  store: Pick<SessionStore, "pluginState">,
  provider: string,
  model: string,
): number | undefined {
  const value = store.pluginState(STATE_OWNER, keyOf(provider, model));
  if (!isObject(value)) return undefined;
  const { tokens, isSaid, at } = value;
  if (typeof tokens !== "number" || tokens < 1 || typeof at !== "number") return undefined;
  const ageMs = Date.now() - at;
  return ageMs < KEPT_MS[isSaid === true ? "said" : "guessed"] ? tokens : undefined;
}

/**
 * Remembers what a server taught, for every session that asks it.
 *
 * @param store Remembers it.
 * @param model Id of the connection, and of the model at its server.
 * @param lesson What it taught.
 */
export function rememberWindow(
  store: Pick<SessionStore, "setPluginState">,
  model: { readonly provider: string; readonly model: string },
  { tokens, isSaid }: WindowLesson,
): void {
  const key = keyOf(model.provider, model.model);
  store.setPluginState(STATE_OWNER, key, { tokens, isSaid, at: Date.now() });
}

function keyOf(provider: string, model: string): string {
  return `${provider}\0${model}`;
}
