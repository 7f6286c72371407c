import {
  allow,
  ARCHITECTURE,
  filterBytes,
  type FilterStep,
  forArchitecture,
  PLACE,
  refuse,
  STEP,
  X32_CALLS,
} from "../wall/call_filter.ts";

/** Sockets between programs of this machine, which rules of Landlock are about, where any are. */
const UNIX_SOCKETS = 1;
/** What the kernel tells of its network. Nothing leaves the machine by it. */
const NETLINK_SOCKETS = 16;

/** How a kind of program calls the kernel. */
interface CallTable {
  readonly architecture: number;
  /** Makes a socket of the kind that its first argument names. */
  readonly socket: number;
  /** Calls that make sockets of a kind that no filter sees. */
  readonly hidden: readonly number[];
}

/** Makes sockets, among much else, by orders in memory. */
const IO_URING_SETUP = 425;

const TABLES: Readonly<Record<typeof Deno.build.arch, readonly CallTable[]>> = {
  x86_64: [
    { architecture: ARCHITECTURE.x86_64, socket: 41, hidden: [IO_URING_SETUP] },
    { architecture: ARCHITECTURE.i386, socket: 359, hidden: [102, IO_URING_SETUP] },
  ],
  aarch64: [
    { architecture: ARCHITECTURE.aarch64, socket: 198, hidden: [IO_URING_SETUP] },
    { architecture: ARCHITECTURE.arm, socket: 281, hidden: [102, IO_URING_SETUP] },
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
  // A kind of program that is not known may call by any number.
  return filterBytes([...TABLES[arch].flatMap(stepsOf), refuse()]);
}

function stepsOf({ architecture, socket, hidden }: CallTable): readonly FilterStep[] {
  return forArchitecture(architecture, [
    { code: STEP.load, value: PLACE.call },
    { code: STEP.isAtLeast, ifNot: 1, value: X32_CALLS },
    refuse(),
    ...hidden.flatMap((value) => [{ code: STEP.isEqual, ifNot: 1, value }, refuse()]),
    { code: STEP.isEqual, ifSo: 1, value: socket },
    allow(),
    { code: STEP.load, value: PLACE.firstArgument },
    ...[UNIX_SOCKETS, NETLINK_SOCKETS].flatMap((value) => [
      { code: STEP.isEqual, ifNot: 1, value },
      allow(),
    ]),
    refuse(),
  ]);
}
