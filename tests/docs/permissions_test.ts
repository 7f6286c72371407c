import assert from "node:assert/strict";
import type { Effect } from "@alisio/sdk";
import { dirname } from "node:path";
import { type CallFacts, decide, type Decision } from "../../core/gate/decide.ts";
import { type PermissionFlags, policiesFromFlags } from "../../core/gate/policy.ts";
import { isProtectedPath } from "../../core/paths/protected_paths.ts";
import { plain, tableUnder } from "../support/markdown.ts";
import { readPage } from "./_pages.ts";

/** What each column of a table stands for. */
const FLAGS: Readonly<Record<string, Partial<PermissionFlags>>> = {
  "Without a flag": {},
  "No flag": {},
  "--allow-write": { allowWrite: true },
  "--allow-process": { allowProcess: true },
  "--allow-external": { allowExternal: true },
  "--read-only": { readOnly: true },
  "With --read-only": { readOnly: true },
  "--read-only and all": {
    readOnly: true,
    allowWrite: true,
    allowProcess: true,
    allowExternal: true,
  },
};

const EFFECTS: readonly Effect[] = ["read", "write", "process", "external", "internal"];

Deno.test("The tables of effects say what decide() decides", async () => {
  const tables = [
    tableUnder(await readPage("README.md"), "Permissions"),
    tableUnder(await readPage("docs/permissions.md"), "What runs"),
  ];
  for (const { header, rows } of tables) {
    assert.deepEqual(rows.map(([effect = ""]) => plain(effect)), EFFECTS);
    for (const [index, title] of header.map(plain).entries()) {
      const flags = FLAGS[title];
      if (flags === undefined) continue;
      assert.deepEqual(
        rows.map((row) => row[index]),
        EFFECTS.map((effect) => verdict(effect, flags)),
        title,
      );
    }
  }
  assert.equal(tables.flatMap(({ header }) => header).map(plain).filter(isFlags).length, 8);
});

Deno.test("The README names for each effect the flag that permits it", async () => {
  const { header, rows } = tableUnder(await readPage("README.md"), "Permissions");
  const flagged = rows.map((row) => plain(row[header.indexOf("With its flag")] ?? ""));
  assert.deepEqual(flagged.map((text) => text.replace(/: runs$/, "")), [
    "needs none",
    "--allow-write",
    "--allow-process",
    "--allow-external",
    "needs none",
  ]);
  assert.equal(verdict("write", { allowWrite: true }), "runs");
  assert.equal(verdict("process", { allowProcess: true }), "runs");
  assert.equal(verdict("external", { allowExternal: true }), "runs");
});

Deno.test("docs/permissions.md lists every effect and shows refusals as they are", async () => {
  const page = await readPage("docs/permissions.md");
  assert.deepEqual(tableUnder(page, "Effects").rows.map(([effect = ""]) => plain(effect)), EFFECTS);
  const outside = { requested: "../notes.md", real: "/home/ada/notes.md", root: null };
  const config = { requested: ".alisio/config.json", real: "/ws/.alisio/config.json", root: "/ws" };
  const refusals = [
    refusal("shell", "process", {}),
    refusal("read_file", "read", {}, { ...outside, isProtected: false, isSecret: false }),
    refusal("write_file", "write", { allowWrite: true }, {
      ...config,
      isProtected: true,
      isSecret: false,
    }),
  ];
  for (const { reason } of refusals) assert.ok(page.includes(`\nRefused: ${reason}\n`), reason);
  const readOnly = refusal("write_file", "write", { readOnly: true, allowWrite: true });
  for (const { tool, matched, remedy } of [...refusals, readOnly]) {
    const line = `\nRefused "${tool}" (${matched}): to permit it, ${remedy}\n`;
    assert.ok(page.includes(line), line);
  }
});

/** Paths that each row of the table of protected files stands for, and near ones that it does not. */
const PROTECTED: readonly { readonly inRow: RegExp; readonly yes: string; readonly no: string }[] =
  [
    { inRow: /^\.alisio\//, yes: "/ws/.alisio/config.json", no: "/ws/.alisio/cache/x" },
    { inRow: /^~\/\.config\/alisio\//, yes: "/home/.config/alisio/x", no: "/home/.config/x" },
    { inRow: /^~\/\.local\/state\//, yes: "/home/.local/state/alisio/x", no: "/home/.local/x" },
    { inRow: /^\.git\/ anywhere/, yes: "/ws/a/.git/hooks/x", no: "/ws/.gitmodules" },
    { inRow: /^\.git as a file/, yes: "/ws/a/.git", no: "/ws/.gitattributes" },
    { inRow: /^HEAD/, yes: "/ws/a/HEAD", no: "/ws/HEAD/a" },
    { inRow: /^Everything in/, yes: "/ws/bare/config", no: "/ws/plain/config" },
  ];

Deno.test("docs/permissions.md lists the files that isProtectedPath() protects", async () => {
  const { rows } = tableUnder(await readPage("docs/permissions.md"), "Protected files");
  assert.equal(rows.length, PROTECTED.length);
  const options = {
    workspace: "/ws",
    own: ["/home/.config/alisio", "/home/.local/state/alisio"],
    platform: "linux",
    liesInGitDirectory: (real: string) => real.startsWith("/ws/bare/"),
  } as const;
  for (const [index, { inRow, yes, no }] of PROTECTED.entries()) {
    assert.match(plain(rows[index]?.[0] ?? ""), inRow);
    assert.equal(isProtectedPath(yes, options), true, yes);
    assert.equal(isProtectedPath(no, options), false, no);
  }
});

function isFlags(title: string): boolean {
  return FLAGS[title] !== undefined;
}

function verdict(effect: Effect, flags: Partial<PermissionFlags>): "runs" | "refused" {
  return refusal("some_tool", effect, flags).decision === "allow" ? "runs" : "refused";
}

function refusal(
  tool: string,
  effect: Effect,
  flags: Partial<PermissionFlags>,
  path?: Pick<
    CallFacts["paths"][number],
    "requested" | "real" | "root" | "isProtected" | "isSecret"
  >,
): Decision & { readonly tool: string } {
  const paths = path === undefined ? [] : [{
    ...path,
    absolute: path.real,
    directory: dirname(path.real),
    exists: true,
  }];
  const grants = { effects: [], directories: [], protectedPaths: [] };
  const none = { readOnly: false, allowWrite: false, allowProcess: false, allowExternal: false };
  const policies = policiesFromFlags({ ...none, interactive: false, ...flags });
  return { tool, ...decide({ tool, effect, paths, grants }, policies) };
}
