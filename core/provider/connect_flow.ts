import type {
  ModelInfo,
  ProviderAuthMethod,
  ProviderAuthStep,
  ProviderRegistration,
} from "@alisio/sdk";
import { nearestName } from "../config/nearest_name.ts";
import { quoted } from "../config/quoted.ts";
import { AlisioError } from "../errors.ts";
import { visibleName } from "../process/visible_text.ts";
import type { ConnectDesk, OfferedModels } from "./connect_desk.ts";
import type { ConnectDraft } from "./connect_draft.ts";
import {
  cleanValue,
  flawOfValue,
  type FormField,
  type FormValues,
  isOpenRoad,
  parseTokens,
  proposeProfile,
} from "./connect_form.ts";
import { findLocalServers, type LocalServer } from "./local_servers.ts";
import { flawOfProfileId, type NewSession } from "./saved_profiles.ts";
import type { ConnectAsker } from "./connect_asker.ts";
import type { SignInPorts } from "./auth/sign_in.ts";

/** What flags say of the provider that is connected. */
export interface ConnectRequest {
  /** Id of the kind of provider. */
  readonly provider?: string;
  /** Name of the profile. */
  readonly profile?: string;
  /** Id of the model. */
  readonly model?: string;
  /** Id of the way to sign in. */
  readonly signIn?: string;
  /** Values of fields, as they were given. */
  readonly values: FormValues;
  /** Tokens. */
  readonly contextWindow?: number;
}

/** What a flow works with. */
export interface ConnectFlowPorts {
  readonly desk: ConnectDesk;
  /** Asks what the request leaves open; null where nobody can answer. */
  readonly asker: ConnectAsker | null;
  /** Tells what goes on. */
  readonly say: (text: string) => void;
  /** Whether the browser is on this machine, as far as anyone can tell. */
  readonly hasBrowser: boolean;
  /** Gives up, where nobody is asked. */
  readonly signal: AbortSignal;
  /**
   * Where servers of this machine are looked for, with their names.
   *
   * @default the ports of the usual ones
   */
  readonly localPorts?: readonly (readonly [number, string])[];
}

/** A profile that was saved. */
export interface Connected {
  readonly profile: string;
  readonly provider: string;
  readonly model: string;
  readonly baseURL?: string;
}

/**
 * Connects a provider: what flags leave open is asked for, in the order of the form, and the profile
 * is saved at the very end.
 *
 * @param ports What it works with.
 * @param request What flags say.
 * @throws {AlisioError} `usage` if something is wrong or missing that nobody can be asked for,
 * `sign_in_failed`, or if a file cannot be written.
 */
export async function connectProvider(
  ports: ConnectFlowPorts,
  request: ConnectRequest,
): Promise<Connected> {
  return await new ConnectFlow(ports, request).run();
}

class ConnectFlow {
  readonly #ports: ConnectFlowPorts;
  readonly #request: ConnectRequest;

  constructor(ports: ConnectFlowPorts, request: ConnectRequest) {
    this.#ports = ports;
    this.#request = request;
  }

