/**
 * What a path means to Windows.
 *
 * - `plain`: relative, or absolute with a drive letter; safe to look up
 * - `device`: a device, by its namespace or by a reserved name such as `NUL`
 * - `nt`: a path of the NT object namespace, which skips all normalisation
 * - `unc`: a remote share; the mere lookup sends credentials to the server
 * - `drive_relative`: `C:name`, relative to a folder that nobody sees
 * - `stream`: an alternate data stream of a file
 * - `trailing`: a name that ends in a dot or space, which Windows drops
 */
export type WindowsPathKind =
  | "plain"
  | "device"
  | "nt"
  | "unc"
  | "drive_relative"
  | "stream"
  | "trailing";

const RESERVED_NAME_REGEXP =
  /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9¹²³])(?:[ .:].*)?$/i;

/**
 * Classifies a path by the rules of Windows, without touching any file. Both kinds of slash are
 * the same, and the case of letters does not matter.
 *
 * @example Only plain paths may be looked up
 * ```ts
 * import { classifyWindowsPath } from "./windows_path.ts";
 *
 * classifyWindowsPath("src\\main.ts"); // "plain"
 * classifyWindowsPath("//server/share/x"); // "unc"
 * ```
 *
 * @param path The path as it was asked for.
 */
export function classifyWindowsPath(path: string): WindowsPathKind {
  const slashes = path.replaceAll("/", "\\");
  const namespace = classifyNamespace(slashes);
  if (namespace !== "plain") return namespace;
  const drive = /^[a-z]:/i.test(slashes);
  if (drive && slashes[2] !== "\\") return "drive_relative";
  const components = (drive ? slashes.slice(3) : slashes).split("\\");
  for (const component of components) {
    const kind = classifyComponent(component);
    if (kind !== "plain") return kind;
  }
  return "plain";
}

function classifyNamespace(slashes: string): WindowsPathKind {
  if (/^\\+\?\?(?:\\|$)/.test(slashes)) return "nt";
  if (!slashes.startsWith("\\\\")) return "plain";
  if (/^\\\\+\?(?:\\|$)/.test(slashes)) return "nt";
  return /^\\\\+\.(?:\\|$)/.test(slashes) ? "device" : "unc";
}

function classifyComponent(component: string): WindowsPathKind {
  if (component === "" || component === "." || component === "..") return "plain";
  if (RESERVED_NAME_REGEXP.test(component)) return "device";
  if (component.includes(":")) return "stream";
  return /[ .]$/.test(component) ? "trailing" : "plain";
}
