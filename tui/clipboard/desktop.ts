/** What holds the clipboard of the person. */
export type Desktop = "wayland" | "x11" | "macos" | "windows" | "wsl";

/**
 * What may hold the clipboard, the likeliest first. On a machine that is reached from another one,
 * only what was passed on from there.
 *
 * @param env Environment variables.
 * @param os The system.
 */
export function findDesktops(
  env: Readonly<Record<string, string>>,
  os: typeof Deno.build.os,
): readonly Desktop[] {
  const isRemote = has(env.SSH_CONNECTION) || has(env.SSH_TTY);
  const own: readonly (readonly [Desktop, boolean])[] = [
    ["macos", os === "darwin" && !isRemote],
    ["windows", os === "windows" && !isRemote],
    ["wayland", has(env.WAYLAND_DISPLAY)],
    ["x11", has(env.DISPLAY)],
    ["wsl", (has(env.WSL_DISTRO_NAME) || has(env.WSL_INTEROP)) && !isRemote],
  ];
  return own.filter(([, isThere]) => isThere).map(([desktop]) => desktop);
}

function has(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}
