/** Programs that built-in tools need. */
export type NeededProgram = "rg" | "git";

/** An operating system as `Deno.build.os` names it. */
export type OperatingSystem = typeof Deno.build.os;

/**
 * How to install a program that a built-in tool needs, on this system.
 *
 * @param program The program.
 * @param os The operating system.
 * @returns One or two commands, for example `brew install ripgrep (macOS)`.
 */
export function installHint(program: NeededProgram, os: OperatingSystem): string {
  const hints = HINTS[program];
  if (os === "darwin") return hints.darwin;
  if (os === "windows") return hints.windows;
  if (os === "linux" || os === "android") return hints.linux;
  return hints.other;
}

const HINTS = {
  rg: {
    linux: "sudo apt install ripgrep (Debian/Ubuntu)",
    darwin: "brew install ripgrep (macOS)",
    windows: "winget install BurntSushi.ripgrep.MSVC or scoop install ripgrep (Windows)",
    other: "install the package ripgrep of this system",
  },
  git: {
    linux: "sudo apt install git (Debian/Ubuntu)",
    darwin: "brew install git or xcode-select --install (macOS)",
    windows: "winget install Git.Git or scoop install git (Windows)",
    other: "install the package git of this system",
  },
} as const;
