import { McpError } from "../../../core/mcp/mcp_connection.ts";

/**
 * Reads the body of a response to its end, up to a limit.
 *
 * @param response The response.
 * @param maxBytes How much is taken.
 * @throws {McpError} With the code `too_large` above the limit; the rest is not fetched.
 */
export async function readBoundedBody(response: Response, maxBytes: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    pieces.push(piece);
    length += piece.length;
    if (length > maxBytes) {
      throw new McpError(
        "too_large",
        `the answer has more than ${Math.floor(maxBytes / 1024 / 1024)} MB`,
      );
    }
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
