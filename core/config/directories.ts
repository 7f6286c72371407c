import { AlisioError } from "../errors.ts";
import { isAbsolute, join, resolve } from "../paths/path.ts";

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The folder of the person's configuration: `ALISIO_CONFIG_HOME`, else `$XDG_CONFIG_HOME/alisio`,
 * else `~/.config/alisio`.
 *
 * @param env Environment variables.
 * @returns An absolute path; the folder need not exist.
 * @throws {AlisioError} `config_invalid` if the variables name no absolute folder.
 */
export function configHome(env: Environment): string {
  return productHome(env, "ALISIO_CONFIG_HOME", "XDG_CONFIG_HOME", [".config"]);
}

/**
 * The folder of what Alisio remembers: `ALISIO_STATE_HOME`, else `$XDG_STATE_HOME/alisio`, else
 * `~/.local/state/alisio`.
 *
 * @param env Environment variables.
 * @returns An absolute path; the folder need not exist.
 * @throws {AlisioError} `config_invalid` if the variables name no absolute folder.
 */
export function stateHome(env: Environment): string {
  return productHome(env, "ALISIO_STATE_HOME", "XDG_STATE_HOME", [".local", "state"]);
}

/**
 * The person's home folder, if the environment names one.
 *
 * @param env Environment variables.
 */
export function userHome(env: Environment): string | undefined {
  const home = env["HOME"] || env["USERPROFILE"];
  return home !== undefined && isAbsolute(home) ? home : undefined;
}

function productHome(
  env: Environment,
  own: string,
  xdg: string,
  fallback: readonly string[],
): string {
  const ownValue = env[own];
  if (ownValue) {
    // A relative folder would let every repository bring its own "global" configuration.
    if (isAbsolute(ownValue)) return resolve(ownValue);
    throw new AlisioError(
      "config_invalid",
      `Cannot use the variable "${own}": it holds a relative path; set it to an absolute one`,
    );
  }
  const xdgValue = env[xdg];
  // The XDG rule: a relative value is ignored.
  if (xdgValue && isAbsolute(xdgValue)) return resolve(xdgValue, "alisio");
  const home = userHome(env);
  if (home !== undefined) return join(home, ...fallback, "alisio");
  throw new AlisioError(
    "config_invalid",
    `Cannot find the home folder: "HOME" is unset or relative; set "HOME" or "${own}"`,
  );
}
