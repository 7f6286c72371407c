import assert from "node:assert/strict";
import { join } from "node:path";
import { inspectPackedPlugin } from "../../../../core/plugins/install/packed_plugin.ts";
import {
  TARBALL_LIMITS,
  type TarballLimits,
} from "../../../../core/plugins/install/read_tarball.ts";
import { AlisioError, errorMessage } from "../../../../core/errors.ts";
import { buildTar, buildTarball, gzip, type TarEntry } from "../../../support/tarball.ts";
import { withTempDir } from "../../../support/temp.ts";

const MANIFEST = {
  name: "alisio-plugin-x",
  version: "1.2.3",
  keywords: ["alisio-plugin"],
  main: "./index.js",
};

const JSON_ENTRY: TarEntry = { path: "package/package.json", content: JSON.stringify(MANIFEST) };

async function inspect(
  bytes: Uint8Array,
  limits?: TarballLimits,
): Promise<Awaited<ReturnType<typeof inspectPackedPlugin>>> {
  let found;
  await withTempDir(async (dir) => {
    const path = join(dir, "x.tgz");
    await Deno.writeFile(path, bytes);
    found = await inspectPackedPlugin(path, "x.tgz", limits);
  });
  assert.ok(found !== undefined);
  return found;
}

async function refusal(bytes: Uint8Array, limits?: TarballLimits): Promise<string> {
  try {
    await inspect(bytes, limits);
  } catch (error) {
    assert.ok(error instanceof AlisioError && error.code === "plugin_invalid");
    return errorMessage(error).replace(/^Cannot install "x\.tgz": /, "");
  }
  return "accepted";
}

function pax(records: Readonly<Record<string, string>>, type = "x"): TarEntry {
  const lines = Object.entries(records).map(([key, value]) => {
    const rest = ` ${key}=${value}\n`;
    const length = rest.length + String(rest.length).length;
    return `${rest.length + String(length).length}${rest}`;
  });
  return { path: "PaxHeader", type, content: lines.join("") };
}

Deno.test("inspectPackedPlugin() reads a package as npm packs it", async () => {
  const scripts = { build: "x", preinstall: "a", postinstall: "b", prepare: "c" };
  const tarball = await buildTarball([
    { path: "package/", type: "5" },
    pax({ comment: "x" }, "g"),
    { path: "package/index.js", content: "x".repeat(2_000) },
    pax({ path: "package/package.json", mtime: "1.5" }),
    { path: "package/other", content: JSON.stringify({ ...MANIFEST, scripts }) },
    { path: "package/lib/package.json", content: "{}" },
  ]);
  assert.deepEqual(await inspect(tarball), {
    name: "alisio-plugin-x",
    version: "1.2.3",
    scripts: { preinstall: "a", postinstall: "b" },
  });
});

