import assert from "node:assert/strict";
import type { ApprovalChannel } from "../../../../core/gate/approval.ts";
import {
  askHere,
  channelProblem,
  channelsOf,
  HEADLESS,
} from "../../../../core/gate/approval/approval_plan.ts";
import { routeApprovals } from "../../../../core/gate/approval/route_approvals.ts";
import type { ApprovalRoute } from "../../../../core/gate/profile/risk_profile.ts";

const ROUTE: ApprovalRoute = {
  approverChannel: "matrix.ops",
  approverRecipient: "!ops:example.org",
  onNoApprover: "deny",
  timeoutMs: 120_000,
};

function channels(...keys: readonly string[]): readonly ApprovalChannel[] {
  return keys.map((key) => ({ key, ask: () => Promise.resolve("deny") }));
}

/** Who is asked, in order. */
function asked(
  route: Partial<ApprovalRoute>,
  connected: readonly string[],
  originators: readonly string[] = ["terminal"],
): string {
  const { plan } = routeApprovals({ ...ROUTE, ...route }, {
    originators: channels(...originators),
    channels: channels(...connected),
  });
  return plan.hops.map(({ channel }) => channel.key).join(", ");
}

Deno.test("routeApprovals() asks whom a route names, or nobody (rows R10 to R13, R16 to R18, R20)", () => {
  const inherit = { onNoApprover: "inherit-originator" } as const;
  const rows: readonly (readonly [string, string, string])[] = [
    ["R10", asked({}, ["matrix.ops", "matrix.dev"]), "matrix.ops"],
    ["R11", asked({ approverChannel: "ops" }, ["matrix.ops"]), ""],
    ["R12, one", asked({ approverChannel: "matrix" }, ["matrix.ops", "slack.ops"]), "matrix.ops"],
    ["R12, two", asked({ approverChannel: "matrix" }, ["matrix.ops", "matrix.dev"]), ""],
    ["R13, deny", asked({ approverRecipient: null }, ["matrix.ops"]), ""],
    ["R13, inherit", asked({ ...inherit, approverRecipient: null }, ["matrix.ops"]), "terminal"],
    ["R16, nobody there", asked(inherit, [], []), ""],
    ["R17, no channel", asked({}, []), ""],
    ["R17, no channel, inherit", asked(inherit, []), "terminal"],
    ["R18, before the originator", asked(inherit, ["matrix.ops"]), "matrix.ops, terminal"],
    ["R20, inherit without an originator", asked(inherit, ["matrix.ops"], []), "matrix.ops"],
    ["an alias of two platforms", asked({ approverChannel: "ops" }, ["a.ops", "b.ops"]), ""],
    ["the start of a platform", asked({ approverChannel: "mat" }, ["matrix.ops"]), ""],
    ["the start of a key", asked({ approverChannel: "matrix.ops" }, ["matrix.ops.eu"]), ""],
    ["another case", asked({ approverChannel: "Matrix.Ops" }, ["matrix.ops"]), ""],
    ["the originator by its name", asked({ approverChannel: "terminal" }, []), ""],
  ];
  for (const [name, actual, expected] of rows) assert.equal(actual, expected, name);
});

Deno.test("routeApprovals() uses the recipient and the limit of the route for its hop alone", () => {
  const { plan, problem } = routeApprovals({ ...ROUTE, onNoApprover: "inherit-originator" }, {
    originators: channels("terminal"),
    channels: channels("matrix.ops"),
  });
  assert.deepEqual(
    plan.hops.map(({ recipient, timeoutMs }) => [recipient, timeoutMs]),
    [["!ops:example.org", 120_000], [undefined, undefined]],
  );
  assert.deepEqual([plan.channel, problem], ["matrix.ops", null]);
});

Deno.test("routeApprovals() says why a route leads nowhere", () => {
  const why = (route: Partial<ApprovalRoute>, ...keys: readonly string[]) =>
    routeApprovals({ ...ROUTE, ...route }, { originators: [], channels: channels(...keys) });
  assert.equal(why({}).problem, "no such channel is connected");
  assert.match(why({ approverChannel: "matrix" }, "matrix.a", "matrix.b").problem ?? "", /several/);
  assert.match(why({ approverRecipient: null }, "matrix.ops").problem ?? "", /no recipient/);
  assert.deepEqual(why({}).plan, { channel: "matrix.ops", hops: [] });
});

Deno.test("routeApprovals() asks here where a profile has no route", () => {
  const originators = channels("terminal", "editor");
  assert.deepEqual(
    routeApprovals(null, { originators, channels: channels("matrix.ops") }).plan,
    askHere(originators),
  );
  assert.deepEqual(routeApprovals(null, { originators: [], channels: [] }).plan, HEADLESS);
});

Deno.test("channelProblem() finds keys and limits that mean nothing", () => {
  const [terminal] = channels("terminal");
  assert.ok(terminal !== undefined);
  const rows:
    readonly (readonly [readonly ApprovalChannel[], readonly ApprovalChannel[], RegExp | null])[] =
      [
        [[terminal], channels("matrix.ops", "matrix.dev"), null],
        [[{ ...terminal, timeoutMs: 0 }], [], null],
        [channels(" "), [], /no key/],
        [[terminal, terminal], [], /two channels/],
        [[], channels("a.b", "a.b"), /two channels/],
        [[{ ...terminal, timeoutMs: -1 }], [], /time limit/],
        [[{ ...terminal, timeoutMs: NaN }], [], /time limit/],
        [[], channels("matrix"), /<platform>\.<alias>/],
        [[], channels(".ops"), /<platform>\.<alias>/],
        [[], channels("matrix."), /<platform>\.<alias>/],
      ];
  for (const [originators, connected, expected] of rows) {
    const problem = channelProblem({ originators, channels: connected });
    if (expected === null) assert.equal(problem, null);
    else assert.match(problem ?? "", expected);
  }
});

Deno.test("channelsOf() gives a function the name of the program that opened Alisio", () => {
  assert.deepEqual(channelsOf(undefined), []);
  assert.equal(channelsOf(() => Promise.resolve("deny"))[0]?.key, "host");
  const two = channels("terminal", "editor");
  assert.deepEqual([channelsOf(two), channelsOf(two[0])], [two, two.slice(0, 1)]);
});