  async run(): Promise<Connected> {
    const { desk } = this.#ports;
    const { kind, server } = await this.#chooseKind();
    const method = await this.#chooseMethod(kind);
    const session = method === null ? undefined : await this.#signIn(kind, method);
    const { fields, values: saved } = await desk.form(kind, this.#request.profile);
    let start: FormValues = { ...saved, ...this.#given(kind, fields, server) };
    // A server that was found on this machine has said already that it answers.
    let isFilled = server !== undefined;
    for (;;) {
      const values = isFilled
        ? start
        : await this.#fill(kind, fields, start, session !== undefined);
      isFilled = false;
      const draft: ConnectDraft = {
        kind,
        values,
        profile: await this.#profileName(kind, values),
        ...(session === undefined ? {} : { session }),
      };
      const offered = await this.#models(draft);
      if (offered.status === "listed" || await this.#goesOn(offered.why)) {
        return await this.#finish(draft, offered);
      }
      start = values;
    }
  }

  /** Whether the person names a model by themselves, rather than change what they filled in. */
  async #goesOn(why: string): Promise<boolean> {
    const { asker, say } = this.#ports;
    if (asker === null) {
      say(`Its models are not known: ${why}`);
      return true;
    }
    const chosen = await asker.choose(`Its models are not known: ${why}`, [
      { label: "Change what was filled in" },
      { label: "Name the model all the same" },
    ]);
    return chosen === 1;
  }

  async #chooseKind(): Promise<
    { readonly kind: ProviderRegistration; readonly server?: LocalServer }
  > {
    const { desk, asker, signal, localPorts: ports } = this.#ports;
    const kinds = await desk.kinds();
    const { provider } = this.#request;
    if (provider !== undefined) return { kind: namedKind(provider, kinds) };
    const [first] = kinds;
    const isPlain = asker === null || this.#request.values["baseURL"] !== undefined;
    if (isPlain) {
      if (first !== undefined && this.#request.values["baseURL"] !== undefined) {
        return { kind: first };
      }
      throw new AlisioError(
        "usage",
        `Name the provider: alisio connect <provider>, one of ${listed(kinds)}`,
      );
    }
    const servers = await findLocalServers({ signal, ...(ports === undefined ? {} : { ports }) });
    if (servers.length === 0) {
      this.#ports.say("No model server answers on this machine, such as Ollama or LM Studio");
    }
    const chosen = await asker.choose("Which provider?", [
      ...servers.map(({ name, baseURL, models }) => ({
        label: `${name} on this machine`,
        description: `${baseURL}, ${models.length} ${models.length === 1 ? "model" : "models"}`,
      })),
      ...kinds.map(({ name, description }) => ({
        label: name,
        ...(description === undefined ? {} : { description }),
      })),
    ]);
    const index = Number(chosen);
    const server = servers[index];
    const kind = server === undefined ? kinds[index - servers.length] : first;
    if (kind === undefined) throw new AlisioError("usage", "No provider can be connected");
    return { kind, ...(server === undefined ? {} : { server }) };
  }

  /** Null for a key, or nothing at all. */
  async #chooseMethod(kind: ProviderRegistration): Promise<ProviderAuthMethod | null> {
    const { asker } = this.#ports;
    const methods = kind.auth ?? [];
    const { signIn } = this.#request;
    if (signIn !== undefined) {
      const named = methods.find(({ id }) => id === signIn);
      if (named !== undefined) return named;
      const ids = methods.map(({ id }) => `"${id}"`).join(", ");
      throw new AlisioError(
        "usage",
        `Provider ${quoted(kind.id)} has no sign-in ${quoted(signIn)}: ${
          ids === "" ? "it takes no accounts" : `there are ${ids}`
        }`,
      );
    }
    const takesKey = kind.fields.some(({ secret }) => secret === true) ||
      kind.defaultApiKeyEnv !== undefined;
    if (methods.length === 0) return null;
    if (asker === null) return takesKey ? null : methods[0] ?? null;
    if (methods.length === 1 && !takesKey) return methods[0] ?? null;
    const chosen = await asker.choose("How do you sign in?", [
      ...methods.map(({ label, description }) => ({
        label,
        ...(description === undefined ? {} : { description }),
      })),
      ...takesKey ? [{ label: "With a key" }] : [],
    ]);
    return methods[Number(chosen)] ?? null;
  }

