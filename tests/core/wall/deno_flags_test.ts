import assert from "node:assert/strict";
import { join } from "node:path";
import { AlisioError } from "../../../core/errors.ts";
import { type Ceiling, type CeilingFacts, computeCeiling } from "../../../core/wall/ceiling.ts";
import { denoFlags } from "../../../core/wall/deno_flags.ts";
import { DENO } from "../../support/paths.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

const MAIN = "file:///app/cli.ts";

const NOTHING: Ceiling = {
  read: [],
  write: [],
  denyRead: [],
  denyWrite: [],
  run: [],
  net: [],
  sys: [],
  hiddenEnv: [],
  runtime: "/bin/deno",
  kernel: { off: "for a test" },
};

const HEADLESS_WRITE: CeilingFacts = {
  readOnly: false,
  possible: { write: true, process: false, external: false },
  canApproveDirectories: false,
  workspace: "/ws",
  roots: [],
  configHome: "/config",
  stateHome: "/state",
  pluginFolders: [],
  readable: [],
  runtime: "/bin/deno",
  executables: [],
  providers: [],
  proxies: [],
  mcpHosts: [],
  mcpExecutables: [],
  closedPaths: [],
  readOnlyRoots: [],
  protectedPaths: [],
  sys: [],
  aliases: [],
  sandboxesPrograms: false,
};

const FIXED = ["--no-prompt", "--cached-only", "--deny-import", "--deny-ffi", "--allow-env"];

const ROWS: readonly {
  readonly name: string;
  readonly change: Partial<Ceiling>;
  readonly flags: readonly string[];
}[] = [
  { name: "no permission for an empty ceiling", change: {}, flags: [] },
  {
    name: "what is listed",
    change: {
      hiddenEnv: ["A", "B"],
      sys: ["hostname"],
      read: ["/a", "/b c"],
      write: ["/a"],
      denyRead: ["/a/secret"],
      denyWrite: ["/a/x"],
      run: ["/bin/git"],
      net: ["h:1", "[::1]:2"],
    },
    flags: [
      "--ignore-env=A,B",
      "--allow-sys=hostname",
      "--allow-read=/a,/b c",
      "--deny-read=/a/secret",
      "--allow-write=/a",
      "--deny-write=/a/x",
      "--allow-run=/bin/git",
      "--allow-net=h:1,[::1]:2",
    ],
  },
  {
    name: "whole categories",
    change: { read: "all", write: "all", run: "all", net: "all" },
    flags: ["--allow-read", "--allow-write", "--allow-run", "--allow-net"],
  },
];

for (const { name, change, flags } of ROWS) {
  Deno.test(`denoFlags() grants ${name}`, () => {
    assert.deepEqual(denoFlags({ ...NOTHING, ...change }, MAIN), [...FIXED, ...flags]);
  });
}

Deno.test("denoFlags() lets a program from a server import from that server alone", () => {
  const importFlags = (main: string): readonly string[] =>
    denoFlags(NOTHING, main).filter((flag) => flag.includes("import"));
  assert.deepEqual(importFlags(MAIN), ["--deny-import"]);
  assert.deepEqual(importFlags("https://jsr.io/@alisio/cli/0.1.0/cli.ts"), [
    "--allow-import=jsr.io:443",
  ]);
  assert.deepEqual(importFlags("http://127.0.0.1:99/cli.ts"), ["--allow-import=127.0.0.1:99"]);
});

Deno.test("denoFlags() refuses what a flag cannot hold", () => {
  const rows: readonly Partial<Ceiling>[] = [
    { read: ["/a,b"] },
    { write: ["/a,/etc"] },
    { denyRead: ["/a,b"] },
    { denyWrite: ["/a,b"] },
    { run: ["/bin/x,sh"] },
    { run: ["git"] },
    { read: ["relative"] },
    { read: ["/a\0b"] },
    { net: ["host"] },
    { net: ["*:443"] },
    { net: ["a:1,b:2"] },
    { net: ["10.0.0.0/8:1"] },
    { net: [""] },
  ];
  for (const change of rows) {
    assert.throws(
      () => denoFlags({ ...NOTHING, ...change }, MAIN),
      (error) => error instanceof AlisioError && error.code === "usage",
      JSON.stringify(change),
    );
  }
});

