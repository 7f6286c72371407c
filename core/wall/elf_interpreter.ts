/** How the kernel starts a program. */
export type ProgramForm =
  /** By itself. */
  | { readonly kind: "static" }
  /** Through a loader, which it must be allowed to execute too. */
  | { readonly kind: "dynamic"; readonly interpreter: string }
  /** A script, or a form that is not known here. */
  | { readonly kind: "other" };

const HEAD_BYTES = 4_096;
const PT_INTERP = 3;
const OTHER: ProgramForm = { kind: "other" };

/**
 * Finds out how Linux starts a program, from its first bytes.
 *
 * @param path Path of the program.
 * @returns `other` also for a program that cannot be read.
 */
export function readProgramForm(path: string): ProgramForm {
  try {
    using file = Deno.openSync(path, { read: true });
    const bytes = new Uint8Array(HEAD_BYTES);
    const length = file.readSync(bytes) ?? 0;
    return parseProgramForm(bytes.subarray(0, length));
  } catch {
    return OTHER;
  }
}

/**
 * The form of a program of 64 bits in little-endian order; every other one is `other`.
 *
 * @param bytes The first 4096 bytes of the file, or all of them.
 */
export function parseProgramForm(bytes: Uint8Array): ProgramForm {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // The magic number, then: 64 bits, little-endian.
  if (bytes.length < 64 || view.getUint32(0) !== 0x7f454c46) return OTHER;
  if (bytes[4] !== 2 || bytes[5] !== 1) return OTHER;
  const start = Number(view.getBigUint64(32, true));
  const entrySize = view.getUint16(54, true);
  const count = view.getUint16(56, true);
  if (entrySize < 56 || start + entrySize * count > bytes.length) return OTHER;
  for (let offset = start; offset < start + entrySize * count; offset += entrySize) {
    if (view.getUint32(offset, true) !== PT_INTERP) continue;
    const from = Number(view.getBigUint64(offset + 8, true));
    const size = Number(view.getBigUint64(offset + 32, true));
    if (size < 2 || from + size > bytes.length) return OTHER;
    const text = new TextDecoder().decode(bytes.subarray(from, from + size));
    const interpreter = text.slice(0, text.indexOf("\0"));
    return interpreter.startsWith("/") ? { kind: "dynamic", interpreter } : OTHER;
  }
  return { kind: "static" };
}
