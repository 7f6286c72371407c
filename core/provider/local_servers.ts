import { isObject } from "../config/is_object.ts";

/** A model server that runs on this machine. */
export interface LocalServer {
  /** What usually listens on its port. */
  readonly name: string;
  /** Its address. */
  readonly baseURL: string;
  /** Ids of its models, at least one, those for text first. */
  readonly models: readonly string[];
  /** The command that uses its first model. */
  readonly command: string;
}

/** Where to look. */
export interface FindLocalServersOptions {
  /**
   * Names by port.
   *
   * @default Ollama on 11434, LM Studio on 1234, llama.cpp on 8080, vLLM on 8000
   */
  readonly ports?: readonly (readonly [number, string])[];
  /**
   * Longest wait; the servers are asked side by side.
   *
   * @default 400
   */
  readonly timeoutMs?: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
}

const PORTS: readonly (readonly [number, string])[] = [
  [11_434, "Ollama"],
  [1234, "LM Studio"],
  [8080, "llama.cpp"],
  [8000, "vLLM"],
];

const MAX_BODY_BYTES = 262_144;

/** The command is made to be pasted into a shell, so an id that a shell would read is left out. */
const SAFE_MODEL_REGEXP = /^[A-Za-z0-9][\w.:/@+-]{0,199}$/;

/**
 * Asks the usual ports of local model servers for their models. Nothing is sent but the question,
 * and whatever goes wrong means that no server is there.
 *
 * @param options Where to look.
 */
export async function findLocalServers(
  options: FindLocalServersOptions = {},
): Promise<readonly LocalServer[]> {
  const { ports = PORTS, timeoutMs = 400, signal } = options;
  const timer = new AbortController();
  const timeout = setTimeout(() => timer.abort(), timeoutMs);
  const limit = signal === undefined ? timer.signal : AbortSignal.any([signal, timer.signal]);
  try {
    const found = await Promise.all(ports.map(([port, name]) => askServer(port, name, limit)));
    return found.filter((server) => server !== undefined);
  } finally {
    clearTimeout(timeout);
    timer.abort();
  }
}

async function askServer(
  port: number,
  name: string,
  signal: AbortSignal,
): Promise<LocalServer | undefined> {
  const baseURL = `http://127.0.0.1:${port}/v1`;
  try {
    const response = await fetch(`${baseURL}/models`, { signal, redirect: "error" });
    const body = await readBody(response);
    const models = response.ok && body !== undefined ? readModels(JSON.parse(body)) : [];
    const [first] = models;
    if (first === undefined) return undefined;
    const command = `alisio run --base-url ${baseURL} --model ${first} "…"`;
    return { name, baseURL, models, command };
  } catch {
    return undefined;
  }
}

async function readBody(response: Response): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function readModels(value: unknown): readonly string[] {
  const items = isObject(value) ? value["data"] : undefined;
  if (!Array.isArray(items)) return [];
  const ids = items.flatMap((item: unknown): readonly string[] => {
    const id = isObject(item) ? item["id"] : undefined;
    return typeof id === "string" && SAFE_MODEL_REGEXP.test(id) ? [id] : [];
  });
  const isForText = (id: string): boolean => !/embed|rerank|whisper/i.test(id);
  return [...ids.filter(isForText), ...ids.filter((id) => !isForText(id))];
}
