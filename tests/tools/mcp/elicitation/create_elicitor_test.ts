import assert from "node:assert/strict";
import type { Question, QuestionAsker } from "../../../../core/tools/user_question.ts";
import {
  createElicitor,
  type ElicitationResult,
} from "../../../../tools/mcp/elicitation/create_elicitor.ts";

const { signal } = new AbortController();

/** A person that answers with labels or words, by turns; null passes the question over. */
function personWho(...turns: readonly (readonly (readonly string[] | null)[])[]) {
  const asked: (readonly Question[])[] = [];
  const ask: QuestionAsker = (questions, { server, callId }) => {
    assert.deepEqual([server, callId], ["notes", "mcp:notes"]);
    const answers = turns[asked.length] ?? [];
    asked.push(questions);
    return Promise.resolve(questions.map(({ header }, index) => {
      const selected = answers[index] ?? null;
      return { header, skipped: selected === null, selected: selected ?? [] };
    }));
  };
  return { ask, asked };
}

const form = (properties: Record<string, unknown>, required: readonly string[] = []) => ({
  message: "Who are you?",
  requestedSchema: { type: "object", properties, required },
});

const DECLINE = "Decline, answer nothing";

interface Row {
  readonly name: string;
  readonly field: Record<string, unknown>;
  readonly turns: readonly (readonly (readonly string[] | null)[])[];
  readonly expected: ElicitationResult;
}

const accepted = (value: unknown) =>
  ({ action: "accept", content: { it: value } }) as ElicitationResult;

const TITLED = [{ const: "r", title: "Red" }, { const: "b", title: "Blue" }];

const ROWS: readonly Row[] = [
  { name: "text", field: { type: "string" }, turns: [[["Ada"]]], expected: accepted("Ada") },
  {
    name: "text that is proposed",
    field: { type: "string", default: "Ada" },
    turns: [[["Take what the server proposes: Ada"]]],
    expected: accepted("Ada"),
  },
  {
    name: "a number, asked again until it is one",
    field: { type: "integer", minimum: 1, maximum: 10 },
    turns: [[["many"]], [["2.5"]], [["11"]], [[" 7 "]]],
    expected: accepted(7),
  },
  { name: "a fraction", field: { type: "number" }, turns: [[["-2.5"]]], expected: accepted(-2.5) },
  { name: "yes", field: { type: "boolean" }, turns: [[["Yes"]]], expected: accepted(true) },
  { name: "no", field: { type: "boolean" }, turns: [[["No"]]], expected: accepted(false) },
  {
    name: "a choice",
    field: { type: "string", enum: ["a", "b"] },
    turns: [[["b"]]],
    expected: accepted("b"),
  },
  {
    name: "a choice by name",
    field: { type: "string", oneOf: TITLED },
    turns: [[["Blue"]]],
    expected: accepted("b"),
  },
  {
    name: "a choice by a name beside it",
    field: { type: "string", enum: ["r", "b"], enumNames: ["Red", "Blue"] },
    turns: [[["Red"]]],
    expected: accepted("r"),
  },
  {
    name: "a choice, and no words in its place",
    field: { type: "string", enum: ["a", "b"] },
    turns: [[["c"]], [["a"]]],
    expected: accepted("a"),
  },
  {
    name: "several choices, as many as are taken",
    field: { type: "array", items: { anyOf: TITLED }, minItems: 1, maxItems: 1 },
    turns: [[[]], [["Red", "Blue"]], [["Blue"]]],
    expected: accepted(["b"]),
  },
  {
    name: "a choice that is called like a refusal",
    field: { type: "string", enum: [DECLINE, "x"] },
    turns: [[[`${DECLINE} (2)`]]],
    expected: accepted(DECLINE),
  },
  {
    name: "choices of one name",
    field: { type: "string", oneOf: [{ const: "1", title: "A" }, { const: "2", title: "A" }] },
    turns: [[["A (2)"]]],
    expected: accepted("1"),
  },
  {
    name: "an address of mail",
    field: { type: "string", format: "email" },
    turns: [[["ada"]], [["ada@example.com"]]],
    expected: accepted("ada@example.com"),
  },
  {
    name: "a day that there is",
    field: { type: "string", format: "date" },
    turns: [[["2030-02-30"]], [["2030-02-28"]]],
    expected: accepted("2030-02-28"),
  },
  {
    name: "a time",
    field: { type: "string", format: "date-time" },
    turns: [[["2030-02-28 10:00"]], [["2030-02-28T10:00:00+01:00"]]],
    expected: accepted("2030-02-28T10:00:00+01:00"),
  },
  {
    name: "a length in characters",
    field: { type: "string", minLength: 2, maxLength: 3 },
    turns: [[["a"]], [["abcd"]], [["🙂🙂🙂"]]],
    expected: accepted("🙂🙂🙂"),
  },
  {
    name: "nothing where it may be left out",
    field: { type: "string" },
    turns: [[["Leave this out"]]],
    expected: { action: "accept", content: {} },
  },
  {
    name: "a refusal",
    field: { type: "string" },
    turns: [[[DECLINE]]],
    expected: { action: "decline" },
  },
  {
    name: "a question that is passed over",
    field: { type: "string" },
    turns: [[null]],
    expected: { action: "cancel" },
  },
  {
    name: "no answer that never does",
    field: { type: "integer" },
    turns: [[["a"]], [["b"]], [["c"]], [["d"]], [["e"]], [["6"]]],
    expected: { action: "cancel" },
  },
  {
    name: "an expression without running it",
    field: { type: "string", pattern: "^(a+)+$" },
    turns: [[[`${"a".repeat(60)}!`]]],
    expected: accepted(`${"a".repeat(60)}!`),
  },
];

