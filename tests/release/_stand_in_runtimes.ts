/**
 * The least that the compiler takes for a runtime of each system. What it makes from one cannot be
 * started; all that it embeds is there.
 *
 * @module
 */
import { join } from "node:path";
import { type Target, TARGETS } from "./targets.ts";

const PAGE = 0x4000;

/**
 * Writes one file for each system.
 *
 * @param folder The folder.
 * @returns Paths by system.
 */
export async function writeStandIns(
  folder: string,
): Promise<Readonly<Partial<Record<Target, string>>>> {
  const paths: Partial<Record<Target, string>> = {};
  for (const target of TARGETS) {
    const path = join(folder, `runtime-${target}`);
    await Deno.writeFile(path, standInFor(target));
    paths[target] = path;
  }
  return paths;
}

function standInFor(target: Target): Uint8Array<ArrayBuffer> {
  switch (target) {
    case "x86_64-unknown-linux-gnu":
    case "aarch64-unknown-linux-gnu":
      return elf(target.startsWith("x86_64") ? 0x3e : 0xb7);
    case "x86_64-apple-darwin":
      return machO(0x01000007);
    case "aarch64-apple-darwin":
      return machO(0x0100000c);
    case "x86_64-pc-windows-msvc":
      return portableExecutable();
  }
}

/** One segment that holds nothing but the headers. */
function elf(machine: number): Uint8Array<ArrayBuffer> {
  const size = 64 + 56;
  const writer = new Writer(size);
  writer.text("\x7fELF", 4);
  writer.numbers(1, 2, 1, 1);
  writer.skip(9);
  writer.numbers(2, 2, machine);
  writer.numbers(4, 1);
  writer.numbers(8, 0, 64, 0);
  writer.numbers(4, 0);
  writer.numbers(2, 64, 56, 1, 64, 0, 0);
  writer.numbers(4, 1, 5);
  writer.numbers(8, 0, 0x400000, 0x400000, size, size, 0x1000);
  return writer.bytes;
}

/** Two segments, and room for a signature at the end. */
function machO(cpu: number): Uint8Array<ArrayBuffer> {
  const writer = new Writer(2 * PAGE);
  writer.numbers(4, 0xfeedfacf, cpu, 0, 2, 3, 160, 0, 0);
  for (const [name, start, rights] of [["__TEXT", 0, 5], ["__LINKEDIT", PAGE, 1]] as const) {
    writer.numbers(4, 0x19, 72);
    writer.text(name, 16);
    writer.numbers(8, 0x100000000 + start, PAGE, start, PAGE);
    writer.numbers(4, rights, rights, 0, 0);
  }
  writer.numbers(4, 0x1d, 16, 2 * PAGE - 16, 16);
  return writer.bytes;
}

/** One section without content. */
function portableExecutable(): Uint8Array<ArrayBuffer> {
  const writer = new Writer(0x400);
  writer.text("MZ", 0x3c);
  writer.numbers(4, 0x80);
  writer.skip(0x40);
  writer.text("PE", 4);
  writer.numbers(2, 0x8664, 1);
  writer.skip(12);
  writer.numbers(2, 240, 0x22, 0x20b, 0);
  writer.numbers(4, 0x200, 0, 0, 0x1000, 0x1000);
  writer.numbers(8, 0x140000000);
  writer.numbers(4, 0x1000, 0x200);
  writer.numbers(2, 6, 0, 0, 0, 6, 0);
  writer.numbers(4, 0, 0x2000, 0x200, 0);
  writer.numbers(2, 3, 0);
  writer.numbers(8, 0x100000, 0x1000, 0x100000, 0x1000);
  writer.numbers(4, 0, 16);
  writer.skip(16 * 8);
  writer.text(".text", 8);
  writer.numbers(4, 0x200, 0x1000, 0x200, 0x200);
  writer.skip(12);
  writer.numbers(4, 0x60000020);
  return writer.bytes;
}

/** Writes numbers with the lowest byte first. */
class Writer {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly #view: DataView<ArrayBuffer>;
  #at = 0;

  constructor(size: number) {
    this.bytes = new Uint8Array(size);
    this.#view = new DataView(this.bytes.buffer);
  }

  /** Numbers of that many bytes each. */
  numbers(size: 1 | 2 | 4 | 8, ...values: readonly number[]): void {
    for (const value of values) {
      if (size === 1) this.#view.setUint8(this.#at, value);
      else if (size === 2) this.#view.setUint16(this.#at, value, true);
      else if (size === 4) this.#view.setUint32(this.#at, value, true);
      else this.#view.setBigUint64(this.#at, BigInt(value), true);
      this.#at += size;
    }
  }

  /** Text in a field of that many bytes. */
  text(text: string, size: number): void {
    this.bytes.set(new TextEncoder().encode(text), this.#at);
    this.#at += size;
  }

  skip(size: number): void {
    this.#at += size;
  }
}
