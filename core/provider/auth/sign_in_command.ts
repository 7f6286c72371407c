/** What a sign-in is for. */
export interface SignInTarget {
  /** Id of the registration. */
  readonly provider: string;
  /** Id of the profile. */
  readonly profile: string;
  /** Id of the method. */
  readonly method: string;
  /** Values of `--plugin` that the provider may come from. */
  readonly plugins?: readonly string[];
}

/**
 * The command that signs in again, ready to be pasted into a shell.
 *
 * @param target What the sign-in is for.
 */
export function formatSignInCommand(
  { provider, profile, method, plugins = [] }: SignInTarget,
): string {
  return [
    "alisio connect",
    provider,
    ...profile === provider ? [] : [`--profile ${profile}`],
    `--sign-in ${method}`,
    ...plugins.map((plugin) => `--plugin ${quotedWord(plugin)}`),
  ].join(" ");
}

function quotedWord(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
