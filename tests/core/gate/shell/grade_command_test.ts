import assert from "node:assert/strict";
import { gradeCommand, gradeProgramCall } from "../../../../core/gate/shell/grade_command.ts";
import type { Risk } from "../../../../core/gate/shell/command_grade.ts";
import { MAX_COMMAND_CHARACTERS, parseShell } from "../../../../core/gate/shell/parse_shell.ts";

/** Programs in the order of the text, each with what starts it. */
function runs(command: string): string {
  return gradeCommand(command, { dialect: "bash" }).runs.map(({ name, via }) =>
    (name ?? "?") + (via === null ? "" : ` by ${via}`)
  ).join(", ");
}

Deno.test("gradeCommand() lists what would really run", () => {
  const rows: readonly (readonly [string, string])[] = [
    ["ls | grep x; pwd", "ls, grep, pwd"],
    ["env A=1 nice -n 5 ls", "env, nice by env, ls by nice"],
    ["sudo -u root -- rm x", "sudo, rm by sudo"],
    ["sudo -i", "sudo, ? by sudo"],
    ["sudo -Z ls", "sudo, ? by sudo"],
    ["env $X ls", "env, ? by env"],
    ["timeout -k 5 -s KILL 10 ls", "timeout, ls by timeout"],
    ["nohup bash -c 'ls | rm'", "nohup, bash by nohup, ls by bash, rm by bash"],
    ['bash -c "$X"', "bash, ? by bash"],
    ["bash -x script.sh", "bash"],
    ["zsh -c 'rm x'", "zsh, ? by zsh"],
    ["su - root -c 'ls; rm x'", "su, ls by su, rm by su"],
    ["su root", "su, ? by su"],
    ["xargs", "xargs"],
    ["xargs -0 -n1 -P 4 rm -f", "xargs, rm by xargs"],
    ["xargs -I% sh -c %", "xargs, sh by xargs, ? by sh"],
    ["xargs -I% %", "xargs, ? by xargs"],
    ["find . -exec rm {} + -exec ls {} \\;", "find, rm by find, ls by find"],
    ["find . -exec {} \\;", "find, ? by find"],
    ["watch -n 1 'ls | rm'", "watch, ls by watch, rm by watch"],
    ["watch -x ls", "watch, ls by watch"],
    ["time -p ls", "time, ls"],
    ["command -v rm", "command"],
    ["command rm", "command, rm by command"],
    ["exec -a x rm", "exec, rm by exec"],
    ["eval ls '; rm x'", "eval, ls by eval, rm by eval"],
    ["trap 'rm x' EXIT", "trap, rm by trap"],
    ["trap - EXIT", "trap"],
    ["busybox sh -c 'rm x'", "busybox, sh by busybox, rm by sh"],
    ["strace -f ls", "strace, ? by strace"],
    ["poetry run rm x", "poetry, rm by poetry"],
    ["echo $(rm x) `id` <(w)", "rm by substitution, id by substitution, w by substitution, echo"],
    ["A=$(rm x) B=`id`", "rm by substitution, id by substitution"],
    ["cat <<E\n$(rm x)\nE", "rm by substitution, cat"],
    ["for x in $(rm y); do id; done", "rm by substitution, id"],
    ["f() { rm x; }; f", "rm, f"],
    ["[[ -f $(rm x) ]]", "rm by substitution"],
    ["((1 + $(rm x)))", "rm by substitution"],
    ["{rm,-rf,x}", "rm"],
    ["$X y", "?"],
    ["r* y", "?"],
    ["> x", ""],
  ];
  for (const [command, expected] of rows) assert.equal(runs(command), expected, command);
});

