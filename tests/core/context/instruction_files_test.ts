import assert from "node:assert/strict";
import {
  type InstructionFiles,
  type InstructionSources,
  readInstructionFiles,
} from "../../../core/context/instruction_files.ts";
import { findProjectRoot, foldersBetween } from "../../../core/context/project_root.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

type Tree = Readonly<Record<string, string | Uint8Array>>;

interface Row {
  readonly name: string;
  readonly files: Tree;
  readonly cwd?: string;
  readonly claude?: boolean;
  /** Scope, kind and text of what is read, the closest last. */
  readonly read: readonly string[];
}

const ROWS: readonly Row[] = [
  { name: "nothing", files: {}, read: [] },
  {
    name: "the person's file",
    files: { "config/AGENTS.md": "mine" },
    read: ["global agents mine"],
  },
  {
    name: "the person's override in place of it",
    files: { "config/AGENTS.md": "mine", "config/AGENTS.override.md": "now" },
    read: ["global override now"],
  },
  {
    name: "no legacy name for the person",
    files: { "config/AGENT.md": "old", "config/CLAUDE.md": "c" },
    claude: true,
    read: [],
  },
  {
    name: "root first, the working directory last",
    files: {
      "config/AGENTS.md": "mine",
      "project/AGENTS.md": "root",
      "project/a/AGENTS.md": "a",
      "project/a/b/AGENTS.md": "b",
      "project/a/b/c/AGENTS.md": "below",
      "project/x/AGENTS.md": "beside",
      "AGENTS.md": "above",
    },
    cwd: "a/b",
    read: ["global agents mine", "project agents root", "project agents a", "project agents b"],
  },
  {
    name: "override before agents",
    files: { "project/AGENTS.override.md": "o", "project/AGENTS.md": "a" },
    read: ["project override o"],
  },
  {
    name: "agents before legacy",
    files: { "project/AGENTS.md": "a", "project/AGENT.md": "l" },
    read: ["project agents a"],
  },
  {
    name: "legacy before claude",
    files: { "project/AGENT.md": "l", "project/CLAUDE.md": "c" },
    claude: true,
    read: ["project legacy l"],
  },
  {
    name: "claude where it is wanted",
    files: { "project/CLAUDE.md": "c" },
    claude: true,
    read: ["project claude c"],
  },
  { name: "no claude where it is not", files: { "project/CLAUDE.md": "c" }, read: [] },
  { name: "no name of older versions", files: { "project/Agente.md": "x" }, read: [] },
  {
    name: "an empty override silences the file beside it",
    files: { "project/AGENTS.override.md": "", "project/AGENTS.md": "a" },
    read: ["project override "],
  },
  {
    name: "a byte-order mark is not text",
    files: { "project/AGENTS.md": "\ufeffa" },
    read: ["project agents a"],
  },
  {
    name: "UTF-16 with its mark",
    files: { "project/AGENTS.md": new Uint8Array([0xff, 0xfe, 0x61, 0]) },
    read: ["project agents a"],
  },
];

Deno.test("readInstructionFiles() reads one file a folder, root first", async () => {
  for (const { name, files, cwd, claude, read } of ROWS) {
    await withProject(files, { cwd: cwd ?? "", claudeMdFallback: claude ?? false }, async (all) => {
      assert.deepEqual(summaries(await readInstructionFiles(all)), read, name);
    });
  }
});

Deno.test("readInstructionFiles() feeds nothing of an untrusted project (field case 115)", async () => {
  const files = { "config/AGENTS.md": "mine", "project/AGENTS.md": "SENTINEL" };
  await withProject(files, { trusted: false }, async (sources) => {
    const found = await readInstructionFiles(sources);
    assert.deepEqual(summaries(found), ["global agents mine"]);
    assert.deepEqual(found.notices, [
      `Left out instructions "${sources.root}/AGENTS.md": the project is not trusted; ` +
      'review it with "alisio trust add", or pass "--trust-project" once',
    ]);
    assert.ok(!JSON.stringify(found).includes("SENTINEL"));
  });
  await withProject(files, { trusted: true }, async (sources) => {
    const found = await readInstructionFiles(sources);
    assert.deepEqual(summaries(found), ["global agents mine", "project agents SENTINEL"]);
    assert.deepEqual(found.notices, []);
  });
});

