import assert from "node:assert/strict";
import {
  findEagerExternals,
  findLayerViolations,
  findUnpinnedPackages,
  type ModuleImport,
} from "./support/layers.ts";
import { listSourceFiles, readModuleImports } from "./support/module_imports.ts";
import { ROOT } from "./support/paths.ts";
import { withTempDir, writeTree } from "./support/temp.ts";

type Row = readonly [from: string, specifier: string, target: string, kind?: ModuleImport["kind"]];

const SDK = ["@alisio/sdk", "sdk/mod.ts"] as const;
const TESTING = ["@alisio/sdk/testing", "sdk/testing.ts"] as const;
const DIFF = ["diff", "npm:diff@8.0.2"] as const;

/** Each allowed row stands before a near one that must be refused. */
const ROWS: readonly { readonly allowed: Row; readonly refused: Row }[] = [
  {
    allowed: ["sdk/tool.ts", "./json.ts", "sdk/json.ts"],
    refused: ["sdk/tool.ts", "../core/errors.ts", "core/errors.ts", "type"],
  },
  {
    allowed: ["core/run/loop.ts", "node:path", "node:path"],
    refused: ["sdk/tool.ts", "node:path", "node:path"],
  },
  {
    allowed: ["sdk/testing/x.ts", "node:sqlite", "node:sqlite"],
    refused: ["sdk/testing/x.ts", "../../core/errors.ts", "core/errors.ts", "type"],
  },
  {
    allowed: ["sdk/testing.ts", "./tool.ts", "sdk/tool.ts"],
    refused: ["sdk/mod.ts", "./testing.ts", "sdk/testing.ts"],
  },
  {
    allowed: ["examples/hello_test.ts", ...TESTING],
    refused: ["cli/run.ts", ...TESTING, "dynamic"],
  },
  {
    allowed: ["core/run/loop.ts", ...SDK],
    refused: ["core/run/loop.ts", "../../sdk/mod.ts", "sdk/mod.ts"],
  },
  {
    allowed: ["tools/edit.ts", ...DIFF],
    refused: ["core/files/edit.ts", ...DIFF, "dynamic"],
  },
  {
    allowed: ["plugins/scripted/mod.ts", ...DIFF],
    refused: ["core/files/edit.ts", ...DIFF, "type"],
  },
  {
    allowed: ["tools/edit.ts", "../core/errors.ts", "core/errors.ts"],
    refused: ["core/run/loop.ts", "../../tools/edit.ts", "tools/edit.ts", "dynamic"],
  },
  {
    allowed: ["plugins/scripted/mod.ts", ...SDK],
    refused: ["plugins/scripted/mod.ts", "../../core/errors.ts", "core/errors.ts", "type"],
  },
  {
    allowed: ["plugins/scripted/mod.ts", "./script.ts", "plugins/scripted/script.ts"],
    refused: ["plugins/scripted/mod.ts", "../memory/mod.ts", "plugins/memory/mod.ts"],
  },
  {
    allowed: ["tui/screen.ts", "../core/errors.ts", "core/errors.ts"],
    refused: ["tui/screen.ts", "../tools/edit.ts", "tools/edit.ts"],
  },
  {
    allowed: ["web/server.ts", "./page.ts", "web/page.ts"],
    refused: ["web/server.ts", "../tui/screen.ts", "tui/screen.ts"],
  },
  {
    allowed: ["cli/run.ts", "../plugins/scripted/mod.ts", "plugins/scripted/mod.ts", "dynamic"],
    refused: ["tools/edit.ts", "../plugins/scripted/mod.ts", "plugins/scripted/mod.ts", "dynamic"],
  },
  {
    allowed: ["mod.ts", "./tools/edit.ts", "tools/edit.ts"],
    refused: ["mod.ts", "./cli/run.ts", "cli/run.ts"],
  },
  {
    allowed: ["tests/core/x_test.ts", "../support/temp.ts", "tests/support/temp.ts"],
    refused: ["core/x.ts", "../tests/support/temp.ts", "tests/support/temp.ts"],
  },
  {
    allowed: ["examples/hello.ts", ...SDK],
    refused: ["examples/hello.ts", "../core/errors.ts", "core/errors.ts"],
  },
  {
    allowed: ["cli/doctor.ts", "node:crypto", "node:crypto", "dynamic"],
    refused: ["cli/doctor.ts", "node:crypto", "node:crypto"],
  },
  {
    allowed: ["cli/doctor.ts", "../deno.json", "deno.json"],
    refused: ["core/version.ts", "../deno.json", "deno.json"],
  },
  {
    allowed: ["tools/edit.ts", ...DIFF],
    refused: ["tools/edit.ts", "npm:diff@8.0.2", "npm:diff@8.0.2"],
  },
  {
    allowed: ["tests/x_test.ts", "node:assert/strict", "node:assert/strict"],
    refused: ["tests/x_test.ts", "jsr:@std/assert", "jsr:@std/assert"],
  },
  {
    allowed: ["cli/run.ts", "../core/errors.ts", "core/errors.ts"],
    refused: ["cli/run.ts", "https://example.com/x.ts", "https://example.com/x.ts", "type"],
  },
  {
    allowed: ["cli/run.ts", "./help.ts", "cli/help.ts"],
    refused: ["cli/run.ts", "../../x.ts", "file:///tmp/x.ts"],
  },
  {
    allowed: ["core/x.ts", "./y.ts", "core/y.ts"],
    refused: ["lib/x.ts", "./y.ts", "lib/y.ts"],
  },
];

