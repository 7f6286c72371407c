import assert from "node:assert/strict";
import { join } from "node:path";
import { ROOT } from "../support/paths.ts";
import { withTempDir } from "../support/temp.ts";

const IGNORED = Deno.build.os === "windows";

/** Programs of the system that the script may use; `uname` is another one in each test. */
const PROGRAMS = ["awk", "cat", "chmod", "cp", "grep", "mkdir", "mktemp", "mv", "rm", "sh"];
const LOADERS = ["curl", "wget"];
const CHECKERS = ["sha256sum", "openssl", "shasum"];

const LINUX = "alisio-x86_64-unknown-linux-gnu";

interface Scene {
  readonly dir: string;
  /** Where the release is. */
  readonly url: string;
  /** Files of the release, by name. */
  readonly files: Map<string, string>;
  /** Names that were asked for. */
  readonly asked: string[];
  /** Writes the checksums of all files. */
  sum(): Promise<void>;
  /** Runs the script. */
  install(options?: InstallOptions): Promise<Installed>;
}

interface InstallOptions {
  readonly args?: readonly string[];
  /** What `uname -s` and `uname -m` print. */
  readonly uname?: readonly [string, string];
  /** Programs beside the usual ones. */
  readonly programs?: readonly string[];
  /** Programs of the test's own, by name. */
  readonly scripts?: Readonly<Record<string, string>>;
}

interface Installed {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

async function withRelease(fn: (scene: Scene) => Promise<void>): Promise<void> {
  await withTempDir(async (dir) => {
    const files = new Map([[LINUX, program("1.2.3")]]);
    const asked: string[] = [];
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request) => {
        const name = new URL(request.url).pathname.replace("/v1/", "");
        asked.push(name);
        const content = files.get(name);
        return content === undefined ? new Response(null, { status: 404 }) : new Response(content);
      },
    );
    const url = `http://127.0.0.1:${server.addr.port}/v1`;
    let count = 0;
    const scene: Scene = {
      dir,
      url,
      files,
      asked,
      sum: async () => {
        files.delete("SHA256SUMS");
        const lines = await Promise.all([...files].map(async ([name, content]) => {
          const bytes = new TextEncoder().encode(content);
          const digest = await crypto.subtle.digest("SHA-256", bytes);
          return `${new Uint8Array(digest).toHex()}  ${name}\n`;
        }));
        files.set("SHA256SUMS", lines.join(""));
      },
      install: async ({ args = ["--from", url], uname, programs, scripts = {} } = {}) => {
        const bin = join(dir, `bin-${count++}`);
        await fillPath(bin, programs ?? [await firstOf(LOADERS), await firstOf(CHECKERS)], {
          uname: `[ "$1" = -s ] && echo ${uname?.[0] ?? "Linux"} || echo ${uname?.[1] ?? "x86_64"}`,
          ...scripts,
        });
        await Deno.mkdir(join(dir, "tmp"), { recursive: true });
        const { code, stdout, stderr } = await new Deno.Command("sh", {
          args: [join(ROOT, "install.sh"), ...args],
          cwd: dir,
          clearEnv: true,
          env: { PATH: bin, HOME: join(dir, "home"), TMPDIR: join(dir, "tmp") },
          stdin: "null",
        }).output();
        const decoder = new TextDecoder();
        // Whatever happens, nothing is left behind.
        assert.deepEqual(await namesIn(join(dir, "tmp")), []);
        return { status: code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
      },
    };
    await scene.sum();
    await fn(scene);
  });
}

