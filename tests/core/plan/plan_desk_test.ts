import assert from "node:assert/strict";
import { artifactsPath } from "../../../core/artifacts/artifact_paths.ts";
import { PlanDesk, type PlanDeskPorts } from "../../../core/plan/plan_desk.ts";
import { PlanStore } from "../../../core/plan/plan_store.ts";
import type { ProposedPlan } from "../../../core/plan/plan_review.ts";
import { openSessionStore, type SessionStore } from "../../../core/session/session_store.ts";
import type { QuestionAnswer } from "../../../core/tools/user_question.ts";
import { withTempDir } from "../../support/temp.ts";

const SESSION = "s1";
const DIAGRAM = {
  id: "flow",
  title: "Flow",
  explanation: "How",
  mermaid: "flowchart TD\n  a --> b",
};

/** One review, as the person sees it. */
interface Review {
  readonly plan: ProposedPlan | undefined;
  readonly signal: AbortSignal;
  answer(...selected: readonly string[]): void;
  fail(): void;
}

class DeskScene {
  readonly desk: PlanDesk;
  readonly plans: PlanStore;
  readonly events: [string, unknown][] = [];
  readonly store: SessionStore;
  readonly workspace: string;
  readonly #reviews: PromiseWithResolvers<Review>[] = [];
  #asked = 0;

  constructor(workspace: string, ports: Partial<PlanDeskPorts> = {}) {
    this.workspace = workspace;
    this.store = openSessionStore(`${workspace}/sessions.sqlite`);
    this.store.createSession({
      id: SESSION,
      workspace,
      model: "m",
      provider: "p",
      createdAt: 1,
    });
    this.plans = new PlanStore(this.store);
    this.desk = new PlanDesk({
      store: this.store,
      workspace,
      redact: (text) => text.replaceAll("hunter2hunter2", "[redacted]"),
      settings: () => ({ diagrams: true, maxDiagrams: 5 }),
      ask: (_, { plan, signal }) => this.#ask(plan, signal),
      ...ports,
    });
  }

  propose(callId: string, plan: string, rest: Record<string, unknown> = {}, signal?: AbortSignal) {
    return this.desk.propose({ plan, ...rest }, {
      sessionId: SESSION,
      callId,
      signal: signal ?? new AbortController().signal,
      record: (type, data) => void this.events.push([type, data]),
      pauseWhile: (wait) => wait(),
    });
  }

  review(index: number): Promise<Review> {
    return this.#at(index).promise;
  }

  status(): string | undefined {
    return this.plans.read(SESSION)?.status;
  }

  folder(): Promise<string> {
    const { stateRoot } = this.store;
    return artifactsPath({ stateRoot, workspace: this.workspace, sessionId: SESSION });
  }

  async #ask(plan: ProposedPlan | undefined, signal: AbortSignal) {
    const { promise, resolve, reject } = Promise.withResolvers<readonly QuestionAnswer[]>();
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    this.#at(this.#asked++).resolve({
      plan,
      signal,
      answer: (...selected) => resolve([{ header: "Plan", skipped: false, selected }]),
      fail: () => reject(new Error("The screen is gone")),
    });
    return await promise;
  }

  #at(index: number): PromiseWithResolvers<Review> {
    const known = this.#reviews[index] ?? Promise.withResolvers<Review>();
    this.#reviews[index] = known;
    return known;
  }
}

function deskTest(
  name: string,
  test: (scene: DeskScene) => Promise<void>,
  ports: Partial<PlanDeskPorts> = {},
): void {
  Deno.test(`PlanDesk ${name}`, async () => {
    await withTempDir(async (dir) => {
      const scene = new DeskScene(dir, ports);
      try {
        await test(scene);
      } finally {
        scene.store.close();
      }
    });
  });
}

deskTest("gives an approved plan to one of two who ask", async (scene) => {
  const proposing = scene.propose("c1", "# P\nkey hunter2hunter2");
  (await scene.review(0)).answer("approve");
  const { decision, planId } = await proposing;
  assert.deepEqual([decision, scene.status()], ["approved", "approved"]);
  assert.equal(scene.desk.isApproved(SESSION), true);
  const taken = [scene.desk.take(SESSION), scene.desk.take(SESSION)];
  assert.equal(taken[0]?.requestId, `plan-${planId}`);
  assert.match(taken[0]?.prompt ?? "", /key \[redacted\]/);
  assert.deepEqual([taken[1], scene.status()], [null, "implementing"]);
  assert.deepEqual(scene.events.map(([type]) => type), [
    "artifact_published",
    "plan_proposed",
    "plan_decided",
  ]);
  // Another plan, because that one is over.
  const next = scene.propose("c2", "# Q");
  (await scene.review(1)).answer("skip");
  const other = await next;
  assert.deepEqual([other.revision, other.planId === planId], [1, false]);
});

