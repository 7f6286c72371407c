import assert from "node:assert/strict";
import {
  outcomeOf,
  type ProfileScene,
  type SceneOptions,
  withProfile,
} from "../../support/profile_scene.ts";

/** Answers "for the session" once, and no to everything after it. */
const SESSION: SceneOptions = { answers: ["session", "deny"] };

/** Says yes to the shell for the session, and checks that it stands. */
async function grantShell({ call, asked, ran }: ProfileScene): Promise<void> {
  assert.equal(outcomeOf(await call("shell", { command: "git commit -m one" })), "ran");
  assert.equal(outcomeOf(await call("shell", { command: "git commit -m two" })), "ran");
  assert.deepEqual([asked.length, ran.length], [1, 2]);
}

/** What becomes of commands after a grant for the session: the rule, or `ran`. */
type Row = readonly [command: string, expected: string];

const blocked = (rule: string, ...commands: readonly string[]): readonly Row[] =>
  commands.map((command) => [command, `risk-profile:command:${rule}`]);
const asks = (...commands: readonly string[]): readonly Row[] =>
  commands.map((command) => [command, "risk-profile:doubt"]);
const runs = (...commands: readonly string[]): readonly Row[] =>
  commands.map((command) => [command, "ran"]);

async function check(
  profile: Readonly<Record<string, unknown>>,
  rows: readonly Row[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  await withProfile(profile, { ...SESSION, env }, async (scene) => {
    await grantShell(scene);
    for (const [command, expected] of rows) {
      const [askedBefore, ranBefore] = [scene.asked.length, scene.ran.length];
      assert.equal(outcomeOf(await scene.call("shell", { command })), expected, command);
      const isAsked = expected === "risk-profile:doubt";
      assert.equal(scene.asked.length - askedBefore, isAsked ? 1 : 0, `asked: ${command}`);
      if (isAsked) {
        assert.deepEqual(scene.asked.at(-1)?.choices.includes("session"), false, command);
      }
      assert.equal(scene.ran.length - ranBefore, expected === "ran" ? 1 : 0, `ran: ${command}`);
    }
  });
}

Deno.test("Gate.call() grades what is chained to a command that was granted for the session (field case 97)", async () => {
  const chains = [
    "git status; rm -rf x",
    "git status && rm -rf x",
    "git status || rm -rf x",
    "git status | rm -rf x",
    "git status\nrm -rf x",
    "git status <<EOF\nx\nEOF\nrm -rf x",
  ];
  const nested = [
    "git status & rm -rf x",
    "git status $(rm -rf x)",
    "git status `rm -rf x`",
    "git diff <(rm -rf x)",
    "git status <<EOF\n$(rm -rf x)\nEOF",
  ];
  const forms = [
    "git status & ls",
    "git status $(ls)",
    "git status `ls`",
    "git diff <(ls)",
    "git status <<EOF\n$(ls)\nEOF",
    "git status > out.txt",
  ];
  const broken = ["git status\rrm -rf x", "git status; 'rm", "git status; if rm"];
  await check({}, [
    ...runs("git status && git log", "git add . && git commit -m x"),
    ...blocked("list", ...chains, ...nested),
    ...blocked("form", ...forms),
    ...blocked("not-understood", ...broken),
  ]);
  // With every program allowed, what does harm is blocked all the same.
  await check({ allowedCommands: ["*"] }, [
    ...blocked("risk:high", ...chains),
    ...blocked("form", ...nested),
  ]);
});

Deno.test("Gate.call() asks about variables that load code in spite of a grant for the session (field case 99)", async () => {
  const allowedCommands = ["git", "ls", "env", "export"];
  await check({ allowedCommands }, [
    ...runs("FOO=bar ls", "env ls", "env FOO=bar git commit -m x"),
    ...asks(
      "PATH=. ls",
      "PAGER=x git log",
      "GIT_EDITOR=x git commit",
      "LD_PRELOAD=x ls",
      "env PATH=. ls",
      "env -u FOO LD_LIBRARY_PATH=. ls",
      "export LD_AUDIT=x; ls",
    ),
    ...blocked("list", "env rm x", "env -S 'rm x'", "env -S ls", "FOO=bar rm x"),
  ]);
});

Deno.test("Gate.call() lets no finder execute or delete after a grant for the session (field case 100)", async () => {
  const options = ["-exec ls {} \\;", "-execdir ls {} +", "-ok ls {} \\;", "-okdir ls {} \\;"];
  const writes = ["-delete", "-fprint f", "-fprint0 f", "-fprintf f x", "-fls f"];
  await check({}, [
    ...runs("find . -name '*.md'", "find . -print"),
    ...blocked("form", ...[...options, ...writes].map((option) => `find . ${option}`)),
  ]);
});

Deno.test("Gate.call() judges runners by what they run after a grant for the session (field case 102)", async () => {
  const runners = ["xargs", "timeout", "nice", "watch", "env", "sh"];
  const allowedCommands = ["git", "ls", "cat", "pwd", "python3", ...runners];
  await check({ allowedCommands }, [
    ...runs("ls | xargs cat", "timeout 5 ls", "nice ls", "sh -c 'ls; pwd'"),
    ...blocked(
      "list",
      "ls | xargs rm",
      "ls | xargs -I% rm %",
      "timeout 5 rm x",
      "nice rm x",
      "watch rm x",
      "env rm x",
      "sh -c 'ls; rm x'",
      "npx cowsay",
    ),
    ...blocked("form", "python3 -c x"),
  ]);
  await check(
    { allowedCommands: ["*"] },
    blocked("risk:high", "ls | xargs rm", "timeout 5 rm x", "nice rm x", "sh -c 'rm x'", "npx x"),
  );
});

Deno.test("Gate.call() asks about a program that is told to start another, in spite of a grant for the session (field case 102)", async () => {
  const listed = ["git", "rg", "sed", "sort", "tar", "rsync", "split", "gcc", "make", "go", "pip"];
  await check({ allowedCommands: listed }, [
    ...runs("sort -u f", "sed -n 1p f", "git remote -v", "git submodule status", "rsync -a a b"),
    ...asks(
      "git submodule foreach 'rm x'",
      "git submodule --quiet foreach 'rm x'",
      "git bisect run rm x",
      "git rebase --exec 'rm x'",
      "git rebase -x 'rm x'",
      "git ls-remote --upload-p=rm .",
      "git fetch --upload-pack 'rm x' .",
      "git push --receive-pack=rm .",
      "git clone 'ext::rm x'",
      "git grep -Orm x",
      "git difftool -x rm",
      "git filter-branch --tree-filter 'rm x'",
      "git log --ext-dif",
      "rg --pre rm x",
      "sed '1e rm x' f",
      "sort --compress-program=rm f",
      "tar --checkpoint-action=exec=rm -cf x y",
      "rsync -e rm a b",
      "split --filter=rm f",
      "gcc -wrapper rm f.c",
      "make SHELL=rm",
      "go test -exec rm",
    ),
  ]);
});

Deno.test("Gate.call() asks what a name means in spite of a grant for the session (field case 103)", async () => {
  await check({}, [...runs("ls"), ...asks("./ls", "PATH=. ls", "PATH=.:/bin ls")]);
});

Deno.test("Gate.call() asks about a shadowed name in spite of a grant for the session (field case 103)", async () => {
  const outside = await Deno.makeTempDir({ prefix: "alisio-shadow-" });
  try {
    await Deno.chmod(outside, 0o777);
    await Deno.writeTextFile(`${outside}/ls`, "#!/bin/sh\n", { mode: 0o755 });
    const env = { PATH: `${outside}:${Deno.env.get("PATH") ?? ""}` };
    await check({}, [...runs("pwd"), ...asks("ls", "git status && ls")], env);
  } finally {
    await Deno.remove(outside, { recursive: true });
  }
});

Deno.test("Gate.call() asks about what a screen hides in spite of a grant for the session (field case 105)", async () => {
  await check({}, [...runs("echo abc"), ...asks("echo 'a\u202ecba'", "echo 'a\u200bb'")]);
});
