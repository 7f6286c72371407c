import { quotePath } from "../paths/quote_path.ts";

/** Why a file operation failed. */
export type FileErrorCode =
  | "not_found"
  | "already_exists"
  | "changed"
  | "path_changed"
  | "is_folder"
  | "not_a_file"
  | "read_only"
  | "too_large"
  | "locked"
  | "no_space"
  | "permission_denied"
  | "not_capable"
  | "io";

/** A failed file operation, told so that a model or a person can act on it. */
export class FileError extends Error {
  /** The name of the class. */
  override readonly name = "FileError";
  /** Why it failed. */
  readonly code: FileErrorCode;

  /**
   * Builds the error.
   *
   * @param code Why it failed.
   * @param message What failed, why and what to do.
   * @param options The error behind it.
   */
  constructor(code: FileErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}

/** Operations that {@linkcode toFileError} tells apart. */
export type FileAction = "read" | "write";

const SYSTEM_CODE_REGEXP = /^E[A-Z0-9]+$/;

const SYSTEM_NUMBER_REGEXP = /\(os error (\d+)\)/;

/** The same on Linux and macOS, but for the quota. */
const UNNAMED_ERRORS: Readonly<Record<string, string | undefined>> = {
  26: "ETXTBSY",
  27: "EFBIG",
  69: "EDQUOT",
  122: "EDQUOT",
};

interface Explanation {
  readonly code: FileErrorCode;
  readonly reason: string;
}

const EXPLANATIONS: Readonly<Record<string, Explanation | undefined>> = {
  ENOENT: { code: "not_found", reason: "it does not exist" },
  ENOTDIR: { code: "not_found", reason: "a part of its path is a file, not a folder" },
  EISDIR: { code: "is_folder", reason: "it is a folder" },
  EEXIST: { code: "already_exists", reason: "it exists already" },
  EACCES: { code: "permission_denied", reason: "the system denies permission" },
  EPERM: { code: "permission_denied", reason: "the system does not permit it" },
  EROFS: { code: "read_only", reason: "its file system is read-only" },
  ETXTBSY: { code: "permission_denied", reason: "it is a program that is running" },
  ENOSPC: { code: "no_space", reason: "no space is left on its disk; the file is unchanged" },
  EDQUOT: { code: "no_space", reason: "the disk quota is used up; the file is unchanged" },
  EFBIG: {
    code: "no_space",
    reason: "the limit on the size of files is reached; the file is unchanged",
  },
  ENAMETOOLONG: { code: "io", reason: "its path is too long" },
  ELOOP: { code: "path_changed", reason: "its symbolic links lead back to themselves" },
  EMFILE: { code: "io", reason: "too many files are open" },
  ENFILE: { code: "io", reason: "too many files are open on this system" },
};

/**
 * Turns what a file operation threw into a {@linkcode FileError}. Errors that are no failure of
 * the system, cancellation among them, come back as they are.
 *
 * @param error What was caught.
 * @param action What was attempted.
 * @param path Real path of the file.
 */
export function toFileError(error: unknown, action: FileAction, path: string): unknown {
  if (error instanceof FileError || !(error instanceof Error)) return error;
  const failed = `Cannot ${action} file ${quotePath(path)}`;
  if (error instanceof Deno.errors.NotCapable) {
    const message = `${failed}: the permission flags of this run do not allow to ${action} there`;
    return new FileError("not_capable", message, { cause: error });
  }
  const code = systemCode(error);
  if (code === null) return error;
  const known = EXPLANATIONS[code] ?? { code: "io", reason: `the system reports ${code}` };
  return new FileError(known.code, `${failed}: ${known.reason}`, { cause: error });
}

/** Name of the system's error, or null when the error is none of the system. */
function systemCode(error: Error): string | null {
  const code = "code" in error ? error.code : undefined;
  if (typeof code === "string") return SYSTEM_CODE_REGEXP.test(code) ? code : null;
  // For some errors the runtime gives no code, and the number stands in the text alone.
  const number = SYSTEM_NUMBER_REGEXP.exec(error.message)?.[1];
  if (number === undefined) return null;
  return (Deno.build.os === "windows" ? undefined : UNNAMED_ERRORS[number]) ?? `error ${number}`;
}
