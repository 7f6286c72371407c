import assert from "node:assert/strict";
import { posix } from "node:path";
import { createPathPolicy } from "../../../../core/gate/paths_policy/create_path_policy.ts";
import { defaultForbiddenPaths } from "../../../../core/gate/paths_policy/default_forbidden_paths.ts";
import { judgePolicyPath } from "../../../../core/gate/paths_policy/judge_policy_path.ts";
import type {
  PathAccess,
  PathEntry,
  PathPolicy,
  PolicyPathFacts,
} from "../../../../core/gate/paths_policy/path_policy.ts";
import { pathReason, pathRemedy } from "../../../../core/gate/paths_policy/path_reason.ts";
import {
  expandPath,
  type PolicyPlaces,
} from "../../../../core/gate/paths_policy/resolve_path_policy.ts";
import type { AllowedRoot } from "../../../../core/gate/profile/risk_profile.ts";

/** A machine as the rows see it; links map a folder to where it leads. */
interface Setup {
  readonly workspace?: string;
  readonly workspaceOnly?: boolean;
  readonly roots?: readonly (string | AllowedRoot)[];
  readonly forbidden?: readonly string[];
  readonly links?: Readonly<Record<string, string>>;
  readonly own?: readonly string[];
  readonly platform?: typeof Deno.build.os;
  /** Folders that are the same under another spelling. */
  readonly same?: Readonly<Record<string, string>>;
}

const UNIX = defaultForbiddenPaths("linux");
const FULL = { workspaceOnly: false, forbidden: UNIX };
const NONE = { forbidden: [] };
const NESTED = {
  workspaceOnly: false,
  forbidden: ["/a", "/a/b/c"],
  roots: ["/a/b", "/a/b/c/d"],
};

type Expected = "allow" | "deny";
type Row = readonly [
  row: string,
  setup: Setup,
  path: string,
  access: PathAccess,
  expected: Expected,
];

