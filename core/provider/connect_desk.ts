import type {
  JsonValue,
  ModelInfo,
  ModelProvider,
  OAuthCredential,
  ProviderAuthMethod,
  ProviderRegistration,
} from "@alisio/sdk";
import type { Environment } from "../config/directories.ts";
import { globalConfigPath, type LoadedConfiguration } from "../config/load_config.ts";
import { errorMessage } from "../errors.ts";
import { visibleName } from "../process/visible_text.ts";
import { redactSecrets } from "../redact.ts";
import { untilAborted } from "../until_aborted.ts";
import { VERSION } from "../version.ts";
import { secretsOfSession } from "./auth/check_session.ts";
import { createSignedIn } from "./auth/create_signed_in.ts";
import { SignInDesk, type SignInPorts } from "./auth/sign_in.ts";
import {
  type ConnectDraft,
  profileOfDraft,
  secretsOfDraft,
  withVersionPath,
} from "./connect_draft.ts";
import { type FormField, formFields, type FormValues } from "./connect_form.ts";
import { type Credential, readCredentials } from "./credentials.ts";
import { resolveModelReference } from "./model_reference.ts";
import { type ActiveProfile, type ProviderProfiles, readProfiles } from "./profiles.ts";
import { activateProfile, type NewSession, removeProfile, saveProfile } from "./saved_profiles.ts";
import { type KeyState, planProfile } from "./select_provider.ts";

/** What providers are connected with. */
export interface ConnectDeskPorts {
  /** The folder of the person's configuration. */
  readonly configHome: string;
  /** The folder of what Alisio remembers. */
  readonly stateHome: string;
  /** Environment variables. */
  readonly env: Environment;
  /** What paths are relative to. */
  readonly cwd: string;
  /** The configuration that is in force. */
  readonly loaded: LoadedConfiguration;
  /** Values of `--plugin`, for the command that signs in again. */
  readonly plugins: readonly string[];
  /** Every kind of provider that can be connected, those that come with the program first. */
  readonly kinds: () => Promise<readonly ProviderRegistration[]>;
  /** Keeps values out of everything that is stored and sent. */
  readonly hideSecrets: (secrets: readonly string[]) => void;
  /** Receives what the person should be told. */
  readonly notify: (notice: string) => void;
}

/** What the server of a provider offers. */
export type OfferedModels =
  | {
    readonly status: "listed";
    readonly models: readonly ModelInfo[];
    /** The draft, with the address under which the server answered. */
    readonly draft: ConnectDraft;
  }
  /** The server lists none; a model can be named. */
  | { readonly status: "unknown"; readonly why: string };

/** What the catalog of one profile holds. */
export interface ProfileModels {
  /** Id of the profile. */
  readonly profile: string;
  /** Name of the kind of provider, for people. */
  readonly title: string;
  /** Its models. */
  readonly models: readonly ModelInfo[];
  /** Why they are not known. */
  readonly failure?: string;
}

/** A saved profile, for lists. */
export interface ProfileSummary {
  /** Its id. */
  readonly profile: string;
  /** Id of the kind of provider. */
  readonly provider: string;
  /** Its server, without the query. */
  readonly baseURL?: string;
  /** The model, where the profile is the active one. */
  readonly model?: string;
  /** What is known of its key. */
  readonly key: KeyState["status"] | "plugin_missing";
}

/** How long a server may take for its catalog. */
const CATALOG_LIMIT_MS = 10_000;
/** How long a catalog counts in one process. */
const CATALOG_FRESH_MS = 15_000;
/** More models than anybody looks through. */
const MAX_MODELS = 5_000;
const MAX_MODEL_CHARS = 200;
const MAX_SAID_CHARS = 500;

/**
 * Connects providers: forms, sign-ins, catalogs and saved profiles, without any screen. Nothing is
 * stored before {@linkcode ConnectDesk.save}.
 */
export class ConnectDesk {
  readonly #ports: ConnectDeskPorts;
  readonly #signIns = new SignInDesk();
  #catalogs: { readonly at: number; readonly profiles: Promise<readonly ProfileModels[]> } | null =
    null;

  /** @param ports What it works with. */
  constructor(ports: ConnectDeskPorts) {
    this.#ports = ports;
  }

