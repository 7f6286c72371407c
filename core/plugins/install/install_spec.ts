import { quoted } from "../../config/quoted.ts";
import { AlisioError } from "../../errors.ts";

/** What a person asks to install. */
export type InstallSpec =
  | {
    /** A package of the registry. */
    readonly kind: "registry";
    /** Its name, with its scope. */
    readonly name: string;
    /** The version or the tag that is asked for; without it, the latest. */
    readonly version?: string;
  }
  | {
    /** A packed package on this machine. */
    readonly kind: "file";
    /** Its path, as it was given. */
    readonly path: string;
  };

const NAME_REGEXP = /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/;
const VERSION_REGEXP = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const TARBALL_REGEXP = /\.(?:tgz|tar\.gz)$/i;
const PREFIX_REGEXP = /^([A-Za-z][A-Za-z\d+.-]*):/;

/** The limit of the registry. */
const MAX_NAME_CHARS = 214;
const MAX_VERSION_CHARS = 100;

/** Names that mean something else in a folder of packages. */
const RESERVED_NAMES: readonly string[] = ["node_modules", "favicon.ico"];

const FORMS = "write npm:<package>, npm:<package>@<version>, or the path of a .tgz file";

/**
 * Reads what is to be installed, before anything is asked of a network: a plain name of the
 * registry with an exact version or a tag, or the path of a `.tgz` file. Nothing else gets through:
 * no address, no range, no other source that npm would understand, and nothing that could be taken
 * for a flag. Pure.
 *
 * @param text What the person wrote.
 * @throws {AlisioError} `usage` if it is none of these.
 */
export function parseInstallSpec(text: string): InstallSpec {
  if (text === "") throw refusal(text, "it is empty");
  const [, prefix] = PREFIX_REGEXP.exec(text) ?? [];
  const isDrive = prefix?.length === 1;
  if (prefix !== undefined && prefix !== "npm" && !isDrive) {
    throw refusal(text, `"${prefix.slice(0, 20)}:" is no source that Alisio installs from`);
  }
  if (prefix === undefined || isDrive) {
    if (TARBALL_REGEXP.test(text) && !text.includes("://")) return { kind: "file", path: text };
    if (/^[./\\~]/.test(text) || isDrive) {
      throw refusal(text, "it is a path, and not one of a .tgz file; pack a folder with npm pack");
    }
  }
  return parsePackage(text);
}

/**
 * Writes a package of the registry as a person would, for messages.
 *
 * @param name Its name.
 * @param version The version, if one is meant.
 */
export function formatPackage(name: string, version?: string): string {
  return version === undefined ? `npm:${name}` : `npm:${name}@${version}`;
}

/**
 * Whether a text is a name that a package of a plugin may have.
 *
 * @param name The text.
 */
export function isPackageName(name: string): boolean {
  return name.length <= MAX_NAME_CHARS && NAME_REGEXP.test(name) && !RESERVED_NAMES.includes(name);
}

function parsePackage(text: string): InstallSpec {
  const rest = text.replace(/^npm:/, "");
  const at = rest.indexOf("@", 1);
  const name = at === -1 ? rest : rest.slice(0, at);
  const version = at === -1 ? undefined : rest.slice(at + 1);
  if (!isPackageName(name)) {
    throw refusal(
      text,
      `${quoted(name)} is no name of a package: a name has lowercase letters, digits, ".", "_" ` +
        'and "-", begins with a letter or a digit, and may follow a scope, as in @scope/name',
    );
  }
  if (version === undefined) return { kind: "registry", name };
  if (version.length > MAX_VERSION_CHARS || !VERSION_REGEXP.test(version)) {
    throw refusal(
      text,
      `${quoted(version)} is no version: name an exact one, such as 1.2.3, or a tag; ranges and ` +
        "addresses are not taken",
    );
  }
  return { kind: "registry", name, version };
}

function refusal(text: string, reason: string): AlisioError {
  return new AlisioError("usage", `Cannot install ${quoted(text)}: ${reason}; ${FORMS}`);
}
