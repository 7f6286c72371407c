import assert from "node:assert/strict";
import {
  type ContextBounds,
  ContextMeter,
  type ContextSize,
  contextUsage,
} from "../../../core/run/context_meter.ts";

const BOUNDS: ContextBounds = {
  windowTokens: 10_000,
  threshold: 0.85,
  maxContextChars: 800_000,
  maxOutputTokens: 4_000,
};

const size = (transcript: number, tools = 0, system = 0): ContextSize => ({
  system,
  tools,
  transcript,
});

Deno.test("contextUsage() estimates until the server reports, and from then on what is new", () => {
  assert.deepEqual(contextUsage(size(4_000, 2_000, 2_000), BOUNDS), {
    usedTokens: 2_000,
    isEstimated: true,
    totalTokens: 10_000,
    compactsAtTokens: 8_500,
  });
  const report = { tokens: 3_000, chars: 8_000 };
  assert.deepEqual(contextUsage(size(5_000, 2_000, 2_000), BOUNDS, report), {
    usedTokens: 3_250,
    isEstimated: false,
    totalTokens: 10_000,
    compactsAtTokens: 8_500,
  });
  assert.equal(contextUsage(size(100), BOUNDS, report).isEstimated, true, "it was shortened");
});

Deno.test("contextUsage() invents no window", () => {
  for (const windowTokens of [undefined, 2_000_001]) {
    const { totalTokens, compactsAtTokens } = contextUsage(size(0), { ...BOUNDS, windowTokens });
    assert.deepEqual([totalTokens, compactsAtTokens], [null, 200_000]);
  }
  assert.equal(
    contextUsage(size(0), { ...BOUNDS, windowTokens: 2_000_000 }).totalTokens,
    2_000_000,
  );
});

interface Row {
  readonly name: string;
  readonly bounds?: Partial<ContextBounds>;
  readonly size: ContextSize;
  readonly usage?: { readonly input: number; readonly output: number };
  readonly due: boolean;
  readonly over: boolean;
}

const UNKNOWN = { windowTokens: undefined, maxContextChars: 100_000 };

const ROWS: readonly Row[] = [
  { name: "below the threshold of a window", size: size(33_996), due: false, over: false },
  { name: "at the threshold of a window", size: size(34_000), due: true, over: false },
  { name: "tools count for a window", size: size(10_000, 24_000), due: true, over: false },
  { name: "as much as leaves room for an answer", size: size(37_000), due: true, over: false },
  { name: "beyond what leaves room for an answer", size: size(37_010), due: true, over: true },
  {
    name: "a report at the threshold",
    size: size(20_000),
    usage: { input: 8_000, output: 500 },
    due: true,
    over: false,
  },
  {
    name: "a report below it",
    size: size(20_000),
    usage: { input: 8_000, output: 499 },
    due: false,
    over: false,
  },
  {
    name: "a report of next to nothing is none",
    size: size(34_000),
    usage: { input: 1, output: 1 },
    due: true,
    over: false,
  },
  {
    name: "a report of far too much is none",
    size: size(20_000),
    usage: { input: 900_000, output: 1 },
    due: false,
    over: false,
  },
  { name: "unknown: below", bounds: UNKNOWN, size: size(84_999), due: false, over: false },
  {
    name: "unknown: characters at the threshold",
    bounds: UNKNOWN,
    size: size(84_000, 0, 1_000),
    due: true,
    over: false,
  },
  {
    name: "unknown: tools count for the whole alone",
    bounds: UNKNOWN,
    size: size(84_000, 15_999),
    due: false,
    over: false,
  },
  {
    name: "unknown: the whole request is full",
    bounds: UNKNOWN,
    size: size(84_000, 16_000),
    due: true,
    over: false,
  },
  {
    name: "unknown: a report alone triggers nothing",
    bounds: UNKNOWN,
    size: size(60_000),
    usage: { input: 60_000, output: 10 },
    due: false,
    over: false,
  },
  {
    name: "characters trigger for a large window too",
    bounds: { windowTokens: 1_000_000, maxContextChars: 100_000 },
    size: size(85_000),
    due: true,
    over: false,
  },
  {
    name: "characters are a hard limit for every window",
    bounds: { windowTokens: 1_000_000, maxContextChars: 100_000 },
    size: size(100_001),
    due: true,
    over: true,
  },
];

