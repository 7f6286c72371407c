import { isObject } from "../config/is_object.ts";
import { DEFAULT_API_KEY_ENV, DEFAULT_BASE_URL } from "../config/provider_defaults.ts";
import type { LoadedConfiguration } from "../config/load_config.ts";
import type { ConfigLayerName } from "../config/merge_config.ts";

/** Which key may go to the configured address. */
export type KeyBinding =
  /** The key in this variable was meant for the address. */
  | { readonly status: "bound"; readonly variable: string }
  /** No key was meant for the address; the one that was asked for belongs to another. */
  | { readonly status: "withheld"; readonly variable: string };

/**
 * Decides which key may go to the configured address: a key goes only where whoever named it meant
 * it to go. Pure.
 *
 * - A variable that a file names goes to the address that the same file names; if that file names
 *   none, to whichever address counts.
 * - When the environment or a flag leads elsewhere, the variable of the file stays behind, and
 *   `OPENAI_API_KEY`, which belongs to `OPENAI_BASE_URL` and `--base-url`, is used.
 * - `OPENAI_API_KEY` goes where the person's own file, environment or flags lead. It does not go
 *   where only a project leads, unless the person's own settings use that server too.
 *
 * Servers are compared by scheme, host and port.
 *
 * @param loaded The configuration and its sources.
 */
export function bindKey(
  loaded: Pick<LoadedConfiguration, "configuration" | "sources" | "layers">,
): KeyBinding {
  const address = loaded.configuration.provider.baseURL;
  const named = loaded.sources.get("provider.apiKeyEnv");
  if (named !== undefined) {
    const meantFor = providerOf(loaded, named.layer)["baseURL"];
    if (meantFor === undefined || isSameServer(meantFor, address)) {
      return { status: "bound", variable: loaded.configuration.provider.apiKeyEnv };
    }
  }
  if (loaded.sources.get("provider.baseURL")?.layer !== "project") {
    return { status: "bound", variable: DEFAULT_API_KEY_ENV };
  }
  const own = providerOf(loaded, "global");
  const ownVariable = own["apiKeyEnv"] ?? DEFAULT_API_KEY_ENV;
  if (
    typeof ownVariable === "string" && isSameServer(own["baseURL"] ?? DEFAULT_BASE_URL, address)
  ) {
    return { status: "bound", variable: ownVariable };
  }
  return isSameServer(DEFAULT_BASE_URL, address)
    ? { status: "bound", variable: DEFAULT_API_KEY_ENV }
    : { status: "withheld", variable: DEFAULT_API_KEY_ENV };
}

function providerOf(
  loaded: Pick<LoadedConfiguration, "layers">,
  layer: ConfigLayerName,
): Readonly<Record<string, unknown>> {
  const values = loaded.layers.find(({ source }) => source.layer === layer)?.values;
  const provider = values?.["provider"];
  return isObject(provider) ? provider : {};
}

function isSameServer(first: unknown, second: string): boolean {
  return typeof first === "string" && URL.canParse(first) &&
    new URL(first).origin === new URL(second).origin;
}
