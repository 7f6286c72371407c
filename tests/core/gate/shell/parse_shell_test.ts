import assert from "node:assert/strict";
import { MAX_COMMAND_CHARACTERS, parseShell } from "../../../../core/gate/shell/parse_shell.ts";
import type {
  ShellCommand,
  ShellDialect,
  ShellScript,
  ShellWord,
  WordPart,
} from "../../../../core/gate/shell/shell_syntax.ts";

/** What a command line becomes, one line a command: words, then `<`, `>` and what they name. */
const UNDERSTOOD: readonly (readonly [string, readonly string[]])[] = [
  ["ls -la", ["ls -la"]],
  ["ls|grep x&&pwd;id||w\nwho", ["ls | ", "grep x && ", "pwd ; ", "id || ", "w newline ", "who"]],
  ["ls & pwd", ["ls & ", "pwd"]],
  ["ls |& cat", ["ls |& ", "cat"]],
  ["! time -p ls", ["! time ls"]],
  ["A=1 B='x y' C= ls d=2", ["A=1 B=x y C= ls d=2"]],
  ["a[1]=x b+=y ls", ["a=⟨[⟩1]=x b=y ls"]],
  ["a=(1 'b c' $x) ls", ["a=1,b c,⟨$x⟩ ls"]],
  ["r\\\nm x", ["rm x"]],
  ["\"r\"'m' \\x", ["rm x"]],
  ['echo \'a\\b\' "a\\b\\"\\$x" a\\ b', ['echo a\\b a\\b"$x a b']],
  ["echo $'r\\x6d\\n\\'\\101\\u0042'", ["echo rm\n'AB"]],
  ['echo $x ${y} $1 $@ "$?"', ["echo ⟨$x⟩ ⟨${y}⟩ ⟨$1⟩ ⟨$@⟩ ⟨$?⟩"]],
  ["echo ${x:-$(ls)} ${x#'}'}", ["echo ⟨${x:-$(ls)}⟩{ls} ⟨${x#'}'}⟩"]],
  ["echo $(ls; pwd) `id`", ["echo ⟨command⟩{ls ; |pwd} ⟨command⟩{id}"]],
  ["echo `echo \\`ls\\``", ["echo ⟨command⟩{echo ⟨command⟩{ls}}"]],
  ["echo $((1 + $(ls)))", ["echo ⟨1 + $(ls)⟩{ls}"]],
  ["diff <(ls) --f=>(cat)", ["diff ⟨process⟩{ls} --f=⟨process⟩{cat}"]],
  ["ls *.ts a?b [a-c] [", ["ls ⟨*⟩.ts a⟨?⟩b ⟨[⟩a-c] ["]],
  ["ls >a 2>>b <c 3<>d 2>&1 >|e &>f {v}>g", [
    "ls >a 2>>b <c 3<>d 2>&1 >|e &>f {v}>g",
  ]],
  ["ls 2>a2 x2>b", ["ls x2 2>a2 >b"]],
  ["cat <<<'a b'", ["cat <<<a b"]],
  ["cat <<E x\n$y `ls`\nE\nid", ["cat x <<E{⟨$y⟩ ⟨command⟩{ls}} newline ", "id"]],
  ["cat <<'E'; id\n$y\nE", ["cat <<E ; ", "id newline "]],
  ["cat <<-E\n\tx\n\tE\nid", ["cat <<-E newline ", "id"]],
  ["cat <<A <<B\na\nA\nb\nB\nid", ["cat <<A <<B newline ", "id"]],
  ["cat <<E | while read x; do ls; done\nE", ["cat <<E | ", "while[read x ; |ls ; ] newline "]],
  ["(ls; pwd) >x", ["([ls ; |pwd] >x"]],
  ["{ ls; }", ["{[ls ; ]"]],
  ["if a; then b; elif c; then d; else e; fi", ["if[a ; |b ; |c ; |d ; |e ; ]"]],
  ["for x in a $b; do ls; done", ["for x a ⟨$b⟩[ls ; ]"]],
  ["for x\ndo ls; done", ["for x[ls ; ]"]],
  ["for ((i=0; i<$(ls); i++)); do id; done", ["for ⟨i=0; i<$(ls); i++⟩{ls}[id ; ]"]],
  ["case $x in (a|b) ls;; *) id;; esac", ["case ⟨$x⟩ a b ⟨*⟩[ls|id]"]],
  ["f() { ls; }; function g { id; }", ["function f[{[ls ; ]] ; ", "function g[{[id ; ]]"]],
  ["[[ -f x && ( a == b* || c =~ ^(a|b)$ ) ]]", ["[[ -f x a == b⟨*⟩ c =~ ^(a|b)$"]],
  ["((x = 1))", ["(( ⟨x = 1⟩"]],
  ["coproc ls; coproc N { id; }", ["coproc[ls] ; ", "coproc N[{[id ; ]]"]],
  ["ls # rm x\npwd", ["ls newline ", "pwd"]],
  ["echo a#b \\# '#'", ["echo a#b # #"]],
  ["echo !! {a,b} a{1..3}", ["echo !! {a,b} a{1..3}"]],
  ["ls &&\\\n pwd", ["ls && ", "pwd"]],
  ["", []],
  ["# only a comment", []],
];

