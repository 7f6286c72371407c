import type { JsonValue, ModelInfo, ModelProvider } from "@alisio/sdk";
import { isObject } from "../config/is_object.ts";
import type { SessionStore } from "../session/session_store.ts";

/** How long a remembered catalog answers without being asked for again. */
export const CATALOG_FRESH_MS = 24 * 60 * 60 * 1_000;

/** How long the first request of a run waits for a catalog that is not remembered. */
export const CATALOG_WAIT_MS = 2_000;

/** How soon a server whose catalog could not be read is asked again. */
const CATALOG_RETRY_MS = 60 * 60 * 1_000;

const STATE_OWNER = "core:catalog";
const WINDOW_OWNER = "core:window";

const DAY_MS = 24 * 60 * 60 * 1_000;

/** A server may be started anew with a larger window, so a lesson is not kept for ever. */
const KEPT_MS: Readonly<Record<"said" | "guessed", number>> = {
  said: 30 * DAY_MS,
  guessed: DAY_MS,
};

/** What a server taught by refusing a request. */
export interface WindowLesson {
  /** Tokens that it can hold at most. */
  readonly tokens: number;
  /** Whether it named the number, or it was worked out from what it refused. */
  readonly isSaid: boolean;
}

/**
 * What a server says of a model: from what was remembered of its catalog, else from the catalog
 * itself if that answers soon. Unknown is a fine answer, so no failure is reported.
 *
 * @param provider The connection.
 * @param model The model's id.
 * @param store Remembers the answer for later runs.
 * @param signal Ends the wait.
 */
export async function lookUpModel(
  provider: ModelProvider,
  model: string,
  store: SessionStore,
  signal?: AbortSignal,
): Promise<ModelInfo | undefined> {
  const key = keyOf(provider.id, model);
  const remembered = parseRemembered(store.pluginState(STATE_OWNER, key));
  const ageMs = remembered === undefined ? Infinity : Date.now() - remembered.at;
  if (remembered !== undefined && ageMs >= 0 && ageMs < CATALOG_FRESH_MS) return remembered.info;
  if (provider.listModels === undefined) return remembered?.info;
  // A signal that has aborted already says so to nobody who listens from now on.
  signal?.throwIfAborted();
  const info = await readCatalog(provider, model, signal);
  signal?.throwIfAborted();
  const known = info ?? remembered?.info;
  // A server without a catalog is not asked before every run, and what it once said is kept.
  const at = info === null ? Date.now() - CATALOG_FRESH_MS + CATALOG_RETRY_MS : Date.now();
  store.setPluginState(STATE_OWNER, key, { at, info: toJson(known ?? { id: model }) });
  return known;
}

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
  const value = store.pluginState(WINDOW_OWNER, keyOf(provider, model));
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
  store.setPluginState(WINDOW_OWNER, key, { tokens, isSaid, at: Date.now() });
}

async function readCatalog(
  provider: ModelProvider,
  model: string,
  signal: AbortSignal | undefined,
): Promise<ModelInfo | null> {
  const expiry = AbortSignal.timeout(CATALOG_WAIT_MS);
  const limit = signal === undefined ? expiry : AbortSignal.any([signal, expiry]);
  const { promise: ended, resolve } = Promise.withResolvers<null>();
  const end = () => resolve(null);
  limit.addEventListener("abort", end, { once: true });
  try {
    const asked = provider.listModels?.({ signal: limit }) ?? Promise.resolve([]);
    // A provider that does not listen to its signal must not hold the run.
    const models = await Promise.race([asked, ended]);
    if (models === null) {
      asked.catch(() => {});
      return null;
    }
    return models.find(({ id }) => id === model) ?? { id: model };
  } catch {
    return null;
  } finally {
    limit.removeEventListener("abort", end);
  }
}

function parseRemembered(
  value: JsonValue | undefined,
): { readonly at: number; readonly info: ModelInfo } | undefined {
  if (typeof value !== "object" || value === null || !("at" in value) || !("info" in value)) {
    return undefined;
  }
  const { at, info } = value;
  if (typeof at !== "number" || typeof info !== "object" || info === null || !("id" in info)) {
    return undefined;
  }
  if (typeof info.id !== "string") return undefined;
  // Written by `toJson` from a ModelInfo; unknown fields do no harm.
  return { at, info: info as unknown as ModelInfo };
}

function toJson(info: ModelInfo): JsonValue {
  return JSON.parse(JSON.stringify(info));
}

function keyOf(provider: string, model: string): string {
  return `${provider}\0${model}`;
}