  /** Every kind of provider that can be connected. */
  async kinds(): Promise<readonly ProviderRegistration[]> {
    return await this.#ports.kinds();
  }

  /** The saved profiles. */
  async profiles(): Promise<ProviderProfiles> {
    return await readProfiles(this.#ports.configHome);
  }

  /** The pair that new sessions use, if one was chosen. */
  async active(): Promise<ActiveProfile | undefined> {
    return (await this.profiles()).active;
  }

  /** The saved profiles, for lists. */
  async summaries(): Promise<readonly ProfileSummary[]> {
    const { configHome } = this.#ports;
    const [profiles, stored, kinds] = await Promise.all([
      this.profiles(),
      readCredentials(configHome),
      this.kinds(),
    ]);
    return Object.entries(profiles.profiles).map(([id, profile]) => {
      const { active } = profiles;
      const isKnown = kinds.some((kind) => kind.id === profile.provider);
      const planned = isKnown ? planProfile(id, "", this.#facts(profiles, stored, kinds)) : null;
      return {
        profile: id,
        provider: profile.provider,
        ...(planned?.baseURL === undefined ? {} : { baseURL: planned.baseURL }),
        ...(active?.profile === id ? { model: active.model } : {}),
        key: planned === null ? "plugin_missing" : planned.key.status,
      };
    });
  }

  /**
   * The form of a kind of provider, filled in with what a saved profile has.
   *
   * @param kind The kind of provider.
   * @param profile Id of the profile, if it exists already.
   */
  async form(
    kind: ProviderRegistration,
    profile?: string,
  ): Promise<{ readonly fields: readonly FormField[]; readonly values: FormValues }> {
    const fields = formFields(kind);
    const { profiles } = await this.profiles();
    const saved = profile !== undefined && Object.hasOwn(profiles, profile)
      ? profiles[profile]
      : undefined;
    const values = fields.flatMap(({ name }): readonly (readonly [string, string])[] => {
      const value = saved?.provider === kind.id ? saved.values[name] : undefined;
      return value === undefined || value === null ? [] : [[name, String(value)]];
    });
    return { fields, values: Object.fromEntries(values) };
  }

  /**
   * Whether a variable of the environment holds something. Its value is not told.
   *
   * @param name The variable.
   */
  isSet(name: string): boolean {
    return (this.#ports.env[name] ?? "") !== "";
  }

  /**
   * Signs in. A sign-in that runs is replaced.
   *
   * @param method How.
   * @param ports What it is run with.
   * @throws {SignInError} If that fails.
   */
  async signIn(method: ProviderAuthMethod, ports: SignInPorts): Promise<NewSession> {
    const credential = await this.#signIns.run(method, ports);
    this.#ports.hideSecrets(secretsOfSession(credential));
    return { method: method.id, credential };
  }

  /**
   * Asks the server of a draft for its models. Where an address without a path answers nothing,
   * `/v1` behind it is tried too.
   *
   * @param draft The draft.
   * @param signal Ends the wait.
   * @throws {TypeError} If the provider does not take the values; the message names the field.
   */
  async models(draft: ConnectDraft, signal: AbortSignal): Promise<OfferedModels> {
    const first = await this.#ask(draft, signal);
    const longer = withVersionPath(draft);
    if (first.status === "listed" || longer === null) return first;
    const second = await this.#ask(longer, signal);
    return second.status === "listed" ? second : first;
  }

  /**
   * Saves a draft as a profile and makes it the active one.
   *
   * @param draft The draft.
   * @param choice The model, and the tokens that the person states for it.
   * @throws {AlisioError} If a file cannot be written.
   */
  async save(
    draft: ConnectDraft,
    choice: { readonly model: string; readonly contextWindow?: number },
  ): Promise<void> {
    const { configHome } = this.#ports;
    const [{ profiles }, { credentials }] = await Promise.all([
      this.profiles(),
      readCredentials(configHome),
    ]);
    const profile = profileOfDraft(draft, choice.contextWindow);
    const before = Object.hasOwn(profiles, draft.profile) ? profiles[draft.profile] : undefined;
    const stored = Object.hasOwn(credentials, draft.profile) ? credentials[draft.profile] : {};
    const credential = secretsOfDraft(draft, { stored: stored ?? {}, before, profile });
    this.#ports.hideSecrets(Object.values(credential));
    const hasSecrets = [credential, stored ?? {}].some((each) => Object.keys(each).length > 0);
    const { session } = draft;
    const endsSession = before !== undefined && before.provider !== draft.kind.id;
    await saveProfile(this.#ports, {
      id: draft.profile,
      profile,
      model: choice.model,
      ...(hasSecrets ? { credential } : {}),
      ...(session !== undefined ? { session } : endsSession ? { session: null } : {}),
    });
    this.#catalogs = null;
  }

  /**
   * Makes a pair the one that new sessions use.
   *
   * @param pair Profile and model.
   * @param contextWindow Tokens that the person states for the model.
   * @returns False if it is the active pair already, and nothing was changed.
   * @throws {AlisioError} If there is no such profile, or the file cannot be written.
   */
  async select(pair: ActiveProfile, contextWindow?: number): Promise<boolean> {
    const active = await this.active();
    const isSame = active?.profile === pair.profile && active.model === pair.model;
    if (isSame && contextWindow === undefined) return false;
    await activateProfile(this.#ports.configHome, pair, contextWindow);
    return true;
  }

  /**
   * Removes a profile, its secrets and its session.
   *
   * @param profile Its id.
   * @returns Whether it was the active one.
   * @throws {AlisioError} If there is none of that name, or a file cannot be written.
   */
  async remove(profile: string): Promise<boolean> {
    this.#catalogs = null;
    return await removeProfile(this.#ports, profile);
  }

  /**
   * The models of all saved profiles, asked side by side; one that fails hides no other.
   *
   * @param signal Ends the wait.
   */
  async catalogs(signal: AbortSignal): Promise<readonly ProfileModels[]> {
    const known = this.#catalogs;
    if (known !== null && Date.now() - known.at < CATALOG_FRESH_MS) return await known.profiles;
    const profiles = this.#loadCatalogs(signal);
    const entry = { at: Date.now(), profiles };
    this.#catalogs = entry;
    try {
      const loaded = await profiles;
      if (loaded.some(({ failure }) => failure !== undefined)) this.#catalogs = null;
      return loaded;
    } catch (error) {
      if (this.#catalogs === entry) this.#catalogs = null;
      throw error;
    }
  }

  /**
   * The pair that a name means: `profile/model`, or the id of a model that exactly one saved profile
   * offers.
   *
   * @param reference The name.
   * @param signal Ends the wait for catalogs.
   * @throws {AlisioError} `model_not_found`, or `model_ambiguous` with all that are meant.
   */
  async resolve(reference: string, signal: AbortSignal): Promise<ActiveProfile> {
    const catalogs = (await this.catalogs(signal)).map(({ profile, models, failure }) => ({
      profile,
      load: () =>
        failure === undefined ? Promise.resolve(models) : Promise.reject(new Error(failure)),
    }));
    const { profile, model } = await resolveModelReference(reference, catalogs, { signal });
    return { profile, model };
  }

  async #loadCatalogs(signal: AbortSignal): Promise<readonly ProfileModels[]> {
    const [profiles, stored, kinds] = await Promise.all([
      this.profiles(),
      readCredentials(this.#ports.configHome),
      this.kinds(),
    ]);
    const loaded = await Promise.all(
      Object.entries(profiles.profiles).map(async ([id, profile]): Promise<ProfileModels> => {
        const kind = kinds.find((each) => each.id === profile.provider);
        const title = visibleName(kind?.name ?? profile.provider);
        if (kind === undefined) {
          return { profile: id, title, models: [], failure: "its plugin is not loaded" };
        }
        const planned = planProfile(id, "", this.#facts(profiles, stored, kinds));
        const problem = problemOfKey(planned.key);
        if (problem !== null) return { profile: id, title, models: [], failure: problem };
        const listed = await this.#list(
          signal,
          Object.values(planned.credentials),
          () =>
            this.#create(kind, {
              id,
              values: planned.profileValues,
              credentials: planned.credentials,
            }),
        );
        return { profile: id, title, ...listed };
      }),
    );
    signal.throwIfAborted();
    return loaded;
  }

  async #ask(draft: ConnectDraft, signal: AbortSignal): Promise<OfferedModels> {
    const { configHome } = this.#ports;
    const { credentials } = await readCredentials(configHome);
    const { profiles } = await this.profiles();
    const before = Object.hasOwn(profiles, draft.profile) ? profiles[draft.profile] : undefined;
    const stored = Object.hasOwn(credentials, draft.profile) ? credentials[draft.profile] : {};
    const profile = profileOfDraft(draft, undefined);
    const secrets = secretsOfDraft(draft, { stored: stored ?? {}, before, profile });
    this.#ports.hideSecrets(Object.values(secrets));
    const id = draft.profile;
    const planned = planProfile(
      id,
      "",
      this.#facts({ profiles: { [id]: profile } }, { credentials: { [id]: secrets } }, [
        draft.kind,
      ]),
    );
    const provider = await this.#create(draft.kind, {
      id,
      values: planned.profileValues,
      credentials: planned.credentials,
      ...(draft.session === undefined ? {} : { session: draft.session.credential }),
    });
    const hidden = [
      ...Object.values(planned.credentials),
      ...draft.session === undefined ? [] : secretsOfSession(draft.session.credential),
    ];
    const { models, failure } = await this.#list(signal, hidden, () => Promise.resolve(provider));
    signal.throwIfAborted();
    return failure === undefined
      ? { status: "listed", models, draft }
      : { status: "unknown", why: failure };
  }

  async #list(
    signal: AbortSignal,
    secrets: readonly string[],
    open: () => Promise<ModelProvider>,
  ): Promise<Pick<ProfileModels, "models" | "failure">> {
    const limit = new AbortController();
    const timer = setTimeout(
      () => limit.abort(new Error(`it did not answer within ${CATALOG_LIMIT_MS / 1_000} seconds`)),
      CATALOG_LIMIT_MS,
    );
    const either = AbortSignal.any([signal, limit.signal]);
    try {
      const provider = await untilAborted(open(), either);
      if (provider.listModels === undefined) {
        return { models: [], failure: "the provider lists no models" };
      }
      const models = await untilAborted(provider.listModels({ signal: either }), either);
      return { models: models.filter(isUsable).slice(0, MAX_MODELS) };
    } catch (error) {
      const said = redactSecrets(errorMessage(error), secrets);
      return { models: [], failure: visibleName(said).slice(0, MAX_SAID_CHARS) };
    } finally {
      clearTimeout(timer);
      limit.abort();
    }
  }

  async #create(
    kind: ProviderRegistration,
    { id, values, credentials, session }: {
      readonly id: string;
      readonly values: Readonly<Record<string, JsonValue>>;
      readonly credentials: Credential;
      /** One that is not stored yet. */
      readonly session?: OAuthCredential;
    },
  ): Promise<ModelProvider> {
    const request = { profile: values, credentials, userAgent: `alisio/${VERSION}` };
    if ((kind.auth?.length ?? 0) === 0) return await kind.create(request);
    if (session === undefined) {
      return await createSignedIn(kind, request, { ...this.#ports, profile: id });
    }
    return await kind.create({
      ...request,
      oauth: {
        get: () => Promise.resolve(session),
        invalidate: () => Promise.resolve(),
      },
    });
  }

  #facts(
    profiles: ProviderProfiles,
    stored: Partial<Pick<Awaited<ReturnType<typeof readCredentials>>, "credentials" | "sessions">>,
    kinds: readonly ProviderRegistration[],
  ): Parameters<typeof planProfile>[2] {
    const { loaded, env, cwd, configHome } = this.#ports;
    return {
      loaded,
      profiles,
      credentials: stored.credentials ?? {},
      sessions: stored.sessions ?? {},
      env,
      registration: (id) => kinds.find((kind) => kind.id === id),
      cwd,
      configFile: globalConfigPath(configHome),
    };
  }
}

/** A server that would refuse the question is not asked. */
function problemOfKey({ status, variable = "", command = "" }: KeyState): string | null {
  switch (status) {
    case "missing":
    case "withheld":
      return `the variable "${variable}" is not set`;
    case "signed_out":
      return `nobody is signed in; run ${command}`;
    case "stored":
    case "set":
    case "not_needed":
    case "signed_in":
      return null;
    default:
      return status satisfies never;
  }
}

/** A name that is shown, typed and stored. */
function isUsable({ id }: ModelInfo): boolean {
  return typeof id === "string" && id !== "" && id.length <= MAX_MODEL_CHARS &&
    visibleName(id) === id && id.trim() === id;
}
