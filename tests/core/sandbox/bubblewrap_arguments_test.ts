import assert from "node:assert/strict";
import { bubblewrapArguments, placeholdersOf } from "../../../core/sandbox/bubblewrap_arguments.ts";
import type { SandboxPlan } from "../../../core/sandbox/sandbox_plan.ts";

const PROGRAM = { program: "make", args: ["-j", "2"], cwd: "/ws" };

const PLAN: SandboxPlan = {
  entries: [
    { path: "/usr", kind: "folder", access: "read-only" },
    { path: "/tmp", kind: "folder", access: "private" },
    { path: "/ws", kind: "folder", access: "read-write" },
    { path: "/drop", kind: "folder", access: "write-only" },
    { path: "/ws/.env", kind: "file", access: "closed" },
    { path: "/ws/secrets", kind: "folder", access: "closed" },
    { path: "/ws/later", kind: "missing", access: "closed" },
    { path: "/ws/.alisio", kind: "missing", access: "read-only" },
  ],
  links: [{ path: "/bin", real: "/usr/bin" }],
  network: "closed",
};

Deno.test("bubblewrapArguments() mounts the plan, the outer folders first", () => {
  assert.deepEqual(bubblewrapArguments(PLAN, PROGRAM), [
    ...["--unshare-pid", "--unshare-ipc", "--unshare-net"],
    ...["--die-with-parent", "--new-session", "--cap-drop", "ALL"],
    ...["--proc", "/proc"],
    ...["/proc/sys", "/proc/fs", "/proc/acpi"].flatMap((path) => ["--ro-bind-try", path, path]),
    ...["--dev", "/dev"],
    ...["--dir", "/run", "--dir", "/var", "--symlink", "/tmp", "/var/tmp"],
    ...["--symlink", "/usr/bin", "/bin"],
    ...["--ro-bind-try", "/usr", "/usr", "--tmpfs", "/tmp"],
    ...["--bind-try", "/ws", "/ws", "--bind-try", "/drop", "/drop"],
    ...["--ro-bind", "/dev/null", "/ws/.env"],
    ...["--perms", "0000", "--tmpfs", "/ws/secrets"],
    ...["--perms", "0555", "--tmpfs", "/ws/later", "--perms", "0555", "--tmpfs", "/ws/.alisio"],
    ...["--remount-ro", "/ws/secrets", "--remount-ro", "/ws/later", "--remount-ro", "/ws/.alisio"],
    ...["--remount-ro", "/", "--chdir", "/ws"],
    ...["--", "make", "-j", "2"],
  ]);
});

Deno.test("bubblewrapArguments() leaves the network where the plan opens it", () => {
  const args = bubblewrapArguments({ ...PLAN, network: "open" }, PROGRAM);
  assert.equal(args.includes("--unshare-net"), false);
});

Deno.test("bubblewrapArguments() lets through to what is open below something closed", () => {
  const entries: SandboxPlan["entries"] = [
    { path: "/a", kind: "folder", access: "closed" },
    { path: "/a/b", kind: "folder", access: "read-only" },
    { path: "/ab", kind: "folder", access: "closed" },
  ];
  const args = bubblewrapArguments({ ...PLAN, entries }, PROGRAM).join(" ");
  assert.match(
    args,
    / --perms 0111 --tmpfs \/a --ro-bind-try \/a\/b \/a\/b --perms 0000 --tmpfs \/ab /,
  );
});

Deno.test("bubblewrapArguments() keeps the system's own folders over a root of everything", () => {
  const entries: SandboxPlan["entries"] = [{ path: "/", kind: "folder", access: "read-only" }];
  const args = bubblewrapArguments({ entries, links: [], network: "closed" }, PROGRAM).join(" ");
  assert.match(
    args,
    / --ro-bind-try \/ \/ --proc \/proc .*--dev \/dev --tmpfs \/tmp --remount-ro \/ /,
  );
});

Deno.test("placeholdersOf() names what is held by a folder that was not there", () => {
  assert.deepEqual(placeholdersOf(PLAN), ["/ws/later", "/ws/.alisio"]);
});
