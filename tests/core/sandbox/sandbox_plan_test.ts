import assert from "node:assert/strict";
import type { FoundPath } from "../../../core/sandbox/found_path.ts";
import {
  planSandbox,
  type SandboxFacts,
  type SandboxPlan,
} from "../../../core/sandbox/sandbox_plan.ts";

const folder = (path: string, real = path): FoundPath => ({ path, real, kind: "folder" });
const file = (path: string): FoundPath => ({ path, real: path, kind: "file" });
const missing = (path: string): FoundPath => ({ path, real: path, kind: "missing" });

const FACTS: SandboxFacts = {
  roots: [{ path: "/home/a/ws", access: "read-write" }],
  possible: { write: true, external: false },
  system: [folder("/usr"), folder("/bin", "/usr/bin"), folder("/etc")],
  tools: [folder("/usr/bin"), folder("/bin", "/usr/bin")],
  privateFolders: ["/tmp", "/home/a"],
  forbidden: [],
  secret: [],
  fixed: [],
  fixedNames: [],
};

const BASE = [
  "/usr read-only",
  "/etc read-only",
  "/tmp private",
  "/home/a private",
  "/home/a/ws read-write",
];

interface Row {
  readonly name: string;
  readonly change: Partial<SandboxFacts>;
  readonly entries: readonly string[];
}

const ROWS: readonly Row[] = [
  { name: "the system, private folders and the workspace", change: {}, entries: BASE },
  {
    name: "nothing that can be changed without effect write",
    change: {
      possible: { write: false, external: false },
      roots: [...FACTS.roots, { path: "/out", access: "write-only" }],
      forbidden: [folder("/home/a/ws/secrets"), missing("/home/a/ws/later")],
      fixed: [missing("/home/a/ws/.alisio")],
    },
    entries: [
      ...BASE.slice(0, 4),
      "/home/a/ws read-only",
      "/home/a/ws/secrets closed",
    ],
  },
  {
    name: "folders of the system against what a profile closes by default",
    change: {
      forbidden: ["/usr", "/usr/bin", "/etc", "/home", "/tmp"].map((path) => folder(path)),
    },
    entries: BASE,
  },
  {
    name: "what a profile closes below them",
    change: { forbidden: [folder("/usr/local"), file("/etc/hosts")] },
    entries: [
      ...BASE.slice(0, 3),
      "/home/a private",
      "/usr/local closed",
      "/etc/hosts closed file",
      "/home/a/ws read-write",
    ],
  },
  {
    name: "a folder of tools below the home folder",
    change: {
      tools: [folder("/home/a/.nvm/v20")],
      forbidden: [folder("/home/a"), folder("/home")],
    },
    entries: [...BASE, "/home/a/.nvm/v20 read-only"],
  },
  {
    name: "no folder of tools that is closed by the same path, or a deeper one",
    change: {
      tools: [folder("/home/a/.nvm"), folder("/home/a/.cargo")],
      forbidden: [folder("/home/a/.nvm"), folder("/home/a/.cargo/registry")],
    },
    entries: [
      ...BASE.slice(0, 4),
      "/home/a/.nvm closed",
      "/home/a/.cargo read-only",
      "/home/a/ws read-write",
      "/home/a/.cargo/registry closed",
    ],
  },
  {
    name: "a closed folder in the workspace, and the folders on the way to it by themselves",
    change: { forbidden: [folder("/home/a/ws/x/y/secrets"), missing("/home/a/ws/later")] },
    entries: [
      ...BASE,
      "/home/a/ws/x read-write",
      "/home/a/ws/later closed missing",
      "/home/a/ws/x/y read-write",
      "/home/a/ws/x/y/secrets closed",
    ],
  },
  {
    name: "a workspace that a profile closes",
    change: { forbidden: [folder("/home/a/ws")] },
    entries: [...BASE.slice(0, 4), "/home/a/ws closed"],
  },
  {
    name: "the deepest of open and closed folders in each other (P14)",
    change: {
      roots: [{ path: "/a/b", access: "read-write" }, { path: "/a/b/c/d", access: "read-only" }],
      forbidden: [folder("/a"), folder("/a/b/c")],
    },
    entries: [
      ...BASE.slice(0, 3),
      "/home/a private",
      "/a/b read-write",
      "/a/b/c closed",
      "/a/b/c/d read-only",
    ],
  },
  {
    name: "what configures Git, unchangeable",
    change: { fixed: [folder("/home/a/ws/.git/hooks"), file("/home/a/ws/.git/config")] },
    entries: [
      ...BASE,
      "/home/a/ws/.git read-write",
      "/home/a/ws/.git/hooks read-only",
      "/home/a/ws/.git/config read-only file",
    ],
  },
  {
    name: "no secret, even where the home folder is the workspace or an added one",
    change: {
      roots: [
        { path: "/home/a", access: "read-write" },
        { path: "/home/a/.config/alisio", access: "read-write" },
      ],
      secret: [folder("/home/a/.config/alisio"), folder("/srv/state")],
    },
    entries: [
      ...BASE.slice(0, 3),
      "/home/a read-write",
      "/home/a/.config read-write",
      "/home/a/.config/alisio closed",
    ],
  },
];

for (const { name, change, entries } of ROWS) {
  Deno.test(`planSandbox() opens ${name}`, () => {
    assert.deepEqual(shown(planSandbox({ ...FACTS, ...change })), entries);
  });
}

Deno.test("planSandbox() keeps other names of what is open, each once", () => {
  assert.deepEqual(planSandbox(FACTS).links, [{ path: "/bin", real: "/usr/bin" }]);
  const tools = [folder("/bin/extra", "/usr/bin/extra"), folder("/home/a/ws/bin", "/usr/bin")];
  assert.deepEqual(planSandbox({ ...FACTS, tools }).links, [{ path: "/bin", real: "/usr/bin" }]);
});

Deno.test("planSandbox() opens the network with effect external alone", () => {
  assert.equal(planSandbox(FACTS).network, "closed");
  const possible = { write: false, external: true };
  assert.equal(planSandbox({ ...FACTS, possible }).network, "open");
});

function shown({ entries }: SandboxPlan): readonly string[] {
  return entries.map(({ path, access, kind }) =>
    `${path} ${access}${kind === "folder" ? "" : ` ${kind}`}`
  );
}
