import assert from "node:assert/strict";
import { copyText } from "../../../tui/clipboard/copy_text.ts";
import { readClipboardImage } from "../../../tui/clipboard/read_image.ts";
import { withTempDir } from "../../support/temp.ts";

const ignore = Deno.build.os === "windows";
const TEXT = "línea 1\nhéllo 👍 \x1b]0;x\x07";

interface Place {
  readonly dir: string;
  readonly env: Record<string, string>;
  readonly written: string[];
  /** Puts a program into the path. */
  readonly add: (name: string, script: string) => Promise<void>;
  readonly copy: (text: string, env?: Record<string, string>, os?: typeof Deno.build.os) => Promise<
    string
  >;
  readonly read: (env: Record<string, string>, os?: typeof Deno.build.os) => Promise<unknown>;
}

async function withPlace(fn: (place: Place) => Promise<void>): Promise<void> {
  await withTempDir(async (dir) => {
    const bin = `${dir}/bin`;
    await Deno.mkdir(bin, { mode: 0o755 });
    const env = { PATH: bin, HOME: dir, SECRET_TOKEN: "hidden", LD_PRELOAD: "/nowhere.so" };
    const written: string[] = [];
    const exclude = [`${dir}/workspace`];
    const write = (sequence: string) => void written.push(sequence);
    await fn({
      dir,
      env,
      written,
      async add(name, script) {
        await Deno.writeTextFile(`${bin}/${name}`, `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`);
        await Deno.chmod(`${bin}/${name}`, 0o755);
      },
      copy: (text, more = {}, os = "linux") =>
        copyText(text, { env: { ...env, ...more }, exclude, write, os }),
      read: (more, os = "linux") =>
        readClipboardImage({ env: { ...env, ...more }, exclude, maxBytes: 64, os }),
    });
  });
}

const TOOLS: readonly (readonly [
  program: string,
  env: Record<string, string>,
  os: typeof Deno.build.os,
  args: string,
])[] = [
  ["wl-copy", { WAYLAND_DISPLAY: "wayland-0" }, "linux", ""],
  ["xclip", { DISPLAY: ":0" }, "linux", "-selection clipboard"],
  ["xsel", { DISPLAY: ":0" }, "linux", "-b -i"],
  ["pbcopy", {}, "darwin", ""],
  ["tmux", { TMUX: "/tmp/tmux,1,0" }, "linux", "load-buffer -w -"],
];

for (const [program, env, os, args] of TOOLS) {
  Deno.test(
    { name: `copyText() copies with ${program}`, ignore },
    () =>
      withPlace(async ({ add, copy, dir, written }) => {
        await add(program, `cat >${dir}/copied; echo "$*" >${dir}/args; env >${dir}/env`);
        assert.equal(await copy(TEXT, env, os), `Copied (${program})`);
        assert.equal(await Deno.readTextFile(`${dir}/copied`), TEXT);
        assert.equal((await Deno.readTextFile(`${dir}/args`)).trim(), args);
        assert.doesNotMatch(await Deno.readTextFile(`${dir}/env`), /SECRET_TOKEN|LD_PRELOAD/);
        assert.deepEqual(written, []);
      }),
  );
}

for (const [os, env] of [["windows", {}], ["linux", { WSL_DISTRO_NAME: "Debian" }]] as const) {
  Deno.test(
    { name: `copyText() copies with clip.exe on ${os}`, ignore },
    () =>
      withPlace(async ({ add, copy, dir }) => {
        await add("clip.exe", `cat >${dir}/copied`);
        assert.equal(await copy(TEXT, env, os), "Copied (clip.exe)");
        const bytes = await Deno.readFile(`${dir}/copied`);
        assert.equal(new TextDecoder("utf-16le").decode(bytes), TEXT);
        assert.deepEqual([...bytes.slice(0, 2)], [0xff, 0xfe]);
      }),
  );
}

Deno.test(
  { name: "copyText() goes on to the next program, and at last to the terminal", ignore },
  () =>
    withPlace(async ({ add, copy, dir, written }) => {
      await add("wl-copy", "exit 1");
      await add("xclip", `echo $$ >${dir}/pid; exec sleep 60`);
      const env = { WAYLAND_DISPLAY: "wayland-0", DISPLAY: ":0", TMUX: "x" };
      assert.equal(await copy("text", env), "Copied (OSC 52, unverified)");
      assert.deepEqual(written, [`\x1b]52;c;${btoa("text")}\x07`]);
      const pid = Number(await Deno.readTextFile(`${dir}/pid`));
      assert.throws(() => Deno.kill(pid, "SIGCONT"));
    }),
);

