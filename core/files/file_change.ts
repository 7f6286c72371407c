/** A change of a file that is about to be made. */
export interface FileChange {
  /** Real path of the file. */
  readonly path: string;
  /** What it holds; null where there is no file. */
  readonly before: Uint8Array<ArrayBuffer> | null;
  /** SHA-256 that it must have at the last moment; null where there must be no file. */
  readonly beforeHash: string | null;
  /** SHA-256 that it will have; null where it is removed. */
  readonly afterHash: string | null;
  /** Whether it is a file of stored keys, of which no copy is kept. */
  readonly isSecret: boolean;
}

/** A change that was recorded before it was made. */
export interface RecordedChange {
  /** It was made. */
  done(): void;
  /** It was not made. */
  failed(): Promise<void>;
}
