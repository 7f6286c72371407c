import type { ProviderField, ProviderRegistration } from "@alisio/sdk";
import { isLoopbackHost } from "../config/loopback_host.ts";
import type { ProviderProfiles } from "./profiles.ts";
import { replaceInvisible } from "../text/invisible_characters.ts";

/** A field of the form that connects a provider. */
export interface FormField {
  /** Key of the field in a profile. */
  readonly name: string;
  /** Name for people. */
  readonly label: string;
  /** What is typed into it; a `secret` is never shown. */
  readonly kind: "address" | "secret" | "variable" | "choice" | "tokens" | "text";
  /** Whether a profile must have it. */
  readonly required: boolean;
  /** The values that a choice has. */
  readonly options: readonly string[];
  /** What counts where it is left empty. */
  readonly default?: string;
  /** One sentence for people. */
  readonly description?: string;
}

/** Texts of a form, by the names of its fields. */
export type FormValues = Readonly<Record<string, string>>;

const MAX_VALUE_CHARS = 8_192;
const VARIABLE_REGEXP = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

// deno-lint-ignore no-control-regex -- what a paste may bring along and nobody sees
const CONTROL_REGEXP = /[\x00-\x1f\x7f-\x9f]/g;
// deno-lint-ignore no-control-regex -- sequences that a terminal's paste may bring along
const SEQUENCE_REGEXP = /\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)/g;

/** People paste the address of the operation; the base is what stands before it. */
const OPERATION_REGEXP = /\/(?:chat\/completions|completions|responses|models)\/?$/;

/**
 * The fields that a provider's form has: its own, and behind the key the variable that may hold it
 * in its place. The context window is asked for when the model is known.
 *
 * @param registration The kind of provider.
 */
export function formFields(registration: ProviderRegistration): readonly FormField[] {
  const { fields, defaultApiKeyEnv } = registration;
  const own = fields.filter(({ name }) => name !== "contextWindow" && name !== "apiKeyEnv")
    .map(toFormField);
  const key = own.findIndex(({ name }) => name === "apiKey");
  if (key === -1 && defaultApiKeyEnv === undefined) return own;
  const variable: FormField = {
    name: "apiKeyEnv",
    label: "API key environment variable",
    kind: "variable",
    required: false,
    options: [],
    ...(defaultApiKeyEnv === undefined ? {} : { default: defaultApiKeyEnv }),
    description: "The name of the variable that holds the key, in place of the key itself.",
  };
  return own.toSpliced(key === -1 ? own.length : key + 1, 0, variable);
}

/**
 * What was typed or pasted into a field, without what came along by mistake: quotes, line ends,
 * invisible characters, `NAME=` before a value, the path of an operation behind an address.
 *
 * @param field The field.
 * @param typed The text.
 */
export function cleanValue(field: Pick<FormField, "kind">, typed: string): string {
  const given = typed.slice(0, MAX_VALUE_CHARS);
  // A long address may come in several rows.
  const text = plainText(field.kind === "address" ? given.replace(/\s*[\r\n]+\s*/g, "") : given);
  switch (field.kind) {
    case "address":
      return cleanAddress(withoutName(text));
    case "secret":
      return withoutQuotes(withoutName(text).replace(/^bearer\s+/i, ""));
    case "variable":
      return text.replace(/^\$\{?/, "").replace(/\}$/, "").replace(/^export\s+/, "");
    case "choice":
    case "tokens":
    case "text":
      return text;
    default:
      return field.kind satisfies never;
  }
}

/**
 * What is wrong with a cleaned value.
 *
 * @param field The field.
 * @param value The value.
 * @returns Continues a sentence that begins with the label, and never quotes the value; null if
 * nothing is wrong.
 */
export function flawOfValue(field: FormField, value: string): string | null {
  if (value === "") return field.required ? "must be filled in" : null;
  switch (field.kind) {
    case "address":
      return flawOfAddress(value);
    case "secret":
      return /\s/.test(value) ? "holds a space: paste the key alone" : null;
    case "variable":
      return VARIABLE_REGEXP.test(value)
        ? null
        : "must be the name of a variable, such as OPENAI_API_KEY, and not the key itself";
    case "choice":
      return field.options.includes(value) ? null : `must be one of ${field.options.join(", ")}`;
    case "tokens":
      return parseTokens(value) === null
        ? "must be a number of tokens, such as 128000 or 128k"
        : null;
    case "text":
      return null;
    default:
      return field.kind satisfies never;
  }
}

/**
 * The name of a profile that is made from what was filled in: that of the one for the same server,
 * else the provider's id, or for the provider of any server the host, so that several can stand side
 * by side.
 *
 * @param provider Id of the registration.
 * @param values What was filled in.
 * @param profiles Profiles that there are.
 */