Deno.test("findLayerViolations() allows what the table allows and refuses its neighbour", () => {
  for (const { allowed, refused } of ROWS) {
    assert.deepEqual(findLayerViolations([edgeOf(allowed)]), [], allowed.join(" "));
    const violations = findLayerViolations([edgeOf(refused)]);
    assert.equal(violations.length, 1, refused.join(" "));
    assert.ok(violations[0]?.startsWith(`${refused[0]} imports "${refused[1]}": `), violations[0]);
  }
});

Deno.test("findLayerViolations() gives each package to one folder", () => {
  const one = edgeOf(["tools/edit.ts", ...DIFF]);
  const same = edgeOf(["tools/write.ts", "diff/lib", "npm:diff@8.0.2/lib", "dynamic"]);
  const test = edgeOf(["tests/tools/edit_test.ts", ...DIFF]);
  const other = edgeOf(["tools/web/fetch.ts", ...DIFF]);
  assert.deepEqual(findLayerViolations([one, same, test]), []);
  assert.deepEqual(findLayerViolations([one, same, test, other]), [
    'Package "diff" is imported in tools and tools/web: one folder owns it',
  ]);
});

Deno.test("findUnpinnedPackages() accepts exact versions only", () => {
  assert.deepEqual(
    findUnpinnedPackages({
      "exact": "npm:diff@8.0.2",
      "scoped": "npm:@cfworker/json-schema@4.1.1",
      "deep": "npm:openai@6.49.0/core/streaming",
      "local": "./sdk/mod.ts",
      "caret": "npm:diff@^8.0.2",
      "major": "npm:diff@8",
      "bare": "npm:diff",
      "jsr": "jsr:@std/path@1.0.0",
      "remote": "https://example.com/diff@8.0.2.js",
    }),
    ["caret", "major", "bare", "jsr", "remote"],
  );
});

Deno.test("findEagerExternals() follows static imports and stops at dynamic and type ones", () => {
  const edges = [
    edgeOf(["cli.ts", "./cli/a.ts", "cli/a.ts"]),
    edgeOf(["cli.ts", "./cli/b.ts", "cli/b.ts", "dynamic"]),
    edgeOf(["cli/a.ts", "node:path", "node:path"]),
    edgeOf(["cli/a.ts", "openai", "npm:openai@6.49.0", "type"]),
    edgeOf(["cli/b.ts", ...DIFF]),
  ];
  assert.deepEqual(findEagerExternals(edges, "cli.ts").map((edge) => edge.target), ["node:path"]);
  assert.deepEqual(findEagerExternals(edges, "cli/b.ts").map((edge) => edge.target), [
    "npm:diff@8.0.2",
  ]);
});

Deno.test("readModuleImports() sees every form of import and no comment or string", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      "deno.json": JSON.stringify({ imports: { diff: "npm:diff@8.0.2" } }),
      "a.ts": [
        'import type { A } from "./t1.ts";',
        'export { b } from "./s1.ts";',
        'export * from "jsr:@std/path@1";',
        'import { createPatch } from "diff";',
        'type C = import("./t2.ts").C;',
        'const d = await import("./d1.ts");',
        "const e = await import(`./d2.ts`);",
        'import "https://example.com/x.ts";',
        'import "node:fs";',
        '// import "./comment.ts";',
        "const text = `",
        'import "./template.ts";',
        "`;",
      ].join("\n"),
    });
    const edges = await readModuleImports(dir, ["a.ts"]);
    const found = edges.map(({ target, kind }) => `${kind} ${target}`);
    assert.deepEqual(found.sort(), [
      "dynamic d1.ts",
      "dynamic d2.ts",
      "static https://example.com/x.ts",
      "static jsr:@std/path@1",
      "static node:fs",
      "static npm:diff@8.0.2",
      "static s1.ts",
      "type t1.ts",
      "type t2.ts",
    ]);
  });
});

Deno.test("readModuleImports() rejects a file that does not parse", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, { "deno.json": "{}", "a.ts": "import from from;" });
    await assert.rejects(() => readModuleImports(dir, ["a.ts"]), /Cannot parse "a.ts"/);
  });
});

Deno.test("The repository keeps its layers", async () => {
  const edges = await readModuleImports(ROOT, await listSourceFiles(ROOT));
  assert.ok(edges.length > 0);
  assert.deepEqual(findLayerViolations(edges), []);
});

Deno.test("Public modules export by name", async () => {
  const modules = (await listSourceFiles(ROOT)).filter((file) =>
    /^(?:(?:sdk\/)?mod|sdk\/testing)\.ts$/.test(file)
  );
  assert.ok(modules.length > 0);
  for (const file of modules) {
    assert.doesNotMatch(await Deno.readTextFile(`${ROOT}/${file}`), /^\s*export\s+\*/m, file);
  }
});

Deno.test("cli.ts loads no package before it knows the command", async () => {
  const edges = await readModuleImports(ROOT, await listSourceFiles(ROOT));
  assert.ok(edges.some(({ from }) => from === "cli.ts"));
  const eager = findEagerExternals(edges, "cli.ts");
  assert.deepEqual(
    eager.filter((edge) => edge.target.startsWith("npm:")).map((edge) =>
      `${edge.from} ${edge.target}`
    ),
    [],
  );
});

Deno.test("The import maps name exact versions", async () => {
  for (const file of ["deno.json", "sdk/deno.json"]) {
    const config = JSON.parse(await Deno.readTextFile(`${ROOT}/${file}`));
    assert.deepEqual(findUnpinnedPackages(config.imports ?? {}), [], file);
  }
});

function edgeOf([from, specifier, target, kind = "static"]: Row): ModuleImport {
  return { from, specifier, target, kind };
}
