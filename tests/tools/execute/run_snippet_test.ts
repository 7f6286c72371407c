import assert from "node:assert/strict";
import { snippet, type SnippetOptions, valueOf } from "./_snippet.ts";

const LINUX_ONLY = Deno.build.os !== "linux";

interface ValueRow {
  readonly name: string;
  readonly code: string;
  readonly value: unknown;
  readonly options?: SnippetOptions;
}

const VALUES: readonly ValueRow[] = [
  { name: "a returned value", code: "const a = 1;\nreturn a + 1;", value: 2 },
  { name: "a single expression", code: "1 + 1;", value: 2 },
  { name: "an awaited call", code: 'await callTool("a", { b: 1 })', value: 'a {"b":1}' },
  { name: "a function", code: "async () => { return 7; }", value: 7 },
  { name: "a fenced snippet", code: "```js\nreturn 3;\n```\n", value: 3 },
  { name: "nothing", code: "const a = 1;", value: undefined },
  { name: "a comment", code: "// nothing", value: undefined },
  { name: "a thenable", code: "return { then: (done) => done(4) };", value: 4 },
  {
    name: "what JSON does not hold",
    code: `return {
      big: 12n, map: new Map([[1, { a: 2 }]]), set: new Set([1]), date: new Date(0), bad: new Date(NaN),
      fn() {}, none: undefined, nan: NaN, inf: -Infinity, symbol: Symbol("s"), hole: [1, , 2],
      own: { toJSON: () => "mine" }, error: new RangeError("far"), bytes: new Uint8Array([1, 2]),
    };`,
    value: {
      big: "12",
      map: [[1, { a: 2 }]],
      set: [1],
      date: "1970-01-01T00:00:00.000Z",
      bad: "Invalid Date",
      fn: "[function fn]",
      nan: "NaN",
      inf: "-Infinity",
      symbol: "Symbol(s)",
      hole: [1, null, 2],
      own: "mine",
      error: "RangeError: far (line 4, column 45)",
      bytes: { 0: 1, 1: 2 },
    },
  },
  {
    name: "a circle, and the same object twice",
    code: "const a = { b: {} }; a.b.a = a; const c = {}; return [a, c, c];",
    value: [{ b: { a: "[circular]" } }, {}, {}],
  },
  {
    name: "a result that is JSON",
    code: 'const { list } = await callTool("a"); return list.length;',
    value: 2,
    options: { answer: () => ({ ok: true, text: '{"list":[1,2]}' }) },
  },
  {
    name: "a result that only looks like JSON",
    code: 'return await callTool("a");',
    value: "{1: x",
    options: { answer: () => ({ ok: true, text: "{1: x" }) },
  },
  {
    name: "a call that failed",
    code: 'try { await callTool("a"); } catch (e) { return [e instanceof Error, e.message]; }',
    value: [true, "no such file"],
    options: { answer: () => ({ ok: false, text: "no such file" }) },
  },
  {
    name: "a call without a name, or with an input that is none",
    code: `const tell = (call) => call.then(() => "made", (error) => error.message);
      const a = {}; a.a = a;
      return [await tell(callTool()), await tell(callTool("a", () => 1)),
        (await tell(callTool("a", a))).split("\\n")[0], await tell(callTool("a", 1n))];`,
    value: [
      'Cannot call a tool: its name is missing; use callTool("read_file", { … })',
      'Cannot call "a": its input cannot be written as JSON',
      "Converting circular structure to JSON",
      "Do not know how to serialize a BigInt",
    ],
  },
  {
    name: "an error that nobody waits for",
    code: 'Promise.reject(new Error("u")); callTool("a"); await callTool("b"); return 5;',
    value: 5,
    options: { answer: (name) => ({ ok: name === "b", text: name }) },
  },
];

for (const { name, code, value, options } of VALUES) {
  Deno.test(`runSnippet() returns ${name}`, async () => {
    assert.deepEqual(await valueOf(code, options), value);
  });
}

interface ErrorRow {
  readonly name: string;
  readonly code: string;
  readonly error: string;
}

const ERRORS: readonly ErrorRow[] = [
  {
    name: "where it went wrong",
    code: "const a = 1;\nfunction f() {\n  return null.x;\n}\nreturn f();",
    error: "TypeError: Cannot read properties of null (reading 'x') " +
      "(line 3, column 15, from line 5, column 8)",
  },
  {
    name: "the line behind a fence",
    code: "Look:\n".slice(6) + "```js\n\nnull.x;\n```",
    error: "TypeError: Cannot read properties of null (reading 'x') (line 3, column 6)",
  },
  {
    name: "a mistake of grammar",
    code: "const a = 1;\nconst b = ;\nreturn a;",
    error: "SyntaxError: Unexpected token ';' (line 2, column 11)",
  },
  {
    name: "a mistake that only the engine sees",
    code: "const a = 1;\n  const b: number = 2;",
    error: "SyntaxError: Missing initializer in const declaration (line 2, column 9)",
  },
  {
    name: "a mistake of which nobody knows the place",
    code: "return import.meta;",
    error: "SyntaxError: Cannot use 'import.meta' outside a module",
  },
  {
    name: "an end that comes too early",
    code: "const a = [\n  1,\n",
    error: "SyntaxError: Unexpected token '}' (at the end of the snippet)",
  },
  {
    name: "a function that ends before the snippet does",
    code: 'return 1;\n});\ncallTool("shell", { command: "id" });\n(async () => {',
    error: "SyntaxError: Unexpected token ')' (line 2, column 2)",
  },
  {
    name: "code between two functions",
    code: "},\nglobalThis.x = 1, async () => {",
    error: "SyntaxError: Unexpected token ',' (line 1, column 2)",
  },
  {
    name: "an expression that ends before the snippet does",
    code: "1), globalThis.x = 1, (2",
    error: "SyntaxError: Unexpected token ')' (line 1, column 2)",
  },
  {
    name: "an import",
    code: 'const a = 1;\nimport fs from "node:fs";',
    error: "SyntaxError: Cannot use import statement outside a module (line 2, column 1)",
  },
  { name: "something that is no error", code: "throw { a: 1 };", error: '{"a":1} was thrown' },
  {
    name: "something that hides itself",
    code: "throw new Proxy({}, { get() { throw 1; }, ownKeys() { throw 2; } });",
    error: "The snippet threw something that cannot be shown",
  },
  {
    name: "a stack that is full",
    code: "const f = () => f();\nf();",
    error: "RangeError: Maximum call stack size exceeded (line 1, column 17" +
      ", from line 1, column 17".repeat(4) + ")",
  },
  {
    name: "a call that failed, by its line",
    code: 'const a = 1;\nawait callTool("a");',
    error: "Error: refused (line 2, column 7)",
  },
];

