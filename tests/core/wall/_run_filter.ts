/** A call of the kernel, as a filter sees it. */
export interface Call {
  /** The kind of program. */
  readonly architecture: number;
  /** Which call. */
  readonly number: number;
  /** Its first argument. */
  readonly argument?: number;
  /** Its second argument. */
  readonly second?: number;
}

/**
 * Runs a filter as the kernel does.
 *
 * @param filter The filter.
 * @param call What it decides about.
 * @returns `allowed`, or `refused` with the number of the error.
 */
export function decide(filter: Uint8Array<ArrayBuffer>, call: Call): string {
  const view = new DataView(filter.buffer);
  const data = new Map([
    [0, call.number],
    [4, call.architecture],
    [16, call.argument ?? 0],
    [24, call.second ?? 0],
  ]);
  let loaded = 0;
  for (let at = 0; at < filter.byteLength; at += 8) {
    const value = view.getUint32(at + 4, true);
    const jump = (holds: boolean) => at += 8 * view.getUint8(at + (holds ? 2 : 3));
    switch (view.getUint16(at, true)) {
      case 0x20:
        loaded = data.get(value) ?? NaN;
        break;
      case 0x15:
        jump(loaded === value);
        break;
      case 0x35:
        jump(loaded >= value);
        break;
      case 0x06:
        return value === 0x7fff_0000 ? "allowed" : `refused ${value & 0xffff}`;
      default:
        throw new Error(`Unknown step at ${at}`);
    }
  }
  throw new Error("The filter has no end");
}
