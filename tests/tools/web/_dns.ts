import { createSocket } from "node:dgram";

/** A name server on this machine, which answers each question for an IPv4 address in turn. */
export interface NameServer extends AsyncDisposable {
  /** Its port. */
  readonly port: number;
  /** How many questions it has answered. */
  readonly count: () => number;
}

/**
 * Starts a name server whose answer changes from question to question; the last one stays.
 *
 * @param answers What it answers, in order.
 */
export async function startNameServer(answers: readonly string[]): Promise<NameServer> {
  const socket = createSocket("udp4");
  let asked = 0;
  socket.on("message", (question, from) => {
    const address = answers[Math.min(asked, answers.length - 1)] ?? "";
    asked++;
    socket.send(answerTo(question, address), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return {
    port: socket.address().port,
    count: () => asked,
    [Symbol.asyncDispose]: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

/** The question with one record of type A, which is valid for no time at all. */
function answerTo(question: Uint8Array, address: string): Uint8Array {
  let end = 12;
  while (question[end] !== 0) end += (question[end] ?? 0) + 1;
  const asked = question.subarray(12, end + 5);
  const header = [question[0] ?? 0, question[1] ?? 0, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0];
  const record = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split(".").map(Number)];
  return new Uint8Array([...header, ...asked, ...record]);
}
