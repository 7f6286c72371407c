import type { JsonValue, ProviderAuthMethod, ProviderRegistration } from "@alisio/sdk";
import { isObject } from "../config/is_object.ts";
import { DEFAULT_BASE_URL } from "../config/provider_defaults.ts";
import type { Environment } from "../config/directories.ts";
import type { LoadedConfiguration } from "../config/load_config.ts";
import type { ConfigLayerName, ConfigSource } from "../config/merge_config.ts";
import { isLoopbackHost } from "../config/loopback_host.ts";
import { quoted } from "../config/quoted.ts";
import { AlisioError } from "../errors.ts";
import { resolve } from "../paths/path.ts";
import { formatSignInCommand } from "./auth/sign_in_command.ts";
import type { StoredSession } from "./auth/stored_session.ts";
import type { Credential } from "./credentials.ts";
import { bindKey } from "./key_binding.ts";
import { formatProviderHelp } from "./provider_help.ts";
import { splitModelReference } from "./model_reference.ts";
import type { ProviderProfile, ProviderProfiles } from "./profiles.ts";

/** What a selection has to know of a kind of provider. */
export interface ProviderKind extends Pick<ProviderRegistration, "defaultApiKeyEnv"> {
  /** Ways to sign in. */
  readonly auth?: readonly Pick<ProviderAuthMethod, "id">[];
}

/** What a selection looks at. */
export interface ProviderFacts {
  /** The configuration and its sources. */
  readonly loaded: Pick<LoadedConfiguration, "configuration" | "sources" | "layers">;
  /** Saved profiles. */
  readonly profiles: ProviderProfiles;
  /** Stored secrets by profile id. */
  readonly credentials: Readonly<Record<string, Credential>>;
  /** What sign-ins brought, by profile id. */
  readonly sessions?: Readonly<Record<string, Pick<StoredSession, "provider" | "method">>>;
  /** Environment variables. */
  readonly env: Environment;
  /** Finds a kind of provider. */
  readonly registration: (id: string) => ProviderKind | undefined;
  /** What the path of a script is relative to; absolute. */
  readonly cwd: string;
  /** Path of the person's own configuration file, for messages. */
  readonly configFile: string;
}

/** What is known of the key of a provider; never the key itself. */
export interface KeyState {
  /**
   * `stored` in the credentials file, `set` in the variable, `missing` although one is needed,
   * `not_needed`, `withheld` because the key at hand belongs to another address, `signed_in` with an account, or
   * `signed_out` although the provider needs one.
   */
  readonly status:
    | "stored"
    | "set"
    | "missing"
    | "not_needed"
    | "withheld"
    | "signed_in"
    | "signed_out";
  /** The variable that holds, or would hold, the key. */
  readonly variable?: string;
  /** With `signed_out`: the command that signs in. */
  readonly command?: string;
}

/** The provider of a run. */
export interface SelectedProvider {
  /** Id of the kind of provider. */
  readonly registrationId: string;
  /** The saved profile, if it is one. */
  readonly profileId?: string;
  /** Values for `ProviderRegistration.create`, without secrets. */
  readonly profileValues: Readonly<Record<string, JsonValue>>;
  /** Secrets for `ProviderRegistration.create`. */
  readonly credentials: Credential;
  /** Model id as the server knows it; empty if none is configured. */
  readonly model: string;
  /** The name by which it is found again from any folder, where that is another one. */
  readonly reference?: string;
  /** What decided: the layer of the configuration, or a saved profile. */
  readonly source: ConfigLayerName | "profile";
  /** Address of the server, where there is one, without its query. */
  readonly baseURL?: string;
  /** What is known of the key. */
  readonly key: KeyState;
  /** Tokens that the configuration or the profile names for this model. */
  readonly contextWindow?: {
    /** The size. */
    readonly tokens: number;
    /** Who names it. */
    readonly source: "configuration" | "profile";
  };
  /** What the person should know, one sentence each. */
  readonly notices: readonly string[];
}

/** What stands where a person has to name a model; counts as no model. */
export const MODEL_PLACEHOLDER = "YOUR_MODEL_ID";

/** Start of a model reference that names a script instead of a model. */
const SCRIPTED_PREFIX = "scripted/";

