import assert from "node:assert/strict";
import {
  type Ceiling,
  type CeilingFacts,
  computeCeiling,
  hostAndPort,
} from "../../../core/wall/ceiling.ts";

const FACTS: CeilingFacts = {
  readOnly: false,
  possible: { write: false, process: false, external: false },
  canApproveDirectories: false,
  workspace: "/ws",
  roots: ["/ws", "/extra"],
  configHome: "/config",
  stateHome: "/state",
  cache: "/ws/.alisio/cache",
  pluginFolders: ["/plugins"],
  readable: ["/more"],
  runtime: "/bin/deno",
  executables: ["/bin/git", "/bin/rg"],
  providers: ["api.example:443"],
  proxies: ["proxy.example:3128"],
  mcpHosts: ["mcp.example:8443"],
  mcpExecutables: [],
  protectedPaths: ["/ws/.alisio", "/ws/.alisio/config.json", "/config", "/state/trust.json"],
  closedPaths: [],
  readOnlyRoots: [],
  sys: ["hostname"],
  aliases: [],
  sandboxesPrograms: false,
};

const PROXIES = [
  ...["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"],
  ...["ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"],
];

const HEADLESS_READ = [
  ...["/ws", "/extra", "/config", "/state", "/ws/.alisio/cache"],
  ...["/plugins", "/more", "/bin/git", "/bin/rg"],
];

const HEADLESS: Ceiling = {
  read: HEADLESS_READ,
  denyRead: [],
  write: ["/state", "/ws/.alisio/cache"],
  denyWrite: ["/state/trust.json"],
  run: ["/bin/git", "/bin/rg"],
  net: ["api.example:443", "mcp.example:8443"],
  sys: ["hostname"],
  hiddenEnv: PROXIES,
  runtime: "/bin/deno",
  kernel: {
    write: ["/state", "/ws/.alisio/cache"],
    run: ["/bin/deno", "/bin/git", "/bin/rg"],
    tcpPorts: [53, 443, 3128, 8443],
  },
};

const ALL = { write: true, process: true, external: true };
const NO_RULES = { off: "programs may be started, and they need what they need" };

