const MAX_HEADER_CHARS = 8_192;
const PARAMETER_REGEXP =
  /\b([a-z_]{1,40})\s*=\s*(?:"((?:[^"\\]|\\.){0,4096})"|([^\s",]{1,4096}))/gi;
const SCOPE_REGEXP = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/;
const MAX_SCOPES = 100;

/** What a server wants, as the header `WWW-Authenticate` says. */
export interface BearerChallenge {
  /** Where it describes how to sign in. */
  readonly resourceMetadata?: string;
  /** Rights that a request needs. */
  readonly scopes: readonly string[];
  /** For example `insufficient_scope`. */
  readonly error?: string;
}

/**
 * Reads the header `WWW-Authenticate`. Pure; what cannot be read says nothing.
 *
 * @param header The header, empty if there is none.
 */
export function readChallenge(header: string): BearerChallenge {
  const text = header.slice(0, MAX_HEADER_CHARS);
  const start = /\bbearer\b/i.exec(text)?.index;
  if (start === undefined) return { scopes: [] };
  const found = new Map<string, string>();
  for (const [, name = "", quoted, plain = ""] of text.slice(start).matchAll(PARAMETER_REGEXP)) {
    const key = name.toLowerCase();
    if (!found.has(key)) found.set(key, quoted?.replace(/\\(.)/g, "$1") ?? plain);
  }
  const resourceMetadata = found.get("resource_metadata");
  const error = found.get("error");
  return {
    ...(resourceMetadata === undefined ? {} : { resourceMetadata }),
    scopes: readScopes(found.get("scope")),
    ...(error === undefined ? {} : { error }),
  };
}

/**
 * The names of rights in a text or a list. Pure; what is no such name is left out.
 *
 * @param value Of which nothing is known.
 */
export function readScopes(value: unknown): readonly string[] {
  const names: readonly unknown[] = typeof value === "string"
    ? value.split(" ")
    : Array.isArray(value)
    ? value
    : [];
  const scopes = names.filter((name): name is string =>
    typeof name === "string" && SCOPE_REGEXP.test(name)
  );
  return [...new Set(scopes)].slice(0, MAX_SCOPES);
}
