import assert from "node:assert/strict";
import type { KernelCeiling } from "../../../core/wall/ceiling.ts";
import type { ProgramForm } from "../../../core/wall/elf_interpreter.ts";
import { type LandlockPlan, planLandlock } from "../../../core/wall/landlock_plan.ts";

const KERNEL: KernelCeiling = { write: ["/state", "/gone"], run: ["/bin/git"], tcpPorts: [443] };

const FOLDERS = new Set(["/state", "/ws"]);
const FILES = new Set(["/bin/git", "/bin/rg", "/lib/loader", "/dev/null"]);
const DYNAMIC: ProgramForm = { kind: "dynamic", interpreter: "/lib/loader" };

function plan(
  abi: number,
  change: Partial<KernelCeiling> = {},
  programForm: (path: string) => ProgramForm = () => DYNAMIC,
): LandlockPlan {
  return planLandlock({ ...KERNEL, ...change }, abi, {
    kindOf: (path) => FOLDERS.has(path) ? "directory" : FILES.has(path) ? "file" : null,
    programForm,
  });
}

// Execute, write, remove folder and file, make every kind, refer, truncate.
const ALL_OF_3 = 0b111_1111_1111_0011;
const DEVICES = 0b1000_0100_0000;

Deno.test("planLandlock() forbids writing and executing except where the ceiling allows it", () => {
  assert.deepEqual(plan(7), {
    handledFs: ALL_OF_3,
    handledNet: 0b10,
    scoped: 0b11,
    paths: [
      { path: "/state", rights: ALL_OF_3 & ~DEVICES & ~1 },
      { path: "/dev/null", rights: 1 << 1 | 1 << 14 },
      { path: "/bin/git", rights: 1 },
      { path: "/lib/loader", rights: 1 },
    ],
    ports: [443],
    missing: ["/gone"],
    unenforced: [],
  });
});

Deno.test("planLandlock() asks no kernel for more than it knows, and says what is missing", () => {
  const rows = [
    { abi: 1, handledFs: ALL_OF_3 & ~(1 << 13 | 1 << 14), net: 0, scoped: 0, unenforced: 2 },
    { abi: 2, handledFs: ALL_OF_3 & ~(1 << 14), net: 0, scoped: 0, unenforced: 2 },
    { abi: 3, handledFs: ALL_OF_3, net: 0, scoped: 0, unenforced: 1 },
    { abi: 4, handledFs: ALL_OF_3, net: 2, scoped: 0, unenforced: 0 },
    { abi: 6, handledFs: ALL_OF_3, net: 2, scoped: 3, unenforced: 0 },
    { abi: 99, handledFs: ALL_OF_3, net: 2, scoped: 3, unenforced: 0 },
  ];
  for (const row of rows) {
    const { handledFs, handledNet, scoped, ports, unenforced } = plan(row.abi);
    assert.deepEqual(
      { abi: row.abi, handledFs, net: handledNet, scoped, unenforced: unenforced.length },
      row,
    );
    assert.deepEqual(ports, row.net === 0 ? [] : [443]);
  }
});

Deno.test("planLandlock() leaves execution open where a program is a script", () => {
  const forms: Readonly<Record<string, ProgramForm>> = {
    "/bin/git": DYNAMIC,
    "/bin/rg": { kind: "other" },
  };
  const { handledFs, paths, unenforced } = plan(
    7,
    { run: ["/bin/git", "/bin/rg"] },
    (path) => forms[path] ?? DYNAMIC,
  );
  assert.equal(handledFs & 1, 0);
  assert.deepEqual(paths.map(({ path }) => path), ["/state", "/dev/null"]);
  assert.deepEqual(unenforced, ["programs can be executed: one of them is a script"]);
});

Deno.test("planLandlock() needs no loader for a program without one", () => {
  const { paths } = plan(7, {}, () => ({ kind: "static" }));
  assert.deepEqual(paths.map(({ path }) => path), ["/state", "/dev/null", "/bin/git"]);
});

Deno.test("planLandlock() limits nothing that the ceiling leaves open", () => {
  const open = plan(7, { write: "all", tcpPorts: "all" });
  assert.equal(open.handledFs, 1);
  assert.equal(open.handledNet, 0);
  assert.deepEqual(open.ports, []);
  const programs = plan(7, { run: "all" });
  assert.equal(programs.handledFs, ALL_OF_3 & ~1);
  assert.deepEqual(programs.paths.map(({ path }) => path), ["/state", "/dev/null"]);
  assert.deepEqual(programs.unenforced, []);
});

Deno.test("planLandlock() joins the rights of a path that is named twice", () => {
  const { paths } = plan(7, { write: ["/state", "/bin/git"] });
  assert.deepEqual(paths.find(({ path }) => path === "/bin/git")?.rights, 1 | 1 << 1 | 1 << 14);
});
