import assert from "node:assert/strict";
import { socketFilter } from "../../../core/sandbox/socket_filter.ts";
import { decide } from "../wall/_run_filter.ts";

const X64 = 0xc000_003e;
const I386 = 0x4000_0003;
const ARM64 = 0xc000_00b7;
const ARM = 0x4000_0028;

for (
  const { arch, architecture, socket, others } of [
    { arch: "x86_64", architecture: X64, socket: 41, others: [0, 42, 53, 59] },
    { arch: "x86_64", architecture: I386, socket: 359, others: [3, 11, 41] },
    { arch: "aarch64", architecture: ARM64, socket: 198, others: [63, 199, 221] },
    { arch: "aarch64", architecture: ARM, socket: 281, others: [3, 11, 198] },
  ] as const
) {
  Deno.test(`socketFilter() of ${arch} refuses sockets that leave the machine to kind ${architecture}`, () => {
    const filter = socketFilter(arch);
    const call = (number: number, argument?: number): string =>
      decide(filter, { architecture, number, ...(argument === undefined ? {} : { argument }) });
    for (const family of [1, 16]) assert.equal(call(socket, family), "allowed");
    for (const family of [0, 2, 10, 17, 40]) assert.equal(call(socket, family), "refused 13");
    for (const number of others) assert.equal(call(number, 2), "allowed");
    assert.equal(call(425), "refused 13");
    assert.equal(call(0x4000_0000 + 41, 1), "refused 13");
    assert.equal(decide(filter, { architecture: 1, number: 0 }), "refused 13");
  });
}
