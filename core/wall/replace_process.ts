const SYMBOLS = { execv: { parameters: ["buffer", "buffer"], result: "i32" } } as const;

/**
 * Replaces this process by a program, as `exec` of a shell does. The new program has the process
 * id, the terminal, the standard streams, the environment and the parent of this one, so that
 * signals, job control and the exit status need no help. Needs permission for FFI.
 *
 * Nothing of this program runs afterwards: no `finally`, no listener.
 *
 * @param program Absolute path of the program.
 * @param args Its arguments.
 * @returns Only if the system cannot do it; nothing has changed then.
 */
export function replaceProcess(program: string, args: readonly string[]): void {
  const library = cLibrary();
  if (library === null) return;
  let libc: Deno.DynamicLibrary<typeof SYMBOLS>;
  try {
    libc = Deno.dlopen(library, SYMBOLS);
  } catch {
    // Another C library, or no permission.
    return;
  }
  const encoder = new TextEncoder();
  const texts = [program, ...args].map((text) => encoder.encode(`${text}\0`));
  const pointers = texts.map((text) => Deno.UnsafePointer.value(Deno.UnsafePointer.of(text)));
  const vector = new BigUint64Array([...pointers, 0n]);
  libc.symbols.execv(encoder.encode(`${program}\0`), vector);
  libc.close();
}

function cLibrary(): string | null {
  switch (Deno.build.os) {
    case "linux":
      return "libc.so.6";
    case "darwin":
      return "/usr/lib/libSystem.B.dylib";
    default:
      return null;
  }
}
