/** One entry of a tar archive. */
export interface TarEntry {
  /** Its path; up to 100 bytes. */
  readonly path: string;
  /**
   * Its content.
   *
   * @default ""
   */
  readonly content?: string | Uint8Array;
  /**
   * The one character of its type: `0` is a file, `2` a symbolic link, `x` describes the next entry.
   *
   * @default "0"
   */
  readonly type?: string;
  /**
   * What a link leads to.
   *
   * @default ""
   */
  readonly link?: string;
  /**
   * Texts that are written over its header, by where they begin. Its checksum is right all the same.
   *
   * @default []
   */
  readonly patches?: readonly (readonly [number, string])[];
}

/**
 * A gzipped tar archive, written to the letter: nothing keeps an entry from lying.
 *
 * @param entries Its entries, in order.
 */
export async function buildTarball(entries: readonly TarEntry[]): Promise<Uint8Array<ArrayBuffer>> {
  return await gzip(buildTar(entries));
}

/**
 * A tar archive that is not compressed.
 *
 * @param entries Its entries, in order.
 */
export function buildTar(entries: readonly TarEntry[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const blocks = entries.flatMap((entry) => {
    const { path, content = "", type = "0", link = "", patches = [] } = entry;
    const bytes = typeof content === "string" ? encoder.encode(content) : content;
    const padded = new Uint8Array(Math.ceil(bytes.length / 512) * 512);
    padded.set(bytes);
    const names = [encoder.encode(path), encoder.encode(link)] as const;
    return [header(names, bytes.length, type, patches), padded];
  });
  return concatenate([...blocks, new Uint8Array(1024)]);
}

/**
 * Compresses bytes.
 *
 * @param bytes The bytes.
 */
export async function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function header(
  [path, link]: readonly [Uint8Array, Uint8Array],
  size: number,
  type: string,
  patches: readonly (readonly [number, string])[],
): Uint8Array {
  const block = new Uint8Array(512);
  const text = (value: string, at: number) => block.set(new TextEncoder().encode(value), at);
  block.set(path.subarray(0, 100), 0);
  text("0000644\0", 100);
  text("0000000\0", 108);
  text("0000000\0", 116);
  text(`${size.toString(8).padStart(11, "0")}\0`, 124);
  text("00000000000\0", 136);
  text("        ", 148);
  text(type, 156);
  block.set(link.subarray(0, 100), 157);
  text("ustar\x0000", 257);
  for (const [at, value] of patches) text(value, at);
  const sum = block.reduce((total, byte) => total + byte, 0);
  text(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

function concatenate(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
