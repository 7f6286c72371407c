import assert from "node:assert/strict";
import {
  passedSecrets,
  profileEnvironment,
} from "../../../../core/gate/profile/profile_environment.ts";
import { childEnvironment } from "../../../../core/process/child_environment.ts";

const PARENT = {
  PATH: "/usr/bin:relative",
  HOME: "/home/me",
  OPENAI_API_KEY: "sentinel-key",
  DB_PASSWORD: "sentinel-password",
  CI_TOKEN: "sentinel-token",
  MY_VAR: "mine",
  LD_PRELOAD: "./x.so",
  PAGER: "less",
};

Deno.test("profileEnvironment() passes nothing more than usual unless it is named", () => {
  const child = profileEnvironment(PARENT, { shellEnvPassthrough: [] });
  assert.deepEqual(child, childEnvironment(PARENT));
  assert.doesNotMatch(JSON.stringify(child), /sentinel|mine|x\.so/);
});

Deno.test("profileEnvironment() passes what is named, a secret included, and no neighbour", () => {
  const child = profileEnvironment(PARENT, {
    shellEnvPassthrough: ["MY_VAR", "OPENAI_API_KEY", "PAGER", "MISSING", "db_password"],
  });
  assert.deepEqual(child, {
    ...childEnvironment(PARENT),
    MY_VAR: "mine",
    OPENAI_API_KEY: "sentinel-key",
    PAGER: "less",
  });
});

Deno.test("profileEnvironment() never passes relative entries of PATH", () => {
  const child = profileEnvironment(PARENT, { shellEnvPassthrough: ["PATH"] });
  assert.equal(child["PATH"], "/usr/bin");
});

Deno.test("profileEnvironment() ignores the case of names on Windows alone", () => {
  const profile = { shellEnvPassthrough: ["my_var", "Path"] };
  assert.equal(profileEnvironment(PARENT, profile, "windows")["MY_VAR"], "mine");
  assert.equal(profileEnvironment(PARENT, profile, "windows")["PATH"], "/usr/bin");
  assert.equal(profileEnvironment(PARENT, profile, "linux")["MY_VAR"], undefined);
});

Deno.test("passedSecrets() are the values that are named and look like secrets by their names", () => {
  const rows: readonly (readonly [readonly string[], readonly string[]])[] = [
    [[], []],
    [["MY_VAR", "HOME", "MISSING"], []],
    [["OPENAI_API_KEY", "MY_VAR", "CI_TOKEN"], ["sentinel-key", "sentinel-token"]],
    [["db_password"], []],
    [["PATH"], []],
  ];
  for (const [shellEnvPassthrough, secrets] of rows) {
    assert.deepEqual(passedSecrets(PARENT, { shellEnvPassthrough }, "linux"), secrets);
  }
  const profile = { shellEnvPassthrough: ["db_password"] };
  assert.deepEqual(passedSecrets(PARENT, profile, "windows"), ["sentinel-password"]);
});
