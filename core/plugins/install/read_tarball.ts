/** Why an archive is no packed package. The message continues a sentence. */
export class TarballError extends Error {
  /** Always `TarballError`. */
  override readonly name = "TarballError";
}

/** How much of an archive is read. */
export interface TarballLimits {
  /** Largest archive. */
  readonly maxBytes: number;
  /** Largest content, unpacked. */
  readonly maxUnpackedBytes: number;
  /** Largest `package.json`. */
  readonly maxPackageJsonBytes: number;
}

/** What packages are held to. */
export const TARBALL_LIMITS: TarballLimits = {
  maxBytes: 50_000_000,
  maxUnpackedBytes: 500_000_000,
  maxPackageJsonBytes: 1_000_000,
};

const BLOCK_BYTES = 512;
const MAX_ENTRIES = 100_000;
/** Of what describes the next entry. */
const MAX_DESCRIPTION_BYTES = 65_536;
/** The folder that npm packs everything into. */
const ROOT = "package";
const PACKAGE_JSON = `${ROOT}/package.json`;

const NEWLINE = 10;

const ascii = new TextDecoder("latin1");

/**
 * Reads `package/package.json` out of a packed package, and looks at the name of everything else in
 * it. The archive passes through bounded memory; nothing is written anywhere.
 *
 * What an unpacking program could take for something else than this reader is refused, not guessed
 * at: a path that leaves the folder or that can be written in two ways, a link, a second
 * `package.json`, a damaged header, what readers of archives disagree on (such as a folder with
 * content, or a description that not all of them can read), anything after the end.
 *
 * @param path The archive.
 * @param limits How much is read.
 * @returns The bytes of `package.json`.
 * @throws {TarballError} If it is no such archive, or too large.
 * @throws {Deno.errors.NotFound | Error} If the file cannot be read.
 */
export async function readTarball(
  path: string,
  limits: TarballLimits = TARBALL_LIMITS,
): Promise<Uint8Array> {
  const { isFile, size } = await Deno.stat(path);
  if (!isFile) throw new TarballError("it is not a file");
  if (size > limits.maxBytes) {
    throw new TarballError(
      `it has ${megabytes(size)} MB, and the limit is ${megabytes(limits.maxBytes)} MB`,
    );
  }
  const file = await Deno.open(path, { read: true });
  const reader = new BlockReader(
    file.readable.pipeThrough(new DecompressionStream("gzip")),
    limits.maxUnpackedBytes,
  );
  try {
    return await readEntries(reader, limits);
  } finally {
    await reader.close();
  }
}

async function readEntries(reader: BlockReader, limits: TarballLimits): Promise<Uint8Array> {
  let found: Uint8Array | null = null;
  let named: string | null = null;
  for (let count = 0; count < MAX_ENTRIES; count++) {
    const header = await readHeader(reader);
    if (header === null) {
      if (found !== null) return found;
      throw new TarballError(`it holds no ${PACKAGE_JSON}; pack a plugin with npm pack`);
    }
    const { type, size } = header;
    if (type === "x" || type === "g" || type === "L") {
      named = nextName(type, await reader.description(size)) ?? named;
      continue;
    }
    const path = named ?? header.path;
    named = null;
    assertInRoot(path, type);
    assertOneReading(path, header);
    if (path.normalize("NFC").toLowerCase() !== PACKAGE_JSON || type === "5") {
      await reader.skip(padded(size));
      continue;
    }
    if (found !== null) throw new TarballError("it holds two files package.json");
    if (path !== PACKAGE_JSON) throw new TarballError(`it holds ${JSON.stringify(path)}`);
    if (size > limits.maxPackageJsonBytes) {
      throw new TarballError(
        `its package.json has ${megabytes(size)} MB, and the limit is ` +
          `${megabytes(limits.maxPackageJsonBytes)} MB`,
      );
    }
    found = (await reader.read(padded(size)))?.slice(0, size) ?? cutShort();
  }
  throw new TarballError(`it holds more than ${MAX_ENTRIES} files`);
}

interface Header {
  readonly path: string;
  readonly type: string;
  readonly size: number;
}

/** Null at the end of the archive, after which nothing may follow. */
async function readHeader(reader: BlockReader): Promise<Header | null> {
  const block = await reader.read(BLOCK_BYTES);
  if (block === null) return null;
  if (block.every((byte) => byte === 0)) {
    await reader.expectZeros();
    return null;
  }
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (octal(block.subarray(148, 156)) !== sum) {
    throw new TarballError("it is no tar archive, or it is damaged");
  }
  const prefix = prefixOf(block);
  const name = text(block.subarray(0, 100));
  const type = block[156] === 0 ? "0" : String.fromCharCode(block[156] ?? 0);
  return {
    path: prefix === "" ? name : `${prefix}/${name}`,
    type,
    size: octal(block.subarray(124, 136)),
  };
}

/**
 * What stands before a name. Formats but the standard one keep something else in its place, and some
 * programs read it as part of the name all the same.
 */
function prefixOf(block: Uint8Array): string {
  const isStandard = ascii.decode(block.subarray(257, 265)) === "ustar\x0000";
  if (isStandard) return text(block.subarray(345, block[475] === 0 ? 475 : 500));
  if (block.subarray(345, 500).every((byte) => byte === 0)) return "";
  throw new TarballError("a name in it can be read in two ways");
}

/** What describes the next entry may name it, and nothing else that matters here. */
function nextName(type: string, bytes: Uint8Array): string | null {
  if (type === "L") return text(bytes);
  const keys = paxRecords(bytes);
  for (const key of ["size", "linkpath", ...(type === "g" ? ["path"] : [])]) {
    if (keys.has(key)) throw new TarballError(`a description in it sets "${key}"`);
  }
  return keys.get("path") ?? null;
}