Deno.test("parseShell() reads the grammar of bash", () => {
  for (const [command, expected] of UNDERSTOOD) {
    const parsed = parseShell(command, { dialect: "bash" });
    assert.ok(parsed.ok, `${JSON.stringify(command)}: ${parsed.ok ? "" : parsed.reason}`);
    assert.deepEqual(parsed.script.steps.map(showStep), expected, JSON.stringify(command));
  }
});

Deno.test("parseShell() understands nothing of a text that is not certain", () => {
  const commands = [
    "ls; 'open",
    'ls; "open',
    "ls; `open",
    "ls; $(open",
    "ls; ${open",
    "ls; (open",
    "ls; { open",
    "ls )",
    "ls ;; pwd",
    "ls | | pwd",
    "ls &&",
    "| ls",
    "&& ls",
    "if ls; then pwd",
    "fi",
    "A=1 if ls; then pwd; fi",
    "while ls; pwd; done",
    "case x in a) ls",
    "ls >",
    "ls > > x",
    "f() ls",
    "ls\rpwd",
    "ls \x01",
    "ls \0",
    "ls \ud800",
    "ls \\",
    "echo $\\\n(ls)",
    "ls &\\\n& pwd",
    "ls 2\\\n>x",
    "a[ #]=1; rm x",
    "a=([ #]=1\n); rm x",
    "((ls); (pwd))",
    "echo $((ls); (pwd))",
    "echo $[1]",
    'echo $"x"',
    "echo ${x@P}",
    'echo "${x:-\'}"; rm x #\'}"',
    "cat <<$x\n$x",
    "cat <<E\na\\\nE\nrm x\nE",
    "cat <<E\nE\\\n\nrm x",
    "cat <<E $(\nls)\nE",
    "echo $(cat <<E)\nE",
    "echo $'\\0'",
    "[[ a =~ (a b) ]]",
    "echo a(b)",
    "echo @(a|b)",
    ")",
  ];
  for (const command of commands) {
    const parsed = parseShell(command, { dialect: "bash" });
    assert.equal(parsed.ok, false, JSON.stringify(command));
    assert.ok(!parsed.ok && parsed.reason.length < 120);
  }
});

Deno.test("parseShell() reads only what every shell reads alike where the shell is not bash", () => {
  const alike = ["ls | grep x && pwd", "f() { ls; }", "cat <<E\nx\nE", "echo $(ls) ${x:-y}"];
  const different = [
    "echo $'x'",
    "cat <<<x",
    "ls &>x",
    "ls |& cat",
    "cat <(ls)",
    "[[ x ]]",
    "((x))",
    "function f { ls; }",
    "a=(1)",
    "a+=1",
    "a[0]=1",
    "coproc ls",
    "select x in a; do ls; done",
    "ls 10>x",
    "{v}>x ls",
    "time ls",
  ];
  for (const command of [...alike, ...different]) {
    assert.equal(parseShell(command, { dialect: "bash" }).ok, true, command);
    assert.equal(parseShell(command, { dialect: "sh" }).ok, alike.includes(command), command);
  }
});

