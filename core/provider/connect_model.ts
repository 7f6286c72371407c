import type { ModelProvider, ProviderRegistration } from "@alisio/sdk";
import type { Environment } from "../config/directories.ts";
import { globalConfigPath, type LoadedConfiguration } from "../config/load_config.ts";
import { AlisioError } from "../errors.ts";
import type { Connection } from "../run/open_session.ts";
import type { SessionStore } from "../session/session_store.ts";
import { VERSION } from "../version.ts";
import { learnedWindow, lookUpModel } from "./model_catalog.ts";
import { resolvePrice } from "./model_price.ts";
import { resolveOutputBudget } from "./output_budget.ts";
import { readProfiles } from "./profiles.ts";
import { type SelectedProvider, selectProvider } from "./select_provider.ts";
import { resolveContextWindow, resolveRunTokens } from "./token_limits.ts";

/** What connecting to a model works with. */
export interface ConnectPorts {
  readonly loaded: LoadedConfiguration;
  /** The folder of the person's configuration. */
  readonly configHome: string;
  /** The folder of what Alisio remembers. */
  readonly stateHome: string;
  /** Values of `--plugin`, for the command that signs in again. */
  readonly plugins?: readonly string[];
  readonly env: Environment;
  /** What the path of a script is relative to. */
  readonly cwd: string;
  /** Remembers what catalogs said. */
  readonly store: SessionStore;
  /** Finds a kind of provider, and loads the plugin that offers it if need be. */
  readonly registration: (id: string) => Promise<ProviderRegistration | undefined>;
  /** Receives what the person should be told. */
  readonly notify: (notice: string) => void;
  /** Keeps the secrets of the connection out of everything that is stored and sent. */
  readonly hideSecrets: (secrets: readonly string[]) => void;
  /** Whether what responses cost is limited, so that the server's prices matter. */
  readonly limitsCost?: boolean;
  /** Ends the wait for the server's catalog. */
  readonly signal?: AbortSignal;
}

/**
 * Connects to the model that configuration, profiles and flags choose. Nothing is sent but, where
 * nothing is remembered of it, a question for the server's catalog.
 *
 * @param ports What it works with.
 * @param reference Another model than the configured one: that of the session, or of `--model`.
 * @throws {AlisioError} If no provider can be used.
 */
export async function connectModel(
  ports: ConnectPorts,
  reference: string | undefined,
): Promise<Connection> {
  const selected = await select(ports, reference);
  for (const notice of selected.notices) ports.notify(notice);
  ports.hideSecrets(Object.values(selected.credentials));
  const registration = await ports.registration(selected.registrationId);
  if (registration === undefined) {
    throw new AlisioError(
      "provider_not_configured",
      `Cannot use provider "${selected.registrationId}": no plugin that is loaded offers it; ` +
        "enable its plugin",
    );
  }
  const provider = await createProvider(registration, selected, ports);
  return await describeConnection(ports, provider, selected.model, {
    reference: referenceOf(selected),
    declaredWindow: selected.contextWindow,
    signal: ports.signal,
  });
}

/**
 * Adds what is known of a model to a provider: its catalog entry and the limits of a run.
 *
 * @param ports What it works with.
 * @param provider The connection.
 * @param model The id that the server knows it by.
 * @param facts The name under which it is found again, the window that a person declared, and what
 * ends the wait.
 */
