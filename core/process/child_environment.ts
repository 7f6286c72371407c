import { isSecretName } from "../secret_names.ts";
import { delimiter, isAbsolute } from "../paths/path.ts";

/** Names that are passed on as they are. Matched without regard to case, as Windows does. */
const PASSED_NAMES: ReadonlySet<string> = new Set([
  // Who and where
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "TZ",
  "TMPDIR",
  "TEMP",
  "TMP",
  "CI",
  // Folders of the desktop conventions
  "XDG_CACHE_HOME",
  "XDG_CONFIG_DIRS",
  "XDG_CONFIG_HOME",
  "XDG_DATA_DIRS",
  "XDG_DATA_HOME",
  "XDG_RUNTIME_DIR",
  "XDG_STATE_HOME",
  // Windows, where hardly a program starts without them
  "ALLUSERSPROFILE",
  "APPDATA",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "NUMBER_OF_PROCESSORS",
  "OS",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "PROGRAMFILES(X86)",
  "PROGRAMW6432",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "USERNAME",
  "USERPROFILE",
  "WINDIR",
]);

const LOCALE_NAME_REGEXP = /^LC_[A-Z]+$/;

/** Settings that keep programs from asking, paging and colouring: nobody is there to answer. */
const FIXED_VARIABLES: Readonly<Record<string, string>> = {
  TERM: "dumb",
  NO_COLOR: "1",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  // Set but empty, it also hides an askpass program that Git's configuration names.
  GIT_ASKPASS: "",
  // ssh would ask on the terminal; made to ask a program that fails, it gives up at once.
  SSH_ASKPASS: "false",
  SSH_ASKPASS_REQUIRE: "force",
  DEBIAN_FRONTEND: "noninteractive",
};

/**
 * The whole environment of a program that Alisio starts: a short list of the parent's variables,
 * and fixed ones that suppress prompts.
 *
 * What is not on the list stays behind, which covers keys, tokens, agents, proxies with a password
 * and everything that makes a loader run other code (`LD_*`, `DYLD_*`, `BASH_ENV`). Relative
 * entries of `PATH` are dropped, so that a program's name never means a file of the workspace.
 *
 * @param parent The environment to take from.
 */
export function childEnvironment(
  parent: Readonly<Record<string, string>>,
): Record<string, string> {
  const child: Record<string, string> = {};
  for (const [name, value] of Object.entries(parent)) {
    const upper = name.toUpperCase();
    if (upper === "PATH") child[name] = absoluteEntries(value);
    else if (PASSED_NAMES.has(upper) || isLocale(name)) child[name] = value;
  }
  return { ...child, ...FIXED_VARIABLES };
}

/** People hand secrets over as locales where only those are passed on. */
function isLocale(name: string): boolean {
  return LOCALE_NAME_REGEXP.test(name) && !isSecretName(name);
}

function absoluteEntries(path: string): string {
  return path.split(delimiter).filter((entry) => isAbsolute(entry)).join(delimiter);
}