for (const { name, code, error } of ERRORS) {
  Deno.test(`runSnippet() tells ${name}`, async () => {
    const { end } = await snippet(code, { answer: () => ({ ok: false, text: "refused" }) });
    assert.deepEqual(end, { kind: "threw", error });
  });
}

const ENDLESS: readonly (readonly [name: string, code: string])[] = [
  ["a tight loop", "for (;;);"],
  ["a loop of promises", "for (;;) await null;"],
  ["a promise that never settles", "await new Promise(() => {});"],
  ["a call that never ends", 'await callTool("never");'],
  ["a loop in a getter of its value", "return { get a() { for (;;); } };"],
  ["an expression that takes for ever", `return /(a+)+b/.test("a".repeat(60));`],
];

for (const [name, code] of ENDLESS) {
  Deno.test(`runSnippet() kills ${name} at its limit`, async () => {
    const startedAt = performance.now();
    const answer = () => new Promise<never>(() => {});
    const { end } = await snippet(code, { timeoutMs: 1_500, answer });
    assert.deepEqual(end, { kind: "timeout" });
    assert.ok(performance.now() - startedAt < 10_000);
  });
}

Deno.test("runSnippet() kills a snippet when its run is stopped", async () => {
  const stop = new AbortController();
  const { end } = await snippet('callTool("a"); for (;;) await null;', {
    signal: stop.signal,
    answer: () => {
      stop.abort();
      return new Promise<never>(() => {});
    },
  });
  assert.deepEqual(end, { kind: "cancelled" });
});

const GREEDY: readonly (readonly [name: string, code: string])[] = [
  ["objects", "const a = []; for (;;) a.push({ b: [1, 2, 3] });"],
  ["one text", 'let a = "x"; for (;;) a = JSON.parse(JSON.stringify(a + a));'],
];

for (const [name, code] of GREEDY) {
  Deno.test(`runSnippet() bounds the memory of ${name}`, async () => {
    const { end } = await snippet(code, { timeoutMs: 60_000 });
    const isBounded = end.kind === "memory" ||
      (end.kind === "threw" && /Invalid string length|RangeError/.test(end.error));
    assert.ok(isBounded, JSON.stringify(end));
  });
}

Deno.test({
  name: "runSnippet() bounds the memory of buffers",
  ignore: LINUX_ONLY,
  fn: async () => {
    const value = await valueOf(`
      const all = [];
      try {
        for (let count = 0; count < 100; count++) all.push(new Uint8Array(10 ** 7).fill(1));
      } catch (error) {
        return [error.message, all.length < 25];
      }
    `);
    assert.deepEqual(value, ["Array buffer allocation failed", true]);
  },
});

Deno.test("runSnippet() cuts a value and the console at their limits", async () => {
  const { end, console } = await snippet(
    'for (let i = 0; i < 100000; i++) console.log("y".repeat(30)); return "x".repeat(10 ** 6);',
    { maxValueChars: 100, maxConsoleChars: 100 },
  );
  assert.deepEqual(end, { kind: "returned", isCut: true, value: `"${"x".repeat(99)}` });
  assert.equal(console.length, 4);
  assert.match(console.at(-1) ?? "", /^y{7}… \[more left out\]$/);
});

Deno.test("runSnippet() keeps the console of a snippet that never ends", async () => {
  const { console, end } = await snippet('console.log("a", { b: 1 }, 2n); for (;;);', {
    timeoutMs: 1_500,
  });
  assert.deepEqual([console, end.kind], [['a {"b":1} "2"'], "timeout"]);
});

const CHANGED = ["Object", "JSON", "Error", "Map", "RegExp", "String", "Array", "Date"];

for (const name of CHANGED) {
  Deno.test(`runSnippet() is not moved by changes of ${name}`, async () => {
    const value = await valueOf(`
      const owners = [${name}, ${name}.prototype];
      const keys = owners.map((owner) => owner === undefined ? [] : Reflect.ownKeys(owner));
      for (let at = 0; at < 2; at++) {
        for (let key = 0; key < keys[at].length; key++) {
          try { owners[at][keys[at][key]] = () => { throw new Error("changed"); }; } catch {}
        }
      }
      Promise.prototype.then = () => { throw new Error("changed"); };
      return { said: await callTool("a", {}) };
    `);
    assert.deepEqual(value, { said: "a {}" });
  });
}

Deno.test("runSnippet() is not moved by what is added to all objects", async () => {
  const { end } = await snippet(`
    Object.prototype.toJSON = () => "changed";
    Object.prototype.type = "call";
    const found = await callTool("read_file", { path: "a" }).catch(() => "refused");
    return typeof found;
  `);
  assert.equal(end.kind, "returned", JSON.stringify(end));
});
