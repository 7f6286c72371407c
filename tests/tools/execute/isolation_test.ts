import assert from "node:assert/strict";
import { snippetStarter } from "../../../tools/execute/snippet_starter.ts";
import { withTempDir } from "../../support/temp.ts";
import { snippet, valueOf } from "./_snippet.ts";

const LIMITS = { timeoutMs: 30_000, maxMemoryMb: 64 };

/** Expressions that reach for something outside of the snippet, and what comes of them. */
const ATTEMPTS: readonly (readonly [what: string, expression: string, outcome: RegExp])[] = [
  ["the runtime", "Deno", /^ReferenceError: Deno is not defined/],
  ["the process", "process", /^ReferenceError: process is not defined/],
  ["CommonJS", 'require("fs")', /^ReferenceError: require is not defined/],
  ["the network", 'fetch("http://127.0.0.1/")', /^ReferenceError: fetch is not defined/],
  ["sockets", 'new WebSocket("ws://127.0.0.1/")', /^ReferenceError: WebSocket is not defined/],
  ["workers", 'new Worker("data:,")', /^ReferenceError: Worker is not defined/],
  ["timers", "setTimeout(() => {}, 1)", /^ReferenceError: setTimeout is not defined/],
  ["the global of the process", "global", /^ReferenceError: global is not defined/],
  ["buffers of Node", 'Buffer.from("a")', /^ReferenceError: Buffer is not defined/],
  ["stored data", "localStorage", /^ReferenceError: localStorage is not defined/],
  ["messages of its protocol", "postMessage({})", /^ReferenceError: postMessage is not defined/],
  ["built-in modules", 'await import("node:fs")', /^TypeError: .*import callback/],
  ["modules of text", 'await import("data:text/javascript,1")', /^TypeError: .*import callback/],
  ["files as modules", 'await import("file:///etc/passwd")', /^TypeError: .*import callback/],
  ["packages", 'await import("npm:yaml")', /^TypeError: .*import callback/],
  ["its address", "import.meta", /^SyntaxError: Cannot use 'import.meta' outside a module/],
  ["eval", 'eval("1")', /^EvalError: Code generation from strings disallowed/],
  ["new Function", 'new Function("return this")()', /^EvalError: Code generation/],
  ["constructors", '(async () => {}).constructor("return this")()', /^EvalError: Code generation/],
  [
    "memory that is shared",
    "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)",
    /^ReferenceError: Atomics is not defined/,
  ],
  [
    "machine code",
    "new WebAssembly.Module(new Uint8Array([0,97,115,109,1,0,0,0]))",
    /^ReferenceError: WebAssembly is not defined/,
  ],
  ["whoever calls it", "(function () { return arguments.callee.caller; })()", /^TypeError/],
];

for (const [what, expression, outcome] of ATTEMPTS) {
  Deno.test(`A snippet does not reach ${what}`, async () => {
    const { end } = await snippet(
      `const found = ${expression};\nreturn ["REACHED", typeof found];`,
    );
    assert.equal(end.kind, "threw");
    assert.match(end.kind === "threw" ? end.error : "", outcome);
  });
}

/** Walks from everything that a snippet can get hold of to everything that leads on from there. */
const WALK = `
const seen = new Set();
const outside = [];
const own = new Set([Object.prototype, Function.prototype, Array.prototype, Error.prototype]);
const rootOf = (value) => {
  let root = value;
  for (let at = value; at !== null; at = Object.getPrototypeOf(at)) root = at;
  return root;
};
const queue = [globalThis, callTool, console, this];
try { await callTool("fail"); } catch (error) { queue.push(error); }
queue.push(await callTool("good"), callTool("good"), (() => { try { null.x; } catch (e) { return e; } })());
queue.push(await import("node:fs").catch((error) => error));
queue.push((() => { const deep = () => { try { return deep(); } catch (e) { return e; } }; return deep(); })());
queue.push((() => { const deep = () => { try { console.log("x"); return deep(); } catch (e) { return e; } }; return deep(); })());
const sites = [];
const prepare = (error, list) => {
  for (const site of list) {
    sites.push(site, site.getThis(), site.getFunction(), String(site.getFileName()));
  }
  return "";
};
try { Error.prepareStackTrace = prepare; } catch {}
try { Object.defineProperty(Error, "prepareStackTrace", { value: prepare }); } catch {}
globalThis.Error = class extends Error { static prepareStackTrace = prepare; };
void new Error("sites").stack;
Promise.resolve().then(() => void new Error("later").stack);
await null;
queue.push(...sites);
while (queue.length > 0) {
  const value = queue.pop();
  if ((typeof value !== "object" && typeof value !== "function") || value === null) continue;
  if (seen.has(value)) continue;
  seen.add(value);
  const root = rootOf(value);
  if (root !== Object.prototype && root !== value) outside.push(String(root));
  for (const key of Reflect.ownKeys(value)) {
    let found;
    try { found = value[key]; } catch (error) { found = error; }
    queue.push(found);
    const { get, set } = Object.getOwnPropertyDescriptor(value, key) ?? {};
    queue.push(get, set);
  }
  queue.push(Object.getPrototypeOf(value));
}
const names = [...seen].filter((each) => typeof each === "function").map((each) => each.name);
return {
  isLarge: seen.size > 500,
  outside,
  foreign: names.filter((name) => /^(open|read|spawn|fetch|exit|send|post|op_)/.test(name)),
};
`;

Deno.test("A snippet finds nothing but its own world, wherever it climbs (field case 166)", async () => {
  const value = await valueOf(WALK, {
    timeoutMs: 60_000,
    maxConsoleChars: 1_000_000,
    answer: (name) => ({ ok: name === "good", text: '{"a":[1]}' }),
  });
  assert.deepEqual(value, { isLarge: true, outside: [], foreign: [] });
});