/**
 * Lines of `LENGTH KEY=VALUE`, the length of the line in bytes in front. Programs go by the length or
 * by the ends of lines, so that both must say the same.
 */
function paxRecords(bytes: Uint8Array): ReadonlyMap<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(32, at);
    const digits = space === -1 ? "" : ascii.decode(bytes.subarray(at, space));
    const length = /^[1-9]\d{0,9}$/.test(digits) ? Number(digits) : NaN;
    if (!(length > space - at + 1) || bytes.indexOf(NEWLINE, at) !== at + length - 1) {
      throw new TarballError("a description in it cannot be read");
    }
    const line = text(bytes.subarray(space + 1, at + length - 1));
    const equals = line.indexOf("=");
    records.set(line.slice(0, equals), line.slice(equals + 1));
    at += length;
  }
  return records;
}

/** Unpacking drops the first folder of each path: another one would hide among the files. */
function assertInRoot(path: string, type: string): void {
  if (type === "1" || type === "2") {
    throw new TarballError(`it holds a link, ${JSON.stringify(path.slice(0, 200))}`);
  }
  if (type !== "0" && type !== "5" && type !== "7") {
    throw new TarballError(
      `${JSON.stringify(path.slice(0, 200))} in it is neither file nor folder`,
    );
  }
  const parts = path.replace(/\/$/, "").split("/");
  const isPlain = parts[0] === ROOT && !/[\\:]/.test(path) &&
    parts.every((part) => part !== "" && part !== "." && part !== "..");
  if (isPlain) return;
  throw new TarballError(
    `${JSON.stringify(path.slice(0, 200))} in it could leave the folder of the package`,
  );
}

/** Whether an entry is a file or a folder, and how long it is, must not depend on who reads it. */
function assertOneReading(path: string, { type, size }: Header): void {
  const isOne = type === "5" ? size === 0 : !path.endsWith("/");
  // deno-lint-ignore no-control-regex -- no name in a package holds any
  if (isOne && !/[\x00-\x1f\x7f]/.test(path)) return;
  throw new TarballError(
    `${JSON.stringify(path.slice(0, 200))} in it can be read in two ways`,
  );
}

/** Reads a stream of bytes in pieces of any length. */
class BlockReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #maxBytes: number;
  #held: Uint8Array = new Uint8Array(0);
  #total = 0;

  constructor(stream: ReadableStream<Uint8Array>, maxBytes: number) {
    this.#reader = stream.getReader();
    this.#maxBytes = maxBytes;
  }

  /** Null at the end of the stream. */
  async read(length: number): Promise<Uint8Array | null> {
    const pieces = new Uint8Array(length);
    let at = 0;
    while (at < length) {
      if (this.#held.length === 0 && !await this.#fill()) {
        return at === 0 && length > 0 ? null : cutShort();
      }
      const piece = this.#held.subarray(0, length - at);
      pieces.set(piece, at);
      at += piece.length;
      this.#held = this.#held.subarray(piece.length);
    }
    return pieces;
  }

  async skip(length: number): Promise<void> {
    for (let left = length; left > 0;) {
      if (this.#held.length === 0 && !await this.#fill()) cutShort();
      const piece = Math.min(left, this.#held.length);
      this.#held = this.#held.subarray(piece);
      left -= piece;
    }
  }

  async description(size: number): Promise<Uint8Array> {
    if (size > MAX_DESCRIPTION_BYTES) throw new TarballError("a description in it is too long");
    return (await this.read(padded(size)))?.subarray(0, size) ?? cutShort();
  }

  async expectZeros(): Promise<void> {
    do {
      if (this.#held.some((byte) => byte !== 0)) {
        throw new TarballError("something follows the end of the archive");
      }
      this.#held = new Uint8Array(0);
    } while (await this.#fill());
  }

  async close(): Promise<void> {
    await this.#reader.cancel().catch(() => {
      // What ended it was thrown already.
    });
  }

  async #fill(): Promise<boolean> {
    const { done, value } = await this.#next();
    if (done) return false;
    this.#total += value.length;
    if (this.#total > this.#maxBytes) {
      throw new TarballError(
        `unpacked, it is larger than the limit of ${megabytes(this.#maxBytes)} MB`,
      );
    }
    this.#held = value;
    return true;
  }

  async #next(): Promise<ReadableStreamReadResult<Uint8Array>> {
    try {
      return await this.#reader.read();
    } catch (error) {
      throw new TarballError("it is not compressed with gzip, or it is damaged", { cause: error });
    }
  }
}

function cutShort(): never {
  throw new TarballError("it is cut short");
}

function padded(size: number): number {
  return Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
}

/** Sizes in any other notation are of files that no package holds. */
function octal(field: Uint8Array): number {
  const digits = ascii.decode(field).replace(/[\0 ]+$/, "").trimStart();
  if (!/^[0-7]*$/.test(digits)) throw new TarballError("it is no tar archive, or it is damaged");
  return parseInt(digits || "0", 8);
}

/** Up to the first NUL, behind which nothing else may stand. */
function text(field: Uint8Array): string {
  const end = field.indexOf(0);
  if (end !== -1 && field.subarray(end).some((byte) => byte !== 0)) {
    throw new TarballError("a name in it can be read in two ways");
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
      .decode(end === -1 ? field : field.subarray(0, end));
  } catch {
    throw new TarballError("a name in it is not UTF-8 text");
  }
}

/** Rounded up: what is a little over a limit must not look like the limit. */
function megabytes(bytes: number): string {
  return String(Math.ceil(bytes / 100_000) / 10);
}