/** A `PATH` that holds only what is named. */
async function fillPath(
  bin: string,
  programs: readonly string[],
  scripts: Readonly<Record<string, string>>,
): Promise<void> {
  await Deno.mkdir(bin);
  for (const name of [...PROGRAMS, ...programs]) {
    if (scripts[name] === undefined) await Deno.symlink(await find(name), join(bin, name));
  }
  for (const [name, script] of Object.entries(scripts)) {
    await Deno.writeTextFile(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
}

async function find(name: string): Promise<string> {
  for (const folder of (Deno.env.get("PATH") ?? "").split(":")) {
    const path = join(folder, name);
    if (await Deno.stat(path).then(({ isFile }) => isFile, () => false)) return path;
  }
  throw new Error(`"${name}" is not installed on this machine`);
}

async function firstOf(names: readonly string[]): Promise<string> {
  for (const name of names) if (await isThere(name)) return name;
  throw new Error(`None of ${names.join(", ")} is installed on this machine`);
}

async function isThere(name: string): Promise<boolean> {
  return await find(name).then(() => true, () => false);
}

function program(version: string): string {
  return `#!/bin/sh\n[ "$1" = --version ] && echo ${version}\n`;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).toSorted();
}

Deno.test({
  name: "install.sh installs the binary of this system, and replaces the one that is there",
  ignore: IGNORED,
  fn: () =>
    withRelease(async ({ dir, files, asked, sum, install }) => {
      const first = await install();
      const path = join(dir, "home/.local/bin/alisio");
      assert.deepEqual(first, {
        status: 0,
        out: `Installed Alisio 1.2.3 as ${path}\n` +
          `To call it by name, add this folder to your PATH: ${join(dir, "home/.local/bin")}\n`,
        err: "",
      });
      assert.deepEqual(asked, ["SHA256SUMS", LINUX]);
      assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o755);
      files.set(LINUX, program("1.3.0"));
      await sum();
      assert.match((await install()).out, /^Installed Alisio 1\.3\.0 as /);
      assert.equal(await Deno.readTextFile(path), program("1.3.0"));
      assert.deepEqual(await namesIn(join(dir, "home/.local/bin")), ["alisio"]);
    }),
});

Deno.test({
  name: "install.sh takes a folder, with a space in it, and is silent about one in PATH",
  ignore: IGNORED,
  fn: () =>
    withRelease(async ({ dir, url, install }) => {
      const folder = join(dir, "my bin");
      const { status, out } = await install({ args: ["--to", folder, "--from", `${url}/`] });
      assert.equal(status, 0);
      assert.ok(out.startsWith(`Installed Alisio 1.2.3 as ${folder}/alisio\n`), out);
      assert.deepEqual(await namesIn(folder), ["alisio"]);
      const inPath = await install({ args: ["--to", join(dir, "bin-1"), "--from", url] });
      assert.equal(inPath.out, `Installed Alisio 1.2.3 as ${join(dir, "bin-1")}/alisio\n`);
    }),
});

Deno.test({
  name: "install.sh finds the binary of each system",
  ignore: IGNORED,
  fn: () =>
    withRelease(async ({ files, asked, sum, install }) => {
      const rows: readonly (readonly [readonly [string, string], string, string?])[] = [
        [["Linux", "amd64"], LINUX],
        [["Linux", "aarch64"], "alisio-aarch64-unknown-linux-gnu"],
        [["Darwin", "x86_64"], "alisio-x86_64-apple-darwin"],
        [["Darwin", "arm64"], "alisio-aarch64-apple-darwin"],
        [["Darwin", "x86_64"], "alisio-aarch64-apple-darwin", "echo 1"],
      ];
      for (const [, name] of rows) files.set(name, program("2.0.0"));
      await sum();
      for (const [uname, name, sysctl] of rows) {
        const run = await install({ uname, scripts: sysctl === undefined ? {} : { sysctl } });
        assert.equal(run.status, 0, run.err);
        assert.equal(asked.at(-1), name);
      }
    }),
});

