import { isInside } from "../paths/is_inside.ts";
import type { ClosedPath } from "./closed_paths.ts";

/** What the most that a run could be allowed is worked out from. Paths are real and absolute. */
export interface CeilingFacts {
  /** `--read-only`: wins over everything below. */
  readonly readOnly: boolean;
  /** Effects that are allowed, or that a person could still allow. */
  readonly possible: {
    readonly write: boolean;
    readonly process: boolean;
    readonly external: boolean;
  };
  /** Whether a person could still approve a directory outside the roots. */
  readonly canApproveDirectories: boolean;
  /** The workspace. */
  readonly workspace: string;
  /** Folders that tools may touch, the workspace among them or not. */
  readonly roots: readonly string[];
  /** Those of `roots` that a risk profile opens for reading alone. */
  readonly readOnlyRoots: readonly string[];
  /** The person's configuration; read only. */
  readonly configHome: string;
  /** What Alisio remembers: database, locks, outputs. Always written to. */
  readonly stateHome: string;
  /** The session database, when `--db` puts it outside the state home. */
  readonly database?: string;
  /** The folder of that database, if nothing else is in it. */
  readonly databaseFolder?: string;
  /**
   * Files of the database of memory, when configuration puts it outside the state home.
   *
   * @default None.
   */
  readonly memoryFiles?: readonly string[];
  /**
   * Folders that worktrees of agents are made in, outside the state home. Written to where files may
   * be changed.
   *
   * @default None.
   */
  readonly worktreeFolders?: readonly string[];
  /**
   * Other names of the state home or the database, through links, under which they are used. The
   * runtime compares names and follows no link.
   */
  readonly aliases: readonly string[];
  /**
   * The folder of the workspace for what can be made again. To be left out where it, or the folder
   * around it, is a link: a repository may bring one to anywhere.
   */
  readonly cache?: string;
  /** A private folder for temporary files. Never the one that all programs share. */
  readonly tempFolder?: string;
  /** Folders that external plugins are loaded from. */
  readonly pluginFolders: readonly string[];
  /** Further folders and files that are read: the runtime's cache, an instruction file. */
  readonly readable: readonly string[];
  /** The executable of the runtime. */
  readonly runtime: string;
  /** The programs behind effect `read`, ripgrep and Git, and inside Herdr the one it comes with. */
  readonly executables: readonly string[];
  /** The provider, as `host:port` of {@linkcode hostAndPort}. */
  readonly providers: readonly string[];
  /** Proxies of the environment, as `host:port`: the kernel must let their ports through. */
  readonly proxies: readonly string[];
  /** MCP servers over HTTP with consent, as `host:port`. */
  readonly mcpHosts: readonly string[];
  /** Programs of MCP servers with consent. */
  readonly mcpExecutables: readonly string[];
  /** Files and folders that no tool may write unless a person could still permit it. */
  readonly protectedPaths: readonly string[];
  /** What a risk profile closes; no person and no flag can permit it. */
  readonly closedPaths: readonly ClosedPath[];
  /** Names of `Deno.permissions` for system facts that the run needs. */
  readonly sys: readonly string[];
  /** Whether the kernel holds programs to the writable folders too, where they may be started. */
  readonly sandboxesPrograms: boolean;
}

/** Everything of a kind, or what is listed; an empty list is nothing. */
export type Scope = "all" | readonly string[];

/** What the kernel is told, to hold for every process of the run. */
export interface KernelCeiling {
  /** Folders and files that may be written to. */
  readonly write: Scope;
  /** Programs that may be executed. */
  readonly run: Scope;
  /** TCP ports that may be connected to, of any host. */
  readonly tcpPorts: "all" | readonly number[];
}

