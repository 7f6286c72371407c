import assert from "node:assert/strict";
import { join } from "node:path";
import { findExecutable } from "../../../core/process/find_executable.ts";
import type { UsableBackend } from "../../../core/sandbox/sandbox_backend.ts";
import { isRunning } from "../process/_is_running.ts";
import { BACKENDS, bash, openInWorld, type SandboxWorld, withSandboxWorld } from "./_world.ts";

/** Works, or is closed. */
type Outcome = "works" | "closed";

interface Attempt {
  /** A line of bash that ends with status 0 where it works. */
  readonly script: string;
  /** What is expected of each; one for all. */
  readonly expected: Outcome | Readonly<Partial<Record<UsableBackend, Outcome>>>;
  /** A program that it needs beside bash and Git. */
  readonly needs?: string;
}

/** What no rule of Landlock can close. */
const NOT_BY_LANDLOCK = {
  bubblewrap: "closed",
  landlock: "works",
  "sandbox-exec": "closed",
} as const;
/** What no mount of Bubblewrap can close. */
const NOT_BY_BUBBLEWRAP = {
  bubblewrap: "works",
  landlock: "closed",
  "sandbox-exec": "closed",
} as const;

function connectWith(call: string): string {
  return `python3 -c "import os, socket; it = ('127.0.0.1', int(os.environ['PORT'])); ${call}"`;
}

