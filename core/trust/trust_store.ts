import { isObject } from "../config/is_object.ts";
import { readPrivateFile, whileLocked, writePrivateFile } from "../config/private_file.ts";
import { quoted } from "../config/quoted.ts";
import { AlisioError } from "../errors.ts";
import { join } from "../paths/path.ts";
import type { ReferencedPath, ResourceDigests } from "./trust_resources.ts";

/** What a person decided about one project, and about which state of it. */
export interface TrustDecision {
  /** What was decided. */
  readonly decision: "trusted" | "refused";
  /** Epoch milliseconds. */
  readonly decidedAt: number;
  /** The state of everything that needs trust. */
  readonly digests: ResourceDigests;
  /** Files outside the usual places that the configuration used. */
  readonly referenced: readonly ReferencedPath[];
  /** What the person was shown of the configuration, line by line. */
  readonly declared: readonly string[];
}

/** Decisions by real path of the workspace. */
export type TrustDecisions = Readonly<Record<string, TrustDecision>>;

/** The store, or why it cannot be used. */
export type TrustStore =
  | {
    readonly status: "read";
    readonly decisions: TrustDecisions;
    /** What the person should know. */
    readonly notices: readonly string[];
  }
  | { readonly status: "unusable"; readonly reason: string };

const MAX_BYTES = 33_554_432;

/** Largest time that a date can hold. */
const MAX_TIME = 8.64e15;

/**
 * Path of the trust store. It is outside every project.
 *
 * @param stateHome The folder of what Alisio remembers.
 */
export function trustStorePath(stateHome: string): string {
  return join(stateHome, "trust.json");
}

/**
 * Reads the decisions. A store that cannot be used is reported, never replaced.
 *
 * @param stateHome The folder of what Alisio remembers.
 */
export async function readTrustStore(stateHome: string): Promise<TrustStore> {
  const { file, notices } = await readPrivateFile(trustStorePath(stateHome), MAX_BYTES);
  if (file.status === "missing") return { status: "read", decisions: {}, notices };
  if (file.status === "unreadable") return { status: "unusable", reason: file.reason };
  const decisions = parseDecisions(file.bytes);
  return decisions === undefined
    ? { status: "unusable", reason: "it is damaged, or from a newer version" }
    : { status: "read", decisions, notices };
}

/**
 * Changes the decision about one project and keeps the others.
 *
 * @param stateHome The folder of what Alisio remembers.
 * @param workspace Real path of the workspace.
 * @param decision The decision; `null` forgets it.
 * @returns Whether there was a decision before.
 * @throws {AlisioError} `trust_unreadable` if the store cannot be used; it stays as it is.
 */
export async function writeTrustDecision(
  stateHome: string,
  workspace: string,
  decision: TrustDecision | null,
): Promise<boolean> {
  const path = trustStorePath(stateHome);
  try {
    return await whileLocked(path, async () => {
      const store = await readTrustStore(stateHome);
      if (store.status === "unusable") throw unusableStore(stateHome, store.reason);
      const decisions = new Map(Object.entries(store.decisions));
      const before = decisions.delete(workspace);
      if (decision !== null) decisions.set(workspace, decision);
      const content = { schemaVersion: 1, projects: Object.fromEntries(decisions) };
      if (before || decision !== null) {
        await writePrivateFile(path, `${JSON.stringify(content, null, 1)}\n`);
      }
      return before;
    });
  } catch (error) {
    if (error instanceof AlisioError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new AlisioError(
      "trust_unreadable",
      `Cannot write trust decisions to ${quoted(path, 1000)}: ${reason}`,
      { cause: error },
    );
  }
}

/**
 * The error of a store that cannot be used.
 *
 * @param stateHome The folder of what Alisio remembers.
 * @param reason Why; continues a sentence.
 */
export function unusableStore(stateHome: string, reason: string): AlisioError {
  return new AlisioError(
    "trust_unreadable",
    `Cannot read trust decisions from ${quoted(trustStorePath(stateHome), 1000)}: ${reason}; ` +
      "restore the file, or move it away and decide again",
  );
}

function parseDecisions(bytes: Uint8Array<ArrayBuffer>): TrustDecisions | undefined {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
  if (!isObject(value) || value["schemaVersion"] !== 1 || !isObject(value["projects"])) {
    return undefined;
  }
  const { projects } = value;
  // Every entry is checked right here.
  return Object.values(projects).every(isDecision) ? projects as TrustDecisions : undefined;
}

function isDecision(value: unknown): value is TrustDecision {
  return isObject(value) &&
    (value["decision"] === "trusted" || value["decision"] === "refused") &&
    typeof value["decidedAt"] === "number" && Math.abs(value["decidedAt"]) <= MAX_TIME &&
    isObject(value["digests"]) && Object.values(value["digests"]).every(isText) &&
    isListOf(value["referenced"], isReferencedPath) && isListOf(value["declared"], isText);
}

function isReferencedPath(value: unknown): value is ReferencedPath {
  return isObject(value) && isText(value["path"]) &&
    (value["kind"] === "tree" || value["kind"] === "file");
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}
