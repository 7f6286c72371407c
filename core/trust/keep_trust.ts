import { AlisioError, errorMessage } from "../errors.ts";
import { quotePath } from "../paths/quote_path.ts";
import { inspectProject, type ProjectInspection } from "./inspect_project.ts";
import { projectTrust } from "./project_trust.ts";
import { compareDigests } from "./trust_resources.ts";
import { writeTrustDecision } from "./trust_store.ts";

/** Of which project the trust is kept. */
export interface KeepTrustOptions {
  /** Real path of the workspace. */
  readonly workspace: string;
  /** The folder of what Alisio remembers. */
  readonly stateHome: string;
  /** The home folder, if it is known. */
  readonly home: string | undefined;
  /** `--trust-project`: trust for this run, which is not remembered. */
  readonly trustProjectFlag: boolean;
}

/** A change that a person makes to something that needs trust. */
export interface TrustedChange {
  /** The file, relative to the workspace and with slashes. */
  readonly resource: string;
  /** What it is called in a message, such as `the configuration`. */
  readonly subject: string;
  /**
   * Makes it.
   *
   * @returns SHA-256 of the file as it was written; null where it was removed.
   */
  make(): Promise<string | null>;
}

/** What the person is told where a decision could not be carried over. */
const ASKED_AGAIN = "Whether the project is trusted is asked again at the next start";

/**
 * Makes a change in a project that is trusted, or that has nothing yet that needs trust. A decision
 * about the project is carried over to what was written, and to nothing else: where anything else
 * has changed meanwhile, the person is asked again at the next start.
 *
 * @param change The change.
 * @param options Which project.
 * @returns What the person should know, if there is anything.
 * @throws {AlisioError} `usage` if the project is not trusted.
 * @throws What the change throws.
 */
export async function keepTrust(
  { resource, subject, make }: TrustedChange,
  options: KeepTrustOptions,
): Promise<string | null> {
  const { workspace, stateHome, home, trustProjectFlag } = options;
  const { state, resources } = await projectTrust({ workspace, stateHome, trustProjectFlag });
  const isNew = resources.length === 0 && state === "unknown";
  if (state !== "trusted" && !isNew) {
    throw new AlisioError(
      "usage",
      `Cannot change ${subject} of ${quotePath(workspace)}: the project is not trusted; ` +
        "review it with alisio trust add",
    );
  }
  const before = await inspectProject(workspace, home);
  const sha256 = await make();
  if (trustProjectFlag) return null;
  try {
    const written = await inspectProject(workspace, home);
    if (!isOurs(before, written, { resource, sha256 })) return ASKED_AGAIN;
    const { digests, referenced, declared } = written;
    const decision = {
      decision: "trusted",
      decidedAt: Date.now(),
      digests,
      referenced,
      declared,
    } as const;
    await writeTrustDecision(stateHome, workspace, decision);
    return null;
  } catch (error) {
    return `${ASKED_AGAIN}: ${errorMessage(error)}`;
  }
}

/** Whether nothing differs but the file that was written, in it nothing but that, and its folders. */
function isOurs(
  before: ProjectInspection,
  after: ProjectInspection,
  { resource, sha256 }: { readonly resource: string; readonly sha256: string | null },
): boolean {
  const digest = after.digests[resource];
  const isAsWritten = sha256 === null ? digest === undefined : digest?.endsWith(sha256) === true;
  return isAsWritten && compareDigests(before.digests, after.digests).every((change) => {
    const path = change.slice(change.indexOf(" ") + 1);
    return path === resource ||
      change === `added ${path}` && resource.startsWith(`${path}/`) &&
        after.digests[path] === "folder";
  });
}