/**
 * Chooses the provider of a run. Pure.
 *
 * In this order: a script that the model reference names; the provider of the configuration, when
 * a flag or the environment names an address or a protocol, or the project or explicit file names
 * a model; the active profile, whose model a flag or the environment may replace; the provider of
 * the configuration, when no profile is saved.
 *
 * @param facts What the selection looks at.
 * @throws {AlisioError} `provider_not_configured` if there is none, it has no model, or the key
 * that it needs is not there; the message says what to do.
 */
export function selectProvider(facts: ProviderFacts): SelectedProvider {
  const selected = planProvider(facts);
  if (isUnsetModel(selected.model)) throw missingModel(selected, facts);
  const { status } = selected.key;
  if (status === "missing" || status === "withheld" || status === "signed_out") {
    throw missingKey(selected, facts);
  }
  return selected;
}

/**
 * The same choice without the demand that it can be used, for diagnostics: the model may be unset
 * and the key may be missing.
 *
 * @param facts What the selection looks at.
 * @throws {AlisioError} `provider_not_configured` if there is nothing to choose.
 */
export function planProvider(facts: ProviderFacts): SelectedProvider {
  const { loaded, profiles } = facts;
  const { model } = loaded.configuration.provider;
  const override = isOverride(loaded.sources.get("provider.model")) ? model : undefined;
  if (override?.startsWith(SCRIPTED_PREFIX)) return planScript(override, facts);
  if (hasEndpointOverride(loaded) || isNamedByProject(loaded)) return planConfigured(facts);
  const reference = override === undefined || isUnsetModel(override)
    ? undefined
    : splitModelReference(override, Object.keys(profiles.profiles));
  if (reference !== undefined) return planProfile(reference.profile, reference.model, facts);
  const { active } = profiles;
  if (active !== undefined) {
    const replaced = override === undefined || isUnsetModel(override) ? active.model : override;
    return planProfile(active.profile, replaced, facts);
  }
  const saved = Object.keys(profiles.profiles);
  if (saved.length > 0) throw noActiveProfile(saved);
  if (model.trim() === "" && !loaded.sources.has("provider.baseURL")) {
    throw new AlisioError(
      "provider_not_configured",
      `Cannot choose a model: no provider is configured; do one of these:\n${
        formatProviderHelp(facts.configFile)
      }`,
    );
  }
  return planConfigured(facts);
}

/**
 * Whether a model id stands for no model.
 *
 * @param model The id.
 */
export function isUnsetModel(model: string): boolean {
  return model.trim() === "" || model === MODEL_PLACEHOLDER;
}

function planScript(
  reference: string,
  { loaded, cwd }: Pick<ProviderFacts, "loaded" | "cwd">,
): SelectedProvider {
  const script = resolve(cwd, reference.slice(SCRIPTED_PREFIX.length));
  return {
    registrationId: "scripted",
    profileValues: { script },
    credentials: {},
    model: reference,
    reference: `${SCRIPTED_PREFIX}${script}`,
    source: loaded.sources.get("provider.model")?.layer ?? "global",
    key: { status: "not_needed" },
    notices: [],
  };
}

function planConfigured(facts: ProviderFacts): SelectedProvider {
  const { loaded, env } = facts;
  const { apiKeyEnv: _, contextWindow: __, prices: ___, model, ...settings } =
    loaded.configuration.provider;
  if (model.startsWith(SCRIPTED_PREFIX)) return planScript(model, facts);
  const binding = bindKey(loaded);
  const secret = binding.status === "bound" ? env[binding.variable] : undefined;
  const key = keyState(settings.auth, settings.baseURL, binding, secret);
  const window = configuredWindow(loaded, model);
  const source = loaded.sources.get("provider.baseURL") ?? loaded.sources.get("provider.model");
  return {
    registrationId: "openai-compatible",
    profileValues: { ...settings, auth: secret && key.status === "set" ? "bearer" : "none" },
    credentials: secret && key.status === "set" ? { apiKey: secret } : {},
    model,
    source: source?.layer ?? "global",
    baseURL: shownAddress(settings.baseURL),
    key,
    ...(window === undefined ? {} : { contextWindow: { tokens: window, source: "configuration" } }),
    notices: configuredNotices(loaded, key),
  };
}

/**
 * What a run of a saved profile would use, whether it can be used or not.
 *
 * @param id Id of the profile.
 * @param model Id of the model.
 * @param facts What is looked at.
 * @throws {AlisioError} `provider_not_configured` if there is no such profile, or its plugin is not
 * loaded.
 */
