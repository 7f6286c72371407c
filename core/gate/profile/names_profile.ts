import { isObject } from "../../config/is_object.ts";
import type { ConfigLayer } from "../../config/merge_config.ts";

/** Sections of a configuration that have to do with risk profiles. */
const SECTIONS: readonly string[] = ["riskProfiles", "agents"];

/**
 * Whether a run has to look for a risk profile at all. Loads nothing that reads profiles, so that
 * other runs do not pay for it.
 *
 * @param layers The configuration files that were read.
 * @param flag `--risk-profile`.
 */
export function namesProfile(layers: readonly ConfigLayer[], flag: string | undefined): boolean {
  return flag !== undefined ||
    layers.some(({ values }) => SECTIONS.some((name) => Object.hasOwn(values, name)));
}

/**
 * Whether a file chooses the agent that runs. Where none does, nothing that knows agents is loaded.
 *
 * @param layers The configuration files that were read.
 */
export function namesAgent(layers: readonly ConfigLayer[]): boolean {
  return layers.some(({ values: { agents } }) =>
    isObject(agents) && Object.hasOwn(agents, "active")
  );
}
