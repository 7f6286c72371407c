import assert from "node:assert/strict";
import type { JsonValue } from "@alisio/sdk";
import { formatEndpoint, parseProfile } from "../../../plugins/openai_compatible/profile.ts";

Deno.test("parseProfile() fills in what is not set", () => {
  const expected = {
    baseUrl: "https://api.openai.com/v1",
    query: "",
    apiMode: "chat",
    auth: "bearer",
    tokenParameter: "max_tokens",
    streamUsage: false,
    keepReasoning: false,
    textToolCalls: false,
  };
  assert.deepEqual(parseProfile({}), expected);
  const blank = { baseURL: "", apiMode: "", streamUsage: null, contextWindow: "" };
  assert.deepEqual(parseProfile({ ...blank, model: "m", apiKeyEnv: "X" }), expected);
});

Deno.test("parseProfile() takes the values of a file and those of a form", () => {
  for (const on of [true, "true"]) {
    const profile = parseProfile({
      baseURL: " http://localhost:1234/v1/ ",
      apiMode: "responses",
      auth: "none",
      tokenParameter: "omit",
      streamUsage: on,
      keepReasoning: on,
      textToolCalls: on,
      contextWindow: on === true ? 8_192 : "8192",
    });
    assert.deepEqual(profile, {
      baseUrl: "http://localhost:1234/v1",
      query: "",
      apiMode: "responses",
      auth: "none",
      tokenParameter: "omit",
      streamUsage: true,
      keepReasoning: true,
      textToolCalls: true,
    });
  }
});

const BASE_URLS: readonly (readonly [string, string])[] = [
  ["https://api.example.com", "https://api.example.com/responses"],
  ["https://api.example.com/", "https://api.example.com/responses"],
  ["HTTPS://API.Example.com:443/v1//", "https://api.example.com/v1/responses"],
  ["http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/responses"],
  ["http://[::1]:8080/v1", "http://[::1]:8080/v1/responses"],
  ["https://a.example/v1/chat/completions", "https://a.example/v1/responses"],
  ["https://a.example/v1/responses/", "https://a.example/v1/responses"],
  ["https://a.example/v1#part", "https://a.example/v1/responses"],
  ["https://a.example/x?api-version=1", "https://a.example/x/responses?api-version=1"],
];

for (const [baseURL, expected] of BASE_URLS) {
  Deno.test(`parseProfile() normalises the base URL ${baseURL}`, () => {
    assert.equal(formatEndpoint(parseProfile({ baseURL }), "/responses"), expected);
  });
}

const REFUSED: readonly (readonly [string, JsonValue, RegExp])[] = [
  ["baseURL", "localhost:1234/v1", /it is not an address such as "https/],
  ["baseURL", "sk-secret-key", /it is not an address/],
  ["baseURL", "ftp://a.example", /it is not an address/],
  ["baseURL", "file:///etc/passwd", /it is not an address/],
  ["baseURL", 7, /it is not an address/],
  ["baseURL", "https://user:secret@a.example/v1", /it holds a user name or a password/],
  ["baseURL", "https://secret@a.example/v1", /it holds a user name or a password/],
  ["apiMode", "assistants", /expected "chat" or "responses"/],
  ["auth", "basic", /expected "bearer" or "none"/],
  ["tokenParameter", "tokens", /expected "max_tokens" or/],
  ["streamUsage", "yes", /expected "true" or "false"/],
  ["keepReasoning", 1, /expected "true" or "false"/],
  ["textToolCalls", [], /expected "true" or "false"/],
  ["contextWindow", -1, /expected a number of tokens above 0/],
  ["contextWindow", "many", /expected a number of tokens above 0/],
  ["contextWindow", 1.5, /expected a number of tokens above 0/],
];

for (const [name, value, message] of REFUSED) {
  Deno.test(`parseProfile() refuses ${JSON.stringify(value)} as ${name} and does not quote it`, () => {
    assert.throws(() => parseProfile({ [name]: value }), (error: unknown) => {
      assert.ok(error instanceof TypeError);
      assert.ok(error.message.startsWith(`Cannot use provider field "${name}": `));
      assert.match(error.message, message);
      assert.ok(!error.message.includes("secret"));
      return true;
    });
  });
}
