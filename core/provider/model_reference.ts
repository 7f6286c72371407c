import type { ModelInfo } from "@alisio/sdk";
import { nearestName } from "../config/nearest_name.ts";
import { quoted } from "../config/quoted.ts";
import { AlisioError, errorMessage } from "../errors.ts";

/** A profile whose models can be listed. */
export interface ModelCatalog {
  /** Id of the profile. */
  readonly profile: string;
  /**
   * Lists its models.
   *
   * @param signal Aborts when nobody waits any more.
   */
  load(signal: AbortSignal): Promise<readonly ModelInfo[]>;
}

/** A model of a profile. */
export interface ResolvedModel {
  /** Id of the profile. */
  readonly profile: string;
  /** Model id as the server knows it. */
  readonly model: string;
  /** What the catalog says of it, if it was asked. */
  readonly info?: ModelInfo;
}

/** Bounds of {@linkcode resolveModelReference}. */
export interface ResolveModelOptions {
  /** Ends the wait for catalogs. */
  readonly signal: AbortSignal;
  /**
   * Longest wait for one catalog.
   *
   * @default 5000
   */
  readonly timeoutMs?: number;
}

/** More names than this are counted, not listed. */
const MAX_LISTED = 10;

/**
 * Splits a canonical reference `profile/model`. Pure.
 *
 * A model id may hold slashes itself, so the first part counts as a profile only if it is one.
 *
 * @param reference The reference.
 * @param profiles Ids of the profiles that exist.
 * @returns The parts, or `undefined` if the reference is a bare model id.
 */
export function splitModelReference(
  reference: string,
  profiles: readonly string[],
): ResolvedModel | undefined {
  const slash = reference.indexOf("/");
  const profile = reference.slice(0, Math.max(slash, 0));
  const model = reference.slice(slash + 1);
  return slash > 0 && model !== "" && profiles.includes(profile) ? { profile, model } : undefined;
}

/**
 * Finds the one model that a reference means: `profile/model` as it stands, or a bare id that
 * exactly one profile offers. Never chooses between several.
 *
 * All catalogs load side by side, each within its limit; one that fails hides no other.
 *
 * @param reference What the person or a model wrote.
 * @param catalogs The profiles.
 * @param options Bounds of the wait.
 * @throws {AlisioError} `model_not_found` with the nearest choices, or `model_ambiguous` with all.
 */
export async function resolveModelReference(
  reference: string,
  catalogs: readonly ModelCatalog[],
  options: ResolveModelOptions,
): Promise<ResolvedModel> {
  const canonical = splitModelReference(reference, catalogs.map(({ profile }) => profile));
  if (canonical !== undefined) return canonical;
  const loaded = await Promise.all(catalogs.map((catalog) => loadCatalog(catalog, options)));
  options.signal.throwIfAborted();
  const offers = loaded.flatMap(({ profile, models }) =>
    models.filter(({ id }) => id === reference).slice(0, 1).map((info) => ({
      profile,
      model: reference,
      info,
    }))
  );
  const [offer] = offers;
  if (offer !== undefined && offers.length === 1) return offer;
  throw offer === undefined ? notFound(reference, loaded) : ambiguous(reference, offers);
}

interface LoadedCatalog {
  readonly profile: string;
  readonly models: readonly ModelInfo[];
  readonly failure?: string;
}

async function loadCatalog(
  { profile, load }: ModelCatalog,
  { signal, timeoutMs = 5_000 }: ResolveModelOptions,
): Promise<LoadedCatalog> {
  const limit = new AbortController();
  const timer = setTimeout(
    () => limit.abort(new Error(`it did not answer within ${timeoutMs} ms`)),
    timeoutMs,
  );
  const either = AbortSignal.any([signal, limit.signal]);
  try {
    return { profile, models: await untilAborted(load(either), either) };
  } catch (error) {
    return { profile, models: [], failure: errorMessage(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** A catalog that ignores its signal must not hold the others up. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

function notFound(reference: string, catalogs: readonly LoadedCatalog[]): AlisioError {
  const choices = catalogs.flatMap(({ profile, models }) =>
    models.map(({ id }) => `${profile}/${id}`)
  );
  const nearest = nearestName(
    reference,
    catalogs.flatMap(({ models }) => models.map(({ id }) => id)),
  );
  const hint = nearest === undefined ? "" : `; did you mean ${quoted(nearest)}?`;
  const listed = choices.length === 0 ? "" : `; the choices are ${list(choices)}`;
  const failures = catalogs.flatMap(({ profile, failure }) =>
    failure === undefined
      ? []
      : [`; the models of "${profile}" are unknown: ${failure.slice(0, 200)}`]
  );
  return new AlisioError(
    "model_not_found",
    `Cannot find model ${quoted(reference)}: no profile offers it${hint}${listed}` +
      failures.slice(0, MAX_LISTED).join(""),
  );
}

function ambiguous(reference: string, offers: readonly ResolvedModel[]): AlisioError {
  const names = offers.map(({ profile, model }) => `${profile}/${model}`);
  return new AlisioError(
    "model_ambiguous",
    `Cannot choose model ${quoted(reference)}: several profiles offer it; name one of ${
      list(names)
    }`,
  );
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, MAX_LISTED).map((name) => quoted(name)).join(", ");
  return names.length > MAX_LISTED ? `${shown} and ${names.length - MAX_LISTED} more` : shown;
}