  async #signIn(kind: ProviderRegistration, method: ProviderAuthMethod): Promise<NewSession> {
    const { desk, asker, say, hasBrowser, signal } = this.#ports;
    if (method.unofficial === true) await this.#confirmUnofficial(method);
    const run = (ports: Pick<SignInPorts, "show" | "prompt" | "signal">) =>
      desk.signIn(method, { ...ports, hasBrowser });
    if (asker !== null) return await asker.signIn(`${kind.name}: ${method.label}`, run);
    return await run({ show: (step) => formatStep(step).forEach(say), signal });
  }

  async #confirmUnofficial({ label }: ProviderAuthMethod): Promise<void> {
    const { asker, say } = this.#ports;
    const warning = `The service has not authorised the sign-in "${visibleName(label)}": it may ` +
      "stop working at any time, and the service may close the account";
    say(`Warning: ${warning}`);
    // In a script, whoever names the method has decided.
    if (asker === null || await asker.confirm("Sign in all the same?")) return;
    throw new AlisioError("sign_in_failed", "Cannot sign in: it was not confirmed");
  }

  /** What flags and a server that was found say, checked. */
  #given(
    kind: ProviderRegistration,
    fields: readonly FormField[],
    server: LocalServer | undefined,
  ): FormValues {
    const values = {
      ...(server === undefined ? {} : { baseURL: server.baseURL }),
      ...this.#request.values,
    };
    return Object.fromEntries(
      Object.entries(values).map(([name, text]) => {
        const field = fields.find((each) => each.name === name);
        if (field === undefined) {
          const nearest = nearestName(name, fields.map((each) => each.name));
          const hint = nearest === undefined ? "" : `; did you mean "${nearest}"?`;
          throw new AlisioError(
            "usage",
            `Provider ${quoted(kind.id)} has no field ${quoted(name)}${hint}`,
          );
        }
        const value = cleanValue(field, text);
        const flaw = flawOfValue(field, value);
        if (flaw === null) return [name, value];
        throw new AlisioError("usage", `${field.label} ${flaw}`);
      }),
    );
  }

  async #fill(
    kind: ProviderRegistration,
    fields: readonly FormField[],
    start: FormValues,
    isSignedIn: boolean,
  ): Promise<FormValues> {
    const { asker, say } = this.#ports;
    const given = this.#request.values;
    const open = fields.filter(({ name, kind: type }) =>
      given[name] === undefined && !(isSignedIn && (type === "secret" || type === "variable"))
    );
    if (asker === null) assertFilled(open, start);
    const filled = asker === null || open.length === 0
      ? {}
      : await asker.fillIn(kind.name, open, start);
    const values = { ...start, ...filled };
    if ((values["apiKey"] ?? "") !== "" && isOpenRoad(values["baseURL"] ?? "")) {
      say("Warning: the address is not https, so the key can be read on its way");
    }
    const variable = filled["apiKeyEnv"] ?? "";
    if (variable !== "" && !this.#ports.desk.isSet(variable)) {
      say(`The variable ${variable} is not set at the moment`);
    }
    return values;
  }

  async #profileName(kind: ProviderRegistration, values: FormValues): Promise<string> {
    const { profile } = this.#request;
    const { profiles } = await this.#ports.desk.profiles();
    const name = profile ?? proposeProfile(kind.id, values, profiles);
    const flaw = flawOfProfileId(name);
    if (flaw !== null) throw new AlisioError("usage", `The name of a profile ${flaw}`);
    const before = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
    if (before === undefined || before.provider === kind.id) return name;
    throw new AlisioError(
      "usage",
      `Profile ${quoted(name)} is of provider ${quoted(before.provider)}; choose another name ` +
        "with --profile, or remove it first",
    );
  }

  async #finish(draft: ConnectDraft, offered: OfferedModels): Promise<Connected> {
    const { desk, say } = this.#ports;
    const active = await desk.active();
    const kept = draft.session !== undefined && active?.profile === draft.profile
      ? active.model
      : undefined;
    const [final, models] = offered.status === "listed"
      ? [offered.draft, offered.models]
      : [draft, []];
    const model = this.#request.model ?? kept ?? await this.#chooseModel(models);
    if (models.length > 0 && !models.some(({ id }) => id === model)) {
      say(`The server does not list ${quoted(model)}; it is used all the same`);
    }
    const window = await this.#window(models.find(({ id }) => id === model), kept === model);
    await desk.save(final, {
      model,
      ...(window === undefined ? {} : { contextWindow: window }),
    });
    const { baseURL } = final.values;
    return {
      profile: final.profile,
      provider: final.kind.id,
      model,
      ...(baseURL === undefined ? {} : { baseURL }),
    };
  }

  async #models(draft: ConnectDraft): Promise<OfferedModels> {
    const { desk, asker, say, signal } = this.#ports;
    const title = "Asking the server for its models…";
    try {
      if (asker !== null) return await asker.wait(title, (stop) => desk.models(draft, stop));
      say(title);
      return await desk.models(draft, signal);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      // What a provider does not take is for the person to change.
      if (asker !== null) return { status: "unknown", why: error.message };
      throw new AlisioError("usage", error.message, { cause: error });
    }
  }

  async #chooseModel(models: readonly ModelInfo[]): Promise<string> {
    const { asker } = this.#ports;
    const [only] = models;
    if (asker === null) {
      if (only !== undefined && models.length === 1) return only.id;
      const names = models.slice(0, 10).map(({ id }) => quoted(id)).join(", ");
      throw new AlisioError(
        "usage",
        `Name the model with --model${names === "" ? "" : `; the server offers ${names}`}`,
      );
    }
    if (models.length === 0) {
      return (await asker.fillIn("Which model?", [MODEL_FIELD], {}))["model"] ?? "";
    }
    const chosen = await asker.choose(
      "Which model?",
      models.map(({ id, name, contextWindow }) => ({
        label: id,
        ...(name === undefined && contextWindow === undefined
          ? {}
          : { description: describeModel(name, contextWindow) }),
      })),
      { other: "Another model" },
    );
    return typeof chosen === "string" ? chosen : models[chosen]?.id ?? "";
  }

  /** Tokens that the person states; the server's own word needs no copy. */
  async #window(model: ModelInfo | undefined, isKept: boolean): Promise<number | undefined> {
    const { contextWindow } = this.#request;
    if (contextWindow !== undefined) return contextWindow;
    const { asker } = this.#ports;
    if (asker === null || isKept || model?.contextWindow !== undefined) return undefined;
    const filled = await asker.fillIn("How much does the model hold?", [WINDOW_FIELD], {});
    return parseTokens(filled["contextWindow"] ?? "") ?? undefined;
  }
}

