import type { JsonValue, ProviderRegistration } from "@alisio/sdk";
import { formFields, type FormValues } from "./connect_form.ts";
import type { Credential } from "./credentials.ts";
import type { ProviderProfile } from "./profiles.ts";
import type { NewSession } from "./saved_profiles.ts";

/** A provider that is being connected; nothing of it is stored yet. */
export interface ConnectDraft {
  /** The kind of provider. */
  readonly kind: ProviderRegistration;
  /** Name that its profile will have. One that exists is changed. */
  readonly profile: string;
  /** What was filled in, cleaned and without flaws. An empty secret keeps the stored one. */
  readonly values: FormValues;
  /** What a sign-in brought. */
  readonly session?: NewSession;
}

/**
 * The profile of a draft: what is filled in, without secrets and what is usual anyway. An address is
 * always written down.
 *
 * @param draft The draft.
 * @param contextWindow Tokens that the person states for the model.
 */
export function profileOfDraft(
  { kind, values }: ConnectDraft,
  contextWindow: number | undefined,
): ProviderProfile {
  const fields = formFields(kind);
  const kept = fields.flatMap((field): readonly (readonly [string, JsonValue])[] => {
    const { name, default: usual } = field;
    const typed = values[name] ?? "";
    if (field.kind === "secret") return [];
    if (field.kind === "address") {
      const address = typed === "" ? usual ?? "" : typed;
      return address === "" ? [] : [[name, address]];
    }
    return typed === "" || typed === usual ? [] : [[name, typed]];
  });
  const hosts = kind.hosts ?? [];
  return {
    provider: kind.id,
    values: Object.fromEntries([
      ...kept,
      ...contextWindow === undefined ? [] : [["contextWindow", contextWindow] as const],
    ]),
    ...(hosts.length === 0 ? {} : { hosts }),
  };
}

/**
 * The secrets of a draft. An empty field keeps what is stored, unless a variable is named in its
 * place, or the key would go to a server that it was not stored for.
 *
 * @param draft The draft.
 * @param facts What is stored under its name, and the profile that it makes.
 */
export function secretsOfDraft(
  { kind, values }: ConnectDraft,
  { stored, before, profile }: {
    readonly stored: Credential;
    readonly before: ProviderProfile | undefined;
    readonly profile: ProviderProfile;
  },
): Credential {
  const isSameServer = before?.provider === profile.provider &&
    originOf(before) === originOf(profile);
  const names = formFields(kind).filter(({ kind: each }) => each === "secret")
    .map(({ name }) => name);
  return Object.fromEntries(names.flatMap((name): readonly (readonly [string, string])[] => {
    const typed = values[name] ?? "";
    if (typed !== "") return [[name, typed]];
    const isReplaced = name === "apiKey" && (values["apiKeyEnv"] ?? "") !== "";
    const kept = isSameServer && !isReplaced ? stored[name] : undefined;
    return kept === undefined ? [] : [[name, kept]];
  }));
}

function originOf({ values }: ProviderProfile): string | undefined {
  return URL.parse(String(values["baseURL"] ?? ""))?.origin;
}

/**
 * The draft with `/v1` behind its address, which people often leave out.
 *
 * @param draft The draft.
 * @returns Null where the address has a path already.
 */
export function withVersionPath(draft: ConnectDraft): ConnectDraft | null {
  const address = draft.values["baseURL"] ?? "";
  const url = URL.parse(address);
  if (url === null || url.pathname !== "/") return null;
  url.pathname = "/v1";
  return { ...draft, values: { ...draft.values, baseURL: url.href } };
}
