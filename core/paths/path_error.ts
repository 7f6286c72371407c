/** Why a path cannot be judged. */
export type PathErrorCode =
  | "invalid_path"
  | "forbidden_form"
  | "home_not_expanded"
  | "path_loop"
  | "path_too_long"
  | "path_unreadable";

/** A path that is refused before anything is decided about it. The message is for the model. */
export class PathError extends Error {
  /** The name of the class. */
  override readonly name = "PathError";
  /** Why the path is refused. */
  readonly code: PathErrorCode;

  /**
   * Builds the error.
   *
   * @param code Why the path is refused.
   * @param message What failed, why and what to do.
   * @param options The error behind it.
   */
  constructor(code: PathErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}