/** The most that a run could ever be allowed. Plain data; everything else follows from it. */
export interface Ceiling {
  /** What may be read. */
  readonly read: Scope;
  /** What may not be read although it lies in `read`; it holds nothing of `read`. */
  readonly denyRead: readonly string[];
  /** What may be written. */
  readonly write: Scope;
  /** What may not be written although it lies in `write`; it holds nothing of `write`. */
  readonly denyWrite: readonly string[];
  /** Programs that may be started. */
  readonly run: Scope;
  /** `host:port` that may be connected to. */
  readonly net: Scope;
  /** System facts that may be asked for. */
  readonly sys: readonly string[];
  /** Variables that are hidden from the process and cannot be set by it. */
  readonly hiddenEnv: readonly string[];
  /** The executable of the runtime. */
  readonly runtime: string;
  /** Rules for the kernel, or why there are none. */
  readonly kernel: KernelCeiling | { readonly off: string };
}

/**
 * Variables that the runtime's HTTP client reads whenever a client is made. A proxy is connected to
 * without a permission check, so code that could set one would reach any host through it.
 */
const PROXY_VARIABLES: readonly string[] = [
  "HTTP_PROXY",
  "http_proxy",
  "HTTPS_PROXY",
  "https_proxy",
  "ALL_PROXY",
  "all_proxy",
  "NO_PROXY",
  "no_proxy",
];

/** Long answers to name look-ups come over TCP. */
const DNS_PORT = 53;

/**
 * Works out the permission ceiling: the most that a run could ever be allowed. Pure.
 *
 * @param facts What is known about the run.
 */
export function computeCeiling(facts: CeilingFacts): Ceiling {
  const open = facts.readOnly
    ? { write: false, process: false, external: false, directories: false }
    : { ...facts.possible, directories: facts.canApproveDirectories };
  const roots = facts.readOnly ? [facts.workspace] : [facts.workspace, ...facts.roots];
  const mcpExecutables = facts.readOnly ? [] : facts.mcpExecutables;
  const own = ownFiles(facts);
  const run = open.process ? "all" : unique([...facts.executables, ...mcpExecutables]);
  const net = open.external
    ? "all"
    : unique([...facts.providers, ...(facts.readOnly ? [] : facts.mcpHosts)]);
  // Servers are handed variables by name, and a proxy may be one of them.
  const hidesProxies = net !== "all" && mcpExecutables.length === 0;
  const readable = unique([
    ...roots,
    facts.configHome,
    ...own,
    ...facts.pluginFolders,
    ...facts.readable,
    ...facts.executables,
  ]);
  const writable = roots.filter((root) => !facts.readOnlyRoots.includes(root));
  const write = open.write && open.directories
    ? "all"
    : unique([...open.write ? writable : [], ...own]);
  const read = open.directories ? "all" : readable;
  // What Alisio itself needs is closed to tools in another way.
  const closed = facts.closedPaths
    .flatMap(({ path, real, within = [] }) => [path, real, ...within])
    .filter((path) => ![...own, facts.configHome].some((folder) => isInside(path, folder)));
  // Only who could permit a change of files could permit one of these.
  const isProtected = !open.directories || !open.write;
  const unchanged = [...isProtected ? facts.protectedPaths : [], ...facts.readOnlyRoots];
  return {
    read,
    denyRead: deniedIn(read, closed, readable),
    write,
    denyWrite: deniedIn(write, [...unchanged, ...closed], [...writable, ...own]),
    run,
    net,
    sys: unique(facts.sys),
    hiddenEnv: hidesProxies ? PROXY_VARIABLES : [],
    runtime: facts.runtime,
    kernel: kernelCeiling(facts, { run, net, mcpExecutables, write: open.write, writable, open }),
  };
}

/**
 * `host:port` of an address, as permission flags take it.
 *
 * @param url An `http:` or `https:` address.
 * @throws {TypeError} If it is no such address.
 */
export function hostAndPort(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  if ((protocol !== "http:" && protocol !== "https:") || hostname === "") {
    throw new TypeError("Cannot name the host of an address: it is not an http or https one");
  }
  return `${hostname}:${port || (protocol === "https:" ? "443" : "80")}`;
}

