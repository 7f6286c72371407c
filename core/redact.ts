/** What stands where a secret was. */
export const REDACTED = "[redacted]";

/** Shorter values are too likely to be ordinary words. */
const MIN_SECRET_CHARS = 8;

interface SecretShape {
  readonly pattern: RegExp;
  /** What stands where a match was; the whole match by default. */
  readonly replacement?: string;
}

/**
 * Shapes of keys that services hand out. Each wants a boundary before it and enough characters
 * after its prefix, so that words like `task-force` or a CSS class `sk-fading-circle` stay.
 */
const SHAPES: readonly SecretShape[] = [
  {
    pattern:
      /-----BEGIN ([A-Z0-9 ]*)PRIVATE KEY-----(?:(?!-----BEGIN )[\s\S]){1,16384}?-----END \1PRIVATE KEY-----/g,
  },
  // A key whose end was cut off: lines of base64, whose ends may be escaped.
  {
    pattern:
      /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?:\\+[rn]|\s)*[A-Za-z0-9+/=]{32,}(?:(?:\\+[rn]|\s)+[A-Za-z0-9+/=]{16,})*/g,
  },
  { pattern: /(?<![\w-])sk-(?=[\w-]*[A-Za-z0-9]{16})(?=[\w-]*\d)[\w-]{20,}/g },
  { pattern: /(?<![A-Za-z0-9])gh[oprsu]_[A-Za-z0-9]{30,}/g },
  { pattern: /(?<![A-Za-z0-9])github_pat_\w{22,}/g },
  { pattern: /(?<![\w-])glpat-[\w-]{20,}/g },
  { pattern: /(?<![\w-])xox[abeoprs]-(?=[\w-]*\d)[\w-]{10,}/g },
  { pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/g },
  { pattern: /(?<![\w-])AIza[\w-]{35}(?![\w-])/g },
  { pattern: /(?<![A-Za-z0-9])(?:hf|npm|gsk)_(?=[A-Za-z0-9]*\d)[A-Za-z0-9]{30,}/g },
  { pattern: /(?<![A-Za-z0-9])[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/g },
  { pattern: /(?<![\w-])eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/g },
  {
    pattern: /\b(Bearer\s+)(?=[\w.~+/-]*\d)(?=[\w.~+/-]*[A-Za-z0-9]{12})[\w.~+/-]{16,}=*/gi,
    replacement: `$1${REDACTED}`,
  },
  {
    pattern: /\b(Authorization["']?\s*[:=]\s*["']?Basic\s+)[A-Za-z0-9+/]{8,}=*/gi,
    replacement: `$1${REDACTED}`,
  },
  // The user and password of an address.
  {
    pattern: /\b([a-z][a-z0-9+.-]{1,30}:\/\/)[^\s/?#@:"'<>]{0,256}:[^\s/?#@"'<>]{1,1024}(?=@)/gi,
    replacement: `$1${REDACTED}`,
  },
];

/**
 * Takes secrets out of a text that leaves the program: configured values in any case, and what
 * looks like a key.
 *
 * @param text The text.
 * @param secrets Configured values. Those below 8 characters are left alone.
 */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  let redacted = redactConfigured(text, secrets);
  for (const { pattern, replacement } of SHAPES) {
    redacted = redacted.replace(pattern, replacement ?? REDACTED);
  }
  return redacted;
}

/**
 * Takes configured values out of a text, also where it is JSON text or part of an address that
 * holds them escaped, and where they are encoded as base64 or in hexadecimal digits.
 *
 * @param text The text.
 * @param secrets Configured values. Those below 8 characters are left alone.
 */
export function redactConfigured(text: string, secrets: readonly string[]): string {
  return replaceForms(text, allForms(secrets));
}

/**
 * The same as {@linkcode redactConfigured}, for many texts.
 *
 * @param secrets Configured values. Those below 8 characters are left alone.
 */
export function createConfiguredRedactor(secrets: readonly string[]): (text: string) => string {
  const forms = allForms(secrets);
  return (text) => replaceForms(text, forms);
}

/**
 * Takes secrets out of every string of a JSON value, names of properties included.
 *
 * @param value Anything that survives JSON.
 * @param secrets Configured values.
 */
export function redactValue(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === "string") return redactSecrets(value, secrets);
  if (Array.isArray(value)) return value.map((item) => redactValue(item, secrets));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      redactSecrets(key, secrets),
      redactValue(item, secrets),
    ]),
  );
}

function replaceForms(text: string, forms: readonly string[]): string {
  let redacted = text;
  for (const form of forms) redacted = redacted.replaceAll(form, REDACTED);
  return redacted;
}

/**
 * The spellings under which configured values are looked for: as they are, and escaped as in JSON
 * or in an address. Longest first, so that a value which is part of another leaves nothing of it.
 *
 * @param secrets Configured values. Those below 8 characters are left alone.
 */
export function secretForms(secrets: readonly string[]): readonly string[] {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < MIN_SECRET_CHARS) continue;
    const escaped = JSON.stringify(secret).slice(1, -1);
    // JSON text within JSON text: the arguments of a call in its stored message.
    const twice = JSON.stringify(escaped).slice(1, -1);
    for (const form of [secret, escaped, twice]) forms.add(form);
    if (secret.isWellFormed()) forms.add(encodeURIComponent(secret));
  }
  return [...forms].sort((a, b) => b.length - a.length);
}

/** The spellings of {@linkcode secretForms}, and encodings that hold the same bytes. */
function allForms(secrets: readonly string[]): readonly string[] {
  const encoded = secrets
    .filter(({ length }) => length >= MIN_SECRET_CHARS && length <= MAX_ENCODED_CHARS)
    .flatMap(encodedForms);
  return [...secretForms(secrets), ...new Set(encoded)].sort((a, b) => b.length - a.length);
}

/** Longer values, such as files of keys, are looked for as they are. */
const MAX_ENCODED_CHARS = 4_096;

/** More secrets than a machine has; each is encoded once. */
const MAX_KNOWN = 256;
const KNOWN_FORMS = new Map<string, readonly string[]>();

function encodedForms(secret: string): readonly string[] {
  const known = KNOWN_FORMS.get(secret);
  if (known !== undefined) return known;
  const bytes = new TextEncoder().encode(secret);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const base64 = [0, 1, 2].map((before) => base64After(bytes, before));
  const forms = [
    hex,
    hex.toUpperCase(),
    ...base64,
    ...base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
    ...secret.isWellFormed()
      ? [encodeURIComponent(secret).replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())]
      : [],
  ];
  if (KNOWN_FORMS.size >= MAX_KNOWN) KNOWN_FORMS.clear();
  KNOWN_FORMS.set(secret, forms);
  return forms;
}

/** What base64 makes of bytes behind others, as far as those do not change it. */
function base64After(bytes: Uint8Array, before: number): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(before), ...bytes));
  const start = before === 0 ? 0 : before + 1;
  return text.slice(start, Math.floor((before + bytes.length) * 8 / 6));
}