deskTest("takes a review back when another revision is proposed", async (scene) => {
  const first = scene.propose("c1", "# One");
  const early = await scene.review(0);
  const second = scene.propose("c2", "# Two");
  const late = await scene.review(1);
  assert.equal(early.signal.aborted, true);
  early.answer("approve");
  late.answer("approve");
  assert.deepEqual([(await first).decision, (await second).decision], ["skipped", "approved"]);
  const { revision, plan } = scene.plans.read(SESSION) ?? {};
  assert.deepEqual([revision, plan], [2, "# Two"]);
  assert.equal(scene.events.filter(([type]) => type === "plan_decided").length, 1);
});

deskTest("takes an answer that comes after the run for none", async (scene) => {
  const run = new AbortController();
  const proposing = scene.propose("c1", "# One", {}, run.signal);
  const review = await scene.review(0);
  run.abort(new Error("Stopped"));
  scene.desk.endRun(SESSION, "cancelled");
  review.answer("approve");
  assert.deepEqual([(await proposing).decision, scene.status()], ["skipped", "skipped"]);
});

deskTest("counts a review that fails as skipped", async (scene) => {
  const proposing = scene.propose("c1", "# One");
  (await scene.review(0)).fail();
  assert.deepEqual([(await proposing).decision, scene.status()], ["skipped", "skipped"]);
});

deskTest("drops an approval of a run that is cancelled, and of no other", async (scene) => {
  for (const [end, status] of [["ended", "approved"], ["cancelled", "cancelled"]] as const) {
    const proposing = scene.propose(end, `# ${end}`);
    (await scene.review(end === "ended" ? 0 : 1)).answer("approve");
    await proposing;
    scene.desk.endRun(SESSION, end);
    assert.equal(scene.status(), status);
  }
  assert.equal(scene.desk.take(SESSION), null);
});

deskTest("settles what a process left behind", async (scene) => {
  const proposing = scene.propose("c1", "# One");
  await scene.review(0);
  assert.equal(scene.desk.recover(SESSION), null);
  assert.equal(scene.status(), "skipped");
  (await scene.review(0)).answer("approve");
  assert.equal((await proposing).decision, "skipped");
  const again = scene.propose("c2", "# Two");
  (await scene.review(1)).answer("approve");
  const { planId } = await again;
  assert.match(scene.desk.recover(SESSION) ?? "", /^The plan "Two" was approved, and Alisio ended/);
  assert.equal(scene.status(), "cancelled");
  // One that was taken and never begun is told of too; one that was begun is left alone.
  for (const isBegun of [false, true]) {
    const id = `c3-${isBegun}`;
    const third = scene.propose(id, "# Three");
    (await scene.review(isBegun ? 3 : 2)).answer("approve");
    const { planId: current } = await third;
    const requestId = scene.desk.take(SESSION)?.requestId ?? "";
    if (isBegun) {
      scene.store.beginRun({
        id: "r1",
        sessionId: SESSION,
        model: "m",
        startedAt: 1,
        ownerPid: 1,
        requestId,
      });
    }
    assert.equal(scene.desk.recover(SESSION) === null, isBegun);
    assert.equal(scene.status(), isBegun ? "implementing" : "cancelled");
    assert.equal(current === planId, true);
  }
});

deskTest(
  "removes what a killed process left, and everything with the session",
  async (scene) => {
    const folder = await scene.folder();
    await Deno.mkdir(folder, { recursive: true });
    await Deno.mkdir(`${folder}/.staging-old`);
    await Deno.utime(`${folder}/.staging-old`, 1, 1);
    const { decision, diagrams } = await scene.propose("c1", "# One", { diagrams: [DIAGRAM] });
    assert.deepEqual([decision, diagrams?.accepted], ["unavailable", ["flow"]]);
    const names = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
    assert.equal(names.length, 1, names.join());
    assert.match(names[0] ?? "", /^one--art_/);
    scene.store.deleteSession(SESSION);
    await assert.rejects(Deno.stat(folder), Deno.errors.NotFound);
  },
  { ask: undefined as never },
);

deskTest("shows the person all of a plan, with what became of its diagrams", async (scene) => {
  const first = scene.propose("c1", "# One", { diagrams: [DIAGRAM, { ...DIAGRAM, id: "old" }] });
  (await scene.review(0)).answer("context", "more");
  assert.equal((await first).feedback, "more");
  const second = scene.propose("c2", "# One\n\nmore", {
    diagrams: [DIAGRAM],
    title: "A\u001b[2J\nB",
  });
  const { plan } = await scene.review(1);
  (await scene.review(1)).answer("skip");
  await second;
  assert.deepEqual(
    [plan?.title, plan?.revision, plan?.markdown, plan?.removed.map(({ id }) => id)],
    ["A [2J B", 2, "# One\n\nmore", ["old"]],
  );
  assert.deepEqual(plan?.diagrams.map(({ id, status }) => [id, status]), [["flow", "unchanged"]]);
  assert.match(plan?.folder ?? "", /\/artifacts\/[0-9a-f]{16}\/s1\/a-2j-b--art_[0-9a-f]{20}$/);
});
