import assert from "node:assert/strict";
import type { Application } from "../../../core/application.ts";
import type { ApprovalAnswer, ApprovalQuestion } from "../../../core/gate/approval.ts";
import { resultText } from "../../../core/tools/result_text.ts";
import type { Question } from "../../../core/tools/user_question.ts";
import { MCP_PARTS } from "../../../tools/mcp/mcp_parts.ts";
import { smallServer } from "../../e2e/_mcp.ts";
import { type ApplicationScene, withScene } from "../../support/application_scene.ts";

/** A person at an application with the small server, and what they were asked. */
interface Scene {
  readonly application: Application;
  readonly questions: Question[];
  readonly approvals: ApprovalQuestion[];
  /** Makes a call as a run would whose model was shown the tools as they are now. */
  call(name: string, input?: Readonly<Record<string, unknown>>): Promise<string>;
}

interface Person {
  /** What they answer to questions about consent. */
  readonly consents?: boolean;
  /** What they answer to questions about calls. */
  readonly answer?: ApprovalAnswer;
  readonly mode?: "full";
}

async function withPerson(
  { consents = true, answer = "once", mode }: Person,
  body: (scene: Scene) => Promise<void>,
): Promise<void> {
  const config = JSON.stringify({ mcp: { servers: { small: smallServer() } } });
  await withScene({ "config/config.json": config }, async (scene: ApplicationScene) => {
    const questions: Question[] = [];
    const approvals: ApprovalQuestion[] = [];
    const application = await scene.open({
      loadMcp: () => Promise.resolve(MCP_PARTS),
      ask: (asked) => {
        questions.push(...asked);
        return Promise.resolve(asked.map(({ header, options }) => ({
          header,
          skipped: false,
          selected: [options[consents ? 0 : 1]?.label ?? ""],
        })));
      },
      approve: (question) => {
        approvals.push(question);
        return Promise.resolve(answer);
      },
    });
    if (mode !== undefined) application.setPermissionMode(mode);
    let count = 0;
    await body({
      application,
      questions,
      approvals,
      async call(name, input = {}) {
        const revisions = application.gate.offered("s").flatMap(({ name, revision }) =>
          revision === undefined ? [] : [[name, revision] as const]
        );
        count += 1;
        const call = { id: `call_${count}`, name, arguments: JSON.stringify(input) };
        const { content } = await application.gate.call(call, {
          sessionId: "s",
          signal: new AbortController().signal,
          revisions: new Map(revisions),
          emit: () => {},
          recordStart: () => {},
          recordDecision: () => {},
          pauseWhile: (wait) => wait(),
        });
        return resultText(content);
      },
    });
  });
}

Deno.test("ApplicationMcp asks for consent once, and about each call of a server", async () => {
  await withPerson({}, async ({ application, questions, approvals, call }) => {
    assert.deepEqual(application.mcp?.permission(), { isGranted: false });
    assert.match(await call("mcp_connect", { server: "small" }), /"state":"connected"/);
    assert.match(await call("mcp_connect", { server: "small" }), /"state":"connected"/);
    assert.equal(questions.length, 1);
    assert.match(questions[0]?.question ?? "", /"small" is a program that would run with all your/);
    assert.match(questions[0]?.question ?? "", /\nProgram: \S*deno run -A .*mcp_server\.ts/);
    assert.deepEqual(application.mcp?.permission(), { isGranted: true, source: "session" });
    for (const value of ["a", "b"]) {
      assert.match(await call("mcp_small_echo", { value }), new RegExp(`^echo: ${value}`));
    }
    assert.deepEqual(approvals.map(({ tool }) => tool), ["mcp_small_echo", "mcp_small_echo"]);
  });
});

Deno.test("ApplicationMcp starts nothing where the person does not consent", async () => {
  await withPerson({ consents: false }, async ({ application, call }) => {
    assert.match(await call("mcp_connect", { server: "small" }), /does not want MCP servers/);
    assert.equal(application.mcp?.servers()[0]?.state, "disconnected");
  });
});

Deno.test("ApplicationMcp voids an approval whose tool the server changed (field case 129)", async () => {
  await withPerson({ answer: "session" }, async ({ approvals, call }) => {
    await call("mcp_connect", { server: "small" });
    await call("mcp_small_echo", { value: "a" });
    await call("mcp_small_echo", { value: "b" });
    assert.equal(approvals.length, 1);
    await call("mcp_small_change");
    assert.equal(approvals.length, 2, "an approval of one tool is for no other");
    // Whoever was shown the tool before hears that it is another one now.
    assert.match(await call("mcp_small_echo", { value: "c" }), /^Not run: |^echo: c/);
    assert.match(await call("mcp_small_echo", { value: "d" }), /^echo: d \(version 2/);
    const [, , again] = approvals;
    assert.equal(again?.tool, "mcp_small_echo");
    assert.match(again?.reason ?? "", /its server changed what it is since you allowed it/);
    await call("mcp_small_echo", { value: "e" });
    assert.equal(approvals.length, 3);
  });
});

Deno.test("ApplicationMcp asks about no call in the mode full, and about consent all the same", async () => {
  await withPerson({ mode: "full" }, async ({ questions, approvals, call }) => {
    await call("mcp_connect", { server: "small" });
    assert.match(await call("mcp_small_echo", { value: "a" }), /^echo: a/);
    assert.deepEqual([questions.length, approvals.length], [1, 0]);
  });
});

Deno.test("ApplicationMcp takes tools away with the consent", async () => {
  await withPerson({}, async ({ application, call }) => {
    await call("mcp_connect", { server: "small" });
    const names = () => application.gate.offered("s").map(({ name }) => name);
    assert.ok(names().includes("mcp_small_echo"));
    await application.mcp?.revoke();
    assert.ok(!names().includes("mcp_small_echo"));
    assert.equal(application.mcp?.servers()[0]?.state, "disconnected");
  });
});
