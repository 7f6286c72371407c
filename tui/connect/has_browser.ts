/** Whoever has one of these works on another machine than the one in front of them. */
const REMOTE_VARIABLES = ["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"] as const;

/**
 * Whether the browser of the person is on this machine, as far as anyone can tell.
 *
 * @param env Environment variables.
 */
export function hasBrowser(env: Readonly<Record<string, string>>): boolean {
  return REMOTE_VARIABLES.every((name) => (env[name] ?? "") === "");
}