export function planProfile(id: string, model: string, facts: ProviderFacts): SelectedProvider {
  const { profiles, loaded, env, credentials } = facts;
  const profile = Object.hasOwn(profiles.profiles, id) ? profiles.profiles[id] : undefined;
  const registration = profile === undefined ? undefined : facts.registration(profile.provider);
  if (profile === undefined || registration === undefined) throw unusableProfile(id, profile);
  const stored = (Object.hasOwn(credentials, id) ? credentials[id] : undefined) ?? {};
  const recorded = profile.values["apiKeyEnv"];
  const variable = typeof recorded === "string" ? recorded : registration.defaultApiKeyEnv;
  const address = addressOf(profile);
  const auth = profile.values["auth"] === "none" ? "none" : "bearer";
  const fromEnv = variable === undefined ? undefined : env[variable];
  const account = fromEnv ? undefined : accountState(id, profile.provider, registration, facts);
  const key: KeyState = stored["apiKey"]
    ? { status: "stored" }
    : account !== undefined
    ? account
    : variable === undefined
    ? { status: "not_needed" }
    : keyState(auth, address, { status: "bound", variable }, fromEnv);
  const window = profileWindow(facts, profile, id, model);
  return {
    registrationId: profile.provider,
    profileId: id,
    // Without a key on this machine's own server, no header is sent at all.
    profileValues: key.status === "not_needed" && auth === "bearer" && variable !== undefined
      ? { ...profile.values, auth: "none" }
      : profile.values,
    credentials: key.status === "set" && fromEnv ? { ...stored, apiKey: fromEnv } : stored,
    model,
    source: isOverride(loaded.sources.get("provider.model"))
      ? loaded.sources.get("provider.model")?.layer ?? "profile"
      : "profile",
    ...(address === undefined ? {} : { baseURL: shownAddress(address) }),
    key,
    ...(window === undefined ? {} : { contextWindow: window }),
    notices: [],
  };
}

/** Undefined where the provider knows no accounts. A session of another provider is not its own. */
function accountState(
  profile: string,
  provider: string,
  { auth }: ProviderKind,
  { sessions = {} }: ProviderFacts,
): KeyState | undefined {
  const [method] = auth ?? [];
  if (method === undefined) return undefined;
  const session = Object.hasOwn(sessions, profile) ? sessions[profile] : undefined;
  if (session?.provider === provider) return { status: "signed_in" };
  const command = formatSignInCommand({ provider, profile, method: method.id });
  return { status: "signed_out", command };
}

function keyState(
  auth: "bearer" | "none",
  address: string | undefined,
  binding: { readonly status: "bound" | "withheld"; readonly variable: string },
  secret: string | undefined,
): KeyState {
  if (auth === "none") return { status: "not_needed" };
  if (binding.status === "bound" && secret) return { status: "set", variable: binding.variable };
  if (address !== undefined && isLoopbackHost(new URL(address).hostname)) {
    return { status: "not_needed", variable: binding.variable };
  }
  return {
    status: binding.status === "bound" ? "missing" : "withheld",
    variable: binding.variable,
  };
}

function hasEndpointOverride({ sources }: Pick<LoadedConfiguration, "sources">): boolean {
  return isOverride(sources.get("provider.baseURL")) || isOverride(sources.get("provider.apiMode"));
}

function isOverride(source: ConfigSource | undefined): boolean {
  return source?.layer === "flags" || source?.layer === "environment";
}

/** Whether the project or explicit file names a model, which is what makes its provider count. */
function isNamedByProject({ layers }: Pick<LoadedConfiguration, "layers">): boolean {
  return layers.some(({ source, values }) => {
    if (source.layer !== "project" && source.layer !== "explicit") return false;
    const model = isObject(values["provider"]) ? values["provider"]["model"] : undefined;
    return typeof model === "string" && !isUnsetModel(model);
  });
}

/** `provider.contextWindow` is about the model of its own file, or of any where that names none. */
function configuredWindow(
  { configuration, sources, layers }: ProviderFacts["loaded"],
  model: string,
): number | undefined {
  const source = sources.get("provider.contextWindow");
  const layer = layers.find((each) => each.source.layer === source?.layer);
  const provider = layer?.values["provider"];
  const named = isObject(provider) ? provider["model"] : undefined;
  const matches = typeof named !== "string" || isUnsetModel(named) || named === model;
  return matches ? configuration.provider.contextWindow : undefined;
}

