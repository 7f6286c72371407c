import assert from "node:assert/strict";
import { gradeCommand } from "../../../../core/gate/shell/grade_command.ts";
import type { PathArgument } from "../../../../core/gate/shell/command_grade.ts";
import { judgePath } from "../../../../core/paths/judge_path.ts";

/** Whether the path rules would let a command have its paths. */
type Outcome = "ok" | "block";

/** The rows about paths, under their numbers, each with neighbours that end otherwise. */
const TABLE: Readonly<Record<string, readonly (readonly [string, Outcome])[]>> = {
  S1: [
    ["cat src/main.rs", "ok"],
    ["grep -r todo ./src", "ok"],
    ["cat /src/main.rs", "block"],
  ],
  S2: [
    ["cat /etc/passwd", "block"],
    ["cat ../secret", "block"],
    ["find .. -name x", "block"],
    ["find . -name x", "ok"],
  ],
  S3: [
    ["grep --file=/etc/passwd x", "block"],
    ["cat --input=../s", "block"],
    ["grep -f/etc/passwd x", "block"],
    ["grep -rf/etc/passwd x", "block"],
    ["git -C../o status", "block"],
    ["git -C .. status", "block"],
    ["dd if=/etc/passwd", "block"],
    ["curl -d @/etc/passwd x", "block"],
  ],
  S4: [
    ["grep -f./p x", "ok"],
    ["git -C./repo status", "ok"],
    ["gcc -Iinclude/x y.c", "ok"],
    ["gcc -I/include/x y.c", "block"],
  ],
  S5: [
    ["cat ~root/.ssh/id_rsa", "block"],
    ["cat ~/.ssh/id_rsa", "block"],
    ["cd && cat .ssh/id_rsa", "block"],
    ["cd ~; ls", "block"],
  ],
  S6: [
    ["ls ~nobody", "ok"],
    ['echo "about ~20 percent"', "ok"],
    ["ls ~nobody/x", "block"],
  ],
  S7: [
    ["cat </etc/passwd", "block"],
    ["cat</etc/passwd", "block"],
    ["echo x >/etc/p", "block"],
    ["cat <src/main.rs", "ok"],
  ],
  S8: [
    ["cat /etc/passwd>/dev/null", "block"],
    ["cat</dev/null /etc/passwd", "block"],
  ],
  S9: [
    ["ls 2>/dev/null", "ok"],
    ["cat /dev/null", "ok"],
    ["ls 2>/dev/nullx", "block"],
  ],
  S10: [
    ["cat <<EOF\n/etc/x\nEOF", "ok"],
    ["cat <<EOF /etc/x\nbody\nEOF", "block"],
  ],
  S11: [["printf '<<EOF…EOF' /etc/shadow", "block"]],
  S12: [
    ["curl https://a/b", "ok"],
    ["curl file:///etc/passwd", "block"],
  ],
  S13: [
    ["cat out/secret", "block"],
    ["cd out && cat x/y", "block"],
    ["cd src && cat up/secret", "block"],
  ],
  S14: [
    ["touch dangling/new", "block"],
    ["touch loop/new", "block"],
  ],
  S15: [["cat in/main.rs", "ok"]],
  S16: [
    ["grep --file=é/x y", "ok"],
    ["grep -fé/x y", "ok"],
    ["grep -f/é y", "block"],
    ["grep --file=𝒳 -𝒳x/y -é", "ok"],
  ],
  C7: [
    ["/usr/bin/git status", "block"],
    ["./git status", "ok"],
  ],
  patterns: [
    ["cat src/*.rs", "ok"],
    ["cat .?/secret", "block"],
    ["cat .*/secret", "block"],
    ["cat /et*/passwd", "block"],
    ["cat {/etc/passwd,x}", "block"],
    ["cat {src,in}/main.rs", "ok"],
    ["cat {.,src}./secret", "block"],
  ],
  launchers: [
    ["bash -c 'cat /etc/passwd'", "block"],
    ["ls | xargs cat /etc/passwd", "block"],
    ["env -C / cat etc/passwd", "block"],
    ["git diff --output=/etc/x", "block"],
    ["X=/etc/passwd; cat src/main.rs", "block"],
    ["bash -c 'cat src/main.rs'", "ok"],
  ],
};

for (const [number, rows] of Object.entries(TABLE)) {
  Deno.test(`gradeCommand() finds the paths of a command as row ${number} says`, async () => {
    const workspace = await makeWorkspace();
    try {
      for (const [command, expected] of rows) {
        const { paths } = gradeCommand(command, { dialect: "bash" });
        const blocked = await Promise.all(paths.map((path) => isBlocked(path, workspace)));
        assert.equal(blocked.includes(true) ? "block" : "ok", expected, JSON.stringify(command));
      }
    } finally {
      await Deno.remove(workspace, { recursive: true });
    }
  });
}

Deno.test("gradeCommand() tells what is done with each path", () => {
  const grade = gradeCommand("/opt/x a/b >out/c <in/d 2>>e; cat f/g; sort -o h f", {
    dialect: "bash",
  });
  assert.deepEqual(
    grade.paths.map(({ path, use, isProgram }) => `${use}${isProgram ? " program" : ""} ${path}`),
    [
      "write out/c",
      "read in/d",
      "write e",
      "any program /opt/x",
      "any a/b",
      "read f/g",
      "write h",
    ],
  );
  assert.deepEqual(grade.writes, ["out/c", "e", "h"]);
  assert.equal(grade.hasUnknownPath, false);
});

Deno.test("gradeCommand() says when a path is only known when the command runs", () => {
  for (const command of ["cat $F", 'cat "$F/x"', "cat $(ls)", "F=$X; ls", "cd -; cat x", "> $F"]) {
    assert.equal(gradeCommand(command, { dialect: "bash" }).hasUnknownPath, true, command);
  }
  for (const command of ["cat f", "cat '$F'", "cat *.ts"]) {
    assert.equal(gradeCommand(command, { dialect: "bash" }).hasUnknownPath, false, command);
  }
});

async function makeWorkspace(): Promise<string> {
  const workspace = await Deno.realPath(await Deno.makeTempDir());
  await Deno.mkdir(`${workspace}/src`);
  await Deno.writeTextFile(`${workspace}/src/main.rs`, "");
  await Deno.symlink("/etc", `${workspace}/out`);
  await Deno.symlink("/etc", `${workspace}/src/up`);
  await Deno.symlink("src", `${workspace}/in`);
  await Deno.symlink("/nowhere/at/all", `${workspace}/dangling`);
  await Deno.symlink("loop", `${workspace}/loop`);
  return workspace;
}

/** The path rules as far as these rows need them: literal checks, then where the path leads. */
async function isBlocked({ path, use }: PathArgument, workspace: string): Promise<boolean> {
  if (path === "/dev/null" || (path === "/dev/zero" && use === "read")) return false;
  if (path.startsWith("~") || path.split("/").includes("..")) return true;
  try {
    return (await judgePath(path, { workspace, roots: [workspace] })).root === null;
  } catch {
    return true;
  }
}