Deno.test("inspectPackedPlugin() refuses an archive that could be unpacked as something else", async () => {
  const rows: readonly (readonly [string, readonly TarEntry[], string])[] = [
    ["parent", [JSON_ENTRY, { path: "package/../../x" }], '"package/../../x" in it could leave'],
    ["absolute", [JSON_ENTRY, { path: "/etc/passwd" }], '"/etc/passwd" in it could leave'],
    ["backslash", [JSON_ENTRY, { path: "package\\..\\x" }], "in it could leave"],
    ["drive", [JSON_ENTRY, { path: "package/C:/x" }], "in it could leave"],
    [
      "other root",
      [JSON_ENTRY, { path: "other/package.json" }],
      '"other/package.json" in it could',
    ],
    ["dot", [JSON_ENTRY, { path: "package/./package.json" }], "in it could leave"],
    ["empty part", [JSON_ENTRY, { path: "package//package.json" }], "in it could leave"],
    [
      "long name",
      [JSON_ENTRY, { path: "x", type: "L", content: "../x\0" }, { path: "package/a" }],
      '"../x" in it could leave',
    ],
    [
      "described name",
      [JSON_ENTRY, pax({ path: "../x" }), { path: "package/a" }],
      '"../x" in it could',
    ],
    ["two", [JSON_ENTRY, JSON_ENTRY], "it holds two files package.json"],
    [
      "two by case",
      [JSON_ENTRY, { path: "package/Package.JSON" }],
      "it holds two files package.json",
    ],
    [
      "by case",
      [{ ...JSON_ENTRY, path: "package/PACKAGE.json" }],
      'it holds "package/PACKAGE.json"',
    ],
    [
      "symbolic link",
      [JSON_ENTRY, { path: "package/x", type: "2", link: "/etc" }],
      'it holds a link, "package/x"',
    ],
    [
      "hard link",
      [JSON_ENTRY, { path: "package/x", type: "1", link: "y" }],
      'it holds a link, "package/x"',
    ],
    ["device", [JSON_ENTRY, { path: "package/x", type: "3" }], "neither file nor folder"],
    [
      "described size",
      [JSON_ENTRY, pax({ size: "9" }), { path: "package/a" }],
      'a description in it sets "size"',
    ],
    [
      "described link",
      [JSON_ENTRY, pax({ linkpath: "/x" }), { path: "package/a" }],
      'a description in it sets "linkpath"',
    ],
    [
      "global name",
      [pax({ path: "package/a" }, "g"), JSON_ENTRY],
      'a description in it sets "path"',
    ],
    [
      "description",
      [{ path: "x", type: "x", content: "99 path=a\n" }, JSON_ENTRY],
      "a description in it cannot be read",
    ],
    [
      "long description",
      [{ path: "x", type: "x", content: "x".repeat(70_000) }],
      "a description in it is too long",
    ],
    ["nothing", [{ path: "package/index.js" }], "it holds no package/package.json"],
  ];
  for (const [name, entries, reason] of rows) {
    const found = await refusal(await buildTarball(entries));
    assert.ok(found.startsWith(reason) || found.includes(reason), `${name}: ${found}`);
  }
});

Deno.test("inspectPackedPlugin() refuses what programs read in different ways", async () => {
  const hidden = JSON.stringify({ ...MANIFEST, version: "6.6.6", scripts: { postinstall: "x" } });
  const inner = buildTar([{ ...JSON_ENTRY, content: hidden }]);
  const record = "path=package/package.json\n";
  const wrapped = `comment=x\n${record.length + 3} ${record}`;
  const file = { path: "package/a", content: hidden };
  const name = "a name in it can be read in two ways";
  const description = "a description in it cannot be read";
  const rows: readonly (readonly [string, readonly TarEntry[], string])[] = [
    [
      "folder with content",
      [{ path: "package/lib/", type: "5", content: inner }],
      '"package/lib/" in it can be read in two ways',
    ],
    [
      "file named like a folder",
      [{ path: "package/lib/", content: inner }],
      '"package/lib/" in it can be read in two ways',
    ],
    [
      "name in front, old format",
      [{ ...file, path: "x/package.json", patches: [[257, "ustar  \0"], [345, "package"]] }],
      name,
    ],
    [
      "name in front, unknown version",
      [{ ...file, path: "x/package.json", patches: [[257, "ustar\x0011"], [345, "package"]] }],
      name,
    ],
    ["behind the end of a name", [{ ...file, path: "package\0\n/package.json" }], name],
    [
      "behind the end of a long name",
      [{ path: "x", type: "L", content: "package/a\0\n/package.json" }, file],
      name,
    ],
    [
      "line in a description",
      [{ path: "x", type: "x", content: `${wrapped.length + 3} ${wrapped}` }, file],
      description,
    ],
    [
      "length in another notation",
      [
        { path: "x", type: "x", content: "0x17 path=package/a.js\n" },
        { ...JSON_ENTRY, content: hidden },
      ],
      description,
    ],
    ["line in a name", [{ ...file, path: "package/a\nb" }], String.raw`"package/a\nb" in it can`],
  ];
  for (const [what, entries, reason] of rows) {
    const found = await refusal(await buildTarball([JSON_ENTRY, ...entries]));
    assert.ok(found.startsWith(reason), `${what}: ${found}`);
  }
});