Deno.test("parseShell() bounds length and depth, and takes time in proportion to the length", () => {
  const tooLong = "a ".repeat(MAX_COMMAND_CHARACTERS);
  assert.equal(parseShell(tooLong, { dialect: "bash" }).ok, false);
  assert.equal(parseShell("$(".repeat(39) + ")".repeat(39), { dialect: "bash" }).ok, true);
  assert.equal(parseShell("$(".repeat(41) + ")".repeat(41), { dialect: "bash" }).ok, false);
  const pieces = [
    "$(",
    "${a:-",
    "$((",
    "((",
    "`",
    "'",
    '"',
    "{a,",
    "a[",
    "f( ",
    "{ ",
    "if ",
    "<<A ",
    "cat <<A;",
    "a&&",
    "\\\n",
    "~",
    "-a~",
    "[[ ",
    "case x in ",
    "\n",
    "a=(",
    "=~ (",
  ];
  const startedAt = performance.now();
  for (const piece of pieces) {
    for (const end of ["", "x", "\nA\n"]) {
      const count = Math.floor(MAX_COMMAND_CHARACTERS / piece.length) - 4;
      parseShell(piece.repeat(count) + end, { dialect: "bash" });
    }
  }
  // A parser that is not linear takes minutes for these.
  assert.ok(performance.now() - startedAt < 10_000);
});

Deno.test("parseShell() gives up in every dialect without throwing", () => {
  const dialects: readonly ShellDialect[] = ["bash", "sh"];
  for (const dialect of dialects) {
    for (let code = 0; code < 0x120; code++) {
      const character = String.fromCharCode(code);
      for (const text of [character, `ls ${character}`, `"${character}`, `$${character}`]) {
        assert.equal(parseShell(text, { dialect }).source, text);
      }
    }
  }
});

function showStep(step: ShellScript["steps"][number]): string {
  const { prefixes, command, operator } = step;
  const end = operator === null ? "" : ` ${operator} `;
  return [...prefixes, showCommand(command)].join(" ") + end;
}

function showCommand(command: ShellCommand): string {
  const redirections = command.redirections.map(({ descriptor, operator, target, body }) => {
    const parts = body.map(showPart).join(" ");
    return (descriptor ?? "") + operator + showWord(target) + (parts === "" ? "" : `{${parts}}`);
  });
  if (command.kind === "simple") {
    const assignments = command.assignments.map(({ name, words }) =>
      `${name}=${words.map(showWord).join(",")}`
    );
    return [...assignments, ...command.words.map(showWord), ...redirections].join(" ");
  }
  const head = [command.keyword, command.name, ...command.words.map(showWord)]
    .filter((text) => text !== null).join(" ");
  const scripts = command.scripts.map(showScript).join("|");
  return [head + (scripts === "" ? "" : `[${scripts}]`), ...redirections].join(" ");
}

function showScript(script: ShellScript): string {
  return script.steps.map(showStep).join("|");
}

function showWord(word: ShellWord): string {
  return word.parts.map(showPart).join("");
}

function showPart(part: WordPart): string {
  switch (part.kind) {
    case "text":
      return part.text;
    case "pattern":
      return `⟨${part.text}⟩`;
    case "parameter":
    case "arithmetic": {
      const scripts = part.scripts.map(showScript).join("|");
      return `⟨${part.text}⟩${scripts === "" ? "" : `{${scripts}}`}`;
    }
    case "command":
    case "process":
      return `⟨${part.kind}⟩{${showScript(part.script)}}`;
    case "array":
      return part.words.map(showWord).join(",");
  }
}
