import assert from "node:assert/strict";
import {
  createConfiguredRedactor,
  redactConfigured,
  REDACTED,
  redactSecrets,
  redactValue,
} from "../../core/redact.ts";

const HEX = "0123456789abcdef";
const MIXED = "AbCdEfGhIj0123456789KlMnOpQrSt";
const BODY = `${MIXED}${MIXED}+/${MIXED}`;

/** Each shape, and neighbours that are no keys. Joined, so that scanners pass over this file. */
const SHAPES: readonly {
  readonly name: string;
  readonly secrets: readonly string[];
  readonly neighbours: readonly string[];
}[] = [
  {
    name: "OpenAI and its like",
    secrets: [
      `sk-${MIXED}`,
      `sk-proj-${MIXED}-_x`,
      `sk-ant-api03-${MIXED}_${MIXED}-AA`,
      `sk-or-v1-${HEX}${HEX}`,
      `sk-${HEX}${HEX}`,
    ],
    neighbours: [
      `task-${MIXED}`,
      "sk-fading-circle-with-dots-v2-large",
      "sk-short1",
      "risk-0123456789012345678901234567890",
      "sk-abcdefghijklmnopqrstuvwxyz",
    ],
  },
  {
    name: "GitHub",
    secrets: [
      `ghp_${MIXED}abcdef`,
      `gho_${MIXED}abcdef`,
      `ghs_${MIXED}abcdef`,
      `github_pat_11ABCDEFG0_${MIXED}`,
    ],
    neighbours: ["ghp_short", "github_pat_", `xghp_${MIXED}abcdef`, "github_pattern_matching_x"],
  },
  {
    name: "GitLab, Slack, Stripe and package registries",
    secrets: [
      `glpat-${MIXED}`,
      `xoxb-1234567890-${MIXED}`,
      `sk_live_${MIXED}`,
      `npm_${MIXED}abcdef`,
      `hf_${MIXED}abcd`,
      `gsk_${MIXED}abcd`,
    ],
    neighbours: ["xoxo-hugs-and-kisses", "npm_config_registry", "hf_hub_download", "sk_live_x"],
  },
  {
    name: "AWS and Google",
    secrets: ["AKIA" + "IOSFODNN7EXAMPLE", `AIza${MIXED}abcde`],
    neighbours: ["AKIA", "AKIAIOSFODNN7EXAMPLE9", "AKIAiosfodnn7example", "AIzaShort", "MAKIA"],
  },
  {
    name: "JSON Web Token",
    secrets: [`eyJ${MIXED}.eyJ${MIXED}.${MIXED}`],
    neighbours: [`eyJ${MIXED}`, "eyJ.eyJ.x", "a.b.c"],
  },
];

for (const { name, secrets, neighbours } of SHAPES) {
  Deno.test(`redactSecrets() finds keys by their shape: ${name}`, () => {
    for (const secret of secrets) {
      for (const frame of ["#", "key=#", "key: '#'", '{"k":"#"}', "(#)", "a # b", "#\n"]) {
        const text = frame.replace("#", secret);
        assert.equal(redactSecrets(text, []), frame.replace("#", REDACTED), text);
      }
    }
    for (const text of neighbours) assert.equal(redactSecrets(text, []), text);
  });
}

Deno.test("redactSecrets() keeps the name of an authorization scheme", () => {
  const rows: readonly (readonly [string, string])[] = [
    [`Authorization: Bearer ${MIXED}`, `Authorization: Bearer ${REDACTED}`],
    [`authorization: bearer a.${MIXED}.b==`, `authorization: bearer ${REDACTED}`],
    [`"Authorization": "Basic dXNlcjpwYXNz"`, `"Authorization": "Basic ${REDACTED}"`],
    ["Bearer authentication is required", "Bearer authentication is required"],
    ["a bearer token-based-login-flow-v2", "a bearer token-based-login-flow-v2"],
    ["Basic understanding of http2", "Basic understanding of http2"],
    ["Bearer short1", "Bearer short1"],
  ];
  for (const [text, expected] of rows) assert.equal(redactSecrets(text, []), expected);
});

Deno.test("redactSecrets() takes private keys out whole", () => {
  const key = (kind: string, end: string) =>
    `-----BEGIN ${kind}PRIVATE KEY-----${end}${BODY}${end}${BODY}${end}-----END ${kind}PRIVATE KEY-----`;
  for (const kind of ["", "RSA ", "OPENSSH ", "ENCRYPTED "]) {
    for (const end of ["\n", "\r\n", "\\n", "\\\\n"]) {
      assert.equal(redactSecrets(`a ${key(kind, end)} b`, []), `a ${REDACTED} b`);
    }
  }
  const two = `${key("", "\n")}\nbetween\n${key("RSA ", "\n")}`;
  assert.equal(redactSecrets(two, []), `${REDACTED}\nbetween\n${REDACTED}`);
  const cut = `-----BEGIN PRIVATE KEY-----\n${BODY}\n${BODY}`;
  assert.equal(redactSecrets(`${cut}\n… and more`, []), `${REDACTED}\n… and more`);
  for (
    const text of [
      "A file that begins with -----BEGIN PRIVATE KEY----- is a key, and here is why it matters",
      `-----BEGIN CERTIFICATE-----\n${BODY}\n-----END CERTIFICATE-----`,
      `-----BEGIN PUBLIC KEY-----\n${BODY}\n-----END PUBLIC KEY-----`,
    ]
  ) assert.equal(redactSecrets(text, []), text);
});

