/** Crockford's alphabet: no I, L, O and U. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const TIME_CHARS = 10;
const RANDOM_CHARS = 16;

/**
 * A new ULID: 48 bits of time, so that ids sort by it, and 80 random bits.
 *
 * @param nowMs The time; epoch milliseconds.
 */
export function createUlid(nowMs: number): string {
  const time = Array.from(
    { length: TIME_CHARS },
    (_, index) => ALPHABET[Math.floor(nowMs / 32 ** (TIME_CHARS - 1 - index)) % 32],
  );
  // 5 bits of each byte are taken, which are as random as all of them.
  const random = [...crypto.getRandomValues(new Uint8Array(RANDOM_CHARS))]
    .map((byte) => ALPHABET[byte % 32]);
  return [...time, ...random].join("");
}
