import type { ConfigProblem } from "../../config/check_config.ts";
import { ConfigError } from "../../config/config_error.ts";
import { isObject } from "../../config/is_object.ts";
import type { ConfigLayer } from "../../config/merge_config.ts";
import { nearestName } from "../../config/nearest_name.ts";
import { quoted } from "../../config/quoted.ts";
import { AlisioError } from "../../errors.ts";
import { type PolicyPlaces, resolvePathPolicy } from "../paths_policy/resolve_path_policy.ts";
import {
  compareProfiles,
  type CompareProfilesOptions,
  type PlacedProfile,
  type ProfileViolation,
  rootsBeyond,
} from "./compare_profiles.ts";
import { parseRiskProfiles } from "./parse_risk_profile.ts";
import type { RiskProfile } from "./risk_profile.ts";

/** Where the profile of a run is looked for. */
export interface SelectRiskProfileOptions extends CompareProfilesOptions {
  /** The configuration files that were read, the weakest first. */
  readonly layers: readonly ConfigLayer[];
  /** The agent that runs. */
  readonly agent: string;
  /**
   * The agent that would run if no project had a say. Its profile is the bound that the one of
   * `agent` must keep to, so that no project gets rid of a profile by activating another agent.
   *
   * @default agent
   */
  readonly globalAgent?: string;
  /**
   * Every agent that there is; bindings of others have no effect, which is said.
   *
   * @default those that files bind
   */
  readonly agents?: readonly string[];
  /** `--risk-profile`. */
  readonly flag?: string;
  /** What relative entries and `~` of a profile stand for. */
  readonly places: PolicyPlaces;
}

/** The profile of a run. */
export interface SelectedRiskProfile {
  /** The profile with its path rules; `null` if none is in force. */
  readonly placed: PlacedProfile | null;
  /**
   * The profile of the person that a project's choice must keep to; absent where no project chose.
   * What decides about commands asks both, because comparing two profiles does not look at every
   * command.
   */
  readonly above?: RiskProfile;
  /** What selected it; `null` if none is in force. */
  readonly source: "flag" | "global" | "project" | null;
  /** Every profile there is, for listings. */
  readonly profiles: ReadonlyMap<string, RiskProfile>;
  /** What the person should know, one sentence each. */
  readonly notices: readonly string[];
}

/** One file's choice of a profile for an agent. */
interface Binding {
  readonly alias: string;
  readonly file: string;
}

/**
 * Finds the profile that is in force: that of the flag, else the one that the global file binds to
 * the agent. A project's file, or an explicit one, may then select a profile that permits nothing
 * more; any other choice of theirs is ignored and said. Where nothing else selects one, what a
 * project selects only takes away: it opens no folder and passes on no variable. Every profile is
 * checked, used or not.
 *
 * @param options Where to look.
 * @throws {AlisioError} `config_invalid` if a profile is wrong or a binding names none, `usage` if
 * the flag names none.
 */
export async function selectRiskProfile(
  options: SelectRiskProfileOptions,
): Promise<SelectedRiskProfile> {
  const global = options.layers.find(({ source }) => source.layer === "global");
  const section = global?.values["riskProfiles"];
  const { profiles, problems, warnings } = parseRiskProfiles(isObject(section) ? section : {});
  if (problems.length > 0) throw new ConfigError(global?.source.file ?? "", problems);
  const notices = [...warnings, ...strayBindings(options)];
  const place = (profile: RiskProfile): Promise<PlacedProfile> => placed(profile, options.places);

  const base = findBase(options, global, profiles);
  const project = options.layers.find(({ source }) =>
    source.layer === "project" || source.layer === "explicit"
  );
  const wanted = wantedBinding(options, [project, global], profiles);
  if (wanted === undefined || wanted.alias === base?.profile.alias) {
    return {
      placed: base === null ? null : await place(base.profile),
      source: base?.source ?? null,
      profiles,
      notices,
    };
  }
  const chosen = profileOf(profiles, wanted.alias);
  if (base === null) {
    const closed = withoutOpenings(chosen);
    if (closed !== chosen) notices.push(openingsNotice(wanted));
    return { placed: await place(closed), source: "project", profiles, notices };
  }
  const child = await place(chosen);
  const parent = await place(base.profile);
  const violations = compareProfiles(parent, child, options);
  if (violations.length === 0) {
    const beyond = rootsBeyond(parent, child);
    if (beyond.size > 0) notices.push(openingsNotice(wanted, beyond));
    const allowedRoots = chosen.allowedRoots.filter(({ path }) => !beyond.has(path));
    return {
      placed: beyond.size === 0 ? child : await place({ ...chosen, allowedRoots }),
      above: base.profile,
      source: "project",
      profiles,
      notices,
    };
  }
  notices.push(
    `Ignored risk profile "${wanted.alias}" of ${
      quoted(wanted.file, 1000)
    }: it permits more than ` +
      `"${base.profile.alias}": ${listReasons(violations)}`,
  );
  return { placed: parent, source: base.source, profiles, notices };
}

/** What is left of a profile that may open nothing; the same object where it opens nothing. */
function withoutOpenings(profile: RiskProfile): RiskProfile {
  const { allowedRoots, shellEnvPassthrough } = profile;
  if (allowedRoots.length === 0 && shellEnvPassthrough.length === 0) return profile;
  return { ...profile, allowedRoots: [], shellEnvPassthrough: [] };
}

