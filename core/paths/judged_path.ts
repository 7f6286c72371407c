/** A path of a tool input, resolved before anything is decided about it. */
export interface JudgedPath {
  /** As the call gave it. */
  readonly requested: string;
  /** Absolute and normalised, symbolic links not followed. */
  readonly absolute: string;
  /**
   * Where it really leads: every symbolic link of the deepest existing parent is followed. Two
   * spellings of one file have the same `real`.
   */
  readonly real: string;
  /** Whether something exists at `real`. */
  readonly exists: boolean;
  /** The allowed root (a real path) that `real` lies in or equals, or null when it is outside. */
  readonly root: string | null;
}
