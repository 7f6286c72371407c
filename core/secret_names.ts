/** Ends of names whose values are secrets. A key that says which kind it is may be none. */
const SECRET_END_REGEXP =
  /(?:(?<=[a-z0-9][_.-]?)(?<!(?:public|primary|foreign|sort|partition|cache|group)[_.-]?)keys?|tokens?|secrets?|passwords?|passwd|passphrase|passcode|credentials?|authori[sz]ation|cookies?|(?<=[a-z0-9][_.-])(?:pwd|pat|bearer))$/i;

/** Longer names are none that a person or a program gave. */
const MAX_NAME_CHARS = 128;

/**
 * Whether a name says that its value is a secret: of an environment variable, of a key of a tool's
 * input, of a header or of an option of a program. `API_KEY`, `apiKey`, `--github-token` and
 * `Cookie` do; `key`, `publicKey`, `tokenizer` and `PWD` do not.
 *
 * @param name The name.
 */
export function isSecretName(name: string): boolean {
  return name.length <= MAX_NAME_CHARS && SECRET_END_REGEXP.test(name);
}

/**
 * The values of the variables that are named like secrets, those that a profile passes on to
 * programs included.
 *
 * @param env Environment variables.
 */
export function secretEnvironmentValues(
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const values = Object.entries(env).flatMap(([name, value]) => isSecretName(name) ? value : []);
  return [...new Set(values.filter((value) => value !== undefined))];
}