const ROWS: readonly Row[] = [
  ["P1", {}, "src/a.ts", "read", "allow"],
  ["P1", {}, ".env", "read", "allow"],
  ["P1", {}, "", "read", "allow"],
  ["P1 neighbour", {}, "/srv/other/a.ts", "read", "deny"],
  ["P2", {}, "../x", "read", "deny"],
  ["P2", {}, "a/../../b", "read", "deny"],
  ["P2", {}, "..", "read", "deny"],
  ["P2 inside all the same", {}, "a/../b", "read", "deny"],
  ["P3", {}, "my..file.txt", "read", "allow"],
  ["P3", {}, "..hidden", "read", "allow"],
  ["P4", {}, "..%2fetc", "read", "deny"],
  ["P4", {}, "a%2F..%2Fb", "read", "deny"],
  ["P4", {}, "a%2f..", "read", "deny"],
  ["P4 neighbour", {}, "a%2fb", "read", "allow"],
  ["P5", {}, "a\0.txt", "read", "deny"],
  ["P6", {}, "/etc/passwd", "read", "deny"],
  ["P6", {}, "/var/run/docker.sock", "read", "deny"],
  ["P6", {}, "/proc/self/root/etc/passwd", "read", "deny"],
  ["P7", {}, "~/.ssh/id_rsa", "read", "deny"],
  ["P7", {}, "~root/x", "read", "deny"],
  ["P7", {}, "~nobody", "read", "deny"],
  ["P7 with the home open", { roots: ["~"] }, "~/notes", "read", "allow"],
  ["P7 with the home open", { roots: ["~"] }, "~/.ssh/id_rsa", "read", "deny"],
  ["P7 with the home open", { roots: ["~"] }, "~root/x", "read", "deny"],
  ["P8", {}, "/srv/ws/a", "read", "allow"],
  ["P8", {}, "/srv/ws", "read", "allow"],
  ["P8", {}, "/srv/ws2/a", "read", "deny"],
  ["P9", { roots: ["/home/me/p"] }, "/home/me/p/a", "write", "allow"],
  ["P9", { roots: ["/home/me/p"] }, "/home/me/o", "read", "deny"],
  [
    "P10",
    { roots: ["/home/me/p"], forbidden: ["/home/me/p/secrets"] },
    "/home/me/p/main.rs",
    "read",
    "allow",
  ],
  [
    "P10",
    { roots: ["/home/me/p"], forbidden: ["/home/me/p/secrets"] },
    "/home/me/p/secrets/k",
    "read",
    "deny",
  ],
  [
    "P10",
    { roots: ["/home/me/p"], forbidden: ["/home/me/p/secrets"] },
    "/home/me/p/secrets2",
    "read",
    "allow",
  ],
  ["P11", { forbidden: ["/srv/ws/secrets"] }, "/srv/ws/secrets/k", "read", "deny"],
  ["P11 neighbour", { forbidden: ["/srv/ws/secrets"] }, "/srv/ws/secret", "read", "allow"],
  ["P11b", { forbidden: ["/srv/ws/secrets"] }, "secrets/k", "read", "deny"],
  ["P11b", { forbidden: ["/srv/ws/secrets/"] }, "secrets", "read", "deny"],
  ["P12", { forbidden: ["/srv/ws"] }, "/srv/ws/a", "read", "deny"],
  ["P12 neighbour", { forbidden: ["/srv"] }, "/srv/ws/a", "read", "allow"],
  ["P13", { roots: ["/opt/x"], forbidden: ["/opt/x"] }, "/opt/x/a", "read", "deny"],
  ["P13 neighbour", { roots: ["/opt/x"], forbidden: ["/opt"] }, "/opt/x/a", "read", "allow"],
  ["P14", NESTED, "/a/x", "read", "deny"],
  ["P14", NESTED, "/a/b/x", "read", "allow"],
  ["P14", NESTED, "/a/b/c/x", "read", "deny"],
  ["P14", NESTED, "/a/b/c/d/x", "read", "allow"],
  ["P15", FULL, "/data/x", "write", "allow"],
  ["P15", FULL, "/etc/x", "read", "deny"],
  ["P16", { workspaceOnly: false, ...NONE }, "/tmp/x", "write", "allow"],
  ["P16 neighbour", NONE, "/tmp/x", "write", "deny"],
  ["P17", { roots: [{ path: "/ref", access: "read-only" }] }, "/ref/a", "read", "allow"],
  ["P17", { roots: [{ path: "/ref", access: "read-only" }] }, "/ref/a", "write", "deny"],
  ["P17", { roots: [{ path: "/ref", access: "read-only" }] }, "/ref/a", "read_write", "deny"],
  ["P17", { roots: [{ path: "/ref", access: "read-only" }] }, "/ref/a", "either", "allow"],
  [
    "P17 in the workspace",
    { roots: [{ path: "vendor", access: "read-only" }] },
    "vendor/a",
    "read",
    "allow",
  ],
  [
    "P17 in the workspace",
    { roots: [{ path: "vendor", access: "read-only" }] },
    "vendor/a",
    "write",
    "deny",
  ],
  [
    "P17 under full",
    { ...FULL, roots: [{ path: "/ref", access: "read-only" }] },
    "/ref/a",
    "write",
    "deny",
  ],
  ["P18", { roots: [{ path: "/out", access: "write-only" }] }, "/out/a", "write", "allow"],
  ["P18", { roots: [{ path: "/out", access: "write-only" }] }, "/out/a", "read", "deny"],
  ["P18", { roots: [{ path: "/out", access: "write-only" }] }, "/out/a", "read_write", "deny"],
  ["P18", { roots: [{ path: "/out", access: "write-only" }] }, "/out/a", "either", "allow"],
  ["P19", { links: { "/srv/ws/link": "/etc" } }, "link/passwd", "read", "deny"],
  ["P19 full", { ...FULL, links: { "/srv/ws/link": "/etc" } }, "link/passwd", "read", "deny"],
  [
    "P20",
    { forbidden: ["/srv/ws/link"], links: { "/srv/ws/link": "/srv/ws/real" } },
    "/srv/ws/real/x",
    "read",
    "deny",
  ],
  [
    "P20",
    { forbidden: ["/srv/ws/link"], links: { "/srv/ws/link": "/srv/ws/real" } },
    "/srv/ws/link/x",
    "read",
    "deny",
  ],
  [
    "P20 neighbour",
    { forbidden: ["/srv/ws/link"], links: { "/srv/ws/link": "/srv/ws/real" } },
    "/srv/ws/realistic",
    "read",
    "allow",
  ],
  [
    "P21",
    { roots: ["/home/me/p"], links: { "/srv/ws/link": "/home/me/p" } },
    "link/a",
    "write",
    "allow",
  ],
  ["P21 neighbour", { links: { "/srv/ws/link": "/home/me/p" } }, "link/a", "write", "deny"],
  ["P22", { links: { "/srv/ws/loop": "/srv/ws/loop" } }, "loop/x", "read", "deny"],
  [
    "P22 full",
    { ...FULL, links: { "/srv/ws/loop": "/srv/ws/loop" } },
    "loop/x",
    "write",
    "deny",
  ],
  [
    "P23",
    { workspace: "/home/me/link", links: { "/home/me/link": "/srv/ws" } },
    "/srv/ws/a",
    "write",
    "allow",
  ],
  [
    "P23",
    { workspace: "/home/me/link", links: { "/home/me/link": "/srv/ws" } },
    "/home/me/link/a",
    "write",
    "allow",
  ],
  [
    "P23 neighbour",
    { workspace: "/home/me/link", links: { "/home/me/link": "/srv/ws" } },
    "/srv/ws2/a",
    "write",
    "deny",
  ],
  ["P24", {}, "/dev/null", "write", "allow"],
  ["P24", {}, "/dev/null", "read", "allow"],
  ["P24", {}, "/dev/urandom", "read", "allow"],
  ["P24", {}, "/dev/urandom", "write", "deny"],
  ["P24", {}, "/dev/urandom", "read_write", "deny"],
  ["P24", {}, "/dev/sda", "read", "deny"],
  ["P24", {}, "/dev/null/x", "write", "deny"],
  ["P26", { roots: ["shared"] }, "/srv/ws/shared/a", "write", "allow"],
  [
    "P26 under a closed folder",
    { roots: ["shared"], forbidden: ["/srv/ws"] },
    "shared/a",
    "write",
    "allow",
  ],
  ["P26 neighbour", { roots: ["shared"], forbidden: ["/srv/ws"] }, "a", "write", "deny"],
  ["P27", { forbidden: ["**/secrets"] }, "/srv/ws/a/secrets", "read", "allow"],
  ["P27 taken literally", { forbidden: ["**/secrets"] }, "**/secrets/k", "read", "deny"],
  [
    "P28",
    { ...FULL, own: ["/data/alisio"] },
    "/data/alisio/config.json",
    "write",
    "deny",
  ],
  ["P28", { ...FULL, own: ["/data/alisio"] }, "/data/alisio/config.json", "read", "allow"],
  ["P28 neighbour", { ...FULL, own: ["/data/alisio"] }, "/data/alisio2", "write", "allow"],
  [
    "P29",
    { forbidden: ["/srv/ws/Secrets"], same: { "/srv/ws/secrets": "/srv/ws/Secrets" } },
    "/srv/ws/secrets/k",
    "read",
    "deny",
  ],
  ["P29 neighbour", { forbidden: ["/srv/ws/Secrets"] }, "/srv/ws/secrets/k", "read", "allow"],
  [
    "P29 where nothing is there yet",
    { forbidden: ["/srv/ws/Secrets"], platform: "darwin" },
    "/srv/ws/secrets/k",
    "write",
    "deny",
  ],
  [
    "P29 does not open",
    { roots: ["/opt/Shared"], platform: "darwin" },
    "/opt/shared/k",
    "write",
    "deny",
  ],
  ["P30", {}, "/srv/ws/new/dir/f", "write", "allow"],
  [
    "P30 neighbour",
    { links: { "/srv/ws/new": "/etc" } },
    "/srv/ws/new/dir/f",
    "write",
    "deny",
  ],
];

