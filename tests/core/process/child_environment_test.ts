import assert from "node:assert/strict";
import { childEnvironment } from "../../../core/process/child_environment.ts";

const FIXED = childEnvironment({});

Deno.test("childEnvironment() passes a short list on and nothing else", () => {
  const passed = {
    HOME: "/home/ada",
    USER: "ada",
    LOGNAME: "ada",
    SHELL: "/bin/zsh",
    LANG: "de_DE.UTF-8",
    LC_ALL: "C",
    LC_CTYPE: "C",
    TZ: "Europe/Berlin",
    TMPDIR: "/tmp/ada",
    XDG_CONFIG_HOME: "/home/ada/.config",
    XDG_RUNTIME_DIR: "/run/user/1",
    CI: "true",
    SystemRoot: "C:\\Windows",
    ComSpec: "C:\\Windows\\System32\\cmd.exe",
    "ProgramFiles(x86)": "C:\\Program Files (x86)",
  };
  const refused = {
    OPENAI_API_KEY: "sk-1",
    HOME_TOKEN: "t",
    AWS_SECRET_ACCESS_KEY: "s",
    GITHUB_TOKEN: "g",
    LD_PRELOAD: "/tmp/evil.so",
    LD_LIBRARY_PATH: "/opt/lib",
    DYLD_INSERT_LIBRARIES: "/tmp/evil.dylib",
    BASH_ENV: "/tmp/evil.sh",
    ENV: "/tmp/evil.sh",
    "BASH_FUNC_ls%%": "() { evil; }",
    NODE_OPTIONS: "--require /tmp/evil.js",
    GIT_DIR: "/elsewhere/.git",
    GIT_EXTERNAL_DIFF: "/tmp/evil",
    GIT_CONFIG_COUNT: "1",
    GIT_SSH_COMMAND: "evil",
    RIPGREP_CONFIG_PATH: "/tmp/rgrc",
    EDITOR: "vim",
    VISUAL: "vim",
    SSH_AUTH_SOCK: "/tmp/agent",
    HTTPS_PROXY: "http://user:password@proxy",
    LC_evil: "x",
    LC_TOKEN: "t",
    LC_PASSWORD: "p",
    XDG_SESSION_COOKIE: "c",
    FORCE_COLOR: "1",
    ALISIO_API_KEY: "k",
  };
  assert.deepEqual(childEnvironment({ ...passed, ...refused }), { ...FIXED, ...passed });
});

Deno.test("childEnvironment() suppresses prompts, whatever the parent says (field case 83)", () => {
  const child = childEnvironment({
    TERM: "xterm-256color",
    PAGER: "less",
    GIT_PAGER: "delta",
    GIT_TERMINAL_PROMPT: "1",
    GIT_ASKPASS: "/usr/bin/ksshaskpass",
    SSH_ASKPASS: "/usr/bin/ksshaskpass",
  });
  assert.deepEqual(child, {
    TERM: "dumb",
    NO_COLOR: "1",
    PAGER: "cat",
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "",
    SSH_ASKPASS: "false",
    SSH_ASKPASS_REQUIRE: "force",
    DEBIAN_FRONTEND: "noninteractive",
  });
});

Deno.test({
  name: "childEnvironment() drops the relative entries of PATH (field case 103)",
  ignore: Deno.build.os === "windows",
  fn() {
    const rows = [
      ["/usr/bin:/bin", "/usr/bin:/bin"],
      [".:/usr/bin", "/usr/bin"],
      [":/usr/bin:", "/usr/bin"],
      ["bin:./x:../y:/bin", "/bin"],
      ["", ""],
    ] as const;
    for (const [path, expected] of rows) {
      assert.equal(childEnvironment({ PATH: path })["PATH"], expected, path);
    }
  },
});
