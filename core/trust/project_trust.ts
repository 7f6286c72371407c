import { quoted } from "../config/quoted.ts";
import { isInside } from "../paths/is_inside.ts";
import { quotePath } from "../paths/quote_path.ts";
import {
  compareDigests,
  digestTrustResources,
  findTrustResources,
  isClosedFolder,
  PROJECT_CONFIG,
} from "./trust_resources.ts";
import { readTrustStore, type TrustDecision, trustStorePath } from "./trust_store.ts";

/** What is asked about. */
export interface ProjectTrustOptions {
  /** Real path of the workspace. */
  readonly workspace: string;
  /** The folder of what Alisio remembers. */
  readonly stateHome: string;
  /** `--trust-project`: trust for this run, which is not remembered. */
  readonly trustProjectFlag: boolean;
  /** `--config`: the project's own configuration is not used, whatever the answer. */
  readonly explicitConfig?: string;
}

/** Whether a project is trusted. Only the state `trusted` means that it is. */
export interface ProjectTrust {
  /**
   * `unknown` when nobody has decided, `changed` when what was decided on is not what is there.
   */
  readonly state: "trusted" | "refused" | "unknown" | "changed";
  /** Why, as the rest of a sentence. */
  readonly reason: string;
  /** What of the project needs trust, relative to the workspace. */
  readonly resources: readonly string[];
  /** What differs from the state that was decided on, such as `changed .alisio/config.json`. */
  readonly changes: readonly string[];
  /** What the person should know, one sentence each. */
  readonly notices: readonly string[];
}

/** The reason of a project that nobody has decided on and that has no resources. */
export const NOTHING_NEEDS_TRUST = "nothing in it needs trust";

/** More changes than this are counted, not named. */
const MAX_NAMED = 5;

/**
 * Answers whether a project is trusted. Asks nobody and remembers nothing.
 *
 * A decision counts for the real path of the workspace and for the content of everything in it
 * that configures, instructs or runs. Without a decision, nothing of the project is opened.
 *
 * @param options What is asked about.
 */
export async function projectTrust(options: ProjectTrustOptions): Promise<ProjectTrust> {
  const { workspace, stateHome, trustProjectFlag, explicitConfig } = options;
  const [store, found] = await Promise.all([
    readTrustStore(stateHome),
    findTrustResources(workspace),
  ]);
  const resources = explicitConfig === undefined
    ? found
    : found.filter((path) => path !== PROJECT_CONFIG);
  const notices = store.status === "read" ? store.notices : [
    `Trust decisions in ${quoted(trustStorePath(stateHome), 1000)} cannot be used: ` +
    `${store.reason}; every project counts as untrusted`,
  ];
  const verdict = trustProjectFlag
    ? { state: "trusted", reason: '"--trust-project" was given', changes: [] } as const
    : store.status === "read"
    ? await judge(
      workspace,
      ownDecision(store.decisions, workspace),
      resources,
      trustedAbove(store.decisions, workspace),
    )
    : { state: "unknown", reason: "the trust decisions cannot be used", changes: [] } as const;
  return {
    ...verdict,
    resources,
    notices: verdict.state === "trusted"
      ? notices
      : [...notices, ...describeIgnored(resources, verdict.reason)],
  };
}

function describeIgnored(resources: readonly string[], reason: string): readonly string[] {
  const closed = resources.filter(isClosedFolder);
  const ignored = resources.filter((path) => !isClosedFolder(path));
  return [
    ...closed.map((path) => `Cannot look into ${path} of this project: nothing in it is used`),
    ...(ignored.length === 0 ? [] : [`Ignored ${ignored.join(", ")} of this project: ${reason}`]),
  ];
}

/**
 * Compares a stored decision with what is there now.
 *
 * @param workspace Real path of the workspace.
 * @param decision The decision, if there is one.
 * @param resources What of the project needs trust.
 * @param above A trusted folder that holds the workspace, whose trust does not count for it.
 */
export async function judge(
  workspace: string,
  decision: TrustDecision | undefined,
  resources: readonly string[],
  above?: string,
): Promise<Pick<ProjectTrust, "state" | "reason" | "changes">> {
  if (decision === undefined) {
    if (resources.length === 0) {
      return { state: "unknown", reason: NOTHING_NEEDS_TRUST, changes: [] };
    }
    const reason = above === undefined
      ? 'it is not trusted; review it with "alisio trust add"'
      : `it is not trusted, and trust of ${
        quoted(above, 1000)
      } does not count below that folder; ` +
        `review it with alisio trust add ${quotePath(workspace)}`;
    return {
      state: "unknown",
      reason: `${reason}, or pass "--trust-project" once`,
      changes: [],
    };
  }
  const present = await digestTrustResources(workspace, decision.referenced);
  const day = new Date(decision.decidedAt).toISOString().slice(0, 10);
  if (present.status === "uncheckable") return changed(day, [present.reason]);
  const changes = compareDigests(decision.digests, present.digests);
  if (changes.length > 0) return changed(day, changes);
  const reason = `it was ${decision.decision} on ${day}`;
  return { state: decision.decision, reason, changes: [] };
}

function ownDecision(
  decisions: Readonly<Record<string, TrustDecision>>,
  workspace: string,
): TrustDecision | undefined {
  return Object.hasOwn(decisions, workspace) ? decisions[workspace] : undefined;
}

/** The nearest trusted folder around the workspace. */
function trustedAbove(
  decisions: Readonly<Record<string, TrustDecision>>,
  workspace: string,
): string | undefined {
  return Object.entries(decisions)
    .filter(([path, { decision }]) =>
      decision === "trusted" && path !== workspace && isInside(workspace, path)
    )
    .map(([path]) => path)
    .sort((a, b) => b.length - a.length)[0];
}

function changed(
  day: string,
  changes: readonly string[],
): Pick<ProjectTrust, "state" | "reason" | "changes"> {
  const named = changes.slice(0, MAX_NAMED).map((change) => quoted(change, 300)).join(", ");
  const more = changes.length > MAX_NAMED ? ` and ${changes.length - MAX_NAMED} more` : "";
  const reason = `it is not as it was when that was decided on ${day} (${named}${more}); ` +
    'review it with "alisio trust add"';
  return { state: "changed", reason, changes };
}
