import assert from "node:assert/strict";
import { GROUP_GUARD_VARIABLE, GroupGuard } from "../../../core/process/group_guard.ts";
import { startGroupGuard } from "../../../core/process/start_group_guard.ts";
import { withTempDir } from "../../support/temp.ts";

const ignore = Deno.build.os !== "linux";

/** Calls `fn` with a guard, and where it reads its orders. */
async function withGuard(
  fn: (guard: GroupGuard, orders: Deno.FsFile, folder: string) => Promise<void>,
): Promise<void> {
  await withTempDir(async (folder) => {
    const path = startGroupGuard(folder)[GROUP_GUARD_VARIABLE] ?? "";
    const orders = await Deno.open(path, { read: true, write: true });
    await fn(new GroupGuard(orders), orders, folder);
  });
}

/** Starts a program that ends at no request, and waits until it is that. */
async function startStubborn(
  variable: Readonly<Record<string, string>> = {},
): Promise<Deno.ChildProcess> {
  const child = new Deno.Command("sh", {
    args: ["-c", "trap '' TERM; echo; exec sleep 600 >&-"],
    env: variable,
    stdin: "null",
    stdout: "piped",
    stderr: "null",
    detached: true,
  }).spawn();
  await Array.fromAsync(child.stdout);
  return child;
}

function spawnSleep(variable: Readonly<Record<string, string>>): Deno.ChildProcess {
  return new Deno.Command("sleep", {
    args: ["600"],
    env: variable,
    stdin: "null",
    stdout: "null",
    stderr: "null",
    detached: true,
  }).spawn();
}

Deno.test({
  name: "GroupGuard asks, kills and ends with its agent what was started under it",
  ignore,
  async fn() {
    await withGuard(async (guard, orders) => {
      const asked = guard.start(spawnSleep);
      asked.group.ask();
      assert.equal((await asked.child.status).signal, "SIGTERM");
      const killed = guard.start(spawnSleep);
      killed.group.kill();
      assert.equal((await killed.child.status).signal, "SIGKILL");
      const left = guard.start(spawnSleep);
      orders.close();
      assert.equal((await left.child.status).signal, "SIGKILL");
    });
  },
});

Deno.test({
  name: "GroupGuard ends what is asked in vain",
  ignore,
  async fn() {
    await withGuard(async (_guard, orders) => {
      const mark = crypto.randomUUID();
      const child = await startStubborn();
      const text = `mark ${mark}\ngroup ${mark} ${child.pid}\nleave ${mark}\n`;
      orders.writeSync(new TextEncoder().encode(text));
      assert.equal((await child.status).signal, "SIGKILL");
      orders.close();
    });
  },
});

Deno.test({
  name: "GroupGuard takes no orders about processes of anybody else",
  ignore,
  async fn() {
    await withGuard(async (guard, orders) => {
      const { stdout } = await new Deno.Command("sh", {
        args: ["-c", "setsid sh -c 'echo $$; exec sleep 600 >&-' &"],
        stdin: "null",
        stderr: "null",
      }).output();
      const stranger = Number(new TextDecoder().decode(stdout));
      assert.ok(stranger > 1);
      try {
        const mark = crypto.randomUUID();
        const words = [
          `mark ${mark}`,
          `group ${mark} ${stranger}`,
          `ask ${mark}`,
          `kill ${mark}`,
          "mark ",
          "kill ",
          "mark =",
          "kill =",
          `group ${mark} 1`,
          `kill ${mark}`,
          `group ${mark} -1`,
          `kill ${mark}`,
        ];
        orders.writeSync(new TextEncoder().encode(`${words.join("\n")}\n`));
        const own = guard.start(spawnSleep);
        orders.close();
        assert.equal((await own.child.status).signal, "SIGKILL");
        Deno.kill(stranger, 0);
      } finally {
        Deno.kill(stranger, "SIGKILL");
      }
    });
  },
});
