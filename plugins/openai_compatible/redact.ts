/** Longest quote of a server's words in a message. */
const MAX_QUOTE_CHARS = 500;

/** Shapes of keys, whole or masked, that servers echo. */
const KEY_SHAPES_REGEXP = /\bsk-[\w*.-]{4,}|\bBearer\s+[\w.~+/*=-]{4,}/gi;

/** Control characters, terminal escapes and line breaks among them. */
const CONTROLS_REGEXP = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu;

/** Shorter secrets are placeholders such as "none", and would blot out ordinary words. */
const MIN_SECRET_CHARS = 6;

/** Makes a server's words fit for a message. */
export type Quote = (text: string) => string;

/**
 * Builds the function that every quote of a server goes through: it removes the secret in the
 * forms in which a server may echo it, key-like words and control characters, and then cuts.
 *
 * @param secret The configured key, if there is one.
 */
export function createQuote(secret: string | undefined): Quote {
  const forms = secret === undefined || secret.length < MIN_SECRET_CHARS
    ? []
    : [...new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])];
  return (text) => {
    let clean = text;
    for (const form of forms) clean = clean.replaceAll(form, "[redacted]");
    clean = clean.replace(KEY_SHAPES_REGEXP, "[redacted]").replace(CONTROLS_REGEXP, " ").trim();
    if (clean.length <= MAX_QUOTE_CHARS) return clean;
    return clean.slice(0, MAX_QUOTE_CHARS).toWellFormed() + "…";
  };
}
