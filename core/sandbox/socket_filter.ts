/** A filter of system calls, as the kernel's packet filter has it. */
interface Step {
  readonly code: number;
  /** How many steps are left out where the comparison holds. */
  readonly ifSo?: number;
  /** How many steps are left out where it does not. */
  readonly ifNot?: number;
  readonly value: number;
}

/** Bytes of one step: a code of two, two jumps of one, a value of four. */
const STEP_BYTES = 8;
const LOAD = 0x20;
const IS_EQUAL = 0x15;
const IS_AT_LEAST = 0x35;
const RETURN = 0x06;

/** Where a filter finds what it decides about. */
const CALL_NUMBER = 0;
const ARCHITECTURE = 4;
const FIRST_ARGUMENT = 16;

const ALLOW = 0x7fff_0000;
const FAIL_WITH_EACCES = 0x0005_0000 | 13;

/** Sockets between programs of this machine, which rules of Landlock are about, where any are. */
const UNIX_SOCKETS = 1;
/** What the kernel tells of its network. Nothing leaves the machine by it. */
const NETLINK_SOCKETS = 16;

/** From this number on they are the calls of another kind of program for the same processor. */
const X32_CALLS = 0x4000_0000;

/** How a kind of program calls the kernel. */
interface CallTable {
  /** What the kernel calls the kind. */
  readonly architecture: number;
  /** Makes a socket of the kind that its first argument names. */
  readonly socket: number;
  /** Calls that make sockets of a kind that no filter sees. */
  readonly hidden: readonly number[];
}

/** Makes sockets, among much else, by orders in memory. */
const IO_URING_SETUP = 425;

/** Kinds of programs that a processor runs, its own and those of the one before it. */
const TABLES: Readonly<Record<typeof Deno.build.arch, readonly CallTable[]>> = {
  x86_64: [
    { architecture: 0xc000_003e, socket: 41, hidden: [IO_URING_SETUP] },
    { architecture: 0x4000_0003, socket: 359, hidden: [102, IO_URING_SETUP] },
  ],
  aarch64: [
    { architecture: 0xc000_00b7, socket: 198, hidden: [IO_URING_SETUP] },
    { architecture: 0x4000_0028, socket: 281, hidden: [102, IO_URING_SETUP] },
  ],
};

/**
 * A filter for the kernel that lets a program make no socket to anything but this machine's own
 * programs. Landlock knows TCP alone, and not every way to open such a connection. Pure.
 *
 * @param arch The processor.
 * @returns The filter as the kernel reads it.
 */
export function socketFilter(
  arch: typeof Deno.build.arch = Deno.build.arch,
): Uint8Array<ArrayBuffer> {
  const tables = TABLES[arch].flatMap(stepsOf);
  // A kind of program that is not known may call by any number.
  return toBytes([{ code: LOAD, value: ARCHITECTURE }, ...tables, refuse()]);
}

/** Decides about the programs of one kind, and goes on after that for every other one. */
function stepsOf({ architecture, socket, hidden }: CallTable): readonly Step[] {
  const body: readonly Step[] = [
    { code: LOAD, value: CALL_NUMBER },
    ...[X32_CALLS].flatMap((value) => [{ code: IS_AT_LEAST, ifNot: 1, value }, refuse()]),
    ...hidden.flatMap((value) => [{ code: IS_EQUAL, ifNot: 1, value }, refuse()]),
    { code: IS_EQUAL, ifSo: 1, value: socket },
    allow(),
    { code: LOAD, value: FIRST_ARGUMENT },
    ...[UNIX_SOCKETS, NETLINK_SOCKETS].flatMap((value) => [
      { code: IS_EQUAL, ifNot: 1, value },
      allow(),
    ]),
    refuse(),
  ];
  return [{ code: IS_EQUAL, ifNot: body.length, value: architecture }, ...body];
}

function allow(): Step {
  return { code: RETURN, value: ALLOW };
}

function refuse(): Step {
  return { code: RETURN, value: FAIL_WITH_EACCES };
}

/** Both processors keep the lower byte first. */
function toBytes(steps: readonly Step[]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(steps.length * STEP_BYTES));
  for (const [index, { code, ifSo = 0, ifNot = 0, value }] of steps.entries()) {
    view.setUint16(index * STEP_BYTES, code, true);
    view.setUint8(index * STEP_BYTES + 2, ifSo);
    view.setUint8(index * STEP_BYTES + 3, ifNot);
    view.setUint32(index * STEP_BYTES + 4, value >>> 0, true);
  }
  return new Uint8Array(view.buffer);
}
