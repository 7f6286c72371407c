import assert from "node:assert/strict";
import { changeProjectConfig } from "../../../core/trust/change_project_config.ts";
import { inspectProject } from "../../../core/trust/inspect_project.ts";
import { projectTrust } from "../../../core/trust/project_trust.ts";
import { readTrustStore, writeTrustDecision } from "../../../core/trust/trust_store.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

const CHANGE = [{ path: ["pluginOverrides", "acme", "enabled"], value: false }];
const TEXT = '{ "limits": { "maxTurns": 5 } }\n';

interface Project {
  readonly workspace: string;
  readonly stateHome: string;
  /** Changes its configuration. */
  change(trustProjectFlag?: boolean): Promise<string | null>;
  /** Whether it is trusted, without a flag. */
  state(): Promise<string>;
}

async function withProject(
  files: Readonly<Record<string, string>>,
  decision: "trusted" | "refused" | null,
  body: (project: Project) => Promise<void>,
): Promise<void> {
  await withTempDir(async (dir) => {
    const workspace = `${dir}/ws`;
    const stateHome = `${dir}/state`;
    await Deno.mkdir(workspace);
    await writeTree(workspace, files);
    if (decision !== null) {
      const { digests, referenced, declared } = await inspectProject(workspace, undefined);
      const stored = { decision, decidedAt: 1, digests, referenced, declared };
      await writeTrustDecision(stateHome, workspace, stored);
    }
    await body({
      workspace,
      stateHome,
      change: (trustProjectFlag = false) =>
        changeProjectConfig(CHANGE, {
          workspace,
          stateHome,
          home: undefined,
          trustProjectFlag,
          signal: new AbortController().signal,
        }),
      state: async () =>
        (await projectTrust({ workspace, stateHome, trustProjectFlag: false })).state,
    });
  });
}

Deno.test("changeProjectConfig() carries trust over to what it wrote", async () => {
  const files = { ".alisio/config.json": TEXT, ".alisio/plugins/a.js": "export default 1;" };
  await withProject(files, "trusted", async ({ workspace, change, state }) => {
    assert.equal(await change(), null);
    assert.deepEqual(JSON.parse(await Deno.readTextFile(`${workspace}/.alisio/config.json`)), {
      limits: { maxTurns: 5 },
      pluginOverrides: { acme: { enabled: false } },
    });
    assert.equal(await state(), "trusted");
    await Deno.writeTextFile(`${workspace}/.alisio/plugins/a.js`, "export default 2;");
    assert.equal(await state(), "changed", "of anything else, trust ends as before");
  });
});

Deno.test("changeProjectConfig() trusts the file that it makes where there is nothing else", async () => {
  await withProject({ "README.md": "" }, null, async ({ change, state }) => {
    assert.equal(await change(), null);
    assert.equal(await state(), "trusted");
  });
});

Deno.test("changeProjectConfig() remembers no trust that a flag gave", async () => {
  await withProject({ ".alisio/config.json": TEXT }, null, async ({ stateHome, change, state }) => {
    assert.equal(await change(true), null);
    assert.equal(await state(), "unknown");
    assert.deepEqual(await readTrustStore(stateHome), {
      status: "read",
      decisions: {},
      notices: [],
    });
  });
});

for (
  const [name, decision] of [["that nobody decided on", null], [
    "that was refused",
    "refused",
  ]] as const
) {
  Deno.test(`changeProjectConfig() leaves a project alone ${name}`, async () => {
    await withProject({ ".alisio/config.json": TEXT }, decision, async ({ workspace, change }) => {
      await assert.rejects(change(), { code: "usage", message: /the project is not trusted/ });
      assert.equal(await Deno.readTextFile(`${workspace}/.alisio/config.json`), TEXT);
    });
  });
}

Deno.test("changeProjectConfig() leaves a project alone that has changed since", async () => {
  await withProject({ ".alisio/config.json": TEXT }, "trusted", async ({ workspace, change }) => {
    await writeTree(workspace, { ".alisio/prompts/new.md": "x" });
    await assert.rejects(change(), { code: "usage", message: /the project is not trusted/ });
    assert.equal(await Deno.readTextFile(`${workspace}/.alisio/config.json`), TEXT);
  });
});