for (const { name, field, turns, expected } of ROWS) {
  Deno.test(`createElicitor() takes ${name}`, async () => {
    const person = personWho(...turns);
    const elicit = createElicitor({ server: "notes", ask: person.ask });
    assert.deepEqual(await elicit(form({ it: field }), signal), expected);
    assert.ok(person.asked.length <= turns.length);
  });
}

Deno.test("createElicitor() says who asks, that no secret belongs here, and quotes the server", async () => {
  const person = personWho([["Ada"]]);
  const elicit = createElicitor({ server: "notes", ask: person.ask });
  await elicit({
    message: "Sign in\nAlisio asks: allow shell?",
    requestedSchema: {
      type: "object",
      properties: {
        it: { type: "string", title: "Name", description: "yours\nor mine", maxLength: 9 },
      },
      required: ["it"],
    },
  }, signal);
  assert.deepEqual(person.asked, [[{
    header: "Name",
    question:
      'MCP server "notes" asks, and receives what you answer. Give it no password, no key ' +
      "and nothing else that is secret.\n> Sign in\n> Alisio asks: allow shell?\n" +
      "> Name (it)\n> yours\n> or mine\nNeeded: a text, at most 9 characters",
    multiSelect: false,
    options: [{ label: "Type an answer", takesText: true }, { label: DECLINE }],
  }]]);
});

Deno.test("createElicitor() says why an answer was not taken", async () => {
  const person = personWho([["x"]], [["3"]]);
  await createElicitor({ server: "notes", ask: person.ask })(
    form({ it: { type: "integer", minimum: 2 } }, ["it"]),
    signal,
  );
  assert.equal(
    person.asked[1]?.[0]?.question,
    "Not taken: it takes a whole number, at least 2.\n> it\nNeeded: a whole number, at least 2",
  );
});

Deno.test("createElicitor() shows several answers before it sends them", async () => {
  const fields = form({ a: { type: "string" }, b: { type: "integer" }, c: { type: "boolean" } }, [
    "b",
  ]);
  const person = personWho([["x"], null, null], [["2"]], [["Send the answers"]]);
  const elicit = createElicitor({ server: "notes", ask: person.ask });
  assert.deepEqual(await elicit(fields, signal), { action: "accept", content: { a: "x", b: 2 } });
  assert.match(person.asked[1]?.[0]?.question ?? "", /^Not taken: the server needs an answer/);
  assert.equal(
    person.asked[2]?.[0]?.question,
    'MCP server "notes" receives:\n> a: "x"\n> b: 2\n> c: (left out)',
  );
  const other = personWho([["x"], ["1"], ["Yes"]], [[DECLINE]]);
  assert.deepEqual(await createElicitor({ server: "notes", ask: other.ask })(fields, signal), {
    action: "decline",
  });
});

Deno.test("createElicitor() asks to confirm where there is nothing to fill in", async () => {
  const elicit = createElicitor({ server: "notes", ask: personWho([["Accept"]]).ask });
  assert.deepEqual(await elicit(form({}), signal), { action: "accept", content: {} });
});

Deno.test("createElicitor() shows an address and its host, and opens nothing", async () => {
  const person = personWho([["I open it myself"]], [[DECLINE]], [null]);
  const elicit = createElicitor({ server: "notes", ask: person.ask });
  const params = {
    mode: "url",
    message: "Sign in",
    url: "http://xn--pple-43d.com/a?b",
    elicitationId: "1",
  };
  assert.deepEqual(await elicit(params, signal), { action: "accept" });
  const [question] = person.asked[0] ?? [];
  assert.match(
    question?.question ?? "",
    /\n> Sign in\nHost: xn--pple-43d\.com \(letters that may .+\)\nThe connection .+\nAddress: http:/,
  );
  assert.deepEqual(await elicit(params, signal), { action: "decline" });
  assert.deepEqual(await elicit(params, signal), { action: "cancel" });
});

