import assert from "node:assert/strict";
import type { CompletionRequest } from "@alisio/sdk";
import { AgentDrafts, agentFileName, parseDraft } from "../../../core/agents/agent_drafts.ts";
import { EMPTY_SHEET } from "../../../core/agents/agent_sheet.ts";
import type { Skill } from "../../../core/skills/skill.ts";

const DRAFT = {
  id: "release-notes",
  name: "Release Notes",
  description: "Writes the notes\nof a release",
  instructions: "You write notes.\n\n1. Read.\x1b[2J",
};
const never = new AbortController().signal;

function draftsWith(guides: Readonly<Record<string, string>> = {}) {
  const asked: CompletionRequest[] = [];
  const drafts = new AgentDrafts({
    skills: {
      usable: () => Object.keys(guides).map((name) => ({ name }) as Skill),
      load: (name) => {
        const body = guides[name];
        return body === undefined || body === ""
          ? Promise.reject(new TypeError("Gone"))
          : Promise.resolve({ skill: { name } as Skill, body, files: [] });
      },
    },
    complete: (request) => {
      asked.push(request);
      return Promise.resolve(JSON.stringify(DRAFT));
    },
  });
  return { drafts, asked };
}

Deno.test("AgentDrafts.write() asks once, and takes nothing that drives a terminal", async () => {
  const { drafts, asked } = draftsWith();
  assert.deepEqual(await drafts.write("notes", { model: "m", signal: never }), {
    file: "release-notes",
    displayName: "Release Notes",
    description: "Writes the notes of a release",
    instructions: "You write notes.\n\n1. Read.[2J",
  });
  assert.equal(asked.length, 1);
  assert.deepEqual(asked[0]?.messages, [{ role: "user", text: "# The wish\n\nnotes" }]);
  assert.equal(asked[0]?.model, "m");
  assert.match(asked[0]?.system ?? "", /Good instructions begin with the role/);
});

Deno.test("AgentDrafts is guided by a skill for it, where there is one that loads", async () => {
  for (
    const [guides, seen] of [
      [{ "agent-creator": "Theirs", "create-agent": "Ours" }, /\n\nOurs$/],
      [{ "agent-creator": "Theirs", other: "No" }, /\n\nTheirs$/],
      [{ "create-agent": "" }, /Good instructions begin/],
    ] as const
  ) {
    const { drafts, asked } = draftsWith(guides);
    await drafts.refine({ ...EMPTY_SHEET, instructions: "Old." }, "", { signal: never });
    assert.match(asked[0]?.system ?? "", seen);
    const [message] = asked[0]?.messages ?? [];
    assert.match(
      message?.text ?? "",
      /"instructions": "Old\."\n\}\n\n# The wish\n\nMake it clearer/,
    );
  }
});

Deno.test("AgentDrafts.write() refuses an empty and an endless description", async () => {
  const { drafts, asked } = draftsWith();
  await assert.rejects(drafts.write(" ", { signal: never }), { message: /: it is empty$/ });
  await assert.rejects(drafts.write("x".repeat(8_001), { signal: never }), {
    message: /: it has 8001 characters, the limit is 8000$/,
  });
  assert.equal(asked.length, 0);
});

Deno.test("parseDraft() finds the definition in what a model wrote around it", () => {
  const object = JSON.stringify({ ...DRAFT, id: "Not an id!" });
  for (const answer of [object, `Here:\n\`\`\`json\n${object}\n\`\`\`\nDone.`]) {
    assert.equal(parseDraft(answer).file, "release-notes");
  }
  for (const answer of ["", "I cannot.", "{}", "}{", "[1]", '{"description": 1}', "{nonsense}"]) {
    assert.throws(() => parseDraft(answer), { code: "usage" }, answer);
  }
  const long = parseDraft(JSON.stringify({ ...DRAFT, instructions: "y".repeat(70_000) }));
  assert.match(long.instructions, /\n… \[10000 characters left out\] …\n/);
});

Deno.test("agentFileName() makes a name for a file of whatever an agent is called", () => {
  const rows = {
    "Bug Triage & Debugger": "bug-triage-debugger",
    "  --Ärger über Öl--  ": "arger-uber-ol",
    "日本語": "agent",
    "": "agent",
    "../../etc/passwd": "etc-passwd",
  };
  for (const [name, file] of Object.entries(rows)) assert.equal(agentFileName(name), file);
  assert.equal(agentFileName("x".repeat(100)).length, 40);
});
