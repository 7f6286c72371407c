import assert from "node:assert/strict";
import type { SandboxBackend } from "../../../core/gate/profile/risk_profile.ts";
import type { SandboxProbes } from "../../../core/sandbox/sandbox_probes.ts";
import { selectSandbox } from "../../../core/sandbox/select_sandbox.ts";

/** A machine; what it has none of is asked for in vain. */
interface Machine {
  readonly os?: typeof Deno.build.os;
  readonly bwrap?: "works" | "fails";
  readonly landlock?: number;
  readonly seatbelt?: "works" | "fails";
}

function probesOf({ os = "linux", bwrap, landlock = 0, seatbelt }: Machine): SandboxProbes {
  return {
    os,
    findProgram: (name) =>
      Promise.resolve(name === "bwrap" && bwrap !== undefined ? "/usr/bin/bwrap" : null),
    tryProgram: (program) => {
      const state = program === "/usr/bin/bwrap" ? bwrap : seatbelt;
      return Promise.resolve(state === "works" ? null : "no permission");
    },
    landlockVersion: () => Promise.resolve(landlock),
  };
}

/** The backend, what its choice came to otherwise, or why better ones are passed over. */
async function chosen(wanted: SandboxBackend, machine: Machine): Promise<string> {
  const choice = await selectSandbox(wanted, probesOf(machine));
  switch (choice.status) {
    case "off":
      return "off";
    case "chosen":
      return [choice.backend, ...choice.passedOver].join("; ");
    case "none":
      return `none: ${choice.reasons.join("; ")}`;
    case "missing":
      return `missing: ${choice.reason}`;
  }
}

const ABSENT = 'Bubblewrap is not installed; install the package "bubblewrap"';
const BROKEN = "Bubblewrap does not work here (no permission); where the system forbids user " +
  "namespaces, permit them for bwrap";
const NO_LANDLOCK =
  "this kernel has no Landlock, or it is turned off; it takes Linux 5.13 or later";
const NOT_USABLE = "this release cannot put programs into it";

Deno.test("selectSandbox() takes the best that works, and what is asked for by name or nothing", async () => {
  const rows: readonly (readonly [SandboxBackend, Machine, string])[] = [
    ["none", { bwrap: "works", landlock: 7 }, "off"],
    ["auto", { bwrap: "works", landlock: 7 }, "bubblewrap"],
    ["auto", { bwrap: "fails", landlock: 7 }, `landlock; ${BROKEN}`],
    ["auto", { landlock: 7 }, `landlock; ${ABSENT}`],
    ["auto", {}, `none: ${ABSENT}; ${NO_LANDLOCK}`],
    ["auto", { os: "darwin", seatbelt: "works" }, "sandbox-exec"],
    ["auto", { os: "darwin" }, "none: sandbox-exec does not work here (no permission)"],
    ["auto", { os: "windows" }, "none: this system has none that Alisio can use"],
    ["landlock", { bwrap: "works", landlock: 1 }, "landlock"],
    ["landlock", { bwrap: "works" }, `missing: ${NO_LANDLOCK}`],
    ["bubblewrap", { landlock: 7 }, `missing: ${ABSENT}`],
    ["bubblewrap", { bwrap: "fails", landlock: 7 }, `missing: ${BROKEN}`],
    ["bubblewrap", { os: "darwin" }, "missing: Bubblewrap is for Linux"],
    ["landlock", { os: "darwin" }, "missing: Landlock is for Linux"],
    ["sandbox-exec", { bwrap: "works" }, "missing: sandbox-exec is for macOS"],
    ["firejail", { bwrap: "works" }, `missing: ${NOT_USABLE}`],
    ["docker", { bwrap: "works" }, `missing: ${NOT_USABLE}`],
  ];
  for (const [wanted, machine, expected] of rows) {
    assert.equal(await chosen(wanted, machine), expected, JSON.stringify([wanted, machine]));
  }
});
