/** How paths are compared: as they are, or as the usual file systems of a platform do. */
export type CompareForm = "exact" | "folded";

/**
 * A path in the form in which it is compared by prefix: one kind of slash, and one at the end, so
 * that only whole names match.
 *
 * @param path An absolute path.
 * @param form Whether spelling counts that some file systems do not tell apart.
 * @param platform Whose path rules apply.
 */
export function comparePrefix(
  path: string,
  form: CompareForm,
  platform: typeof Deno.build.os,
): string {
  if (platform === "windows") return withSlash(path.replaceAll("\\", "/").toLowerCase());
  if (platform === "darwin" && form === "folded") {
    // Upper case first: it also folds letters that have no lower case of their own, like "ſ".
    return withSlash(path.normalize("NFC").toUpperCase().toLowerCase());
  }
  return withSlash(path);
}

function withSlash(path: string): string {
  return path.endsWith("/") ? path : `${path}/`;
}
