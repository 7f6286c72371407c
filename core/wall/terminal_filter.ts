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
} from "./call_filter.ts";

/** Types into a terminal, as if the person did. */
const TYPE_INTO_TERMINAL = 0x5412;
/** Among other things of a console without windows: pastes what was selected there. */
const CONTROL_CONSOLE = 0x541c;

/** The numbers of the call that controls a device, by kind of program. */
const CONTROL_CALLS: Readonly<
  Record<typeof Deno.build.arch, readonly (readonly [number, readonly number[]])[]>
> = {
  x86_64: [[ARCHITECTURE.x86_64, [16, X32_CALLS + 514]], [ARCHITECTURE.i386, [54]]],
  aarch64: [[ARCHITECTURE.aarch64, [29]], [ARCHITECTURE.arm, [54]]],
};

/**
 * A filter for the kernel under which no program types into the person's terminal. A shell would
 * run what was typed after Alisio has ended, and no rule would hold it. Pure.
 *
 * @param arch The processor.
 * @returns The filter as the kernel reads it.
 */
export function terminalFilter(
  arch: typeof Deno.build.arch = Deno.build.arch,
): Uint8Array<ArrayBuffer> {
  const steps = CONTROL_CALLS[arch].flatMap(([architecture, calls]) =>
    forArchitecture(architecture, [
      { code: STEP.load, value: PLACE.call },
      ...calls.flatMap(refuseOrders),
      allow(),
    ])
  );
  return filterBytes([...steps, allow()]);
}

function refuseOrders(call: number): readonly FilterStep[] {
  const body: readonly FilterStep[] = [
    { code: STEP.load, value: PLACE.secondArgument },
    { code: STEP.isEqual, ifSo: 1, value: TYPE_INTO_TERMINAL },
    { code: STEP.isEqual, ifNot: 1, value: CONTROL_CONSOLE },
    refuse(),
    allow(),
  ];
  return [{ code: STEP.isEqual, ifNot: body.length, value: call }, ...body];
}