function ownFiles(facts: CeilingFacts): readonly string[] {
  return [
    facts.stateHome,
    ...databaseFiles(facts),
    ...facts.memoryFiles ?? [],
    ...facts.possible.write && !facts.readOnly ? facts.worktreeFolders ?? [] : [],
    ...facts.aliases,
    ...facts.tempFolder === undefined ? [] : [facts.tempFolder],
    ...facts.cache === undefined ? [] : [facts.cache],
  ];
}

/**
 * What of closed paths has to be said: what lies in something that is open, and holds nothing that
 * must stay open. Where the two overlap, the runtime lets sometimes the one win and sometimes the
 * other, depending on what else is listed.
 */
function deniedIn(scope: Scope, closed: readonly string[], kept: readonly string[]): string[] {
  const open = scope === "all" ? kept : scope;
  return [...new Set(closed)].filter((path) =>
    (scope === "all" || scope.some((folder) => isInside(path, folder))) &&
    !open.some((folder) => isInside(folder, path))
  );
}

/**
 * The whole folder of a database that has one of its own; in a folder with other files, or with
 * files of the person's projects, only what is known by name.
 */
function databaseFiles(facts: CeilingFacts): readonly string[] {
  const { database, databaseFolder, stateHome } = facts;
  if (database === undefined || isInside(database, stateHome)) return [];
  const roots = [facts.workspace, ...facts.roots];
  if (databaseFolder !== undefined && !roots.some((root) => overlap(root, databaseFolder))) {
    return [databaseFolder];
  }
  return [
    ...["", "-wal", "-shm", "-journal"].map((ending) => database + ending),
    ...["locks", "outputs", "blobs", "tasks", "artifacts"].map((name) =>
      join(parentOf(database), name)
    ),
  ];
}

function kernelCeiling(
  facts: CeilingFacts,
  { run, net, mcpExecutables, write, writable, open }: {
    readonly run: Scope;
    readonly net: Scope;
    readonly mcpExecutables: readonly string[];
    readonly write: boolean;
    readonly writable: readonly string[];
    readonly open: { readonly directories: boolean };
  },
): Ceiling["kernel"] {
  if (!facts.sandboxesPrograms) {
    if (run === "all") return { off: "programs may be started, and they need what they need" };
    if (mcpExecutables.length > 0) {
      return { off: "MCP servers may be started, and they need what they need" };
    }
  }
  // SQLite creates and removes files beside the database, which takes rights on its folder.
  const database = [
    ...facts.database === undefined ? [] : [parentOf(facts.database)],
    ...(facts.memoryFiles ?? []).map(parentOf),
  ];
  return {
    write: write && open.directories
      ? "all"
      : unique([...write ? writable : [], ...ownFiles(facts), ...database]),
    run: run === "all" || mcpExecutables.length > 0
      ? "all"
      : unique([facts.runtime, ...facts.executables]),
    tcpPorts: net === "all" ? "all" : tcpPorts([...net, ...facts.proxies]),
  };
}

function tcpPorts(addresses: readonly string[]): readonly number[] {
  const ports = new Set(addresses.map((address) => Number(/:(\d+)$/.exec(address)?.[1])));
  if (addresses.some((address) => !/^(?:\[.*\]|[\d.]+):\d+$/.test(address))) ports.add(DNS_PORT);
  return [...ports].filter((port) => Number.isInteger(port)).sort((a, b) => a - b);
}

function overlap(a: string, b: string): boolean {
  return isInside(a, b) || isInside(b, a);
}

function unique(list: readonly string[]): readonly string[] {
  return [...new Set(list)];
}

function join(folder: string, ...names: readonly string[]): string {
  const separator = folder.includes("\\") ? "\\" : "/";
  return [folder.endsWith(separator) ? folder.slice(0, -1) : folder, ...names].join(separator);
}

function parentOf(path: string): string {
  const end = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  return end <= 0 ? path.slice(0, 1) : path.slice(0, end);
}
