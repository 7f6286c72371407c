import assert from "node:assert/strict";
import { join } from "node:path";
import { AGENT_MODULES } from "../../cli/launcher.ts";
import { withTempDir } from "../support/temp.ts";
import { writeStandIns } from "./_stand_in_runtimes.ts";
import { compileProgram, programModules } from "./compile_program.ts";
import { binaryName, parseTarget, type Target, TARGETS } from "./targets.ts";

/** How the files of each system begin. */
const MAGIC: Readonly<Record<Target, string>> = {
  "x86_64-unknown-linux-gnu": "7f454c46",
  "aarch64-unknown-linux-gnu": "7f454c46",
  "x86_64-apple-darwin": "cffaedfe",
  "aarch64-apple-darwin": "cffaedfe",
  "x86_64-pc-windows-msvc": "4d5a",
};

interface EmbeddedEntry {
  readonly Dir?: { readonly n: string; readonly e: readonly EmbeddedEntry[] };
  /** `m` is where the compiled form of a module lies. */
  readonly File?: { readonly n: string; readonly m?: unknown };
}

Deno.test("compileProgram() embeds the whole program for five systems, with their checksums", async () => {
  await withTempDir(async (dir) => {
    const folder = join(dir, "dist");
    const compiled: string[] = [];
    await compileProgram({
      targets: TARGETS,
      folder,
      runtimes: await writeStandIns(dir),
      onCompiled: (path) => compiled.push(path),
    });
    const names = TARGETS.map(binaryName);
    assert.deepEqual(compiled, names.map((name) => join(folder, name)));
    const modules = await programModules();
    const sums = (await Deno.readTextFile(join(folder, "SHA256SUMS"))).split("\n");
    assert.equal(sums.pop(), "");
    for (const [index, target] of TARGETS.entries()) {
      const bytes = await Deno.readFile(join(folder, binaryName(target)));
      const magic = MAGIC[target];
      assert.equal(bytes.subarray(0, magic.length / 2).toHex(), magic, target);
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
      assert.equal(sums[index], `${digest}  ${binaryName(target)}`);
      const embedded = embeddedModules(bytes);
      // A module of types alone has no compiled form.
      const missing = ["cli.ts", ...modules].filter((module) => !embedded.files.has(module));
      assert.deepEqual(missing, [], target);
      for (const module of AGENT_MODULES) assert.ok(embedded.modules.has(module), module);
      assert.ok(embedded.modules.has("sdk/mod.ts"));
      // A package of which only types are used is left out.
      const packages = ["diff", "json-schema", "openai"].filter((name) =>
        [...embedded.files].some((path) => path.includes(`/${name}/`))
      );
      assert.deepEqual(packages, ["diff", "json-schema"], target);
    }
  });
});

Deno.test("compileProgram() says for which system it fails, and writes no checksums", async () => {
  await withTempDir(async (dir) => {
    const runtime = join(dir, "no-runtime");
    await Deno.writeTextFile(runtime, "text");
    const target = "x86_64-pc-windows-msvc";
    await assert.rejects(
      compileProgram({
        targets: [target],
        folder: join(dir, "d"),
        runtimes: { [target]: runtime },
      }),
      /^Error: Cannot compile for x86_64-pc-windows-msvc: error: .*\.tmp-/,
    );
    assert.deepEqual(await Array.fromAsync(Deno.readDir(join(dir, "d"))), []);
  });
});

Deno.test("parseTarget() knows the systems of a release and names them otherwise", () => {
  for (const target of TARGETS) assert.equal(parseTarget(target), target);
  assert.throws(() => parseTarget("x86_64-unknown-linux-musl"), /choose one of x86_64-unknown-/);
});

/** Reads the list of files that the compiler puts into a binary. */
function embeddedModules(
  bytes: Uint8Array,
): { readonly files: ReadonlySet<string>; readonly modules: ReadonlySet<string> } {
  const text = new TextDecoder("latin1").decode(bytes);
  const start = text.indexOf('[{"Dir":');
  assert.notEqual(start, -1, "no list of files");
  const files = new Set<string>();
  const modules = new Set<string>();
  const walk = (entries: readonly EmbeddedEntry[], folder: string): void => {
    for (const { Dir, File } of entries) {
      if (Dir !== undefined) walk(Dir.e, `${folder}${Dir.n}/`);
      if (File === undefined) continue;
      const path = `${folder}${File.n}`;
      files.add(path);
      if (File.m !== undefined) modules.add(path);
    }
  };
  walk(JSON.parse(firstArray(text, start)), "");
  return { files, modules };
}

function firstArray(text: string, start: number): string {
  let depth = 0;
  for (let index = start; index < text.length; index++) {
    if (text[index] === "[") depth++;
    if (text[index] === "]" && --depth === 0) return text.slice(start, index + 1);
  }
  return "";
}