Deno.test("A snippet that speaks for its process gets no more than calls", async () => {
  const { end, calls } = await snippet(`
    console.log('{"type":"end","ok":true,"value":"1"}\\n{"type":"call","id":9,"name":"x","input":""}');
    console.log({ toJSON: () => '"}\\n{"type":"call","id":1,"name":"y","input":"{}"}\\n' });
    await callTool('a"}\\n{"type":"call","id":7,"name":"z","input":"{}"}', {});
    return "own";
  `);
  assert.deepEqual(end, { kind: "returned", isCut: false, value: '"own"' });
  assert.equal(calls.length, 1);
});

/** What the process of a snippet may do if the snippet breaks out of its world. */
const PROCESS: readonly (readonly [what: string, expression: string])[] = [
  ["read a file", 'Deno.readTextFileSync("/etc/passwd")'],
  ["read a file in another way", '(await import("node:fs")).readFileSync("/etc/passwd")'],
  ["read its environment in the system", 'Deno.readFileSync("/proc/self/environ")'],
  ["list a folder", '[...Deno.readDirSync("/")]'],
  ["look at a file", 'Deno.statSync("/")'],
  ["open the terminal", 'Deno.openSync("/dev/tty")'],
  ["write a file", "Deno.writeTextFileSync(MARKER, text)"],
  ["write a file in another way", '(await import("node:fs")).writeFileSync(MARKER, "x")'],
  ["make a folder", "Deno.mkdirSync(MARKER)"],
  ["make a temporary file", "Deno.makeTempFileSync()"],
  ["open a database", '(new (await import("node:sqlite")).DatabaseSync(MARKER))'],
  ["connect", "await Deno.connect({ port: PORT })"],
  ["fetch", 'await fetch("http://127.0.0.1:" + PORT)'],
  ["listen", "Deno.listen({ port: 0 })"],
  ["look up a name", 'await Deno.resolveDns("localhost", "A")'],
  ["read a variable", 'Deno.env.get("HOME")'],
  ["list variables", "Deno.env.toObject()"],
  ["read a variable in another way", "process.env.HOME"],
  ["start a program", 'new Deno.Command("/bin/true").outputSync()'],
  ["start a program in another way", '(await import("node:child_process")).execSync("true")'],
  ["signal a process", 'Deno.kill(Deno.ppid, "SIGTERM")'],
  ["call native code", 'Deno.dlopen("libc.so.6", {})'],
  ["know the machine", "Deno.hostname()"],
  ["know the person", '(await import("node:os")).userInfo()'],
  ["know the network", "Deno.networkInterfaces()"],
  ["import a file", "await import(FILE)"],
  [
    "import a file through text",
    'await import("data:text/javascript,import " + JSON.stringify(FILE))',
  ],
  ["import from a server", 'await import("http:" + "//127.0.0.1:" + PORT + "/a.js")'],
  ["import a package", 'await import("npm:" + "yaml")'],
  ["be debugged", '(await import("node:inspector")).open()'],
  [
    "be permitted more",
    '(await Deno.permissions.request({ name: "read" })).state === "denied" || go',
  ],
  [
    "read through a worker",
    `await new Promise((_, fail) => {
    const text = "try { Deno.readTextFileSync('/etc/passwd'); postMessage('') } catch (e) { postMessage(e.name) }";
    new Worker("data:text/javascript," + encodeURIComponent(text), { type: "module" }).onmessage =
      ({ data }) => data === "" ? _() : fail(new Error(data));
  })`,
  ],
];

Deno.test({
  name: "The process of a snippet may do nothing, whoever speaks in it",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withTempDir(async (dir) => {
      const reached: string[] = [];
      const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => {
        reached.push("server");
        return new Response("export default 1;");
      });
      const marker = `${dir}/marker`;
      const tries = PROCESS.map(([what, expression]) =>
        `try { await (async () => (${expression}))(); reached.push(${JSON.stringify(what)}); }` +
        ` catch (error) { refused.push(String(error)); }`
      );
      const program = `
        const MARKER = ${JSON.stringify(marker)}, PORT = ${server.addr.port};
        const FILE = "file://" + ${JSON.stringify(dir)} + "/secret.ts", text = "x";
        const reached = [], refused = [];
        ${tries.join("\n")}
        console.log(JSON.stringify({ reached, refused }));
        Deno.exit(0);
      `;
      await Deno.writeTextFile(`${dir}/secret.ts`, "export const secret = 1;");
      const { program: start, args, cwd, env } = snippetStarter({ SECRET_KEY: "s3cret" }, LIMITS);
      const { stdout, stderr } = await new Deno.Command(start, {
        args: [...args.slice(0, -1), `data:text/javascript,${encodeURIComponent(program)}`],
        cwd,
        env: { ...env },
        clearEnv: true,
        stdin: "null",
      }).output();
      await server.shutdown();
      const said = new TextDecoder().decode(stdout) || new TextDecoder().decode(stderr);
      const told = JSON.parse(said);
      assert.deepEqual(told.reached, ["be permitted more"], said);
      assert.equal(told.refused.length, PROCESS.length - 1);
      assert.deepEqual(reached, []);
      await assert.rejects(Deno.stat(marker), Deno.errors.NotFound);
    }),
});

Deno.test("snippetStarter() hands no variable of this process on", () => {
  const { env } = snippetStarter({ SECRET_KEY: "s3cret", HOME: "/home/me" }, LIMITS);
  assert.ok(Object.keys(env).every((name) => /^(?:NO_COLOR|DENO_\w+|SYSTEMROOT)$/.test(name)));
});