for (const [row, setup, path, access, expected] of ROWS) {
  Deno.test(`judgePolicyPath() ${expected === "allow" ? "allows" : "denies"} ${row}: ${access} ${JSON.stringify(path)} with ${JSON.stringify(setup)}`, () => {
    const verdict = judgePolicyPath(factsOf(path, setup), policyOf(setup), access);
    assert.equal(verdict.allowed, expected === "allow", verdict.rule);
  });
}

Deno.test("judgePolicyPath() tells which rule decided, and by which entry", () => {
  const rows: readonly (readonly [Setup, string, PathAccess, string, string | undefined])[] = [
    [{}, "a", "read", "workspace", "/srv/ws"],
    [{ forbidden: ["~/keys"] }, "/home/me/keys/a", "read", "forbiddenPaths", "~/keys"],
    [{ roots: ["../lib"] }, "/srv/lib/a", "read", "allowedRoots", "../lib"],
    [
      { roots: [{ path: "/ref", access: "read-only" }] },
      "/ref/a",
      "write",
      "allowedRoots",
      "/ref",
    ],
    [NONE, "/x", "read", "workspaceOnly", undefined],
    [{ ...NONE, workspaceOnly: false }, "/x", "read", "unrestricted", undefined],
    [{}, "/dev/null", "write", "device", undefined],
    [{}, "a\0b", "read", "invalid", undefined],
    [{}, "a/../b", "read", "parentFolder", undefined],
    [{}, "~you", "read", "otherHome", undefined],
    [{ own: ["/srv/ws/.alisio"] }, ".alisio/config.json", "write", "ownFiles", undefined],
    [{ links: { "/srv/ws/l": "/srv/ws/l" } }, "l", "read", "unresolved", undefined],
  ];
  for (const [setup, path, access, rule, entry] of rows) {
    const verdict = judgePolicyPath(factsOf(path, setup), policyOf(setup), access);
    assert.deepEqual([verdict.rule, verdict.entry], [rule, entry], path);
  }
});

