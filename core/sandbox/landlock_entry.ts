/**
 * The short program between Alisio and a program in the Landlock sandbox: it takes the rules on
 * and becomes the program. Started by `landlockCommand`, with permission for FFI that the agent
 * itself does not have.
 *
 * @module
 */
import { applyFilter } from "../wall/call_filter.ts";
import { applyLandlockPlan, kindOf, landlockVersion } from "../wall/landlock.ts";
import { LANDLOCK_ORDER_VARIABLE, type LandlockOrder, STARTER_STATUS } from "./landlock_order.ts";
import { landlockRules } from "./landlock_rules.ts";
import { socketFilter } from "./socket_filter.ts";

const SYMBOLS = {
  prctl: { parameters: ["i32", "u64", "u64", "u64", "u64"], result: "i32" },
  signal: { parameters: ["i32", "u64"], result: "u64" },
  execvpe: { parameters: ["buffer", "buffer", "buffer"], result: "i32" },
} as const;

const NO_ORDER = "This part of the program is started by alisio itself";
const SET_PARENT_DEATH_SIGNAL = 1;
const DROP_CAPABILITY = 24;
const AMBIENT_CAPABILITIES = 47;
const CLEAR_AMBIENT = 4n;
/** More than any kernel has. */
const MAX_CAPABILITIES = 64;
const SIGKILL = 9n;
const SIGPIPE = 13;
const DEFAULT_ACTION = 0n;

if (import.meta.main) enterLandlock(Deno.args);

/**
 * Becomes a program under rules of Landlock. Returns never: a failure ends this process.
 *
 * @param words The program and its arguments; none only prints the version of Landlock.
 */
export function enterLandlock(words: readonly string[]): never {
  if (words.length === 0) {
    Deno.stdout.writeSync(new TextEncoder().encode(`${landlockVersion()}\n`));
    Deno.exit(0);
  }
  const { [LANDLOCK_ORDER_VARIABLE]: text, ...own } = Deno.env.toObject();
  if (text === undefined) {
    Deno.stderr.writeSync(new TextEncoder().encode(`${NO_ORDER}\n`));
    Deno.exit(STARTER_STATUS);
  }
  const order: LandlockOrder = JSON.parse(text);
  const mark = own[order.markVariable];
  const env = mark === undefined ? order.env : { ...order.env, [order.markVariable]: mark };
  const result = applyLandlockPlan((abi) =>
    landlockRules(order.plan, order.tempFolder, abi, { kindOf, namesIn })
  );
  if (result.status !== "applied") fail(order, "sandbox", result.reason);
  if (order.plan.network === "closed" && !closeNetwork()) {
    fail(order, "sandbox", "the kernel refuses the filter that closes the network");
  }
  become(words, env, order);
  const [program = ""] = words;
  fail(order, isThere(program, env["PATH"] ?? "") ? "executable" : "found", program);
}

/** Whether it is closed now. That nobody gains new rights, which it takes, goes with the rules. */
function closeNetwork(): boolean {
  const libc = Deno.dlopen("libc.so.6", SYMBOLS);
  const isClosed = applyFilter(libc.symbols.prctl, socketFilter());
  libc.close();
  return isClosed;
}

/** Replaces this process; returns only if that fails. */
function become(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  order: LandlockOrder,
): void {
  const libc = Deno.dlopen("libc.so.6", SYMBOLS);
  const { prctl, signal, execvpe } = libc.symbols;
  // Without the agent nobody would end the program.
  prctl(SET_PARENT_DEATH_SIGNAL, SIGKILL, 0n, 0n, 0n);
  if (Deno.ppid !== order.parent) Deno.exit(STARTER_STATUS);
  // An administrator's rights lead around the rules: to kernel modules, to what others remember.
  prctl(AMBIENT_CAPABILITIES, CLEAR_AMBIENT, 0n, 0n, 0n);
  for (let each = 0; each < MAX_CAPABILITIES; each++) {
    prctl(DROP_CAPABILITY, BigInt(each), 0n, 0n, 0n);
  }
  // The runtime ignores it, and a program would inherit that.
  signal(SIGPIPE, DEFAULT_ACTION);
  const values = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const held = [words, values].map(pointersTo);
  const [argv, envp] = held.map(({ vector }) => vector);
  if (argv !== undefined && envp !== undefined) {
    execvpe(new TextEncoder().encode(`${words[0]}\0`), argv, envp);
  }
  libc.close();
}

interface Pointers {
  /** Addresses, with an empty one at the end. */
  readonly vector: BigUint64Array<ArrayBuffer>;
  /** What they point to; to be kept as long as they are used. */
  readonly texts: readonly Uint8Array[];
}

function pointersTo(words: readonly string[]): Pointers {
  const encoder = new TextEncoder();
  const texts = words.map((word) => encoder.encode(`${word}\0`));
  const addresses = texts.map((text) => Deno.UnsafePointer.value(Deno.UnsafePointer.of(text)));
  return { vector: new BigUint64Array([...addresses.map(BigInt), 0n]), texts };
}

function isThere(program: string, path: string): boolean {
  if (program.includes("/")) return kindOf(program) !== null;
  return path.split(":").some((folder) => kindOf(`${folder}/${program}`) === "file");
}

function namesIn(folder: string): readonly string[] {
  try {
    return [...Deno.readDirSync(folder)].flatMap(({ name, isSymlink }) => isSymlink ? [] : [name]);
  } catch {
    // Nobody may look into it, programs neither.
    return [];
  }
}

function fail(order: LandlockOrder, what: "sandbox" | "found" | "executable", text: string): never {
  const line = JSON.stringify({ nonce: order.nonce, what, text: text.slice(0, 500) });
  Deno.stderr.writeSync(new TextEncoder().encode(`${line}\n`));
  Deno.exit(STARTER_STATUS);
}
