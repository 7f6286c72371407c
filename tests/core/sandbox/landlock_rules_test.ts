import assert from "node:assert/strict";
import { landlockRules } from "../../../core/sandbox/landlock_rules.ts";
import type { SandboxPlan } from "../../../core/sandbox/sandbox_plan.ts";
import { RIGHT, WRITE_RIGHTS } from "../../../core/wall/landlock_rights.ts";

/** Folders by their names; what is not in it is a file. */
const TREE: Readonly<Record<string, readonly string[]>> = {
  "/etc": ["passwd", "shadow", "ssl"],
  "/etc/ssl": ["certs", "private"],
  "/etc/ssl/certs": [],
  "/etc/ssl/private": [],
  "/ws": [],
  "/out": [],
  "/temp": [],
};

const PORTS = {
  kindOf: (path: string) =>
    path === "/gone" ? null : TREE[path] ? "directory" as const : "file" as const,
  namesIn: (path: string) => TREE[path] ?? [],
};

const PLAN: SandboxPlan = {
  entries: [
    { path: "/etc", kind: "folder", access: "read-only" },
    { path: "/gone", kind: "folder", access: "read-only" },
    { path: "/home", kind: "folder", access: "private" },
    { path: "/ws", kind: "folder", access: "read-write" },
    { path: "/out", kind: "folder", access: "write-only" },
    { path: "/etc/shadow", kind: "file", access: "closed" },
    { path: "/etc/ssl/private", kind: "folder", access: "closed" },
    { path: "/ws/secrets", kind: "folder", access: "closed" },
  ],
  links: [],
  network: "closed",
};

const READ = RIGHT.execute | RIGHT.readFile | RIGHT.readDir;

function rightsIn(abi: number, plan = PLAN): ReadonlyMap<string, number> {
  const { paths } = landlockRules(plan, "/temp", abi, PORTS);
  return new Map(paths.map(({ path, rights }) => [path, rights]));
}

Deno.test("landlockRules() opens a folder without what is closed in it, name by name", () => {
  assert.deepEqual([...rightsIn(7).keys()], [
    ...["/etc/passwd", "/etc/ssl/certs", "/ws", "/out"],
    ...["/proc", "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/temp"],
  ]);
});

Deno.test("landlockRules() gives each folder what it is open for, and no device file", () => {
  const rights = rightsIn(7);
  const write = (WRITE_RIGHTS | RIGHT.refer | RIGHT.truncate) & ~RIGHT.makeChar & ~RIGHT.makeBlock;
  assert.equal(rights.get("/etc/ssl/certs"), READ);
  assert.equal(rights.get("/etc/passwd"), RIGHT.execute | RIGHT.readFile);
  assert.equal(rights.get("/ws"), READ | write);
  assert.equal(rights.get("/out"), write);
  assert.equal(rights.get("/temp"), READ | write);
  assert.equal(rights.get("/dev/urandom"), RIGHT.readFile);
  assert.equal(rights.has("/dev/tty"), false);
});

Deno.test("landlockRules() asks of a version only what it knows", () => {
  const of = (abi: number, network: SandboxPlan["network"] = "closed") => {
    const { handledFs, handledNet, scoped } = landlockRules(
      { ...PLAN, network },
      "/temp",
      abi,
      PORTS,
    );
    return { handledFs, handledNet, scoped };
  };
  const first = READ | WRITE_RIGHTS;
  const third = first | RIGHT.refer | RIGHT.truncate;
  assert.deepEqual(of(1), { handledFs: first, handledNet: 0, scoped: 0 });
  assert.deepEqual(of(2), { handledFs: first | RIGHT.refer, handledNet: 0, scoped: 0 });
  assert.deepEqual(of(3), { handledFs: third, handledNet: 0, scoped: 0 });
  assert.deepEqual(of(4), { handledFs: third, handledNet: 3, scoped: 0 });
  assert.deepEqual(of(6), { handledFs: third, handledNet: 3, scoped: 3 });
  assert.deepEqual(of(6, "open"), { handledFs: third, handledNet: 0, scoped: 3 });
});
