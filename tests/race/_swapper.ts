/**
 * Exchanges a folder and a symbolic link, as fast as it can and at times with pauses, until it is
 * killed or two minutes have passed:
 *
 *     deno run -A tests/race/_swapper.ts FOLDER LINK
 *
 * Writes one line once it has begun.
 *
 * @module
 */
const [folder = "", link = ""] = Deno.args;
const aside = `${folder}.aside`;

/** `renameat2` and its flags: relative to the working directory, exchange. */
const AT_FDCWD = -100;
const RENAME_EXCHANGE = 2;

function inOneStep(): (() => void) | null {
  if (Deno.build.os !== "linux") return null;
  try {
    const { symbols } = Deno.dlopen("libc.so.6", {
      renameat2: { parameters: ["i32", "buffer", "i32", "buffer", "u32"], result: "i32" },
    });
    const [from, to] = [folder, link].map((path) => new TextEncoder().encode(`${path}\0`));
    if (from === undefined || to === undefined) return null;
    const exchange = () => symbols.renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE);
    if (exchange() !== 0) return null;
    return exchange;
  } catch {
    return null;
  }
}

function inThreeSteps(): void {
  Deno.renameSync(folder, aside);
  for (;;) {
    try {
      Deno.renameSync(link, folder);
      break;
    } catch {
      // Nothing was there for an instant, and the tools have created the folder anew.
      Deno.removeSync(folder, { recursive: true });
    }
  }
  Deno.renameSync(aside, link);
}

function pause(maxMicroseconds: number): void {
  const end = performance.now() + Math.random() * maxMicroseconds / 1_000;
  while (performance.now() < end);
}

/** Bursts of exchanges, each with the longest pause between two of them. */
const BURSTS = [
  { count: 40, maxMicroseconds: 0 },
  { count: 40, maxMicroseconds: 0 },
  { count: 20, maxMicroseconds: 30 },
  { count: 10, maxMicroseconds: 300 },
  { count: 4, maxMicroseconds: 3_000 },
  { count: 2, maxMicroseconds: 30_000 },
];

const exchange = inOneStep() ?? inThreeSteps;
const end = performance.now() + 120_000;
await Deno.stdout.write(new TextEncoder().encode("swapping\n"));
while (performance.now() < end) {
  const { count = 0, maxMicroseconds = 0 } = BURSTS[Math.floor(Math.random() * BURSTS.length)] ??
    {};
  for (let swap = 0; swap < count; swap++) {
    exchange();
    if (maxMicroseconds > 0) pause(maxMicroseconds);
  }
}
