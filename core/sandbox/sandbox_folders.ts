/**
 * Folders of the system that programs cannot do without. They stay readable inside a sandbox, and
 * are never writable, whatever a profile says of them; what it closes below them is closed.
 *
 * @param platform The operating system.
 */
export function systemFolders(platform: typeof Deno.build.os): readonly string[] {
  return platform === "darwin" ? DARWIN_FOLDERS : LINUX_FOLDERS;
}

const LINUX_FOLDERS: readonly string[] = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/etc",
  "/opt",
  "/nix/store",
  "/gnu/store",
  "/run/current-system",
];

const DARWIN_FOLDERS: readonly string[] = [
  "/usr",
  "/bin",
  "/sbin",
  "/System",
  "/Library",
  "/Applications",
  "/opt",
  "/private/etc",
  "/private/var/db",
  "/nix/store",
];

/** Files with secrets below folders that stay readable. */
export const SYSTEM_SECRETS: readonly string[] = [
  "/etc/shadow",
  "/etc/shadow-",
  "/etc/gshadow",
  "/etc/gshadow-",
  "/etc/sudoers",
  "/etc/sudoers.d",
  "/etc/ssl/private",
  "/etc/ssh/ssh_host_rsa_key",
  "/etc/ssh/ssh_host_ecdsa_key",
  "/etc/ssh/ssh_host_ed25519_key",
];

/** Files with keys in folders of tools, below the home folder. */
export const TOOL_SECRETS: readonly string[] = [
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".bundle/config",
  ".gem/credentials",
];

/** Files that say who a person is to Git, below the home folder. */
export const IDENTITY_FILES: readonly string[] = [".gitconfig", ".config/git"];

/**
 * What of `~/.local` belongs to tools, where `~/.local/bin` is in `PATH`. The rest of it is data of
 * every program that the person uses.
 */
const LOCAL_TOOLS: readonly string[] = [
  "bin",
  "lib",
  "pipx",
  "share/pipx",
  "share/uv",
  "share/mise",
  "share/pnpm",
  "share/fnm",
  "share/rtx",
];

/** Folders that a tool in another one needs. */
const RELATED_TOOLS: Readonly<Record<string, readonly string[]>> = {
  ".cargo/bin": [".rustup"],
};

/**
 * The folders that the programs in `PATH` live in: each entry, and the folder around one that is
 * named `bin` or `shims`. Never the home folder or one around it.
 *
 * @param path The entries of `PATH`, absolute.
 * @param home The home folder, if it is known.
 */
export function toolFolders(path: readonly string[], home: string | null): readonly string[] {
  const folders = new Set<string>();
  for (const written of path) {
    const entry = written.length > 1 ? written.replace(/\/+$/, "") : written;
    for (const folder of foldersOf(entry, home)) {
      if (folder !== "" && folder !== "/" && !isAround(folder, home)) folders.add(folder);
    }
  }
  return [...folders];
}

function foldersOf(entry: string, home: string | null): readonly string[] {
  if (home !== null && entry === `${home}/.local/bin`) {
    return LOCAL_TOOLS.map((name) => `${home}/.local/${name}`);
  }
  const related = home === null || !entry.startsWith(`${home}/`)
    ? []
    : (RELATED_TOOLS[entry.slice(home.length + 1)] ?? []).map((name) => `${home}/${name}`);
  const parent = /^(.*)\/(?:bin|shims)$/.exec(entry)?.[1];
  return [entry, ...(parent === undefined ? [] : [parent]), ...related];
}

function isAround(folder: string, home: string | null): boolean {
  return home !== null && (home === folder || home.startsWith(`${folder}/`));
}