const ATTEMPTS: Readonly<Record<string, Attempt>> = {
  "read the workspace": { script: "cat a.txt", expected: "works" },
  "write the workspace": {
    script: "echo x > new && mkdir -p d/e && mv new d/e/f",
    expected: "works",
  },
  "rename a file over another": { script: "echo x > t && mv t a.txt", expected: "works" },
  "read a file outside": { script: 'cat "$OUT/secret"', expected: "closed" },
  "read outside through a link": { script: "cat link/secret", expected: "closed" },
  "read outside through a new link": {
    script: 'ln -s "$OUT/secret" l; cat l',
    expected: "closed",
  },
  "read outside through /proc/self/root": {
    script: 'cat "/proc/self/root$OUT/secret"',
    expected: "closed",
  },
  "read outside through another process": {
    script: 'cat /proc/[0-9]*/root"$OUT/secret"',
    expected: "closed",
  },
  "read outside through a hard link": {
    script: 'ln "$OUT/secret" h && cat h',
    expected: "closed",
  },
  "read outside by a script of Node.js": {
    script: `node -e 'require("fs").readFileSync(process.env.OUT + "/secret")'`,
    expected: "closed",
    needs: "node",
  },
  "write outside": { script: 'echo x > "$OUT/new"', expected: "closed" },
  "write outside through a link": { script: "echo x > link/new", expected: "closed" },
  "move a file outside": { script: 'cp a.txt c && mv c "$OUT/c"', expected: "closed" },
  "list what is beside the workspace": {
    script: 'ls "$ROOT" | grep -q outside',
    expected: "closed",
  },
  "read the configuration home": { script: 'cat "$ROOT/config/config.json"', expected: "closed" },
  "read the state home": { script: 'cat "$ROOT/state/sessions.sqlite"', expected: "closed" },
  "write the state home": { script: 'echo x > "$ROOT/state/x"', expected: "closed" },
  "read the home folder": { script: "cat ~/.ssh/id", expected: "closed" },
  "read a forbidden folder in the workspace": {
    script: "cat secrets/key",
    expected: NOT_BY_LANDLOCK,
  },
  "list a forbidden folder": { script: "ls secrets", expected: NOT_BY_LANDLOCK },
  "read a forbidden file": { script: "cat .env", expected: NOT_BY_LANDLOCK },
  "replace a forbidden file": { script: "echo x > r && mv r .env", expected: NOT_BY_LANDLOCK },
  "link a forbidden file": { script: "ln .env e2 && cat e2", expected: NOT_BY_LANDLOCK },
  "rename a forbidden folder": { script: "mv secrets s2 && cat s2/key", expected: NOT_BY_LANDLOCK },
  "rename the folder around a forbidden one": {
    script: "mv nested n2 && cat n2/deep/key",
    expected: NOT_BY_LANDLOCK,
  },
  "use the folder around a forbidden one": {
    script: "cat nested/open.txt && echo x > nested/x",
    expected: "works",
  },
  "make a forbidden folder": {
    script: "mkdir -p later && echo x > later/x",
    expected: NOT_BY_LANDLOCK,
  },
  "uncover a forbidden folder in a namespace of its own": {
    script: "unshare -Urm sh -c 'umount secrets; cat secrets/key'",
    expected: { bubblewrap: "closed" },
    needs: "unshare",
  },
  "write programs that Git starts": {
    script: "echo x > .git/hooks/pre-commit",
    expected: NOT_BY_LANDLOCK,
  },
  "replace the hooks of Git": {
    script: "mv .git/hooks .git/h2 && mkdir .git/hooks",
    expected: NOT_BY_LANDLOCK,
  },
  "write the configuration of Git": {
    script: "git config core.fsmonitor ./x",
    expected: NOT_BY_LANDLOCK,
  },
  "configure Alisio": {
    script: "mkdir -p .alisio && echo '{}' > .alisio/config.json",
    expected: NOT_BY_LANDLOCK,
  },
  "read the system": { script: "cat /etc/passwd && ls /usr/bin", expected: "works" },
  "read a forbidden file of the system": { script: "cat /etc/group", expected: "closed" },
  "read passwords": { script: "cat /etc/shadow", expected: "closed" },
  "write the system": { script: "echo x > /etc/alisio-test", expected: "closed" },
  "write programs of the system": { script: "echo x > /usr/bin/alisio-test", expected: "closed" },
  "change the mode of a program of the system": {
    script: "cp /bin/true t && chmod 700 t && ./t && ! echo x >> /bin/true",
    expected: "works",
  },
  "run a tool of the home folder": { script: "test $(hello) = hello", expected: "works" },
  "write a tool of the home folder": { script: "echo x > ~/tool/bin/hello", expected: "closed" },
  "read a read-only folder": { script: 'cat "$ROOT/reference/doc"', expected: "works" },
  "write a read-only folder": { script: 'echo x > "$ROOT/reference/x"', expected: "closed" },
  "write a write-only folder": { script: 'echo x > "$ROOT/drop/x"', expected: "works" },
  "read a write-only folder": { script: 'cat "$ROOT/drop/old"', expected: NOT_BY_BUBBLEWRAP },
  "use git status": { script: "git status --short", expected: "works" },
  "use git commit": {
    script: "echo y >> a.txt && git add a.txt && git commit -qm y && git log --oneline | grep y",
    expected: "works",
  },
  "use git branches": { script: "git switch -qc topic && git switch -q -", expected: "works" },
  "know who commits": { script: "test $(git config user.name) = Ada", expected: "works" },
  "run Node.js": {
    script: "test $(node -e 'console.log(1 + 1)') = 2",
    expected: "works",
    needs: "node",
  },
  "run Python": {
    script: "test $(python3 -c 'print(1 + 1)') = 2",
    expected: "works",
    needs: "python3",
  },
  "use temporary files": {
    script: 'f=$(mktemp) && echo x > "$f" && test "$(dirname "$f")" = "$TMPDIR"',
    expected: "works",
  },
  "find no files of others among them": {
    script: "echo x > $TMPDIR/left && ! ls $TMPDIR | grep -q alisio-test",
    // Bubblewrap shows there the way to the workspace of this test, and nothing in it.
    expected: { landlock: "works", "sandbox-exec": "works" },
  },
  "have rights of an administrator": {
    script: "! grep -q '^CapEff:.*0000000000000000$' /proc/self/status",
    expected: "closed",
  },
  "change a setting of the kernel": {
    script: "v=$(cat /proc/sys/vm/swappiness) && echo $v > /proc/sys/vm/swappiness",
    expected: "closed",
  },
  "change a setting of the kernel in a namespace of its own": {
    script: "v=$(cat /proc/sys/vm/swappiness) && unshare -Umpf " +
      "sh -c 'umount /proc/sys; mount -t proc x /proc; echo $1 > /proc/sys/vm/swappiness' sh $v",
    expected: "closed",
    needs: "unshare",
  },
  "use the usual devices": {
    script: "head -c 4 /dev/urandom > /dev/null && cat < /dev/null",
    expected: "works",
  },
  "end by a broken pipe": {
    script: "grep -q '^SigIgn:.*[02468ace]...$' /proc/self/status",
    expected: "works",
  },
  "connect to a server of this machine": {
    script: "exec 3<>/dev/tcp/127.0.0.1/$PORT",
    expected: "closed",
  },
  "connect to it over TCP by several paths": {
    script: connectWith("socket.socket(2, 1, 262).connect(it)"),
    expected: "closed",
    needs: "python3",
  },
  "connect to it with the first data": {
    script: connectWith("socket.socket().sendto(b'x', 0x20000000, it)"),
    expected: "closed",
    needs: "python3",
  },
  "send it a datagram": {
    script: "echo x > /dev/udp/127.0.0.1/$PORT",
    // Inside of Bubblewrap that is the sandbox's own machine.
    expected: { landlock: "closed", "sandbox-exec": "closed" },
  },
  "use sockets between its own programs": {
    script: `python3 -c 'import socket; a, b = socket.socketpair(); a.send(b"x"); b.recv(1)'`,
    expected: "works",
    needs: "python3",
  },
  "end a program of the person": { script: "kill -TERM $OTHER", expected: "closed" },
  "look into the environment of another program": {
    script: "cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep '^OTHER_SECRET='",
    expected: "closed",
  },
};