const ROWS: readonly {
  readonly name: string;
  readonly change: Partial<CeilingFacts>;
  readonly expected: Ceiling;
}[] = [
  { name: "nothing that is not needed in a headless run", change: {}, expected: HEADLESS },
  {
    name: "the roots to a run that may write, and no more",
    change: { possible: { ...FACTS.possible, write: true } },
    expected: {
      ...HEADLESS,
      write: ["/ws", "/extra", "/state", "/ws/.alisio/cache"],
      denyWrite: ["/ws/.alisio/config.json", "/state/trust.json"],
      kernel: {
        write: ["/ws", "/extra", "/state", "/ws/.alisio/cache"],
        run: ["/bin/deno", "/bin/git", "/bin/rg"],
        tcpPorts: [53, 443, 3128, 8443],
      },
    },
  },
  {
    name: "every program to a run that may start one, and no rule of the kernel",
    change: { possible: { ...FACTS.possible, process: true } },
    expected: { ...HEADLESS, run: "all", kernel: NO_RULES },
  },
  {
    name: "every host to a run that may reach out",
    change: { possible: { ...FACTS.possible, external: true } },
    expected: {
      ...HEADLESS,
      net: "all",
      hiddenEnv: [],
      kernel: {
        write: ["/state", "/ws/.alisio/cache"],
        run: ["/bin/deno", "/bin/git", "/bin/rg"],
        tcpPorts: "all",
      },
    },
  },
  {
    name: "everything to a person who could still approve it",
    change: { possible: ALL, canApproveDirectories: true },
    expected: {
      ...HEADLESS,
      read: "all",
      write: "all",
      denyWrite: [],
      run: "all",
      net: "all",
      hiddenEnv: [],
      kernel: NO_RULES,
    },
  },
  {
    name: "reading alone of every directory to a person who may approve nothing else",
    change: { canApproveDirectories: true },
    expected: { ...HEADLESS, read: "all" },
  },
  {
    name: "nothing to --read-only that a flag or a person could grant",
    change: {
      readOnly: true,
      possible: ALL,
      canApproveDirectories: true,
      mcpExecutables: ["/bin/npx"],
    },
    expected: {
      ...HEADLESS,
      read: HEADLESS_READ.filter((path) => path !== "/extra"),
      net: ["api.example:443"],
      kernel: {
        write: ["/state", "/ws/.alisio/cache"],
        run: ["/bin/deno", "/bin/git", "/bin/rg"],
        tcpPorts: [53, 443, 3128],
      },
    },
  },
  {
    name: "the program of an MCP server that has consent, which no rule of the kernel holds",
    change: { mcpExecutables: ["/bin/npx"] },
    expected: {
      ...HEADLESS,
      run: ["/bin/git", "/bin/rg", "/bin/npx"],
      hiddenEnv: [],
      kernel: { off: "MCP servers may be started, and they need what they need" },
    },
  },
  {
    name: "rules of the kernel to programs that are to be held to them",
    change: {
      possible: { write: true, process: true, external: false },
      sandboxesPrograms: true,
    },
    expected: {
      ...HEADLESS,
      write: ["/ws", "/extra", "/state", "/ws/.alisio/cache"],
      denyWrite: ["/ws/.alisio/config.json", "/state/trust.json"],
      run: "all",
      kernel: {
        write: ["/ws", "/extra", "/state", "/ws/.alisio/cache"],
        run: "all",
        tcpPorts: [53, 443, 3128, 8443],
      },
    },
  },
  {
    name: "nothing of what a profile closes inside of what is open, under both of its names",
    change: {
      possible: { write: true, process: false, external: false },
      closedPaths: [
        { path: "/ws/vault", real: "/ws/vault", identity: null },
        { path: "/ws/link", real: "/extra/real", identity: null },
        { path: "/elsewhere", real: "/elsewhere", identity: null },
        { path: "/ws", real: "/ws", identity: null },
        { path: "/ws/.alisio/cache/x", real: "/state", identity: null },
        {
          path: "/extra/shelf",
          real: "/extra/shelf",
          identity: null,
          within: ["/extra/shelf/key", "/extra/shelf/open"],
        },
      ],
      readable: ["/more", "/extra/shelf/open/note"],
    },
    expected: {
      ...HEADLESS,
      read: [
        ...HEADLESS_READ.slice(0, -2),
        ...["/extra/shelf/open/note", "/bin/git", "/bin/rg"],
      ],
      denyRead: ["/ws/vault", "/ws/link", "/extra/real", "/extra/shelf/key"],
      write: ["/ws", "/extra", "/state", "/ws/.alisio/cache"],
      denyWrite: [
        ...["/ws/.alisio/config.json", "/state/trust.json"],
        ...["/ws/vault", "/ws/link", "/extra/real"],
        ...["/extra/shelf", "/extra/shelf/key", "/extra/shelf/open"],
      ],
      kernel: {
        write: ["/ws", "/extra", "/state", "/ws/.alisio/cache"],
        run: ["/bin/deno", "/bin/git", "/bin/rg"],
        tcpPorts: [53, 443, 3128, 8443],
      },
    },
  },
  {
    name: "no change of what a profile opens for reading alone",
    change: {
      possible: { write: true, process: false, external: false },
      roots: ["/ws", "/extra", "/ws/library"],
      readOnlyRoots: ["/extra", "/ws/library"],
    },
    expected: {
      ...HEADLESS,
      read: ["/ws", "/extra", "/ws/library", ...HEADLESS_READ.slice(2)],
      write: ["/ws", "/state", "/ws/.alisio/cache"],
      denyWrite: ["/ws/.alisio/config.json", "/state/trust.json", "/ws/library"],
      kernel: {
        write: ["/ws", "/state", "/ws/.alisio/cache"],
        run: ["/bin/deno", "/bin/git", "/bin/rg"],
        tcpPorts: [53, 443, 3128, 8443],
      },
    },
  },
  {
    name: "nothing of what a profile closes where everything else is open",
    change: {
      possible: ALL,
      canApproveDirectories: true,
      closedPaths: ["/etc", "/ws/vault", "/bin", "/"].map((path) => ({
        path,
        real: path,
        identity: null,
      })),
    },
    expected: {
      ...HEADLESS,
      read: "all",
      // What holds something that is needed stays open: "deny" is the stronger one here.
      denyRead: ["/etc", "/ws/vault"],
      write: "all",
      denyWrite: ["/etc", "/ws/vault", "/bin"],
      run: "all",
      net: "all",
      hiddenEnv: [],
      kernel: NO_RULES,
    },
  },
  {
    name: "other names of its own folders",
    change: { aliases: ["/link/state"] },
    expected: {
      ...HEADLESS,
      read: [
        ...["/ws", "/extra", "/config", "/state", "/link/state", "/ws/.alisio/cache"],
        ...["/plugins", "/more", "/bin/git", "/bin/rg"],
      ],
      write: ["/state", "/link/state", "/ws/.alisio/cache"],
      kernel: {
        write: ["/state", "/link/state", "/ws/.alisio/cache"],
        run: ["/bin/deno", "/bin/git", "/bin/rg"],
        tcpPorts: [53, 443, 3128, 8443],
      },
    },
  },
  {
    name: "the folder of a database that lies elsewhere",
    change: {
      database: "/data/sessions.sqlite",
      databaseFolder: "/data",
      tempFolder: "/state/tmp",
    },
    expected: {
      ...HEADLESS,
      read: [
        ...["/ws", "/extra", "/config", "/state", "/data", "/state/tmp", "/ws/.alisio/cache"],
        ...["/plugins", "/more", "/bin/git", "/bin/rg"],
      ],
      write: ["/state", "/data", "/state/tmp", "/ws/.alisio/cache"],
      kernel: {
        write: ["/state", "/data", "/state/tmp", "/ws/.alisio/cache"],
        run: ["/bin/deno", "/bin/git", "/bin/rg"],
        tcpPorts: [53, 443, 3128, 8443],
      },
    },
  },
];

