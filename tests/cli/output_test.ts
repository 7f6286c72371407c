import assert from "node:assert/strict";
import { createOutput, MAX_QUEUED_BYTES, type OutputStreams } from "../../cli/output.ts";

/** Two streams whose reader takes a write only when the test says so, and what it took. */
class SlowReader implements OutputStreams {
  readonly taken: (readonly ["out" | "err", string])[] = [];
  readonly stdout = { write: (bytes: Uint8Array) => this.#write("out", bytes) };
  readonly stderr = { write: (bytes: Uint8Array) => this.#write("err", bytes) };
  readonly #waiting: PromiseWithResolvers<number>[] = [];
  readonly #sizes: number[] = [];

  /** Takes at most `bytes` of the write that waits, and lets the writer go on. */
  async take(bytes = Infinity): Promise<void> {
    this.#next().resolve(Math.min(this.#sizes.shift() ?? 0, bytes));
    await settle();
  }

  async fail(error: Error): Promise<void> {
    this.#sizes.shift();
    this.#next().reject(error);
    await settle();
  }

  #next(): PromiseWithResolvers<number> {
    const write = this.#waiting.shift();
    assert.ok(write, "nothing is being written");
    return write;
  }

  #write(name: "out" | "err", bytes: Uint8Array): Promise<number> {
    this.taken.push([name, new TextDecoder().decode(bytes)]);
    this.#sizes.push(bytes.length);
    const write = Promise.withResolvers<number>();
    this.#waiting.push(write);
    return write.promise;
  }
}

async function settle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
}

function fail(): never {
  throw new Error("standard output was given up");
}

Deno.test("createOutput() writes both streams in the order of the calls, joined where it can", async () => {
  const reader = new SlowReader();
  const output = createOutput(fail, reader);
  output.out("a");
  output.out("b");
  output.out("");
  output.out("c");
  output.err("1");
  output.err("2");
  output.out("d");
  const flushed = output.flush();
  for (let write = 0; write < 4; write++) await reader.take();
  await flushed;
  assert.deepEqual(reader.taken, [["out", "a"], ["out", "bc"], ["err", "12"], ["out", "d"]]);
});

Deno.test("createOutput() writes the rest of what a stream took in part", async () => {
  const reader = new SlowReader();
  const output = createOutput(fail, reader);
  output.out("abcd");
  output.out("e");
  await reader.take(3);
  await reader.take();
  await reader.take();
  assert.deepEqual(reader.taken, [["out", "abcd"], ["out", "d"], ["out", "e"]]);
});

Deno.test("createOutput() asks to wait while more than the limit is queued, for both streams", async () => {
  for (const stream of ["out", "err"] as const) {
    const reader = new SlowReader();
    const output = createOutput(fail, reader);
    output[stream]("x".repeat(MAX_QUEUED_BYTES));
    assert.equal(output.drained(), undefined);
    output[stream]("y");
    const drained = output.drained();
    assert.ok(drained);
    let isDrained = false;
    void drained.then(() => isDrained = true);
    await settle();
    assert.equal(isDrained, false);
    await reader.take();
    assert.equal(isDrained, true);
    assert.equal(output.drained(), undefined);
    await reader.take();
    await output.flush();
  }
});

Deno.test("createOutput() never joins more than the limit into one write", async () => {
  const reader = new SlowReader();
  const output = createOutput(fail, reader);
  const half = "x".repeat(MAX_QUEUED_BYTES / 2);
  for (let piece = 0; piece < 4; piece++) output.out(half);
  output.out("y");
  for (let write = 0; write < 3; write++) await reader.take();
  const lengths = reader.taken.map(([, text]) => text.length);
  assert.deepEqual(lengths, [half.length, half.length * 2, half.length + 1]);
});

Deno.test("createOutput() tells once that standard output is lost, and still writes the other", async () => {
  const rows: readonly (readonly [Error, string])[] = [
    [new Deno.errors.BrokenPipe("x"), "Cannot write to standard output: its reader has gone"],
    [new Error("No space left"), "Cannot write to standard output: No space left"],
  ];
  for (const [cause, message] of rows) {
    const reader = new SlowReader();
    const reasons: Error[] = [];
    const output = createOutput((reason) => reasons.push(reason), reader);
    output.out("x".repeat(MAX_QUEUED_BYTES));
    output.out("never");
    output.err("why");
    const drained = output.drained();
    output.out("never");
    await reader.fail(cause);
    await drained;
    output.out("never");
    await reader.take();
    await output.flush();
    assert.deepEqual(reader.taken.slice(1), [["err", "why"]]);
    assert.deepEqual(reasons.map((reason) => [reason.message, reason.cause]), [[message, cause]]);
  }
});

Deno.test("createOutput() goes on when standard error cannot be written", async () => {
  const reader = new SlowReader();
  const output = createOutput(fail, reader);
  output.err("1");
  output.out("a");
  await reader.fail(new Error("closed"));
  await reader.take();
  await output.flush();
  assert.deepEqual(reader.taken, [["err", "1"], ["out", "a"]]);
});

Deno.test("createOutput() says its last words while a reader of standard output pauses", async () => {
  const reader = new SlowReader();
  const output = createOutput(fail, reader);
  output.out("a");
  output.out("b");
  output.err("bye");
  const abandoned = output.abandon();
  await settle();
  assert.deepEqual(reader.taken, [["out", "a"], ["err", "bye"]]);
  await reader.take();
  await reader.take();
  await abandoned;
  assert.equal(reader.taken.length, 2);
});

Deno.test("createOutput() ends soon when nobody reads either stream", async () => {
  const output = createOutput(fail, new SlowReader());
  output.err("1");
  output.err("2");
  const startedAt = performance.now();
  await output.abandon();
  assert.ok(performance.now() - startedAt < 5_000);
});