/** Programs whose arguments decide, each risk next to a neighbour of another one. */
const RISKS: Readonly<Record<Risk, readonly string[]>> = {
  low: [
    "sort -r x",
    "uniq x",
    "sed -n '1,5p;$!d' x",
    "sed -E 's/a|b/c/g; y/abc/def/' x",
    "awk '{ print $1 }' x",
    "awk -F: -v a=b '/x|y/ { print }' x",
    "date +%F",
    "date -d yesterday",
    "hostname -f",
    "rg --pretty x",
    "tar -tzf x.tgz",
    "git stash list",
    "git remote -v",
    "go test ./...",
    "deno test",
    "deno lint",
    "yarn test",
    "make test",
    "make V=1",
    "perl x.pl",
    "perl --version",
    "node --test",
    "test -f x",
    "[ -f x ]",
    "printf '%s' x",
    "printf -v name x",
    "printf x -v PATH",
    "f() { ls; }; f",
    "set -euo pipefail",
    "set -- -x y",
    "declare -r x=1",
    "export FOO=1",
    "jobs",
    "xxd x",
    "docker ps",
    "npm run build",
    "npm audit",
    "yq .a x",
  ],
  medium: [
    "ls > $X",
    "ls > y",
    "sort -o y x",
    "sort --outp=y x",
    "uniq x y",
    "sed -i s/a/b/ x",
    "sed -f script x",
    "sed s/a/b/ *",
    "awk '{ print > $1 }' x",
    "date -s 12:00",
    "hostname box",
    "tar -xf x",
    "git log --output=x",
    "git stash",
    "git unknown",
    "git -p log",
    "git fetch",
    "go get x",
    "deno fmt",
    "yarn add x",
    "npm uninstall x",
    "npm audit fix",
    "pip uninstall x",
    "cargo add x",
    "bash script.sh",
    ". ./venv",
    "less x",
    "man ls",
    "rsync -a x y",
    "zip x y",
    "rg x *",
    "echo $((a))",
    "[[ $x -gt 1 ]]",
    "let a=1",
    "xxd -r x",
    "kubectl get pods",
  ],
  high: [
    "sort --compress-program=x y",
    "sed '1e ls' x",
    "sed 's/a/b/e' x",
    "sed 's/a/b/w y' x",
    "sed 'w y' x",
    "sed -n $X",
    "sed s/[/]/x/e y",
    "awk 'BEGIN { system(\"ls\") }'",
    "awk '{ print | \"ls\" }'",
    "awk '\"ls\" | getline'",
    'awk "$X"',
    "rg --pre x y",
    "tar --to-command=x -xf y",
    "tar --checkpoint-act=exec=x -cf y z",
    "tar -I x -cf y z",
    "git rebase -x ls",
    "git -c a.b=c log",
    "git --exec-path=x log",
    "git bisect run x",
    "git $X",
    "go run example.org/x@latest",
    "go test -exec x",
    "deno run https://x/y.ts",
    "deno eval x",
    "yarn dlx x",
    "npx x",
    "npm exec x",
    "npm create x",
    "pip --python ./x list",
    "make SHELL=./x",
    "make CC='x; y'",
    "make --eval=x",
    "make -f -",
    "perl -e x",
    "perl -lane x",
    "perl",
    "ruby -e x",
    "php -r x",
    "lua5.4 -e x",
    "Rscript -e x",
    "node -pe x",
    "python3 -ic x",
    "python3.12 -mhttp.server",
    "bash",
    "bash --rcfile x",
    "sh -s",
    "less +x y",
    "man -P x y",
    "rsync -e x y z",
    "rsync host:x y",
    "zip -TT x y",
    "vim x",
    "test -v 'a[$(ls)]'",
    "printf -v 'a[$(ls)]' x",
    "printf -v PATH x",
    "printf -vPATH x",
    "printf -vf -v PATH x",
    "printf -vf -v 'a[$(ls)]' x",
    "ls() { pwd; }; ls",
    "read PATH",
    "read 'a[`ls`]'",
    "unset 'a[$(ls)]'",
    "declare -i 'a[$(ls)]=1'",
    "[[ 'a[$(ls)]' -eq 0 ]]",
    "mapfile -C ls x",
    "declare -n x=PATH; x=.; ls",
    "BASH_CMDS[ls]=./x; ls",
    "export LD_PRELOAD=x",
    "export $X",
    "for PATH in x; do ls; done",
    "${PATH:=x}",
    "alias ls=x",
    "shopt -s extglob",
    "set -k",
    "set -o posix",
    "enable -f x y",
    "hash -p x y",
    "jobs -x ls",
    "docker run x",
    "mkfs.ext4 x",
    "objdump --plugin=x y",
    "ls; ' x",
  ],
};

