import { deepEqual, equal, match, throws } from "node:assert/strict";
import { join } from "node:path";
import { checkProductFolders } from "../../../core/config/product_folders.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

const POSIX = Deno.build.os !== "windows";

Deno.test("checkProductFolders() takes folders, links to them, and what does not exist yet", async () => {
  await withTempDir(async (dir) => {
    const env = { ALISIO_CONFIG_HOME: join(dir, "config"), ALISIO_STATE_HOME: join(dir, "state") };
    deepEqual(checkProductFolders(env), []);
    await Deno.mkdir(join(dir, "real"), { mode: 0o700 });
    await Deno.symlink("real", join(dir, "config"));
    await Deno.symlink("real", join(dir, "state"));
    deepEqual(checkProductFolders(env), []);
    // Whoever needs a folder that nothing names says so.
    deepEqual(checkProductFolders({}), []);
    deepEqual(checkProductFolders({ ALISIO_STATE_HOME: "relative" }), []);
  });
});

Deno.test("checkProductFolders() refuses whatever else is in their place, by name", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { file: "" });
    await Deno.symlink("nowhere", join(dir, "dangling"));
    const rows = [
      ["file", /: it is not a folder; move it away, or set "ALISIO_/],
      ["file/below", /: a part of the path is not a folder; move it away/],
      ["dangling", /: it is a link to something that does not exist; move/],
    ] as const;
    for (const [name, reason] of rows) {
      for (const [variable, what] of [["CONFIG", "configuration"], ["STATE", "state"]]) {
        const env = {
          ALISIO_CONFIG_HOME: join(dir, "config"),
          ALISIO_STATE_HOME: join(dir, "state"),
          [`ALISIO_${variable}_HOME`]: join(dir, name),
        };
        throws(() => checkProductFolders(env), (error: Error & { code?: string }) => {
          equal(error.code, "config_invalid");
          match(error.message, new RegExp(`^Cannot use the ${what} folder ".*${name}"`));
          match(error.message, reason);
          match(error.message, new RegExp(`set "ALISIO_${variable}_HOME" to a folder$`));
          return true;
        });
      }
    }
  });
});

Deno.test({
  name: "checkProductFolders() closes a state folder to other users, and says so once",
  ignore: !POSIX,
  fn: async () => {
    await withTempDir(async (dir) => {
      const state = join(dir, "state");
      const env = { ALISIO_CONFIG_HOME: join(dir, "config"), ALISIO_STATE_HOME: state };
      await writeTree(dir, { "state/sessions.sqlite": "" });
      for (const mode of [0o755, 0o777, 0o710, 0o701]) {
        await Deno.chmod(state, mode);
        deepEqual(checkProductFolders(env), [
          `Other users could look into "${state}"; its mode is now 0700`,
        ]);
        equal(await modeOf(state), 0o700);
        deepEqual(checkProductFolders(env), []);
      }
      deepEqual((await Array.fromAsync(Deno.readDir(state))).map(({ name }) => name), [
        "sessions.sqlite",
      ]);
    });
  },
});

Deno.test({
  name: "checkProductFolders() leaves a folder alone that has another purpose too",
  ignore: !POSIX,
  fn: async () => {
    await withTempDir(async (dir) => {
      const rows = [["shared", 0o1777], ["users", 0o755], ["users/home", 0o755]] as const;
      const env = { HOME: join(dir, "users/home") };
      await Deno.mkdir(env.HOME, { recursive: true });
      for (const [name, mode] of rows) {
        const path = join(dir, name);
        await Deno.mkdir(path, { recursive: true });
        await Deno.chmod(path, mode);
        deepEqual(checkProductFolders({ ...env, ALISIO_STATE_HOME: path }), []);
        equal(await modeOf(path), mode);
      }
    });
  },
});

Deno.test({
  name: "checkProductFolders() leaves folders alone that the whole system knows",
  ignore: !POSIX || Deno.uid() !== 0,
  fn: async () => {
    for (const path of ["/", "/var"]) {
      const mode = await modeOf(path);
      deepEqual(checkProductFolders({ HOME: "/no-such-home", ALISIO_STATE_HOME: path }), []);
      equal(await modeOf(path), mode);
    }
  },
});

Deno.test({
  name: "checkProductFolders() leaves the folder of another user alone",
  ignore: !POSIX || Deno.uid() !== 0,
  fn: async () => {
    await withTempDir(async (dir) => {
      const path = join(dir, "theirs");
      await Deno.mkdir(path);
      await Deno.chmod(path, 0o777);
      await Deno.chown(path, 65_534, 65_534);
      deepEqual(checkProductFolders({ HOME: dir, ALISIO_STATE_HOME: path }), []);
      equal(await modeOf(path), 0o777);
    });
  },
});

async function modeOf(path: string): Promise<number> {
  return ((await Deno.stat(path)).mode ?? 0) & 0o7777;
}
