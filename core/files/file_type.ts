interface Signature {
  readonly name: string;
  /** One character for each byte. */
  readonly start: string;
  /** @default 0 */
  readonly offset?: number;
  /** What must follow at byte 8, where several types start alike. */
  readonly form?: string;
  /** Whether text may begin the same way, so that the signature alone proves nothing. */
  readonly weak?: true;
}

const SIGNATURES: readonly Signature[] = [
  { name: "PNG image", start: "\x89PNG\r\n" },
  { name: "JPEG image", start: "\xff\xd8\xff" },
  { name: "GIF image", start: "GIF87a" },
  { name: "GIF image", start: "GIF89a" },
  { name: "WebP image", start: "RIFF", form: "WEBP" },
  { name: "WAV audio", start: "RIFF", form: "WAVE" },
  { name: "AVI video", start: "RIFF", form: "AVI " },
  { name: "TIFF image", start: "II*\0" },
  { name: "TIFF image", start: "MM\0*" },
  { name: "icon", start: "\0\0\x01\0" },
  { name: "BMP image", start: "BM", weak: true },
  { name: "PDF document", start: "%PDF-" },
  { name: "ZIP archive", start: "PK\x03\x04" },
  { name: "ZIP archive", start: "PK\x05\x06" },
  { name: "gzip archive", start: "\x1f\x8b" },
  { name: "bzip2 archive", start: "BZh", weak: true },
  { name: "XZ archive", start: "\xfd7zXZ\0" },
  { name: "Zstandard archive", start: "(\xb5/\xfd" },
  { name: "7-Zip archive", start: "7z\xbc\xaf\x27\x1c" },
  { name: "RAR archive", start: "Rar!\x1a\x07" },
  { name: "tar archive", start: "ustar", offset: 257, weak: true },
  { name: "ELF program", start: "\x7fELF" },
  { name: "Mach-O program", start: "\xcf\xfa\xed\xfe" },
  { name: "Mach-O program", start: "\xce\xfa\xed\xfe" },
  { name: "Java class or Mach-O program", start: "\xca\xfe\xba\xbe" },
  { name: "Windows program", start: "MZ", weak: true },
  { name: "WebAssembly module", start: "\0asm" },
  { name: "SQLite database", start: "SQLite format 3\0" },
  { name: "MP3 audio", start: "ID3", weak: true },
  { name: "Ogg media", start: "OggS", weak: true },
  { name: "FLAC audio", start: "fLaC", weak: true },
  { name: "MP4 media", start: "ftyp", offset: 4, weak: true },
  { name: "Matroska media", start: "\x1aE\xdf\xa3" },
  { name: "WOFF font", start: "wOFF", weak: true },
  { name: "WOFF2 font", start: "wOF2", weak: true },
  { name: "TrueType font", start: "\0\x01\0\0" },
  { name: "OpenType font", start: "OTTO", weak: true },
  { name: "Parquet data", start: "PAR1", weak: true },
];

/** The type that the first bytes of a file tell. */
export interface FileType {
  /** For example `PNG image`. */
  readonly name: string;
  /** Whether no text begins this way. */
  readonly certain: boolean;
}

/**
 * Tells the type of a binary file from its first bytes, or null when they tell none. A short table
 * of its own: the packages for it load far more than a name is worth.
 *
 * @param bytes At least the first 300 bytes, where there are as many.
 */
export function detectFileType(bytes: Uint8Array): FileType | null {
  for (const { name, start, offset = 0, form = "", weak } of SIGNATURES) {
    if (!matchesAt(bytes, start, offset) || !matchesAt(bytes, form, 8)) continue;
    return { name, certain: weak !== true };
  }
  return null;
}

function matchesAt(bytes: Uint8Array, expected: string, offset: number): boolean {
  for (let index = 0; index < expected.length; index++) {
    if (bytes[offset + index] !== expected.charCodeAt(index)) return false;
  }
  return true;
}