Deno.test("judgePolicyPath() compares drives and both slashes as Windows does", () => {
  const policy = createPathPolicy({
    workspaceOnly: true,
    platform: "windows",
    entries: [
      windowsEntry("workspace", "C:\\Work\\app"),
      windowsEntry("forbidden", "C:\\Work\\app\\Keys"),
    ],
  });
  const rows = [
    ["c:\\work\\APP\\src", "allow"],
    ["C:/Work/app/src", "allow"],
    ["C:\\Work\\app\\keys\\k", "deny"],
    ["C:\\Work\\app2", "deny"],
    ["C:\\Work\\app\\a\\..\\b", "deny"],
    ["D:\\Work\\app", "deny"],
  ];
  for (const [path = "", expected] of rows) {
    const facts: PolicyPathFacts = {
      requested: path,
      spellings: [path],
      real: path,
      ancestors: [],
      trouble: null,
      isOwnFile: false,
    };
    assert.equal(judgePolicyPath(facts, policy, "read").allowed, expected === "allow", path);
  }
});

Deno.test("pathReason() names no setting, and pathRemedy() names the one that counts", () => {
  const setting = /forbiddenPaths|allowedRoots|workspaceOnly|riskProfiles/;
  const rows: readonly (readonly [Setup, string, PathAccess, RegExp])[] = [
    [{}, "/etc/x", "read", /^leave "\/etc" out of "riskProfiles\.p\.forbiddenPaths", or open /],
    [NONE, "/x", "write", /"riskProfiles\.p\.allowedRoots"/],
    [{ roots: [{ path: "/r", access: "read-only" }] }, "/r/a", "write", /another access/],
    [{ own: ["/srv/ws/own"] }, "own", "write", /edit the file yourself/],
    [{}, "../x", "read", /^open the path yourself: no profile/],
  ];
  for (const [setup, path, access, remedy] of rows) {
    const verdict = judgePolicyPath(factsOf(path, setup), policyOf(setup), access);
    const reason = pathReason(path, verdict, access);
    assert.doesNotMatch(reason, setting);
    assert.ok(reason.includes(JSON.stringify(path)), reason);
    assert.match(pathRemedy("riskProfiles.p", verdict), remedy);
  }
});

function policyOf(setup: Setup): PathPolicy {
  const places = placesOf(setup);
  const platform = setup.platform ?? "linux";
  const parts: Omit<PathEntry, "aliases" | "identity">[] = [
    { kind: "workspace", written: places.workspace, access: "read-write" },
    ...(setup.roots ?? []).map((root) => {
      const { path, access } = typeof root === "string"
        ? { path: root, access: "read-write" as const }
        : root;
      return { kind: "root" as const, written: path, access };
    }),
    ...(setup.forbidden ?? UNIX).map((written) => ({
      kind: "forbidden" as const,
      written,
      access: null,
    })),
  ];
  const entries = parts.map((part) => {
    const absolute = expandPath(part.written, places) ?? "";
    const aliases = [absolute, follow(absolute, setup) ?? absolute];
    return { ...part, aliases, identity: identityOf(absolute, setup) };
  });
  return createPathPolicy({ workspaceOnly: setup.workspaceOnly ?? true, entries, platform });
}

function factsOf(requested: string, setup: Setup): PolicyPathFacts {
  const absolute = expandPath(requested, placesOf(setup)) ?? "";
  const real = follow(absolute, setup);
  const ancestors: { path: string; identity: string }[] = [];
  for (let path = real ?? "/"; path !== "/"; path = posix.dirname(path)) {
    ancestors.push({ path, identity: identityOf(path, setup) });
  }
  return {
    requested,
    spellings: [absolute],
    real,
    ancestors,
    trouble: real === null ? "path_loop" : null,
    isOwnFile: (setup.own ?? []).some((own) => `${real}/`.startsWith(`${own}/`)),
  };
}

function placesOf(setup: Setup): PolicyPlaces {
  return { workspace: setup.workspace ?? "/srv/ws", home: "/home/me" };
}

/** Follows the links of a setup; `null` for a cycle. */
function follow(absolute: string, setup: Setup): string | null {
  let path = absolute;
  for (let hops = 0; hops < 40; hops++) {
    const link = Object.entries(setup.links ?? {}).find(([from]) =>
      `${path}/`.startsWith(`${from}/`)
    );
    if (link === undefined) return path;
    path = link[1] + path.slice(link[0].length);
  }
  return null;
}

function identityOf(path: string, setup: Setup): string {
  return setup.same?.[path] ?? path;
}

function windowsEntry(kind: "workspace" | "forbidden", path: string): PathEntry {
  const access = kind === "workspace" ? "read-write" : null;
  return { kind, written: path, access, aliases: [path], identity: null };
}
