/** One step of a filter of system calls, as the kernel's packet filter has it. */
export interface FilterStep {
  readonly code: number;
  /** How many steps are left out where the comparison holds. */
  readonly ifSo?: number;
  /** How many steps are left out where it does not. */
  readonly ifNot?: number;
  readonly value: number;
}

/** Bytes of one step: a code of two, two jumps of one, a value of four. */
const STEP_BYTES = 8;

/** What a step does. */
export const STEP = { load: 0x20, isEqual: 0x15, isAtLeast: 0x35, end: 0x06 } as const;

/** Where a filter finds what it decides about. */
export const PLACE = {
  call: 0,
  architecture: 4,
  firstArgument: 16,
  secondArgument: 24,
} as const;

/** How a filter ends. */
export const VERDICT = { allow: 0x7fff_0000, refuse: 0x0005_0000 | 13 } as const;

/** Kinds of programs that a processor runs: its own, and those of the one before it. */
export const ARCHITECTURE = {
  x86_64: 0xc000_003e,
  i386: 0x4000_0003,
  aarch64: 0xc000_00b7,
  arm: 0x4000_0028,
} as const;

/** From this number on they are the calls of another kind of program for the same processor. */
export const X32_CALLS = 0x4000_0000;

/** Lets a call through. */
export function allow(): FilterStep {
  return { code: STEP.end, value: VERDICT.allow };
}

/** Refuses a call: "Permission denied". */
export function refuse(): FilterStep {
  return { code: STEP.end, value: VERDICT.refuse };
}

/**
 * Steps for the programs of one kind alone; all others go on after them.
 *
 * @param architecture The kind.
 * @param body The steps.
 */
export function forArchitecture(
  architecture: number,
  body: readonly FilterStep[],
): readonly FilterStep[] {
  return [
    { code: STEP.load, value: PLACE.architecture },
    { code: STEP.isEqual, ifNot: body.length, value: architecture },
    ...body,
  ];
}

/**
 * A filter as the kernel reads it. Both processors keep the lower byte first.
 *
 * @param steps Its steps; the last of every way through them ends it.
 */
export function filterBytes(steps: readonly FilterStep[]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(steps.length * STEP_BYTES));
  for (const [index, { code, ifSo = 0, ifNot = 0, value }] of steps.entries()) {
    view.setUint16(index * STEP_BYTES, code, true);
    view.setUint8(index * STEP_BYTES + 2, ifSo);
    view.setUint8(index * STEP_BYTES + 3, ifNot);
    view.setUint32(index * STEP_BYTES + 4, value >>> 0, true);
  }
  return new Uint8Array(view.buffer);
}

/** Calls `prctl` with whole numbers. */
export type Prctl = (option: number, ...args: readonly [bigint, bigint, bigint, bigint]) => number;

const SET_SECCOMP = 22;
const BY_FILTER = 2n;

/**
 * Holds this thread, and every process that it starts afterwards, to a filter. There is no way
 * back. New privileges must have been ruled out before.
 *
 * @param prctl The function of the C library.
 * @param filter What {@linkcode filterBytes} made.
 * @returns Whether the kernel took it.
 */
export function applyFilter(prctl: Prctl, filter: Uint8Array<ArrayBuffer>): boolean {
  const program = new BigUint64Array([
    BigInt(filter.byteLength / STEP_BYTES),
    Deno.UnsafePointer.value(Deno.UnsafePointer.of(filter)),
  ]);
  const address = Deno.UnsafePointer.value(Deno.UnsafePointer.of(program));
  // Both must be there until the kernel has read them.
  return prctl(SET_SECCOMP, BY_FILTER, address, 0n, 0n) === 0 && filter.length + program.length > 0;
}
