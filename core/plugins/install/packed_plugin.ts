import { isObject } from "../../config/is_object.ts";
import { quoted } from "../../config/quoted.ts";
import { AlisioError, errorMessage } from "../../errors.ts";
import { isPackageName } from "./install_spec.ts";
import { lifecycleScripts } from "./lifecycle_scripts.ts";
import { readTarball, TARBALL_LIMITS, TarballError, type TarballLimits } from "./read_tarball.ts";

/** A plugin in a `.tgz` file. */
export interface PackedPlugin {
  /** Name of its package. */
  readonly name: string;
  /** Its version. */
  readonly version: string;
  /** Scripts that its installation would run, by name. */
  readonly scripts: Readonly<Record<string, string>>;
}

const KEYWORD = "alisio-plugin";

const SEMVER_REGEXP =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;

/**
 * Looks at a packed plugin without unpacking it.
 *
 * @param path The `.tgz` file.
 * @param label How the person named it.
 * @param limits How much of it is read.
 * @throws {AlisioError} `plugin_invalid` if it is none that could be installed.
 */
export async function inspectPackedPlugin(
  path: string,
  label: string,
  limits: TarballLimits = TARBALL_LIMITS,
): Promise<PackedPlugin> {
  try {
    return describe(parse(await readTarball(path, limits)));
  } catch (error) {
    throw new AlisioError(
      "plugin_invalid",
      `Cannot install ${quoted(label, 300)}: ${reasonOf(error)}`,
      { cause: error },
    );
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof TarballError) return error.message;
  if (error instanceof Deno.errors.NotFound) return "there is no such file";
  return `it cannot be read: ${errorMessage(error).slice(0, 200)}`;
}

function parse(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  let content: unknown;
  try {
    content = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new TarballError("its package.json is not JSON");
  }
  if (!isObject(content)) throw new TarballError("its package.json is not a JSON object");
  return content;
}

function describe(content: Readonly<Record<string, unknown>>): PackedPlugin {
  const { name, version, keywords, exports, main, scripts } = content;
  if (typeof name !== "string" || !isPackageName(name)) {
    throw new TarballError("its package.json has no name that npm could install it under");
  }
  if (typeof version !== "string" || version.length > 100 || !SEMVER_REGEXP.test(version)) {
    throw new TarballError("its package.json has no version such as 1.2.3");
  }
  if (!Array.isArray(keywords) || !keywords.includes(KEYWORD)) {
    throw new TarballError(
      `package ${
        quoted(name)
      } is no Alisio plugin: its package.json lacks the keyword "${KEYWORD}"`,
    );
  }
  if (typeof main !== "string" && (exports === undefined || exports === null)) {
    throw new TarballError('its package.json names no module: it has neither "exports" nor "main"');
  }
  return { name, version, scripts: isObject(scripts) ? lifecycleScripts(scripts) : {} };
}
