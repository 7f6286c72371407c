/**
 * SHA-256 of bytes, as 64 lower-case hexadecimal digits.
 *
 * @param bytes What to hash.
 */
export async function sha256Hex(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}
