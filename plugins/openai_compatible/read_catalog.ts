import type { ModelInfo } from "@alisio/sdk";
import {
  type ExchangeContext,
  interruptedFailure,
  invalidResponse,
  tooLargeFailure,
  webPageFailure,
} from "./failures.ts";
import { parseModelCatalog } from "./model_catalog.ts";

/** What reading a catalog depends on. */
export interface ReadCatalogOptions {
  /** Names the exchange in messages. */
  readonly context: ExchangeContext;
  /** Largest catalog. */
  readonly maxBytes: number;
  /** Ends the reading. */
  readonly signal: AbortSignal;
}

/**
 * Reads the answer to `GET /models`.
 *
 * @param response A successful response whose body was not read.
 * @param options What reading depends on.
 * @throws {ProviderError} If the answer is no catalog or larger than the bound.
 * @throws The signal's reason, if it aborts.
 */
export async function readCatalog(
  response: Response,
  options: ReadCatalogOptions,
): Promise<readonly ModelInfo[]> {
  const { context } = options;
  const text = await readText(response, options);
  if (text.trimStart().startsWith("<")) throw webPageFailure(context, response.status);
  const models = parseModelCatalog(parseJson(text));
  if (models !== undefined) return models;
  const words = context.quote(text.slice(0, 8_000));
  throw invalidResponse(context, `it is no list of models: "${words}"`, response.status);
}

async function readText(response: Response, options: ReadCatalogOptions): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return "";
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let bytes = 0;
  try {
    while (true) {
      const { value, done } = await readChunk(reader, options);
      if (done) return parts.join("") + decoder.decode();
      bytes += value.byteLength;
      if (bytes > options.maxBytes) {
        throw tooLargeFailure(options.context, `it is larger than ${options.maxBytes} bytes`);
      }
      parts.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function readChunk(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  options: ReadCatalogOptions,
): Promise<ReadableStreamReadResult<Uint8Array>> {
  try {
    return await reader.read();
  } catch {
    options.signal.throwIfAborted();
    throw interruptedFailure(options.context, "the connection broke");
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