Deno.test(
  { name: "copyText() trusts no desktop of a machine that is far away", ignore },
  () =>
    withPlace(async ({ add, copy }) => {
      await add("pbcopy", "cat >/dev/null");
      const env = { SSH_CONNECTION: "192.0.2.1 1 192.0.2.2 22" };
      assert.equal(await copy("text", env, "darwin"), "Copied (OSC 52, unverified)");
    }),
);

Deno.test(
  { name: "copyText() says when nothing takes as much", ignore },
  () =>
    withPlace(async ({ copy, written }) => {
      await assert.rejects(() => copy("x".repeat(1_000_001)), RangeError);
      assert.deepEqual(written, []);
    }),
);

Deno.test(
  { name: "copyText() runs no program of the workspace", ignore },
  () =>
    withPlace(async ({ copy, dir, env }) => {
      await Deno.mkdir(`${dir}/workspace`);
      await Deno.writeTextFile(`${dir}/workspace/pbcopy`, `#!/bin/sh\n/bin/touch ${dir}/ran\n`, {
        mode: 0o755,
      });
      const path = { PATH: `${dir}/workspace:${env.PATH}` };
      assert.equal(await copy("x", path, "darwin"), "Copied (OSC 52, unverified)");
      await assert.rejects(() => Deno.stat(`${dir}/ran`));
    }),
);

const PNG = "\x89PNG\r\n\x1a\n";
const BYTES = Uint8Array.from(PNG, (character) => character.charCodeAt(0));

Deno.test(
  { name: "readClipboardImage() reads what each desktop holds", ignore },
  () =>
    withPlace(async ({ add, read, dir }) => {
      await Deno.writeFile(`${dir}/image`, BYTES);
      const list = "printf 'text/plain\\nimage/webp\\nimage/png\\n'";
      await add(
        "wl-paste",
        `case "$1" in --list-types) ${list};; *) test "$2" = image/webp && cat ${dir}/image;; esac`,
      );
      await add(
        "xclip",
        `case "$5" in TARGETS) echo image/png;; image/png) cat ${dir}/image;; *) exit 1;; esac`,
      );
      await add("osascript", `printf '«data PNGf${BYTES.toHex().toUpperCase()}»\\n'`);
      await add("powershell.exe", `echo ${BYTES.toBase64()}`);
      const image = { status: "image", bytes: BYTES };
      assert.deepEqual(await read({ WAYLAND_DISPLAY: "w" }), image);
      assert.deepEqual(await read({ DISPLAY: ":0" }), image);
      assert.deepEqual(await read({}, "darwin"), image);
      assert.deepEqual(await read({}, "windows"), image);
      assert.deepEqual(await read({ WSL_INTEROP: "x" }), image);
      await add("pngpaste", "exit 1");
      assert.deepEqual(await read({}, "darwin"), { status: "none" });
    }),
);

Deno.test(
  { name: "readClipboardImage() tells no image from no way to look", ignore },
  () =>
    withPlace(async ({ add, read }) => {
      assert.deepEqual(await read({}), { status: "unavailable" });
      assert.deepEqual(await read({ DISPLAY: ":0" }), { status: "unavailable" });
      await add("xclip", "echo UTF8_STRING");
      assert.deepEqual(await read({ DISPLAY: ":0" }), { status: "none" });
      await add("xclip", `case "$5" in TARGETS) echo image/png;; *) head -c 9999 /dev/zero;; esac`);
      assert.deepEqual(await read({ DISPLAY: ":0" }), { status: "none" });
      // What goes on in the background holds the stream.
      await add("xclip", `case "$5" in TARGETS) sleep 61 & echo image/png;; esac`);
      assert.deepEqual(await read({ DISPLAY: ":0" }), { status: "none" });
      await add("powershell.exe", "echo 'no base64 at all!'");
      assert.deepEqual(await read({}, "windows"), { status: "none" });
    }),
);
