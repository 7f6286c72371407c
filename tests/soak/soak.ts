/**
 * `deno task soak`: one session of 1,000 responses that is summarised several times and opened anew
 * on the way. Prints what it showed, and ends with status 1 where something is not as it should be.
 *
 * @module
 */
import { type RunEvent, textResult } from "@alisio/sdk";
import { type Application, createApplication } from "../../core/application.ts";
import type { OpenSession } from "../../core/run/open_session.ts";
import { textOf } from "../../core/session/stored_message.ts";
import { createSchemaValidator } from "../../tools/schema_validator.ts";
import { withTempDir } from "../support/temp.ts";
import { FACT_REGEXP, RememberingModel, RESPONSES_PER_PROMPT } from "./remembering_model.ts";

const PROMPTS = 100;
const WINDOW_TOKENS = 48_000;
const MAX_MEMORY_MB = 200;
const MIN_COMPACTIONS = 3;
/** A fact is planted with every so many prompts, and one with as many results. */
const FACT_EVERY = 5;
/** The session is closed and opened again as often. */
const REOPEN_EVERY = 20;
const TIMEOUT_MS = 5 * 60_000;

interface Soak {
  readonly model: RememberingModel;
  readonly planted: string[];
  readonly events: RunEvent[];
  mostMemoryMb: number;
}

const soak: Soak = {
  model: new RememberingModel(WINDOW_TOKENS),
  planted: [],
  events: [],
  mostMemoryMb: 0,
};

Deno.exitCode = await withTempDir(async (folder) => {
  await Deno.mkdir(`${folder}/ws`);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const application = await open(folder);
  try {
    const startedAt = performance.now();
    const session = await runPrompts(application, signal);
    const seconds = (performance.now() - startedAt) / 1_000;
    await session.compact({ signal, observers: [(event) => void soak.events.push(event)] });
    await session.close();
    return report(application, { id: session.id, seconds });
  } finally {
    await application.close();
  }
});

/** Opens Alisio with one tool, whose results hold facts. */
async function open(folder: string): Promise<Application> {
  return await createApplication({
    cwd: `${folder}/ws`,
    env: {
      HOME: folder,
      ALISIO_CONFIG_HOME: `${folder}/config`,
      ALISIO_STATE_HOME: `${folder}/state`,
    },
    provider: soak.model,
    model: "remembering",
    plugins: [],
    loadValidator: () => Promise.resolve(createSchemaValidator()),
    tools: () => [{
      name: "page",
      description: "Reads a page.",
      effect: "read",
      inputSchema: { type: "object", properties: { page: { type: "integer" } } },
      execute: ({ page }) => {
        const isPlanted = Number(page) % (FACT_EVERY * RESPONSES_PER_PROMPT) === 0;
        const fact = isPlanted ? plant() : "";
        return Promise.resolve(
          textResult(`Page ${page}. ${fact} ${"Words of a page. ".repeat(40)}`),
        );
      },
    }],
  });
}

function plant(): string {
  const fact = `FACT-${soak.planted.length}=${crypto.randomUUID().slice(0, 8)};`;
  soak.planted.push(fact);
  return fact;
}

async function runPrompts(application: Application, signal: AbortSignal): Promise<OpenSession> {
  let session = await application.createSession({ signal });
  for (let index = 1; index <= PROMPTS; index++) {
    const fact = index % FACT_EVERY === 0 ? plant() : "";
    await session.run(`Prompt ${index}. ${fact}`, {
      signal,
      observers: [(event) => void (event.type.startsWith("comp") && soak.events.push(event))],
    });
    soak.mostMemoryMb = Math.max(soak.mostMemoryMb, Deno.memoryUsage().rss / 1024 / 1024);
    if (index % REOPEN_EVERY !== 0) continue;
    await session.close();
    session = await application.openSession(session.id, { signal });
  }
  return session;
}

/** The facts that a model would still be sent, and those of them that a checkpoint holds. */
function remembered(application: Application, id: string) {
  const messages = application.store.loadMessages(id);
  const [checkpoint] = messages;
  const summary = checkpoint?.role === "user" && checkpoint.summary === true
    ? textOf(checkpoint.content)
    : "";
  const found = (text: string) => new Set(text.match(FACT_REGEXP));
  return { all: found(JSON.stringify(messages)), summary: found(summary) };
}

function report(
  application: Application,
  { id, seconds }: { readonly id: string; readonly seconds: number },
): number {
  const { figures } = soak.model;
  const { all, summary } = remembered(application, id);
  const lost = soak.planted.filter((fact) => !all.has(fact));
  const completed = soak.events.filter(({ type }) => type === "compaction_completed").length;
  const stored = application.store.loadMessages(id, { includeCompacted: true }).length;
  const rows: readonly (readonly [string, string, boolean])[] = [
    ["responses", `${figures.requests}`, figures.requests === PROMPTS * RESPONSES_PER_PROMPT],
    ["compactions", `${completed}, at least ${MIN_COMPACTIONS}`, completed >= MIN_COMPACTIONS],
    [
      "facts planted, known, lost",
      `${soak.planted.length}, ${all.size}, ${lost.length}`,
      lost.length === 0,
    ],
    ["facts in the checkpoint", `${summary.size}`, summary.size >= soak.planted.length - 2],
    [
      "largest request",
      `${figures.mostTokens} tokens of ${WINDOW_TOKENS}`,
      figures.mostTokens <= WINDOW_TOKENS,
    ],
    ["refused requests", `${figures.violations.length}`, figures.violations.length === 0],
    [
      "memory",
      `${soak.mostMemoryMb.toFixed(0)} MB of ${MAX_MEMORY_MB}`,
      soak.mostMemoryMb < MAX_MEMORY_MB,
    ],
    ["messages kept", `${stored}`, stored > 2 * figures.requests],
    ["time", `${seconds.toFixed(1)} s`, true],
  ];
  for (const [what, value, isRight] of rows) {
    print(`${isRight ? "ok  " : "FAIL"} ${what}: ${value}`);
  }
  for (const violation of figures.violations.slice(0, 5)) print(`     ${violation}`);
  return rows.every(([, , isRight]) => isRight) ? 0 : 1;
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
