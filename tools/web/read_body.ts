import { type Readable, Transform } from "node:stream";
import { createBrotliDecompress, createUnzip } from "node:zlib";
import { WebError } from "./web_error.ts";

/** Encodings of one body at most; more of them are a bomb. */
const MAX_ENCODINGS = 2;

/**
 * Reads a body to its end and undoes its compression, and stops at the first byte too many, sent or
 * unpacked.
 *
 * @param body The body as it was sent.
 * @param encoding The header `Content-Encoding`.
 * @param maxBytes Most that it may hold, packed and unpacked.
 * @throws {WebError} `too_large`, or `bad_response` for an encoding that is not understood.
 */
export async function readBody(
  body: Readable,
  encoding: string,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const names = encoding.toLowerCase().split(",").map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  const stages: Transform[] = [];
  try {
    if (names.length > MAX_ENCODINGS) throw unknownEncoding(encoding);
    for (const name of names.reverse()) stages.push(decoderOf(name));
    return await collect(chain(body, [counter(maxBytes), ...stages]), maxBytes);
  } finally {
    body.destroy();
    for (const stage of stages) stage.destroy();
  }
}

function chain(source: Readable, stages: readonly Transform[]): Readable {
  return stages.reduce<Readable>((from, to) => {
    from.on("error", (error) => to.destroy(error));
    return from.pipe(to);
  }, source);
}

/** Counts what is sent, which may be without end and unpack to nothing. */
function counter(maxBytes: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) done(tooLarge(maxBytes));
      else done(null, chunk);
    },
  });
}

async function collect(stream: Readable, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

function decoderOf(name: string): Transform {
  switch (name) {
    case "gzip":
    case "x-gzip":
    case "deflate":
      return createUnzip();
    case "br":
      return createBrotliDecompress();
    default:
      throw unknownEncoding(name);
  }
}

function unknownEncoding(name: string): WebError {
  return new WebError(
    "bad_response",
    `Cannot read the response: its encoding ${JSON.stringify(name.slice(0, 60))} is not understood`,
  );
}

function tooLarge(maxBytes: number): WebError {
  return new WebError(
    "too_large",
    `Cannot read the response: it is larger than ${formatLimit(maxBytes)}; look for a smaller page`,
  );
}

function formatLimit(bytes: number): string {
  return bytes >= 1_048_576 ? `${bytes / 1_048_576} MiB` : `${bytes} bytes`;
}
