import assert from "node:assert/strict";
import { isSecretName, secretEnvironmentValues } from "../../core/secret_names.ts";

/** Each name of a secret stands beside one that is near it and none. */
const NAMES: readonly (readonly [secret: string, harmless: string])[] = [
  ["API_KEY", "KEY"],
  ["apiKey", "key"],
  ["OPENAI_KEY", "PUBLIC_KEY"],
  ["privateKey", "publicKey"],
  ["access-key", "sort-key"],
  ["secretKey", "primaryKey"],
  ["GITHUB_TOKEN", "TOKENIZER"],
  ["--github-token", "--tokenize"],
  ["session_token", "token_count"],
  ["clientSecret", "secretary"],
  ["PGPASSWORD", "PASSWORD_FILE_MODE"],
  ["passphrase", "phrase"],
  ["AWS_CREDENTIALS", "CREDENTIALS_DIR"],
  ["Authorization", "AUTHOR"],
  ["Set-Cookie", "COOKIE_DOMAIN"],
  ["DB_PWD", "OLDPWD"],
  ["GITHUB_PAT", "PATH"],
  ["x.api.key", "KEYBOARD"],
];

Deno.test("isSecretName() tells names of secrets from their neighbours", () => {
  for (const [secret, harmless] of NAMES) {
    assert.ok(isSecretName(secret), secret);
    assert.ok(!isSecretName(harmless), harmless);
  }
  assert.ok(!isSecretName(`${"x".repeat(200)}_token`));
});

Deno.test("secretEnvironmentValues() takes the values of secrets and no other, each once", () => {
  const env = {
    A_TOKEN: "one-secret",
    B_KEY: "one-secret",
    PATH: "/bin",
    HOME: "/h",
    C_PAT: "two",
  };
  assert.deepEqual(secretEnvironmentValues(env), ["one-secret", "two"]);
});
