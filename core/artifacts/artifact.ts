/** What kind of thing an artifact is. */
export type ArtifactKind =
  | "dashboard"
  | "document"
  | "spreadsheet"
  | "image"
  | "data"
  | "code"
  | "archive"
  | "file";

/** Something that a session made for a person to keep. */
export interface Artifact {
  /** `art_` and letters or digits. */
  readonly id: string;
  readonly sessionId: string;
  readonly title: string;
  /** Name of its file, or of the file that a folder is opened at. */
  readonly fileName: string;
  readonly kind: ArtifactKind;
  readonly mimeType: string;
  /** Of all its files. */
  readonly bytes: number;
  readonly fileCount: number;
  /** Whether it can be shown without another program. */
  readonly previewable: boolean;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly status: "ready" | "deleted" | "expired";
}

/** A file of an artifact. */
export interface ArtifactFile {
  /** Relative, with `/`. */
  readonly path: string;
  readonly text: string;
}