for (const backend of BACKENDS) {
  Deno.test(`Programs in the sandbox "${backend}" reach what is open and nothing else`, async () => {
    for (const [name, { script, expected, needs }] of Object.entries(ATTEMPTS)) {
      const wanted = typeof expected === "string" ? expected : expected[backend];
      if (wanted === undefined || (needs !== undefined && !await isInstalled(needs))) continue;
      // A world of its own: some attempts change what others look at.
      await withSandboxWorld(async (world) => {
        const found = await attempt(backend, world, script);
        assert.equal(found.outcome, wanted, `${name}: ${found.said}`);
        assert.deepEqual(await namesIn(join(world.root, "outside")), ["secret"], name);
        assert.deepEqual(await namesIn(join(world.root, "state")), [
          "sessions.sqlite",
          ...(backend === "bubblewrap" ? [] : ["tmp"]),
        ], name);
        for (const leftover of ["later", ".alisio"]) {
          if (wanted === "closed") assert.equal(await isThere(world, leftover), false, name);
        }
      });
    }
  });

  Deno.test(`Programs in the sandbox "${backend}" write nothing without effect write`, async () => {
    await withSandboxWorld(async (world) => {
      const possible = { write: false, external: false };
      const sandbox = await openInWorld(backend, world, { possible });
      for (
        const [script, works] of [
          ["cat a.txt", true],
          ["git status --short", true],
          ['echo x > "$TMPDIR/x"', true],
          ["echo x > new", false],
          ["git commit -qm z --allow-empty", false],
          ['echo x > "$ROOT/drop/x"', false],
          ['cat "$ROOT/drop/old"', false],
        ] as const
      ) {
        const { exitCode, stderr } = await bash(sandbox, world, script);
        assert.equal(exitCode === 0, works, `${script}: ${stderr}`);
      }
    });
  });

  Deno.test(`Programs in the sandbox "${backend}" have the network with effect external`, async () => {
    await withSandboxWorld(async (world) => {
      const possible = { write: true, external: true };
      const sandbox = await openInWorld(backend, world, { possible });
      using server = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      const accepted = server.accept();
      const { port } = server.addr as Deno.NetAddr;
      const script = `exec 3<>/dev/tcp/127.0.0.1/${port} && cat /etc/resolv.conf`;
      const { exitCode, stderr } = await bash(sandbox, world, script);
      assert.equal(exitCode, 0, stderr);
      (await accepted).close();
    });
  });

  Deno.test(`The sandbox "${backend}" passes the environment on as it is, but for TMPDIR`, async () => {
    await withSandboxWorld(async (world) => {
      const sandbox = await openInWorld(backend, world);
      const env = { PATH: "/usr/bin:/bin", "ODD name": "a=b '\"", EMPTY: "", TMP: "/x", Ü: "ü" };
      const spec = { program: "/usr/bin/env", args: [], env };
      const { stdout } = await bash(sandbox, world, "", spec);
      const found = new Map(
        stdout.split("\n").filter((each) => each !== "").map((each) => {
          const [name = "", ...value] = each.split("=");
          return [name, value.join("=")];
        }),
      );
      const temp = found.get("TMPDIR") ?? "";
      assert.match(temp, /^\/(?:.*\/)?tmp/);
      assert.match(found.get("ALISIO_CALL_ID") ?? "", /^[0-9a-f-]{36}$/);
      for (const name of ["TMPDIR", "ALISIO_CALL_ID", "PWD"]) found.delete(name);
      assert.deepEqual(Object.fromEntries(found), { ...env, TMP: temp });
    });
  });
}

async function attempt(
  backend: UsableBackend,
  world: SandboxWorld,
  script: string,
): Promise<{ readonly outcome: Outcome; readonly said: string }> {
  const sandbox = await openInWorld(backend, world);
  using server = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = server.addr as Deno.NetAddr;
  await using other = new Deno.Command("sleep", {
    args: ["60"],
    env: { OTHER_SECRET: "1" },
  }).spawn();
  const start = `PORT=${port}; OTHER=${other.pid}; `;
  const { exitCode, stdout, stderr } = await bash(sandbox, world, start + script);
  assert.ok(isRunning(other.pid), script);
  return { outcome: exitCode === 0 ? "works" : "closed", said: `${exitCode} ${stdout}${stderr}` };
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(folder)) names.push(name);
  return names.toSorted();
}

async function isThere(world: SandboxWorld, name: string): Promise<boolean> {
  return await Deno.lstat(join(world.workspace, name)).then(() => true, () => false);
}

async function isInstalled(name: string): Promise<boolean> {
  return await findExecutable(name, { path: Deno.env.get("PATH"), exclude: [] }) !== null;
}
