import type { Effect } from "@alisio/sdk";
import type { EffectPolicy, PermissionFlags, Verdict } from "./policy.ts";

/** What runs without a question while a person is there to be asked about the rest. */
export type PermissionMode = "ask" | "auto" | "full";

/**
 * How a run is permitted: by a mode, by flags that no mode stands for, or so that nothing can be
 * changed.
 */
export type PermissionModeLabel = PermissionMode | "custom" | "read-only";

/** The effects that a person decides about. */
export type DecidedEffect = "write" | "process" | "external";

/** What each mode says of the effects that a person decides about. Fixed: nothing is guessed. */
export const PERMISSION_MODES: Readonly<
  Record<PermissionMode, Readonly<Record<DecidedEffect, Verdict>>>
> = {
  ask: { write: "ask", process: "ask", external: "ask" },
  auto: { write: "allow", process: "ask", external: "ask" },
  full: { write: "allow", process: "allow", external: "allow" },
};

const REMEDY = "choose another permission mode";

/**
 * The policy of a mode, which takes the place of the one of the flags. It says nothing of
 * directories and protected files.
 *
 * @param mode The mode.
 */
export function modePolicy(mode: PermissionMode): EffectPolicy {
  return {
    kind: "effects",
    name: "mode",
    verdicts: { read: "allow", internal: "allow", ...PERMISSION_MODES[mode] },
    remedies: { write: REMEDY, process: REMEDY, external: REMEDY },
    mcp: { server: PERMISSION_MODES[mode].external, own: "allow" },
    // Whoever chooses it wants no questions of a risk profile either; what it blocks stays blocked.
    ...(mode === "full" ? { approves: true } : {}),
  };
}

/**
 * The mode that flags stand for.
 *
 * @param flags The permission flags of a run.
 */
export function modeOfFlags(flags: Omit<PermissionFlags, "interactive">): PermissionModeLabel {
  if (flags.readOnly) return "read-only";
  if ((flags.allowedTools ?? []).length > 0) return "custom";
  const allowed: Readonly<Partial<Record<Effect, boolean>>> = {
    write: flags.allowWrite,
    process: flags.allowProcess,
    external: flags.allowExternal,
  };
  const isMode = (mode: PermissionMode) =>
    Object.entries(PERMISSION_MODES[mode]).every(([effect, verdict]) =>
      allowed[effect as Effect] === (verdict === "allow")
    );
  return (["ask", "auto", "full"] as const).find(isMode) ?? "custom";
}