Deno.test({
  name: "denoFlags() names odd folders so that the runtime opens exactly them",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withTempDir(async (root) => {
      const names = [
        "c d",
        "n\nl",
        "tr ",
        " lead",
        'q"q',
        "a=b",
        "*",
        "$HOME",
        "\ttab",
        "ü",
        "%2C",
      ];
      await writeTree(root, {
        ...Object.fromEntries(names.map((name) => [`${name}/file`, "x"])),
        "other/file": "x",
        "main.ts": `const read = (path) => {
          try { return Deno.readTextFileSync(path); } catch (error) { return error.name; }
        };
        console.log(JSON.stringify(Deno.args.map(read)));`,
      });
      const paths = names.map((name) => join(root, name));
      const args = [...paths, join(root, "other")].map((path) => join(path, "file"));
      const flags = denoFlags({ ...NOTHING, read: paths }, MAIN);
      const { stdout } = await new Deno.Command(DENO, {
        args: ["run", "--no-config", ...flags, join(root, "main.ts"), ...args],
      }).output();
      assert.deepEqual(JSON.parse(new TextDecoder().decode(stdout)), [
        ...names.map(() => "x"),
        "NotCapable",
      ]);
    }),
});

Deno.test("denoFlags() of a headless run open no category as a whole", () => {
  const flags = denoFlags(
    computeCeiling(HEADLESS_WRITE),
    MAIN,
  );
  assert.deepEqual(flags.filter((flag) => /^--allow-[a-z]+$/.test(flag)), ["--allow-env"]);
});

Deno.test("denoFlags() of a ceiling close what it closes and keep open what it opens, whatever else is listed", async () => {
  await withTempDir(async (dir) => {
    const shelves = Array.from({ length: 6 }, (_, n) => `shelf${n}`);
    const names = ["a", "m", "z"];
    await writeTree(
      dir,
      Object.fromEntries(
        ["ws", ...names].flatMap((root) =>
          shelves.flatMap((shelf) => [
            [`${root}/${shelf}/open/x`, ""],
            [`${root}/${shelf}/closed/x`, ""],
            [`${root}/closed-${shelf}/x`, ""],
          ])
        ),
      ),
    );
    const inRoots = (...parts: readonly string[]) =>
      ["ws", ...names].flatMap((root) =>
        shelves.map((shelf) => join(dir, root, ...parts.map((part) => part.replace("*", shelf))))
      );
    const opened = inRoots("*", "open");
    const closed = [...inRoots("*"), ...inRoots("*", "closed"), ...inRoots("closed-*")];
    const ceiling = computeCeiling({
      ...HEADLESS_WRITE,
      workspace: join(dir, "ws"),
      roots: [...names.map((name) => join(dir, name)), ...opened],
      closedPaths: closed.map((path) => ({ path, real: path, identity: null })),
    });
    const program = `const can = (path) => {
      try { Deno.readTextFileSync(path); Deno.writeTextFileSync(path, ""); return true; }
      catch (error) { if (error.name !== "NotCapable") throw error; return false; }
    };
    console.log(JSON.stringify(JSON.parse(Deno.args[0]).map(can)));`;
    await Deno.writeTextFile(join(dir, "main.js"), program);
    const files = [
      ...opened.map((folder) => join(folder, "x")),
      ...[...inRoots("*", "closed"), ...inRoots("closed-*")].map((folder) => join(folder, "x")),
    ];
    const { stdout } = await new Deno.Command(DENO, {
      args: [
        "run",
        ...denoFlags(ceiling, MAIN),
        "--no-config",
        join(dir, "main.js"),
        JSON.stringify(files),
      ],
    }).output();
    const can = JSON.parse(new TextDecoder().decode(stdout));
    assert.deepEqual(can, files.map((path) => path.includes("/open/")));
  });
});
