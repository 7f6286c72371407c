import { TEMP_NAME_REGEXP } from "../files/temp_name.ts";
import { basename, dirname } from "./path.ts";

/**
 * Whether a path is a file of stored keys, or a copy of one beside it: what was left of a write that
 * did not come to its end, or a backup under a longer name.
 *
 * @param real Real path.
 * @param files Real paths of the files of stored keys.
 */
export function isSecretFile(real: string, files: readonly string[]): boolean {
  const name = basename(real).toLowerCase();
  return files.some((file) =>
    real === file || (dirname(real) === dirname(file) &&
      (name.includes(basename(file).toLowerCase()) || TEMP_NAME_REGEXP.test(name)))
  );
}
