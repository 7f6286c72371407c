const PRIVATE_FOLDERS: readonly string[] = ["~/.ssh", "~/.gnupg", "~/.aws", "~/.config"];

const UNIX_FOLDERS: readonly string[] = [
  "/etc",
  "/root",
  "/home",
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/opt",
  "/boot",
  "/dev",
  "/proc",
  "/sys",
  "/var",
  "/tmp",
];

const WINDOWS_FOLDERS: readonly string[] = [
  "C:\\Windows",
  "C:\\Windows\\System32",
  "C:\\Program Files",
  "C:\\Program Files (x86)",
  "C:\\ProgramData",
];

/**
 * What is closed to tools unless a profile says otherwise. A folder that a profile opens below one
 * of them, and the workspace, stay open: the deepest entry decides.
 *
 * @param platform The operating system.
 */
export function defaultForbiddenPaths(
  platform: typeof Deno.build.os = Deno.build.os,
): readonly string[] {
  return [...(platform === "windows" ? WINDOWS_FOLDERS : UNIX_FOLDERS), ...PRIVATE_FOLDERS];
}