export async function describeConnection(
  ports: Pick<ConnectPorts, "loaded" | "store" | "limitsCost">,
  provider: ModelProvider,
  model: string,
  facts: {
    readonly reference: string;
    readonly declaredWindow?: SelectedProvider["contextWindow"] | undefined;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<Connection> {
  const { limits, provider: { prices } } = ports.loaded.configuration;
  const names = [facts.reference, model];
  const needsPrice = ports.limitsCost === true &&
    resolvePrice({ names, configured: prices, catalog: undefined }) === undefined;
  const { declaredWindow } = facts;
  const needsCatalog = needsPrice || limits.maxOutputTokens === undefined ||
    declaredWindow === undefined;
  const info = needsCatalog
    ? await lookUpModel(provider, model, ports.store, facts.signal)
    : undefined;
  const budget = resolveOutputBudget({
    explicit: limits.maxOutputTokens,
    catalog: info?.maxOutputTokens,
  });
  const window = resolveContextWindow({
    ...(declaredWindow === undefined ? {} : { [declaredWindow.source]: declaredWindow.tokens }),
    catalog: info?.contextWindow,
    learned: learnedWindow(ports.store, provider.id, model),
  });
  const maxTokens = resolveRunTokens({
    explicit: limits.maxTokens,
    contextWindow: window?.tokens,
  });
  const price = resolvePrice({ names, configured: prices, catalog: info?.price });
  return {
    provider,
    model,
    reference: facts.reference,
    ...(info === undefined ? {} : { info }),
    ...(price === undefined ? {} : { price }),
    ...(window === undefined ? {} : { contextWindow: window }),
    limits: {
      ...limits,
      maxOutputTokens: budget.maxOutputTokens,
      maxOutputTokensSource: budget.source,
      maxTokens,
    },
  };
}

/** The name by which a model is found again. */
function referenceOf({ reference, profileId, model }: SelectedProvider): string {
  return reference ?? (profileId === undefined ? model : `${profileId}/${model}`);
}

/** What a person is told of a model before anything is sent to it. */
export interface ChosenModel {
  /** Id of the saved profile, or of the kind of provider where there is none. */
  readonly provider: string;
  /** Id of the kind of provider. */
  readonly registration: string;
  /** The id that its server knows it by. */
  readonly model: string;
  /** The name by which it is found again. */
  readonly reference: string;
  /** Host of its server, where it has one. */
  readonly host?: string;
}

/**
 * The model that configuration, profiles and flags choose, without a connection.
 *
 * @param ports What it works with.
 * @param reference Another model than the configured one.
 * @returns Null if none can be used; why is said when it is connected.
 */
export async function chosenModel(
  ports: Omit<ConnectPorts, "store" | "notify" | "hideSecrets" | "stateHome">,
  reference: string | undefined,
): Promise<ChosenModel | null> {
  try {
    const selected = await choose(ports, () => {}, reference);
    const { model, baseURL } = selected;
    const host = baseURL === undefined ? null : URL.parse(baseURL)?.host ?? null;
    return {
      provider: selected.profileId ?? selected.registrationId,
      registration: selected.registrationId,
      model,
      reference: referenceOf(selected),
      ...(host === null ? {} : { host }),
    };
  } catch (error) {
    if (error instanceof AlisioError) return null;
    throw error;
  }
}

async function select(
  ports: ConnectPorts,
  reference: string | undefined,
): Promise<SelectedProvider> {
  try {
    return await choose(ports, ports.notify, reference);
  } catch (error) {
    const { withLocalServers } = await import("./missing_provider.ts");
    throw await withLocalServers(error);
  }
}

async function choose(
  ports: Omit<ConnectPorts, "store" | "notify" | "hideSecrets" | "stateHome">,
  notify: (notice: string) => void,
  reference: string | undefined,
): Promise<SelectedProvider> {
  const profiles = await readProfiles(ports.configHome);
  const saved = Object.values(profiles.profiles).map(({ provider }) => provider);
  const registrations = new Map(
    await Promise.all(
      [...new Set(saved)].map(async (id) => [id, await ports.registration(id)] as const),
    ),
  );
  const { credentials, sessions, notices } = saved.length === 0
    ? { credentials: {}, sessions: {}, notices: [] }
    : await (await import("./credentials.ts")).readCredentials(ports.configHome);
  for (const notice of notices) notify(notice);
  return selectProvider({
    loaded: reference === undefined ? ports.loaded : withModel(ports.loaded, reference),
    profiles,
    credentials,
    sessions,
    env: ports.env,
    registration: (id) => registrations.get(id),
    cwd: ports.cwd,
    configFile: globalConfigPath(ports.configHome),
  });
}

/** A model of a session or flag counts like one on the command line. */
function withModel(loaded: LoadedConfiguration, model: string): LoadedConfiguration {
  const { configuration, sources } = loaded;
  return {
    ...loaded,
    configuration: { ...configuration, provider: { ...configuration.provider, model } },
    sources: new Map([...sources, ["provider.model", { layer: "flags" }]]),
  };
}

async function createProvider(
  registration: ProviderRegistration,
  selected: SelectedProvider,
  ports: Omit<ConnectPorts, "store">,
): Promise<ModelProvider> {
  const request = {
    profile: selected.profileValues,
    credentials: selected.credentials,
    userAgent: `alisio/${VERSION}`,
  };
  const { profileId } = selected;
  const hasAccounts = (registration.auth?.length ?? 0) > 0 && profileId !== undefined;
  try {
    if (!hasAccounts) return await registration.create(request);
    const { createSignedIn } = await import("./auth/create_signed_in.ts");
    return await createSignedIn(registration, request, { ...ports, profile: profileId });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new AlisioError("provider_not_configured", error.message, { cause: error });
  }
}
