import { deepEqual, equal } from "node:assert/strict";
import type { ProviderRegistration } from "@alisio/sdk";
import {
  cleanValue,
  flawOfValue,
  type FormField,
  formFields,
  isOpenRoad,
  proposeProfile,
} from "../../../core/provider/connect_form.ts";

const KIND: ProviderRegistration = {
  id: "acme",
  name: "Acme",
  defaultApiKeyEnv: "ACME_KEY",
  fields: [
    { name: "baseURL", label: "Base URL", default: "https://acme.example/v1" },
    { name: "apiKey", label: "Key", secret: true },
    { name: "mode", label: "Mode", options: ["a", "b"], default: "a" },
    { name: "team", label: "Team", required: true, description: "Which one." },
    { name: "contextWindow", label: "Context window" },
  ],
  create: () => {
    throw new Error("It is not used");
  },
};

function fieldOf(kind: FormField["kind"], more: Partial<FormField> = {}): FormField {
  return { name: "x", label: "X", kind, required: false, options: [], ...more };
}

Deno.test("formFields() has the variable behind the key, and leaves the window for later", () => {
  deepEqual(formFields(KIND).map(({ name, kind, required }) => [name, kind, required]), [
    ["baseURL", "address", false],
    ["apiKey", "secret", false],
    ["apiKeyEnv", "variable", false],
    ["mode", "choice", false],
    ["team", "text", true],
  ]);
  deepEqual(formFields({ ...KIND, fields: [], defaultApiKeyEnv: "K" }).map(({ name }) => name), [
    "apiKeyEnv",
  ]);
  const { defaultApiKeyEnv: _, ...keyless } = KIND;
  deepEqual(formFields({ ...keyless, fields: [] }), []);
});

const CLEANED: readonly (readonly [FormField["kind"], string, string])[] = [
  ["address", "  https://a.example/v1/ ", "https://a.example/v1"],
  ["address", '"https://a.example/v1"', "https://a.example/v1"],
  ["address", "<https://a.example/v1>", "https://a.example/v1"],
  ["address", "OPENAI_BASE_URL=https://a.example/v1", "https://a.example/v1"],
  ["address", "export OPENAI_BASE_URL='https://a.example/v1'", "https://a.example/v1"],
  ["address", "https://a.example/v1/chat/completions", "https://a.example/v1"],
  ["address", "https://a.example/v1/models?api-version=2", "https://a.example/v1?api-version=2"],
  ["address", "https://a.example/\n  v1\n", "https://a.example/v1"],
  ["address", "https://a.example/\u200bv1\u202e", "https://a.example/v1"],
  ["address", "\x1b[31mhttps://a.example\x1b[0m", "https://a.example"],
  ["address", "https://a.example/v1,", "https://a.example/v1"],
  ["address", "https://a.example", "https://a.example"],
  ["address", "api.example.com/v1", "https://api.example.com/v1"],
  ["address", "localhost:11434", "http://localhost:11434"],
  ["address", "127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"],
  ["address", "192.168.1.5:8000", "http://192.168.1.5:8000"],
  ["address", "[::1]:8000", "http://[::1]:8000"],
  ["address", "gpu-box:8000", "http://gpu-box:8000"],
  ["address", "gpu.local", "http://gpu.local"],
  ["address", "not an address", "not an address"],
  ["address", "ftp://a.example", "ftp://a.example"],
  ["address", "   ", ""],
  ["secret", " sk-abc \n", "sk-abc"],
  ["secret", 'OPENAI_API_KEY="sk-abc"', "sk-abc"],
  ["secret", "export A_KEY=sk-abc", "sk-abc"],
  ["secret", "Bearer sk-abc", "sk-abc"],
  ["secret", "sk-a=b==", "sk-a=b=="],
  ["secret", "sk-\u200babc", "sk-abc"],
  ["variable", " $OPENAI_API_KEY ", "OPENAI_API_KEY"],
  ["variable", "${OPENAI_API_KEY}", "OPENAI_API_KEY"],
  ["text", " a b\tc ", "a b c"],
];

for (const [kind, typed, cleaned] of CLEANED) {
  Deno.test(`cleanValue() makes ${JSON.stringify(cleaned)} of ${kind} ${JSON.stringify(typed)}`, () => {
    equal(cleanValue(fieldOf(kind), typed), cleaned);
  });
}

const FLAWS: readonly (readonly [FormField, string, boolean])[] = [
  [fieldOf("address"), "", false],
  [fieldOf("address", { required: true }), "", true],
  [fieldOf("address"), "http://localhost:1/v1", false],
  [fieldOf("address"), "not an address", true],
  [fieldOf("address"), "https://a.example/a b", true],
  [fieldOf("address"), "ftp://a.example", true],
  [fieldOf("address"), "https://user@a.example", true],
  [fieldOf("address"), "https://u:p@a.example", true],
  [fieldOf("secret"), "sk-abc", false],
  [fieldOf("secret"), "two words", true],
  [fieldOf("variable"), "A_KEY", false],
  [fieldOf("variable"), "sk-abc", true],
  [fieldOf("variable"), "9A", true],
  [fieldOf("choice", { options: ["a"] }), "a", false],
  [fieldOf("choice", { options: ["a"] }), "b", true],
  [fieldOf("text"), "anything", false],
];

for (const [field, value, isFlawed] of FLAWS) {
  Deno.test(`flawOfValue() finds ${isFlawed ? "a" : "no"} flaw in ${field.kind} "${value}"`, () => {
    const flaw = flawOfValue(field, value);
    equal(flaw !== null, isFlawed, flaw ?? "");
    if (value !== "" && field.kind !== "choice") equal(flaw?.includes(value) ?? false, false);
  });
}

Deno.test("proposeProfile() names a profile, and finds the one for the same server", () => {
  const profile = (baseURL: string) => ({ provider: "openai-compatible", values: { baseURL } });
  const rows: readonly (readonly [string, string, Parameters<typeof proposeProfile>[2], string])[] =
    [
      ["acme", "https://a.example", {}, "acme"],
      ["openai-compatible", "https://api.openai.com/v1", {}, "openai.com"],
      ["openai-compatible", "http://127.0.0.1:11434/v1", {}, "local-11434"],
      ["openai-compatible", "http://localhost/v1", {}, "local-80"],
      ["openai-compatible", "http://[fe80::1]:8000", {}, "fe80--1-"],
      ["openai-compatible", "", {}, "openai-compatible"],
      ["openai-compatible", "https://b.example/v1", { x: profile("https://b.example/v1") }, "x"],
      ["openai-compatible", "https://b.example", { x: profile("https://b.example/v1") }, "x"],
      [
        "openai-compatible",
        "https://b.example/v2",
        { "b.example": profile("https://b.example/v1") },
        "b.example-2",
      ],
    ];
  for (const [provider, baseURL, profiles, name] of rows) {
    equal(proposeProfile(provider, { baseURL }, profiles), name);
  }
});

Deno.test("isOpenRoad() is true where a key could be read on its way", () => {
  deepEqual(
    ["http://a.example", "https://a.example", "http://127.0.0.1:1", "x"].map(isOpenRoad),
    [true, false, false, false],
  );
});
