import { quotePath } from "../../paths/quote_path.ts";
import type { PathAccess, PathRule, PathVerdict } from "./path_policy.ts";

const REASONS: Readonly<Record<PathRule, string>> = {
  invalid: "holds a NUL character",
  parentFolder: 'climbs with "..": write the path without it',
  otherHome: "names the home folder of somebody: pass a path inside the workspace",
  unresolved: "cannot be followed to where it leads",
  pattern: "stands for more files than are looked at: name fewer",
  ownFiles: "decides what Alisio may do or which programs Git starts, and is not changed by tools",
  device: "is a device",
  forbiddenPaths: "lies in a place that stays closed in this run",
  allowedRoots: "lies in a folder that is not open for this kind of use",
  workspaceOnly: "lies outside the workspace and every folder that is open in this run",
  workspace: "lies in the workspace",
  unrestricted: "is not restricted",
};

/**
 * Says why a path is refused, for the model. Names no setting.
 *
 * @param requested The path as the call has it.
 * @param verdict What was decided.
 * @param access What the call would do with it.
 */
export function pathReason(requested: string, verdict: PathVerdict, access: PathAccess): string {
  const use = access === "read" ? "read" : access === "write" ? "changed" : "used";
  return `${quotePath(requested)} is not ${use}: it ${REASONS[verdict.rule]}`;
}

/**
 * Says what would permit a refused path, for the person; reads on from "to permit it, ".
 *
 * @param profile Path of the profile in the configuration, `riskProfiles.<alias>`.
 * @param verdict What was decided.
 */
export function pathRemedy(profile: string, verdict: PathVerdict): string {
  switch (verdict.rule) {
    case "forbiddenPaths":
      return `leave ${
        quotePath(verdict.entry ?? "")
      } out of "${profile}.forbiddenPaths", or open ` +
        `a folder below it with "${profile}.allowedRoots"`;
    case "allowedRoots":
      return `give ${quotePath(verdict.entry ?? "")} another access in "${profile}.allowedRoots"`;
    case "workspaceOnly":
      return `add its folder to "${profile}.allowedRoots"`;
    case "ownFiles":
      return "edit the file yourself: no tool changes it";
    default:
      return "open the path yourself: no profile permits one of this form";
  }
}
