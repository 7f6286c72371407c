import assert from "node:assert/strict";
import { join } from "node:path";
import { terminalFilter } from "../../../core/wall/terminal_filter.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";
import { kernelVersion } from "./_kernel.ts";
import { decide } from "./_run_filter.ts";

for (
  const { arch, architecture, control, other } of [
    { arch: "x86_64", architecture: 0xc000_003e, control: 16, other: 54 },
    { arch: "x86_64", architecture: 0xc000_003e, control: 0x4000_0000 + 514, other: 514 },
    { arch: "x86_64", architecture: 0x4000_0003, control: 54, other: 16 },
    { arch: "aarch64", architecture: 0xc000_00b7, control: 29, other: 54 },
    { arch: "aarch64", architecture: 0x4000_0028, control: 54, other: 29 },
  ] as const
) {
  Deno.test(`terminalFilter() of ${arch} lets kind ${architecture} type nothing by call ${control}`, () => {
    const filter = terminalFilter(arch);
    const call = (number: number, second: number): string =>
      decide(filter, { architecture, number, second });
    for (const order of [0x5412, 0x541c]) {
      assert.equal(call(control, order), "refused 13");
      assert.equal(call(other, order), "allowed");
    }
    for (const order of [0x5401, 0x5410, 0x5413]) assert.equal(call(control, order), "allowed");
  });
}

const python = await new Deno.Command("python3", { args: ["--version"] }).output()
  .then(({ success }) => success, () => false);

Deno.test({
  name: "applyLandlock() keeps programs from typing into the terminal",
  ignore: kernelVersion() < 4 || !python,
  fn: () =>
    withTempDir(async (dir) => {
      const from = (path: string): string =>
        JSON.stringify(new URL(`../../../core/wall/${path}`, import.meta.url).href);
      // A stream that is no terminal refuses it too, and says so in another way.
      const type = `import errno, fcntl
try: fcntl.ioctl(0, 0x5412, b"x")
except OSError as error: print(errno.errorcode[error.errno])`;
      await writeTree(dir, {
        "main.ts": `import { applyLandlock } from ${from("landlock.ts")};
          const type = () => new TextDecoder().decode(
            new Deno.Command("python3", { args: ["-c", ${
          JSON.stringify(type)
        }] }).outputSync().stdout
          ).trim();
          const before = type();
          applyLandlock({ kernel: { write: "all", run: "all", tcpPorts: [1] } });
          console.log(before, type());`,
      });
      const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-config", "--no-check", join(dir, "main.ts")],
        stdin: "null",
      }).output();
      const text = new TextDecoder();
      assert.equal(text.decode(stdout), "ENOTTY EACCES\n", text.decode(stderr));
    }),
});
