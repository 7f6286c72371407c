import assert from "node:assert/strict";
import type { ApplicationOptions } from "../../core/application.ts";
import type { ApprovalAnswer, ApprovalQuestion } from "../../core/gate/approval.ts";
import type { PermissionMode } from "../../core/gate/permission_mode.ts";
import { createStandardTools, loadSchemaValidator } from "../../tools/standard_tools.ts";
import { withScene } from "../support/application_scene.ts";
import { calls, hangs, PlayedProvider, type PlayedTurn, says } from "../support/run_harness.ts";

const NO_STOP = { signal: new AbortController().signal, observers: [] };

/** A turn that writes a file. */
function writes(path: string): PlayedTurn {
  return calls([["write_file", { path, content: "", expectedHash: null }]]);
}

/** Options with the standard tools and a model that plays turns. */
function playing(...turns: readonly PlayedTurn[]): Partial<ApplicationOptions> {
  return {
    provider: new PlayedProvider(turns),
    model: "m",
    tools: createStandardTools,
    loadValidator: loadSchemaValidator,
  };
}

/** A person who always answers the same, and what they were asked. */
function answering(answer: ApprovalAnswer): {
  readonly approve: (question: ApprovalQuestion) => Promise<ApprovalAnswer>;
  readonly asked: ApprovalQuestion[];
} {
  const asked: ApprovalQuestion[] = [];
  return {
    asked,
    approve(question) {
      asked.push(question);
      return Promise.resolve(answer);
    },
  };
}

Deno.test("Application.setPermissionMode() decides what is asked, and forgets grants", async () => {
  const { approve, asked } = answering("session");
  await withScene({}, async ({ open }) => {
    const turns = ["a", "b", "c", "d"].flatMap((path) => [writes(path), says("done")]);
    const application = await open({ ...playing(...turns), approve });
    const session = await application.createSession();
    assert.equal(application.permissionMode(), "ask");
    await session.run("go", NO_STOP);
    await session.run("go", NO_STOP);
    assert.equal(asked.length, 1, "the grant of the session holds");
    application.setPermissionMode("auto");
    assert.equal(application.permissionMode(), "auto");
    await session.run("go", NO_STOP);
    assert.equal(asked.length, 1, "the mode permits it");
    application.setPermissionMode("ask");
    await session.run("go", NO_STOP);
    assert.equal(asked.length, 2, "a grant does not outlive its mode");
  });
});

Deno.test("Application.setPermissionMode() refuses where there is nothing to choose", async () => {
  const { approve } = answering("deny");
  await withScene({}, async ({ open }) => {
    const rows: readonly (readonly [string, Partial<ApplicationOptions>, string, RegExp])[] = [
      ["read only", { approve, readOnly: true }, "read-only", /without --read-only/],
      ["nobody there", {}, "ask", /nobody can be asked/],
      ["nobody there, with a flag", { allowWrite: true }, "auto", /nobody can be asked/],
    ];
    for (const [name, options, label, reason] of rows) {
      const application = await open(options);
      assert.equal(application.permissionMode(), label, name);
      assert.throws(() => application.setPermissionMode("full"), reason, name);
      assert.equal(application.permissionMode(), label, name);
    }
    const application = await open({ approve });
    for (const mode of ["yolo", "toString", ""]) {
      assert.throws(
        () => application.setPermissionMode(mode as PermissionMode),
        /there is no mode/,
      );
    }
  });
});

Deno.test("Application.setPermissionMode() is refused while a prompt runs", async () => {
  const { approve } = answering("deny");
  await withScene({}, async ({ open }) => {
    const application = await open({
      ...playing(hangs({ type: "text_delta", delta: "x" })),
      approve,
    });
    const session = await application.createSession();
    const started = Promise.withResolvers<void>();
    const stop = new AbortController();
    const running = session.run("go", {
      signal: stop.signal,
      observers: [({ type }) => type === "text_delta" && started.resolve()],
    });
    await started.promise;
    assert.throws(() => application.setPermissionMode("full"), /a prompt is running/);
    stop.abort(new Error("stop"));
    await assert.rejects(running);
    application.setPermissionMode("full");
    assert.equal(application.permissionMode(), "full");
  });
});