Deno.test("redactConfigured() finds a value in every form it may take", () => {
  const secret = 'p@ss "w0rd" \\ $& é';
  const escaped = JSON.stringify(secret);
  for (
    const text of [
      secret,
      escaped,
      JSON.stringify({ arguments: JSON.stringify({ key: secret }) }),
      `https://example.test/?key=${encodeURIComponent(secret)}`,
    ]
  ) {
    const redacted = redactConfigured(text, [secret]);
    assert.ok(redacted.includes(REDACTED), text);
    assert.ok(!redacted.includes("w0rd"), redacted);
  }
});

Deno.test("redactConfigured() leaves short values and other text alone", () => {
  const rows: readonly (readonly [string, readonly string[], string])[] = [
    ["the value is 1234567", ["1234567", ""], "the value is 1234567"],
    ["the value is 12345678", ["12345678"], `the value is ${REDACTED}`],
    ["12345678-long and 12345678", ["12345678", "12345678-long"], `${REDACTED} and ${REDACTED}`],
    ["nothing here", ["12345678"], "nothing here"],
    ["lone surrogate", ["\ud800surrogate"], "lone surrogate"],
  ];
  for (const [text, secrets, expected] of rows) {
    assert.equal(redactConfigured(text, secrets), expected);
    assert.equal(createConfiguredRedactor(secrets)(text), expected);
  }
});

Deno.test("redactValue() goes through a whole value", () => {
  const value = { a: ["secret-value", 1, null], "secret-value": { b: true } };
  assert.deepEqual(redactValue(value, ["secret-value"]), {
    a: [REDACTED, 1, null],
    [REDACTED]: { b: true },
  });
});

Deno.test("redactSecrets() stays quick on long text that almost matches", () => {
  const texts = [
    "sk-".repeat(50_000),
    "-----BEGIN PRIVATE KEY-----".repeat(5_000),
    `sk-${"a-".repeat(100_000)}`,
    `eyJ${"a".repeat(200_000)}`,
    "Bearer ".repeat(30_000),
    `Bearer ${"a".repeat(200_000)}`,
    "-----BEGIN PRIVATE KEY-----\n" + "A".repeat(200_000),
  ];
  for (const text of texts) {
    const startedAt = performance.now();
    redactSecrets(text, []);
    const ms = performance.now() - startedAt;
    assert.ok(ms < 1_000, `${text.slice(0, 40)}: ${ms} ms`);
  }
});

Deno.test("redactConfigured() finds a secret that is encoded, wherever it begins", () => {
  const secret = "pässword+/&1?";
  const bytes = new TextEncoder().encode(secret);
  const base64 = (text: string): string =>
    btoa(String.fromCharCode(...new TextEncoder().encode(text)));
  for (const before of ["", "u", "me", "ada", "user:", "a-name:"]) {
    for (const after of ["", "\n", ":x", "yes"]) {
      const encoded = base64(`${before}${secret}${after}`);
      for (const text of [encoded, encoded.replaceAll("+", "-").replaceAll("/", "_")]) {
        const redacted = redactConfigured(`Basic ${text} end`, [secret]);
        assert.match(redacted, /^Basic .*\[redacted\].* end$/, text);
        // What is left of it are the bits that it shares with its neighbours.
        const rest = redacted.replace(REDACTED, "").length - "Basic  end".length;
        assert.ok(rest <= Math.ceil((before.length + after.length) * 4 / 3) + 5, redacted);
      }
    }
  }
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  for (const text of [hex, hex.toUpperCase(), encodeURIComponent(secret).toLowerCase()]) {
    assert.equal(redactConfigured(`a ${text} b`, [secret]), `a ${REDACTED} b`);
  }
  const other = base64("another text of that length");
  assert.equal(redactConfigured(other, [secret]), other);
  assert.equal(redactConfigured("736861 c2hv", ["sho"]), "736861 c2hv");
});

Deno.test("redactConfigured() takes long secrets of any characters", () => {
  const secret = "\ud800" + "x".repeat(100_000);
  assert.equal(redactConfigured(`a ${secret} b`, [secret]), `a ${REDACTED} b`);
});