export function proposeProfile(
  provider: string,
  values: FormValues,
  profiles: ProviderProfiles["profiles"],
): string {
  const taken = Object.keys(profiles);
  const present = taken.find((id) =>
    profiles[id]?.provider === provider &&
    withVersion(String(profiles[id].values["baseURL"] ?? "")) ===
      withVersion(values["baseURL"] ?? "")
  );
  if (present !== undefined) return present;
  const url = URL.parse(values["baseURL"] ?? "");
  const host = url?.hostname ?? "";
  const name = provider !== "openai-compatible" || host === ""
    ? provider
    : isLoopbackHost(host)
    ? `local-${url?.port || "80"}`
    : host.replace(/^(?:api|www)\./, "").replace(/[^A-Za-z0-9._-]/g, "-");
  const base = name.replace(/^[^A-Za-z0-9]+/, "").slice(0, 56) || "provider";
  if (!taken.includes(base)) return base;
  let number = 2;
  while (taken.includes(`${base}-${number}`)) number++;
  return `${base}-${number}`;
}

/** An address without a path is tried with this one. */
function withVersion(address: string): string {
  const url = URL.parse(address);
  return url?.pathname === "/" && url.search === "" ? `${url.origin}/v1` : address;
}

function toFormField(field: ProviderField): FormField {
  const { name, label, options = [], required = false, description } = field;
  const kind = field.secret === true
    ? "secret"
    : options.length > 0
    ? "choice"
    : /url$/i.test(name)
    ? "address"
    : "text";
  return {
    name,
    label,
    kind,
    required,
    options,
    ...(field.default === undefined ? {} : { default: field.default }),
    ...(description === undefined ? {} : { description }),
  };
}

function plainText(text: string): string {
  const visible = replaceInvisible(text.replace(SEQUENCE_REGEXP, ""), () => "");
  return withoutQuotes(visible.replace(CONTROL_REGEXP, " ").replaceAll("\u00a0", " "));
}

function withoutQuotes(text: string): string {
  const trimmed = text.trim();
  return /^(?<quote>["'`]).*\k<quote>$/s.test(trimmed) || /^<.*>$/s.test(trimmed)
    ? trimmed.slice(1, -1).trim()
    : trimmed;
}

/** As lines of a shell or of a `.env` file have it. */
function withoutName(text: string): string {
  return withoutQuotes(text.replace(/^(?:export\s+)?[A-Z][A-Z0-9_]*=(?=.)/, ""));
}

function cleanAddress(text: string): string {
  const address = text.replace(/[,;]+$/, "");
  if (address === "" || /\s/.test(address)) return address;
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : withScheme(address));
  if (url === null || !["http:", "https:"].includes(url.protocol)) return address;
  url.hash = "";
  url.pathname = url.pathname.replace(OPERATION_REGEXP, "").replace(/\/+$/, "");
  return url.href.replace(/\/(?=$|\?)/, "");
}

/** Nobody has a certificate for a bare address or for a machine without a domain. */
function withScheme(address: string): string {
  const host = URL.parse(`http://${address}`)?.hostname ?? "";
  const isBare = isLoopbackHost(host) || /^[\d.]+$/.test(host) || host.startsWith("[") ||
    !host.includes(".") || /\.(?:local|lan|internal|home\.arpa)$/.test(host);
  return `${isBare ? "http" : "https"}://${address}`;
}

function flawOfAddress(value: string): string | null {
  const url = /\s/.test(value) ? null : URL.parse(value);
  if (url === null || !["http:", "https:"].includes(url.protocol) || url.hostname === "") {
    return "must be an address such as https://api.example.com/v1";
  }
  return url.username === "" && url.password === ""
    ? null
    : "must hold no user name and no password: the key has a field of its own";
}

/**
 * Whether a key would go over the network for everybody to read.
 *
 * @param address The address of the server.
 */
export function isOpenRoad(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === "http:" && !isLoopbackHost(url.hostname);
}

/**
 * What an empty field means, for the person who fills it in.
 *
 * @param field The field.
 */
export function hintOfField({ kind, required, default: usual }: FormField): string | undefined {
  if (required) return undefined;
  if (kind === "secret") return "Leave it empty to name a variable, or if none is needed";
  if (kind === "variable") {
    return usual === undefined
      ? "Leave it empty if no key is needed"
      : `Leave it empty for ${usual}, or if no key is needed`;
  }
  return undefined;
}

/** More tokens than any model holds count as unknown. */
const MAX_TOKENS = 2_000_000;

/**
 * A number of tokens as people write it.
 *
 * @param text Such as `128000`, `128k` or `1m`.
 * @returns Null if it is none.
 */
export function parseTokens(text: string): number | null {
  const found = /^(?<number>\d{1,9}(?:\.\d{1,3})?)\s*(?<unit>[km]?)$/i.exec(
    text.trim().replace(/[_,'](?=\d{3})/g, ""),
  );
  if (found === null) return null;
  const { number = "", unit = "" } = found.groups ?? {};
  const factor = { "": 1, k: 1_000, m: 1_000_000 }[unit.toLowerCase()] ?? 1;
  const tokens = Math.round(Number(number) * factor);
  return tokens > 0 && tokens <= MAX_TOKENS ? tokens : null;
}