for (const { name, bounds, size, usage, due, over } of ROWS) {
  Deno.test(`ContextMeter decides: ${name}`, () => {
    const meter = new ContextMeter({ ...BOUNDS, ...bounds });
    const chars = size.system + size.tools + size.transcript;
    if (usage !== undefined) meter.take(usage, chars, chars);
    assert.deepEqual([meter.isDue(size), meter.isOver(size)], [due, over]);
  });
}

Deno.test("ContextMeter learns what a character takes, and rather too much", () => {
  const meter = new ContextMeter(BOUNDS);
  meter.take({ input: 100, output: 1 }, 1_000, 1_000);
  assert.equal(meter.tokensPerChar, 0.25, "too short to tell");
  meter.take({ input: 6_000, output: 10 }, 6_000, 6_100);
  assert.equal(meter.tokensPerChar, 1);
  assert.equal(meter.usage(size(6_200)).usedTokens, 6_110);
  assert.equal(meter.transcriptChars(size(0, 500, 500)), 8_250);
  meter.take({ input: 1_000, output: 10 }, 10_000, 10_000);
  assert.equal(meter.tokensPerChar, 0.25, "never fewer than are estimated anyway");
});

Deno.test("ContextMeter takes in that a server refuses what it thought would fit", () => {
  const meter = new ContextMeter(BOUNDS);
  meter.refuse(10_000, size(20_000));
  assert.equal(meter.tokensPerChar, 0.525);
  assert.equal(meter.isOver(size(20_000)), true);
});

Deno.test("ContextMeter leaves no room where instructions and tools take it all", () => {
  const meter = new ContextMeter(BOUNDS);
  assert.equal(meter.limitTokens, 9_250);
  assert.equal(meter.transcriptChars(size(0, 40_000)), 0);
  assert.equal(meter.transcriptChars(size(0)), 37_000);
  const unknown = new ContextMeter({ ...BOUNDS, windowTokens: undefined });
  assert.deepEqual([unknown.limitTokens, unknown.transcriptChars(size(0, 9, 100))], [
    null,
    799_900,
  ]);
});

Deno.test("ContextMeter believes a guess until the server accepts more", () => {
  const bounds = { ...BOUNDS, windowTokens: 128_000, guessedTokens: 5_000 };
  const meter = new ContextMeter(bounds);
  assert.equal(meter.usage(size(0)).totalTokens, 5_000);
  meter.take({ input: 5_000, output: 100 }, 20_000, 20_400);
  assert.equal(meter.usage(size(0)).totalTokens, 5_000);
  meter.take({ input: 5_001, output: 100 }, 20_000, 20_400);
  assert.equal(meter.usage(size(0)).totalTokens, 128_000);
});

Deno.test("ContextMeter.answerTokens() leaves an answer what the window has left", () => {
  // A window of 10,000 tokens, of which 750 are an answer's in any case.
  const meter = new ContextMeter({ ...BOUNDS, maxOutputTokens: 4_000 });
  assert.equal(meter.answerTokens(size(4_000)), 4_000);
  assert.equal(meter.answerTokens(size(24_000)), 2_544);
  assert.equal(meter.answerTokens(size(39_000)), 750);
  assert.equal(meter.answerTokens(size(400_000)), 750);
  const small = new ContextMeter({ ...BOUNDS, maxOutputTokens: 100 });
  assert.equal(small.answerTokens(size(36_000)), 100);
  const unknown = new ContextMeter({ ...BOUNDS, windowTokens: undefined, maxOutputTokens: 4_000 });
  assert.equal(unknown.answerTokens(size(400_000)), 4_000);
});