Deno.test({
  name: "install.sh installs nothing that is damaged, unnamed, missing or does not start",
  ignore: IGNORED,
  fn: () =>
    withRelease(async ({ dir, files, sum, install }) => {
      await install();
      const path = join(dir, "home/.local/bin/alisio");
      const refuse = async (expected: RegExp, options: InstallOptions = {}) => {
        const run = await install(options);
        assert.equal(run.status, 1, String(expected));
        assert.match(run.err, expected);
        assert.equal(run.out, "");
        // What was installed before is as it was.
        assert.equal(await Deno.readTextFile(path), program("1.2.3"));
        assert.deepEqual(await namesIn(join(dir, "home/.local/bin")), ["alisio"]);
      };
      const sums = files.get("SHA256SUMS") ?? "";
      files.set(LINUX, program("6.6.6"));
      await refuse(/^Cannot install Alisio: the checksum of .* is [0-9a-f]{64}, not [0-9a-f]{64};/);
      files.set("SHA256SUMS", sums + sums);
      await refuse(/SHA256SUMS has no single checksum for alisio-x86_64-unknown-linux-gnu\n$/);
      files.set("SHA256SUMS", sums.slice(2));
      await refuse(/has no single checksum/);
      files.set("SHA256SUMS", sums.replace(LINUX, `${LINUX}.old`));
      await refuse(/SHA256SUMS does not name alisio-x86_64-unknown-linux-gnu\n$/);
      files.delete("SHA256SUMS");
      await refuse(/SHA256SUMS" could not be downloaded\n$/);
      files.set("SHA256SUMS", sums);
      files.delete(LINUX);
      await refuse(/unknown-linux-gnu" could not be downloaded\n$/);
      files.set(LINUX, "#!/bin/sh\nexit 3\n");
      await sum();
      await refuse(/the binary does not start here\n$/);
    }),
});

Deno.test({
  name: "install.sh says why it cannot install, and what to do",
  ignore: IGNORED,
  fn: () =>
    withRelease(async ({ dir, url, asked, install }) => {
      await Deno.writeTextFile(join(dir, "file"), "");
      await Deno.mkdir(join(dir, "taken/alisio"), { recursive: true });
      const rows: readonly (readonly [InstallOptions, RegExp])[] = [
        [{ args: [] }, /--from is missing/],
        [{ args: ["--from"] }, /"--from" lacks its value/],
        [{ args: ["--from", url, "now"] }, /unknown argument "now"/],
        [{ args: ["--from", "http://example.com/v1"] }, /must begin with https:\/\//],
        [{ args: ["--from", "http://127.0.0.1.example.com/"] }, /must begin with https:\/\//],
        [{ args: ["--from", "http://127.0.0.1:80@example.com/"] }, /the address holds a user/],
        [{ args: ["--from", "-K/etc/passwd"] }, /must begin with https:\/\//],
        [{ uname: ["Linux", "riscv64"] }, /no binary for processor "riscv64"; run it with Deno/],
        [{ uname: ["FreeBSD", "amd64"] }, /no binary for system "FreeBSD"/],
        [{ uname: ["MINGW64_NT", "x86_64"] }, /on Windows, take the \.exe/],
        [{ scripts: { ldd: "echo musl libc >&2; exit 1" } }, /no binary for systems with musl/],
        [{ programs: [await firstOf(CHECKERS)] }, /neither curl nor wget is there/],
        [
          { programs: [await firstOf(LOADERS)] },
          /neither sha256sum nor shasum nor openssl is there/,
        ],
        [{ args: ["--from", url, "--to", join(dir, "file")] }, /file" cannot be made/],
        [{ args: ["--from", url, "--to", join(dir, "taken")] }, /alisio" is a folder/],
      ];
      for (const [options, expected] of rows) {
        const { status, out, err } = await install(options);
        assert.equal(status, 1, String(expected));
        assert.match(err, expected);
        assert.match(err, /Cannot install Alisio: [^\n]+\n$/);
        assert.equal(out, "");
      }
      // Of the last two alone it is known only when the file is there.
      assert.deepEqual(asked, ["SHA256SUMS", LINUX, "SHA256SUMS", LINUX]);
      const help = await install({ args: ["--help"] });
      assert.deepEqual([help.status, help.err], [0, ""]);
      assert.match(help.out, /^Usage: sh install\.sh --from URL/);
    }),
});

Deno.test({
  name: "install.sh gets along with whichever programs a system has",
  ignore: IGNORED,
  fn: () =>
    withRelease(async ({ install }) => {
      let count = 0;
      for (const loader of LOADERS) {
        for (const checker of CHECKERS) {
          // The script itself needs one of each; others may be missing on this machine.
          if (!await isThere(loader) || !await isThere(checker)) continue;
          const needed = checker === "shasum" ? ["perl"] : [];
          const { status, err } = await install({ programs: [loader, checker, ...needed] });
          assert.deepEqual([status, err], [0, ""], `${loader} ${checker}`);
          count++;
        }
      }
      assert.ok(count > 0);
    }),
});