const MALFORMED: readonly (readonly [string, unknown, RegExp])[] = [
  ["no parameters", undefined, /parameters/],
  ["no schema", { message: "x" }, /no schema of an object/],
  ["a schema of something else", { requestedSchema: { type: "string" } }, /no schema of an object/],
  ["nested objects", form({ it: { type: "object" } }), /neither text/],
  [
    "a list of anything",
    form({ it: { type: "array", items: { type: "string" } } }),
    /not of choices/,
  ],
  [
    "choices that are no texts",
    form({ it: { type: "string", enum: [1] } }),
    /choices that are texts/,
  ],
  ["a choice twice", form({ it: { type: "string", enum: ["a", "a"] } }), /a choice twice/],
  ["too many choices", form({ it: { type: "string", enum: Array(201).fill("a") } }), /1 to 200/],
  [
    "too many fields",
    form(Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`f${i}`, { type: "string" }]))),
    /more than 20 fields/,
  ],
  ["a password", form({ password: { type: "string" } }), /asks for a secret/],
  [
    "a key by its title",
    form({ it: { type: "string", title: "Your API key" } }),
    /asks for a secret/,
  ],
  ["a hidden text", form({ it: { type: "string", format: "password" } }), /asks for a secret/],
  ["another mode", { mode: "video", message: "x" }, /its mode/],
  ["no address", { mode: "url", url: "here" }, /no address/],
  ["an address that runs", { mode: "url", url: "javascript:alert(1)" }, /no address of the web/],
  ["a file", { mode: "url", url: "file:///etc/passwd" }, /no address of the web/],
  [
    "a host in disguise",
    { mode: "url", url: "https://bank.com@evil.com/" },
    /a name or a password/,
  ],
];

for (const [name, params, reason] of MALFORMED) {
  Deno.test(`createElicitor() refuses ${name} without asking`, async () => {
    const person = personWho();
    const elicit = createElicitor({ server: "notes", ask: person.ask });
    await assert.rejects(elicit(params, signal), (error: unknown) => {
      assert.ok(error instanceof TypeError);
      assert.match(error.message, reason);
      return true;
    });
    assert.deepEqual(person.asked, []);
  });
}

Deno.test("createElicitor() cancels where nobody is there", async () => {
  assert.deepEqual(await createElicitor({ server: "notes" })(form({}), signal), {
    action: "cancel",
  });
});

Deno.test("createElicitor() stops a server that asks again and again", async () => {
  const told: string[] = [];
  const person = personWho(...Array(100).fill([["Accept"]]));
  const elicit = createElicitor({
    server: "notes",
    ask: person.ask,
    onDiagnostic: (text) => told.push(text),
  });
  const actions: string[] = [];
  for (let count = 0; count < 100; count++) {
    actions.push((await elicit(form({}), signal)).action);
  }
  assert.deepEqual(actions, [...Array(20).fill("accept"), ...Array(80).fill("cancel")]);
  assert.equal(person.asked.length, 20);
  assert.deepEqual(told, ['MCP server "notes" asks too often and is not shown any more']);
});

Deno.test("createElicitor() stops a server that is declined three times in a row", async () => {
  const person = personWho([null], [["Accept"]], [null], [[DECLINE]], [null], [["Accept"]]);
  const elicit = createElicitor({ server: "notes", ask: person.ask });
  for (let count = 0; count < 50; count++) await elicit(form({}), signal);
  assert.equal(person.asked.length, 5);
});

Deno.test("createElicitor() shows one question at a time and keeps few waiting", async () => {
  let open = 0;
  let most = 0;
  let asked = 0;
  const answers: (() => void)[] = [];
  const ask: QuestionAsker = async (questions) => {
    asked++;
    most = Math.max(most, ++open);
    await new Promise<void>((resolve) => answers.push(resolve));
    open--;
    return questions.map(({ header }) => ({ header, skipped: false, selected: ["Accept"] }));
  };
  const elicit = createElicitor({ server: "notes", ask });
  const all = Array.from({ length: 100 }, () => elicit(form({}), signal));
  const late = await Promise.all(all.slice(4));
  assert.ok(late.every(({ action }) => action === "cancel"));
  for (const each of all.slice(0, 4)) {
    while (answers.length === 0) await Promise.resolve();
    answers.shift()?.();
    assert.equal((await each).action, "accept");
  }
  assert.deepEqual([asked, most], [4, 1]);
});

Deno.test("createElicitor() rejects with the reason when its request is over", async () => {
  const over = new AbortController();
  const elicit = createElicitor({
    server: "notes",
    ask: (_, call) =>
      new Promise((_resolve, reject) =>
        call.signal.addEventListener("abort", () => reject(call.signal.reason))
      ),
  });
  const first = elicit(form({}), over.signal);
  const second = elicit(form({}), over.signal);
  await Promise.resolve();
  const reason = new Error("Cancelled");
  over.abort(reason);
  await assert.rejects(first, reason);
  await assert.rejects(second, reason);
});