function profileWindow(
  { loaded, profiles }: ProviderFacts,
  profile: ProviderProfile,
  id: string,
  model: string,
): SelectedProvider["contextWindow"] {
  const { configuration } = loaded;
  const configured = configuration.provider.model === model
    ? configuredWindow(loaded, model)
    : undefined;
  if (configured !== undefined) return { tokens: configured, source: "configuration" };
  // It was recorded for the model that was chosen then.
  if (profiles.active?.profile === id && profiles.active.model !== model) return undefined;
  const tokens = Number(profile.values["contextWindow"] ?? Number.NaN);
  return Number.isSafeInteger(tokens) && tokens > 0 ? { tokens, source: "profile" } : undefined;
}

/** The query may hold a key, so it is not shown. */
function shownAddress(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname.replace(/\/$/, "");
}

function addressOf(profile: ProviderProfile): string | undefined {
  const { baseURL } = profile.values;
  if (typeof baseURL === "string") return baseURL;
  return profile.provider === "openai-compatible" ? DEFAULT_BASE_URL : undefined;
}

/** Whoever works in a project has to see where it leads and which key goes there. */
function configuredNotices(
  { configuration, sources }: ProviderFacts["loaded"],
  key: KeyState,
): readonly string[] {
  const named = [sources.get("provider.baseURL"), sources.get("provider.apiKeyEnv")];
  const project = named.find((source) => source?.layer === "project");
  if (project === undefined) return [];
  const address = quoted(shownAddress(configuration.provider.baseURL), 300);
  const what = key.status === "set" ? `with the key in "${key.variable}"` : "without a key";
  return [`Project file ${quoted(project.file ?? "", 1000)} sends requests to ${address} ${what}`];
}

function missingModel(
  selected: SelectedProvider,
  { configFile, loaded }: ProviderFacts,
): AlisioError {
  const file = loaded.sources.get("provider.model")?.file ?? configFile;
  const address = selected.baseURL === undefined ? "" : ` at ${quoted(selected.baseURL, 300)}`;
  const found = selected.model === MODEL_PLACEHOLDER
    ? `the model is still the placeholder "${MODEL_PLACEHOLDER}"`
    : "none is configured";
  return new AlisioError(
    "provider_not_configured",
    `Cannot choose a model of the provider${address}: ${found}; pass --model ID, set ` +
      `ALISIO_MODEL, or set "provider.model" in ${quoted(file, 1000)}`,
  );
}

function missingKey(
  { baseURL, key, profileId }: SelectedProvider,
  facts: ProviderFacts,
): AlisioError {
  const address = quoted(baseURL ?? "", 300);
  if (key.status === "withheld") {
    const file = facts.loaded.sources.get("provider.baseURL")?.file ?? "";
    return new AlisioError(
      "provider_not_configured",
      `Cannot use the provider at ${address}: the project names this address but no key, and the ` +
        `key in "${key.variable}" was not set for it; name "provider.apiKeyEnv" in ` +
        `${quoted(file, 1000)}, or set "provider.auth" to "none" there`,
    );
  }
  if (key.status === "signed_out") {
    return new AlisioError(
      "provider_not_configured",
      `Cannot use profile ${quoted(profileId ?? "")}: nobody is signed in; run ${key.command}`,
    );
  }
  const where = profileId === undefined ? `at ${address}` : `of profile ${quoted(profileId)}`;
  return new AlisioError(
    "provider_not_configured",
    `Cannot use the provider ${where}: the variable "${key.variable}" is not set; set it to the ` +
      'key, or set "auth" to "none" if the server needs none',
  );
}

function noActiveProfile(saved: readonly string[]): AlisioError {
  const names = saved.slice(0, 10).map((id) => quoted(id)).join(", ");
  return new AlisioError(
    "provider_not_configured",
    `Cannot choose a model: no provider profile is active; run alisio connect, or pass --model ` +
      `PROFILE/MODEL with one of the profiles ${names}`,
  );
}

function unusableProfile(id: string, profile: ProviderProfile | undefined): AlisioError {
  const reason = profile === undefined
    ? "it does not exist"
    : `its provider "${profile.provider}" belongs to a plugin that is not loaded`;
  return new AlisioError(
    "provider_not_configured",
    `Cannot use provider profile ${quoted(id)}: ${reason}; load the plugin, or choose another ` +
      "profile with --model PROFILE/MODEL",
  );
}
