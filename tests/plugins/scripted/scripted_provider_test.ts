import assert from "node:assert/strict";
import {
  type ModelEvent,
  type ModelMessage,
  type ModelProvider,
  type ModelRequest,
  ProviderError,
} from "@alisio/sdk";
import { scriptedPlugin } from "../../../plugins/scripted/mod.ts";
import { registrationsOf } from "../../support/registrations.ts";
import { withTempDir } from "../../support/temp.ts";

const PROMPT: ModelMessage = { role: "user", content: [{ type: "text", text: "do it" }] };
const ANSWER: ModelMessage = { role: "assistant", text: "", calls: [] };
const RESULT: ModelMessage = {
  role: "tool",
  callId: "call_1_1",
  name: "read_file",
  text: '{"sha256":"abc"}',
  isError: false,
};

Deno.test("ScriptedProvider streams a turn in pieces and completes once", async () => {
  const provider = await openProvider({
    turns: [{
      text: "Grüße 👩‍🚀 an alle",
      reasoning: "think",
      calls: [{ name: "read_file", arguments: { path: "a" } }, { name: "b", arguments: "{oops" }],
      usage: { input: 5, output: 7 },
    }],
  });
  const events = await play(provider, [PROMPT]);
  const text = joined(events, "text_delta");
  assert.equal(text, "Grüße 👩‍🚀 an alle");
  assert.equal(joined(events, "reasoning_delta"), "think");
  assert.ok(events.filter((event) => event.type === "text_delta").length > 1);
  assert.deepEqual(events.filter((event) => event.type === "completed"), [events.at(-1)]);
  assert.deepEqual(events.at(-1), {
    type: "completed",
    message: {
      role: "assistant",
      text,
      calls: [
        { id: "call_1_1", name: "read_file", arguments: '{"path":"a"}' },
        { id: "call_1_2", name: "b", arguments: "{oops" },
      ],
    },
    usage: { input: 5, output: 7 },
  });
});

Deno.test("ScriptedProvider picks the turn by the messages, so that a session can go on", async () => {
  const turns = [{ text: "one" }, { text: "two" }];
  const provider = await openProvider({ turns });
  assert.equal(joined(await play(provider, [PROMPT, ANSWER]), "text_delta"), "two");
  assert.equal(joined(await play(provider, [PROMPT]), "text_delta"), "one");
  const past = await play(provider, [PROMPT, ANSWER, PROMPT, ANSWER, PROMPT]);
  assert.equal(joined(past, "text_delta"), "The script ended after its 2 turns.");
  const loop = await openProvider({ turns, loop: true });
  assert.equal(joined(await play(loop, [PROMPT, ANSWER, ANSWER, ANSWER]), "text_delta"), "two");
});

Deno.test("ScriptedProvider fills placeholders from earlier results", async () => {
  const call = { name: "edit_file", arguments: { expectedHash: "{{last:read_file.sha256}}" } };
  const provider = await openProvider({ turns: [{}, { calls: [call] }] });
  const events = await play(provider, [PROMPT, ANSWER, RESULT]);
  const completed = events.at(-1);
  assert.ok(completed?.type === "completed");
  assert.equal(completed.message.calls[0]?.arguments, '{"expectedHash":"abc"}');
  const error = await failureOf(provider, [PROMPT, ANSWER]);
  assert.equal(error.code, "invalid_request");
  assert.match(error.message, /^Cannot play turn 2 of script ".*": placeholder .* has no value/);
});

Deno.test("ScriptedProvider reports a truncated turn", async () => {
  const provider = await openProvider({ turns: [{ text: "cut", truncated: true }] });
  const completed = (await play(provider, [PROMPT])).at(-1);
  assert.equal(completed?.type === "completed" && completed.truncated, true);
});

Deno.test("ScriptedProvider fails after the text of the turn", async () => {
  const error = { code: "overloaded", message: "Busy", retryable: true, retryAfterMs: 20 };
  const provider = await openProvider({ turns: [{ text: "half", error }] });
  const events: ModelEvent[] = [];
  const thrown = await failureOf(provider, [PROMPT], events);
  assert.equal(joined(events, "text_delta"), "half");
  assert.deepEqual(
    [thrown.code, thrown.message, thrown.retryable, thrown.retryAfterMs],
    ["overloaded", "Busy", true, 20],
  );
});

Deno.test("ScriptedProvider plays the turn after the given number of failures", async () => {
  const error = { code: "rate_limited", message: "Slow down", retryable: true, times: 2 };
  const provider = await openProvider({ turns: [{ text: "at last", error }] });
  await failureOf(provider, [PROMPT]);
  await failureOf(provider, [PROMPT]);
  assert.equal((await play(provider, [PROMPT])).at(-1)?.type, "completed");
});

const EXPECTATIONS: readonly {
  readonly met: Record<string, unknown>;
  readonly missed: Record<string, unknown>;
  readonly message: RegExp;
}[] = [
  {
    met: { promptIncludes: "do it" },
    missed: { promptIncludes: "leave it" },
    message: /expected the prompt to contain "leave it", got "do it"$/,
  },
  {
    met: { lastToolIncludes: "abc" },
    missed: { lastToolIncludes: "xyz" },
    message:
      /expected the result of "read_file" to contain "xyz", got "\{\\"sha256\\":\\"abc\\"\}"$/,
  },
  {
    met: { toolIsError: false },
    missed: { toolIsError: true },
    message: /expected an error from "read_file", got /,
  },
];