for (const { name, change, expected } of ROWS) {
  Deno.test(`computeCeiling() gives ${name}`, () => {
    assert.deepEqual(computeCeiling({ ...FACTS, ...change }), expected);
  });
}

Deno.test("computeCeiling() gives the files of a database in the workspace, and not the workspace", () => {
  const { write } = computeCeiling({
    ...FACTS,
    database: "/ws/my.sqlite",
    databaseFolder: "/ws",
  });
  assert.deepEqual(write, [
    "/state",
    ...["", "-wal", "-shm", "-journal"].map((ending) => `/ws/my.sqlite${ending}`),
    ...["/ws/locks", "/ws/outputs", "/ws/blobs", "/ws/tasks", "/ws/artifacts", "/ws/.alisio/cache"],
  ]);
});

Deno.test("computeCeiling() lets the kernel pass look-ups of names for hosts with a name alone", () => {
  const ports = (providers: readonly string[]): unknown => {
    const { kernel } = computeCeiling({ ...FACTS, providers, proxies: [], mcpHosts: [] });
    return "off" in kernel ? null : kernel.tcpPorts;
  };
  assert.deepEqual(ports(["127.0.0.1:11434"]), [11434]);
  assert.deepEqual(ports(["[::1]:8080"]), [8080]);
  assert.deepEqual(ports(["localhost:11434"]), [53, 11434]);
  assert.deepEqual(ports([]), []);
});

Deno.test("hostAndPort() names host and port of an address", () => {
  const rows = {
    "https://api.example/v1": "api.example:443",
    "http://api.example/v1": "api.example:80",
    "http://LOCALHOST:11434": "localhost:11434",
    "https://[::1]:8443/": "[::1]:8443",
    "https://user:pass@api.example/": "api.example:443",
    "https://bücher.example": "xn--bcher-kva.example:443",
  };
  for (const [url, expected] of Object.entries(rows)) assert.equal(hostAndPort(url), expected);
  for (const url of ["file:///etc", "ftp://a", "api.example"]) {
    assert.throws(() => hostAndPort(url), TypeError);
  }
});

Deno.test("computeCeiling() gives the files of a database, and not the folder that holds others too", () => {
  const { write } = computeCeiling({ ...FACTS, database: "/home/a/my.sqlite" });
  assert.deepEqual(write, [
    "/state",
    ...["", "-wal", "-shm", "-journal"].map((ending) => `/home/a/my.sqlite${ending}`),
    ...[
      "/home/a/locks",
      "/home/a/outputs",
      "/home/a/blobs",
      "/home/a/tasks",
      "/home/a/artifacts",
      "/ws/.alisio/cache",
    ],
  ]);
});