function openingsNotice({ alias, file }: Binding, roots?: ReadonlySet<string>): string {
  const subject = `Risk profile ${quoted(alias)}, which ${quoted(file, 1000)} selects,`;
  return roots === undefined
    ? `${subject} opens no folder and passes on no variable here: your own configuration selects ` +
      "none for this agent"
    : `${subject} does not open ${quoted([...roots].join(", "), 200)} here: your own does not`;
}

/** Bindings of agents that there are not: whoever wrote one believes that a profile is in force. */
function strayBindings({ layers, agents, agent }: SelectRiskProfileOptions): readonly string[] {
  if (agents === undefined) return [];
  const known = [...agents, agent];
  return layers.flatMap(({ source, values }) =>
    Object.entries(isObject(values["agents"]) ? values["agents"] : {})
      .filter(([id, entry]) => isObject(entry) && !known.includes(id))
      .map(([id]) => {
        const nearest = nearestName(id, known);
        return `Ignored "agents.${id}" in ${quoted(source.file ?? source.layer, 1000)}: there is ` +
          `no agent ${quoted(id, 80)}` +
          (nearest === undefined ? "" : `; did you mean "${nearest}"?`);
      })
  );
}

/** Reasons that a notice spells out. */
const MAX_REASONS = 5;

/** One reason of each rule comes before a second one of any. */
function listReasons(violations: readonly ProfileViolation[]): string {
  const isFirst = ({ rule }: ProfileViolation, index: number): boolean =>
    violations.findIndex((other) => other.rule === rule) === index;
  const firsts = violations.filter(isFirst);
  const reasons = [...firsts, ...violations.filter((one) => !firsts.includes(one))];
  const shown = reasons.slice(0, MAX_REASONS).map(({ message }) => message).join("; ");
  const more = reasons.length - MAX_REASONS;
  return more > 0 ? `${shown}; and ${more} more` : shown;
}

/** What a project chooses: a profile for the agent that runs, or an agent that has one. */
function wantedBinding(
  { agent, globalAgent = agent }: SelectRiskProfileOptions,
  [project, global]: readonly [ConfigLayer | undefined, ConfigLayer | undefined],
  profiles: ReadonlyMap<string, RiskProfile>,
): Binding | undefined {
  const own = project === undefined ? undefined : bindings(project, profiles).get(agent);
  if (own !== undefined || global === undefined || agent === globalAgent) return own;
  const bound = bindings(global, profiles).get(agent);
  return bound === undefined ? undefined : { ...bound, file: project?.source.file ?? bound.file };
}

async function placed(profile: RiskProfile, places: PolicyPlaces): Promise<PlacedProfile> {
  return { profile, paths: await resolvePathPolicy(profile, places) };
}

function findBase(
  options: SelectRiskProfileOptions,
  global: ConfigLayer | undefined,
  profiles: ReadonlyMap<string, RiskProfile>,
): { readonly profile: RiskProfile; readonly source: "flag" | "global" } | null {
  const agent = options.globalAgent ?? options.agent;
  const bound = global === undefined ? undefined : bindings(global, profiles).get(agent);
  if (options.flag !== undefined) {
    const profile = profiles.get(options.flag);
    if (profile !== undefined) return { profile, source: "flag" };
    throw new AlisioError(
      "usage",
      `Cannot use "--risk-profile": it ${unknownProfile(options.flag, profiles)}`,
    );
  }
  return bound === undefined
    ? null
    : { profile: profileOf(profiles, bound.alias), source: "global" };
}

/** The profiles that a file binds to agents. Each of them must exist. */
function bindings(
  layer: ConfigLayer,
  profiles: ReadonlyMap<string, RiskProfile>,
): ReadonlyMap<string, Binding> {
  const found = new Map<string, Binding>();
  const problems: ConfigProblem[] = [];
  const agents = layer.values["agents"];
  const file = layer.source.file ?? "";
  for (const [agent, entry] of Object.entries(isObject(agents) ? agents : {})) {
    if (!isObject(entry)) continue;
    const { riskProfile, risk_profile: other } = entry;
    const key = `agents.${agent}.riskProfile`;
    if (riskProfile !== undefined && other !== undefined) {
      problems.push({ key, message: "is there in both spellings; keep one of them" });
    }
    const alias = riskProfile ?? other;
    if (typeof alias !== "string") continue;
    if (!profiles.has(alias)) problems.push({ key, message: unknownProfile(alias, profiles) });
    found.set(agent, { alias, file });
  }
  if (problems.length > 0) throw new ConfigError(file, problems);
  return found;
}

function unknownProfile(alias: string, profiles: ReadonlyMap<string, RiskProfile>): string {
  const names = [...profiles.keys()];
  const nearest = nearestName(alias, names);
  const advice = nearest !== undefined
    ? `did you mean "${nearest}"?`
    : names.length === 0
    ? 'the global configuration defines none under "riskProfiles"'
    : `there are ${names.map((name) => `"${name}"`).join(", ")}`;
  return `names no risk profile, found ${quoted(alias)}; ${advice}`;
}

function profileOf(profiles: ReadonlyMap<string, RiskProfile>, alias: string): RiskProfile {
  const profile = profiles.get(alias);
  if (profile === undefined) throw new TypeError(`Risk profile "${alias}" was not checked`);
  return profile;
}