Deno.test("readInstructionFiles() names the files of an untrusted project, up to five", async () => {
  const folders = ["", "a/", "a/b/", "a/b/c/", "a/b/c/d/", "a/b/c/d/e/"];
  const files = Object.fromEntries(folders.map((folder) => [`project/${folder}AGENTS.md`, "x"]));
  await withProject(files, { trusted: false }, async (sources) => {
    const nested = { ...sources, cwd: `${sources.root}/a/b/c/d/e` };
    const named = folders.slice(0, 5).map((folder) => `"${sources.root}/${folder}AGENTS.md"`);
    const [notice] = (await readInstructionFiles(nested)).notices;
    const start = `Left out instructions ${named.join(", ")} and 1 more: the project`;
    assert.equal(notice?.slice(0, start.length), start);
  });
});

Deno.test("readInstructionFiles() passes over folders of dependencies (field case 115)", async () => {
  const names = ["node_modules", "vendor", ".venv", "site-packages", "third_party", ".git"];
  for (const name of names) {
    const files = { [`project/${name}/pkg/AGENTS.md`]: "no", "project/AGENTS.md": "yes" };
    await withProject(files, { cwd: `${name}/pkg` }, async (sources) => {
      assert.deepEqual(
        summaries(await readInstructionFiles(sources)),
        ["project agents yes"],
        name,
      );
    });
  }
  const files = { "project/vendors/pkg/AGENTS.md": "near" };
  await withProject(files, { cwd: "vendors/pkg" }, async (sources) => {
    assert.deepEqual(summaries(await readInstructionFiles(sources)), ["project agents near"]);
  });
});

const LINKS: readonly {
  readonly name: string;
  readonly link: string;
  readonly target: string;
  readonly read: readonly string[];
  readonly notice?: RegExp;
}[] = [
  {
    name: "inside the project",
    link: "project/AGENTS.md",
    target: "docs/guide.md",
    read: ["project agents guide"],
  },
  {
    name: "out of the project",
    link: "project/AGENTS.md",
    target: "../secret.md",
    read: [],
    notice: /its link leads outside the project$/,
  },
  {
    name: "into the neighbour with the longer name",
    link: "project/AGENTS.md",
    target: "../project2/AGENTS.md",
    read: [],
    notice: /its link leads outside the project$/,
  },
  {
    name: "into dependencies",
    link: "project/AGENTS.md",
    target: "node_modules/pkg/AGENTS.md",
    read: [],
    notice: /its link leads into a folder of dependencies$/,
  },
  {
    name: "nowhere",
    link: "project/AGENTS.md",
    target: "missing.md",
    read: [],
    notice: /its link leads nowhere$/,
  },
  {
    name: "in a circle",
    link: "project/AGENTS.md",
    target: "AGENTS.md",
    read: [],
    notice: /^Left out instructions /,
  },
  {
    name: "of the person, wherever they keep it",
    link: "config/AGENTS.md",
    target: "../secret.md",
    read: ["global agents secret"],
  },
];

Deno.test("readInstructionFiles() follows links inside the project only", async () => {
  const files = {
    "config/.keep": "",
    "secret.md": "secret",
    "project/docs/guide.md": "guide",
    "project/node_modules/pkg/AGENTS.md": "foreign",
    "project2/AGENTS.md": "neighbour",
  };
  for (const { name, link, target, read, notice } of LINKS) {
    await withProject(files, {}, async (sources, dir) => {
      await Deno.symlink(target, `${dir}/${link}`);
      const found = await readInstructionFiles(sources);
      assert.deepEqual(summaries(found), read, name);
      assert.equal(found.notices.length, notice === undefined ? 0 : 1, name);
      if (notice !== undefined) assert.match(found.notices[0] ?? "", notice, name);
    });
  }
});

Deno.test("readInstructionFiles() reads nothing of the project that is closed to the run", async () => {
  const files = { "config/AGENTS.md": "global", "project/vault/key.md": "secret" };
  await withProject(files, {}, async (sources, dir) => {
    await Deno.symlink("vault/key.md", `${dir}/project/AGENTS.md`);
    const isClosed = (real: string) => real.startsWith(`${dir}/project/vault/`);
    const found = await readInstructionFiles({ ...sources, isClosed });
    assert.deepEqual(found.files.map(({ text }) => text), ["global"]);
    assert.match(found.notices.join(), /it lies in a place that stays closed in this run$/);
  });
});