Deno.test("inspectPackedPlugin() refuses what is no archive, or a broken one", async () => {
  const tar = buildTar([JSON_ENTRY, { path: "package/a", content: "x".repeat(5_000) }]);
  const flipped = tar.slice();
  flipped[3] = (flipped[3] ?? 0) ^ 1;
  const after = new Uint8Array(tar.length + 512);
  after.set(tar);
  after[tar.length] = 1;
  const packed = await gzip(tar);
  assert.equal(await refusal(packed), "accepted");
  const rows: readonly (readonly [string, Uint8Array, string])[] = [
    ["text", new TextEncoder().encode("hello"), "it is not compressed with gzip, or it is damaged"],
    ["empty", new Uint8Array(0), "it is not compressed with gzip, or it is damaged"],
    ["not compressed", tar, "it is not compressed with gzip, or it is damaged"],
    ["cut archive", packed.slice(0, -20), "it is not compressed with gzip, or it is damaged"],
    ["cut content", await gzip(tar.slice(0, 4_096)), "it is cut short"],
    [
      "no tar",
      await gzip(new Uint8Array(2_048).fill(65)),
      "it is no tar archive, or it is damaged",
    ],
    ["checksum", await gzip(flipped), "it is no tar archive, or it is damaged"],
    ["something after the end", await gzip(after), "something follows the end of the archive"],
  ];
  for (const [name, bytes, reason] of rows) assert.equal(await refusal(bytes), reason, name);
});

Deno.test("inspectPackedPlugin() keeps to its limits", async () => {
  const large = { path: "package/large", content: new Uint8Array(3_000_000) };
  const bomb = await buildTarball([large, JSON_ENTRY]);
  assert.ok(bomb.length < 10_000, String(bomb.length));
  assert.equal(
    await refusal(bomb, { ...TARBALL_LIMITS, maxUnpackedBytes: 2_000_000 }),
    "unpacked, it is larger than the limit of 2 MB",
  );
  const padded = { ...MANIFEST, description: "x".repeat(1_000_000) };
  assert.equal(
    await refusal(await buildTarball([{ ...JSON_ENTRY, content: JSON.stringify(padded) }])),
    "its package.json has 1.1 MB, and the limit is 1 MB",
  );
  await withTempDir(async (dir) => {
    const path = join(dir, "large.tgz");
    using file = await Deno.open(path, { write: true, createNew: true });
    await file.truncate(60_000_000);
    await assert.rejects(inspectPackedPlugin(path, "large.tgz"), {
      message: 'Cannot install "large.tgz": it has 60 MB, and the limit is 50 MB',
    });
    await assert.rejects(inspectPackedPlugin(dir, "folder.tgz"), {
      message: 'Cannot install "folder.tgz": it is not a file',
    });
    await assert.rejects(inspectPackedPlugin(join(dir, "none.tgz"), "none.tgz"), {
      message: 'Cannot install "none.tgz": there is no such file',
    });
  });
});

Deno.test("inspectPackedPlugin() refuses a package that is no plugin", async () => {
  const rows: readonly (readonly [string, unknown, string])[] = [
    ["no JSON", "{", "its package.json is not JSON"],
    ["no object", "[]", "its package.json is not a JSON object"],
    [
      "no name",
      { ...MANIFEST, name: "../x" },
      "its package.json has no name that npm could install it under",
    ],
    [
      "no version",
      { ...MANIFEST, version: "1.2" },
      "its package.json has no version such as 1.2.3",
    ],
    [
      "no keyword",
      { ...MANIFEST, keywords: [] },
      'package "alisio-plugin-x" is no Alisio plugin: its package.json lacks the keyword "alisio-plugin"',
    ],
    [
      "no module",
      { ...MANIFEST, main: undefined },
      'its package.json names no module: it has neither "exports" nor "main"',
    ],
  ];
  for (const [name, content, reason] of rows) {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    assert.equal(
      await refusal(await buildTarball([{ ...JSON_ENTRY, content: text }])),
      reason,
      name,
    );
  }
});