Deno.test("ScriptedProvider checks what a turn expects", async () => {
  for (const { met, missed, message } of EXPECTATIONS) {
    const good = await openProvider({ turns: [{}, { expect: met }] });
    assert.equal((await play(good, [PROMPT, ANSWER, RESULT])).at(-1)?.type, "completed");
    const bad = await openProvider({ turns: [{}, { expect: missed }] });
    const error = await failureOf(bad, [PROMPT, ANSWER, RESULT]);
    assert.equal(error.code, "invalid_request");
    assert.match(error.message, message);
  }
  const alone = await openProvider({ turns: [{ expect: { toolIsError: false } }] });
  assert.match((await failureOf(alone, [PROMPT])).message, /there is none$/);
});

Deno.test("ScriptedProvider bounds the quote of what came", async () => {
  const provider = await openProvider({ turns: [{ expect: { promptIncludes: "zzz" } }] });
  const prompt: ModelMessage = {
    role: "user",
    content: [{ type: "text", text: "a".repeat(100_000) }],
  };
  assert.ok((await failureOf(provider, [prompt])).message.length < 1000);
});

Deno.test("ScriptedProvider throws the reason of the signal, also while it waits", async () => {
  const provider = await openProvider({ turns: [{ text: "late", delayMs: 3_600_000 }] });
  const controller = new AbortController();
  const pending = play(provider, [PROMPT], controller.signal);
  const reason = new Error("stop");
  controller.abort(reason);
  await assert.rejects(pending, (error: unknown) => error === reason);
  await assert.rejects(
    play(provider, [PROMPT], controller.signal),
    (error: unknown) => error === reason,
  );
});

Deno.test("ScriptedProvider stops between two pieces", async () => {
  const provider = await openProvider({ turns: [{ text: "one two three four" }] });
  const controller = new AbortController();
  const reason = new Error("stop");
  const seen: ModelEvent[] = [];
  await assert.rejects(async () => {
    for await (const event of provider.stream(requestOf([PROMPT], controller.signal))) {
      seen.push(event);
      controller.abort(reason);
    }
  }, (error: unknown) => error === reason);
  assert.equal(seen.length, 1);
});

Deno.test("ScriptedProvider lists the models of the script, or the script itself", async () => {
  const signal = new AbortController().signal;
  const models = [{ id: "small", contextWindow: 8000 }];
  const named = await openProvider({ turns: [{}], models });
  assert.deepEqual(await named.listModels?.({ signal }), models);
  const unnamed = await openProvider({ turns: [{}] });
  const [model] = await unnamed.listModels?.({ signal }) ?? [];
  assert.match(model?.id ?? "", /script\.json$/);
  assert.equal(unnamed.id, `scripted:${model?.id}`);
});

const BAD_FILES: readonly { readonly content: string | null; readonly message: RegExp }[] = [
  { content: null, message: /^Cannot read script ".*script\.json": there is no such file/ },
  { content: '{"turns": [\n}', message: /^Cannot use script ".*script\.json": .*JSON/ },
  { content: '{"turns": [], "lop": 1}', message: /^Cannot use script ".*script\.json": "turns" / },
];

Deno.test("scriptedPlugin refuses a bad script with its file and the place", async () => {
  for (const { content, message } of BAD_FILES) {
    await withTempDir(async (dir) => {
      const script = `${dir}/script.json`;
      if (content !== null) await Deno.writeTextFile(script, content);
      await assert.rejects(() => create({ script }), (error: unknown) => {
        assert.ok(error instanceof TypeError);
        assert.match(error.message, message);
        return true;
      });
    });
  }
  await assert.rejects(() => create({}), /field "script" must be the path of a JSON file/);
  await assert.rejects(() => create({ script: "/" }), /Cannot read script "\/": it is not a file/);
});

Deno.test("scriptedPlugin refuses a script above its limit", async () => {
  await withTempDir(async (dir) => {
    const script = `${dir}/script.json`;
    await Deno.writeTextFile(script, "");
    await Deno.truncate(script, 16_777_217);
    await assert.rejects(() => create({ script }), /size is 16777217 bytes, limit is 16777216$/);
  });
});

function openProvider(script: unknown): Promise<ModelProvider> {
  return withTempDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/script.json`, JSON.stringify(script));
    return await create({ script: `${dir}/script.json` });
  });
}

async function create(profile: Readonly<Record<string, string>>): Promise<ModelProvider> {
  const [registration] = await registrationsOf(scriptedPlugin);
  assert.ok(registration);
  assert.equal(registration.id, "scripted");
  return await registration.create({ profile, credentials: {}, userAgent: "test" });
}

function requestOf(messages: readonly ModelMessage[], signal: AbortSignal): ModelRequest {
  return { model: "m", system: "", messages, tools: [], maxOutputTokens: 100, signal };
}

async function play(
  provider: ModelProvider,
  messages: readonly ModelMessage[],
  signal = new AbortController().signal,
): Promise<readonly ModelEvent[]> {
  return await Array.fromAsync(provider.stream(requestOf(messages, signal)));
}

async function failureOf(
  provider: ModelProvider,
  messages: readonly ModelMessage[],
  events: ModelEvent[] = [],
): Promise<ProviderError> {
  try {
    const request = requestOf(messages, new AbortController().signal);
    for await (const event of provider.stream(request)) events.push(event);
  } catch (error) {
    assert.ok(error instanceof ProviderError, String(error));
    return error;
  }
  throw new assert.AssertionError({ message: "The stream did not fail" });
}

function joined(events: readonly ModelEvent[], type: "text_delta" | "reasoning_delta"): string {
  return events.map((event) => event.type === type ? event.delta : "").join("");
}