Deno.test("readInstructionFiles() says why it left a file out", async () => {
  await withProject({ "project/AGENTS.md/x": "" }, {}, async (sources) => {
    const found = await readInstructionFiles(sources);
    assert.match(found.notices.join(), /^Left out instructions ".*": it is not a regular file$/);
  });
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);
  await withProject({ "project/AGENTS.md": png }, {}, async (sources) => {
    const found = await readInstructionFiles(sources);
    assert.match(
      found.notices.join(),
      /^Left out instructions ".*": it is not text but PNG image$/,
    );
    assert.deepEqual(found.files, []);
  });
});

Deno.test("readInstructionFiles() does not wait for a named pipe", async () => {
  await withProject({}, {}, async (sources) => {
    const pipe = await new Deno.Command("mkfifo", { args: [`${sources.root}/AGENTS.md`] }).output();
    assert.ok(pipe.success);
    const found = await readInstructionFiles(sources);
    assert.match(found.notices.join(), /it is not a regular file$/);
  });
});

Deno.test("readInstructionFiles() shows bytes outside UTF-8 and says so", async () => {
  const latin1 = new Uint8Array([0x63, 0x61, 0x66, 0xe9, 0x0a]);
  await withProject({ "project/AGENTS.md": latin1 }, {}, async (sources) => {
    const found = await readInstructionFiles(sources);
    assert.deepEqual(found.files.map(({ text }) => text), ["caf\\xe9\n"]);
    assert.match(
      found.notices.join(),
      /^Instructions ".*" are not UTF-8: .* store the file as UTF-8$/,
    );
  });
});

Deno.test("readInstructionFiles() reads no more than the limit of a file, whole characters", async () => {
  const files = { "project/AGENTS.md": "é".repeat(100_000) };
  await withProject(files, { maxBytes: 1025 }, async (sources) => {
    const [file] = (await readInstructionFiles(sources)).files;
    assert.equal(file?.bytes, 200_000);
    assert.equal(file?.complete, false);
    assert.match(file?.text ?? "", /^é{512,513}$/);
  });
});

Deno.test("findProjectRoot() finds the nearest folder with .git, else the folder itself", async () => {
  await withTempDir(async (dir) => {
    await writeTree(dir, {
      "outer/.git/HEAD": "",
      "outer/sub/deep/x": "",
      "outer/module/.git": "gitdir: elsewhere",
      "outer/module/src/x": "",
      "plain/x": "",
    });
    const rows = [
      ["outer", "outer"],
      ["outer/sub/deep", "outer"],
      ["outer/module/src", "outer/module"],
      ["plain", "plain"],
    ];
    for (const [cwd, root] of rows) {
      assert.equal(await findProjectRoot(`${dir}/${cwd}`), `${dir}/${root}`, cwd);
    }
  });
});

Deno.test("foldersBetween() lists both ends and nothing outside", () => {
  assert.deepEqual(foldersBetween("/a", "/a/b/c"), ["/a", "/a/b", "/a/b/c"]);
  assert.deepEqual(foldersBetween("/a", "/a"), ["/a"]);
  assert.deepEqual(foldersBetween("/", "/a"), ["/", "/a"]);
  assert.deepEqual(foldersBetween("/a", "/ab/c"), []);
  assert.deepEqual(foldersBetween("/a/b", "/a"), []);
});

function summaries({ files }: InstructionFiles): readonly string[] {
  return files.map(({ scope, kind, text }) => `${scope} ${kind} ${text}`);
}

async function withProject(
  files: Tree,
  options: Partial<InstructionSources>,
  fn: (sources: InstructionSources, dir: string) => Promise<void>,
): Promise<void> {
  await withTempDir(async (dir) => {
    const root = `${dir}/project`;
    const { cwd = "", ...others } = options;
    await Deno.mkdir(`${root}/${cwd}`, { recursive: true });
    await writeTree(dir, files);
    await fn({
      configHome: `${dir}/config`,
      root,
      cwd: cwd === "" ? root : `${root}/${cwd}`,
      trusted: true,
      claudeMdFallback: false,
      maxBytes: 32_768,
      ...others,
    }, dir);
  });
}