Deno.test("gradeCommand() grades by what the arguments make of a program", () => {
  for (const [risk, commands] of Object.entries(RISKS)) {
    for (const command of commands) {
      assert.equal(gradeCommand(command, { dialect: "bash" }).risk, risk, command);
    }
  }
});

Deno.test("gradeCommand() knows which programs are known to do no harm", () => {
  const isHarmless = (command: string) =>
    gradeCommand(command, { dialect: "bash" }).runs.every((run) => run.isHarmless);
  for (const command of ["ls", "cat x | wc", "git status", "env ls", "timeout 1 ls"]) {
    assert.ok(isHarmless(command), command);
  }
  for (const command of ["unheard-of", "./ls", "npm test", "python3 x.py", "env unheard-of"]) {
    assert.ok(!isHarmless(command), command);
  }
});

Deno.test("gradeCommand() takes no name for more than a name", () => {
  for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty"]) {
    for (const dialect of ["bash", "sh", "cmd", "powershell"] as const) {
      for (
        const command of [name, `git ${name} x`, `npm ${name}`, `env ${name} x`]
      ) {
        assert.equal(gradeCommand(command, { dialect }).state, "graded", `${dialect}: ${command}`);
      }
    }
  }
});

Deno.test("gradeCommand() says why, in words for the person", () => {
  const grade = gradeCommand("PATH=. find . -delete > x", { dialect: "bash" });
  assert.deepEqual(grade.reasons, [
    'sets "PATH", which can change what runs',
    "writes a file",
    '"find": deletes what it finds',
  ]);
  assert.deepEqual(grade.findings, [
    { kind: "output-redirection", detail: '">"' },
    { kind: "argument", detail: '"find" with "-delete"' },
  ]);
  assert.deepEqual(grade.variables, ["PATH"]);
  assert.deepEqual(grade.writes, ["x"]);
});

Deno.test("gradeCommand() takes what parseShell() made of a text", () => {
  const parsed = parseShell("ls; rm x", { dialect: "sh" });
  const text = gradeCommand("ls; rm x", { dialect: "sh" });
  assert.deepEqual(gradeCommand(parsed, { dialect: "sh" }), text);
  const broken = gradeCommand(parseShell("ls '", { dialect: "sh" }), { dialect: "sh" });
  assert.deepEqual([broken.state, broken.risk, broken.runs], ["not-understood", "high", []]);
});

Deno.test("gradeProgramCall() grades a program and leaves its arguments whole", () => {
  const grade = gradeProgramCall("echo", ["a; rm x", "$(rm x)", "/etc/x"]);
  assert.deepEqual(grade.runs.map(({ name }) => name), ["echo"]);
  assert.deepEqual(grade.findings, []);
  assert.deepEqual(grade.paths.map(({ path }) => path), ["/etc/x"]);
  assert.equal(grade.command, "echo 'a; rm x' '$(rm x)' /etc/x");
  assert.equal(gradeProgramCall("env", ["rm", "x"]).risk, "high");
  assert.equal(gradeProgramCall("sh", ["-c", "rm 'x"]).state, "not-understood");
  assert.equal(gradeProgramCall("", []).risk, "high");
});

Deno.test("gradeCommand() takes time in proportion to the length", () => {
  const pieces = [
    "rm -r",
    "-rf ",
    "rrrrrrrr",
    "del ",
    "format ",
    "{",
    "{,",
    "{a,b}",
    "a/../",
    "~/",
    "-x=",
    "/.*",
    "'a'",
    "a; ",
    "cd a;",
    "env ",
    "git -C ",
    "s/a/b/;",
    "\u202e",
    "a\u0441",
    "  ",
    "-exec find ",
    "-exec a \\; ",
    "find -exec ",
    "xargs find . -exec ",
    "sh -c ",
    "eval eval ",
    "(find -exec ",
  ];
  const heads = ["", "echo ", "sed ", "awk '", "git ", "rm ", "find "];
  const startedAt = performance.now();
  for (const head of heads) {
    for (const piece of pieces) {
      const count = Math.floor((MAX_COMMAND_CHARACTERS - head.length) / piece.length) - 1;
      gradeCommand(head + piece.repeat(count), { dialect: "bash" });
    }
  }
  // A grader that is not linear takes minutes for these.
  assert.ok(performance.now() - startedAt < 90_000);
});