function assertFilled(fields: readonly FormField[], values: FormValues): void {
  const empty = fields.find(({ name, required }) => required && (values[name] ?? "") === "");
  if (empty === undefined) return;
  throw new AlisioError("usage", `${empty.label} must be given: --set ${empty.name}=VALUE`);
}

const MODEL_FIELD: FormField = {
  name: "model",
  label: "Model",
  kind: "text",
  required: true,
  options: [],
};

const WINDOW_FIELD: FormField = {
  name: "contextWindow",
  label: "Context window in tokens",
  kind: "tokens",
  required: false,
  options: [],
  description: "Leave it empty if you do not know. The server does not say.",
};

function describeModel(name: string | undefined, contextWindow: number | undefined): string {
  const window = contextWindow === undefined ? [] : [`${contextWindow} tokens`];
  return [...name === undefined ? [] : [name], ...window].join(", ");
}

function namedKind(
  provider: string,
  kinds: readonly ProviderRegistration[],
): ProviderRegistration {
  const kind = kinds.find(({ id }) => id === provider);
  if (kind !== undefined) return kind;
  const nearest = nearestName(provider, kinds.map(({ id }) => id));
  const hint = nearest === undefined ? "" : `; did you mean "${nearest}"?`;
  throw new AlisioError(
    "usage",
    `There is no provider ${quoted(provider)}${hint}; there are ${listed(kinds)}, and more with ` +
      "plugins",
  );
}

function listed(kinds: readonly ProviderRegistration[]): string {
  return kinds.map(({ id }) => `"${id}"`).join(", ");
}

/**
 * The lines that show a step of a sign-in.
 *
 * @param step The step, checked.
 */
export function formatStep(step: ProviderAuthStep): readonly string[] {
  const instructions = "instructions" in step && step.instructions !== undefined
    ? [step.instructions]
    : [];
  switch (step.type) {
    case "auth_url":
      return [...instructions, step.url];
    case "device_code":
      return [...instructions, step.url, `Code: ${step.userCode}`];
    case "progress":
      return [step.message];
    default:
      return step satisfies never;
  }
}
