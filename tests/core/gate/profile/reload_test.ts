import assert from "node:assert/strict";
import { createApplication } from "../../../../core/application.ts";
import type { ApprovalQuestion } from "../../../../core/gate/approval.ts";
import { createStandardTools, loadSchemaValidator } from "../../../../tools/standard_tools.ts";
import { calls, PlayedProvider, says } from "../../../support/run_harness.ts";
import { withTempDir, writeTree } from "../../../support/temp.ts";

/** Runs one prompt under a configuration, in a process of its own as far as grants go. */
interface Loaded {
  /** What was asked about: the tool, and whether an approval for the session was on offer. */
  readonly asked: readonly (readonly [tool: string, forSession: boolean])[];
  readonly sessionId: string;
}

async function withReloads(
  body: (
    load: (config: Readonly<Record<string, unknown>>, session?: string) => Promise<Loaded>,
  ) => Promise<void>,
): Promise<void> {
  await withTempDir(async (folder) => {
    await Deno.mkdir(`${folder}/ws`);
    let count = 0;
    await body(async (config, sessionId) => {
      await writeTree(folder, { "config/config.json": JSON.stringify(config) });
      const asked: [string, boolean][] = [];
      const write = () =>
        ["write_file", { path: `${++count}.txt`, content: "x", expectedHash: null }] as const;
      const application = await createApplication({
        cwd: `${folder}/ws`,
        env: {
          HOME: folder,
          ALISIO_CONFIG_HOME: `${folder}/config`,
          ALISIO_STATE_HOME: `${folder}/state`,
        },
        model: "m",
        provider: new PlayedProvider([calls([write(), write()]), says("Done")]),
        tools: createStandardTools,
        plugins: [],
        loadValidator: loadSchemaValidator,
        approve: ({ tool, choices }: ApprovalQuestion) => {
          asked.push([tool, choices.includes("session")]);
          return Promise.resolve(choices.includes("session") ? "session" : "once");
        },
      });
      try {
        const session = sessionId === undefined
          ? await application.createSession()
          : await application.openSession(sessionId);
        const signal = new AbortController().signal;
        await session.run("go", { signal, observers: [] });
        return { asked, sessionId: session.id };
      } finally {
        await application.close();
      }
    });
  });
}

const careful = (profile: Readonly<Record<string, unknown>> = {}) => ({
  riskProfiles: { p: profile },
  agents: { build: { riskProfile: "p" } },
});
const FREE = ["write_file", true] as const;
const ONCE = ["write_file", false] as const;

Deno.test("A grant for the session ends with what is loaded next (rows R4, R7 and R8)", async () => {
  await withReloads(async (load) => {
    const first = await load(careful());
    assert.deepEqual(first.asked, [FREE], "granted, the second call is not asked about");
    const again = await load(careful(), first.sessionId);
    assert.deepEqual(again.asked, [FREE], "R8: the same session, started again");
    const stricter = await load(careful({ alwaysAsk: ["write_file"] }), first.sessionId);
    assert.deepEqual(stricter.asked, [ONCE, ONCE], "R4: every call, once each");
    const without = await load({}, first.sessionId);
    assert.deepEqual(without.asked, [FREE], "a session goes on without a profile");
    const other = await load(
      { ...careful(), agents: { active: "ops", ops: { riskProfile: "p" } } },
      first.sessionId,
    );
    assert.deepEqual(other.asked, [FREE], "R7: another agent");
    const looking = await load(careful({ level: "readonly" }), first.sessionId);
    assert.deepEqual(looking.asked, [], "nothing to ask at a level that refuses");
  });
});
