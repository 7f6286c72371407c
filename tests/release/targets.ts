/** Systems that a release has a binary for, by the names that the runtime has for them. */
export const TARGETS = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
  "x86_64-pc-windows-msvc",
] as const;

/** A system that a release has a binary for. */
export type Target = typeof TARGETS[number];

/**
 * The name of the binary for a system.
 *
 * @param target The system.
 */
export function binaryName(target: Target): string {
  return `alisio-${target}${target.includes("windows") ? ".exe" : ""}`;
}

/**
 * Reads the name of a system.
 *
 * @param name The name.
 * @throws {RangeError} If a release has no binary for it.
 */
export function parseTarget(name: string): Target {
  const target = TARGETS.find((each) => each === name);
  if (target !== undefined) return target;
  throw new RangeError(
    `Cannot compile for ${JSON.stringify(name)}: choose one of ${TARGETS.join(", ")}`,
  );
}
