import type { ApprovalChannel } from "../approval.ts";
import type { ApprovalRoute } from "../profile/risk_profile.ts";
import { type ApprovalHop, type ApprovalPlan, type Approvers, askHere } from "./approval_plan.ts";

/** Who is asked, and what a person should know of it. */
export interface RoutedApprovals {
  readonly plan: ApprovalPlan;
  /** Why the approver of the route cannot be asked; `null` if it can. */
  readonly problem: string | null;
}

/**
 * Works out who is asked under a route. Pure.
 *
 * The approver of a route takes the place of the person that the run belongs to, who is asked after
 * it only where the route says so. A route that leads nowhere therefore permits nothing.
 *
 * @param route The route of the profile; `null` where it has none.
 * @param approvers Who could be asked.
 */
export function routeApprovals(
  route: ApprovalRoute | null,
  { originators, channels }: Approvers,
): RoutedApprovals {
  if (route === null) return { plan: askHere(originators), problem: null };
  const { approverChannel, approverRecipient, onNoApprover, timeoutMs } = route;
  const found = resolveChannel(approverChannel, channels);
  const inherited: readonly ApprovalHop[] = onNoApprover === "inherit-originator"
    ? askHere(originators).hops
    : [];
  const routed: readonly ApprovalHop[] = found.channel === null || approverRecipient === null
    ? []
    : [{ channel: found.channel, recipient: approverRecipient, timeoutMs }];
  const hops = [...routed, ...inherited];
  return {
    plan: { channel: hops[0]?.channel.key ?? approverChannel, hops },
    problem: found.problem ?? (approverRecipient === null ? "the route names no recipient" : null),
  };
}

type ResolvedChannel =
  | { readonly channel: ApprovalChannel; readonly problem: null }
  | { readonly channel: null; readonly problem: string };

/**
 * By its key, or by its platform where that has a single channel. Never by its alias alone, which
 * says nothing about where it leads.
 */
function resolveChannel(key: string, channels: readonly ApprovalChannel[]): ResolvedChannel {
  const exact = channels.find((channel) => channel.key === key);
  if (exact !== undefined) return { channel: exact, problem: null };
  const [single, ...others] = channels.filter((channel) => channel.key.startsWith(`${key}.`));
  if (single === undefined) return { channel: null, problem: "no such channel is connected" };
  return others.length === 0 && !key.includes(".") ? { channel: single, problem: null } : {
    channel: null,
    problem: `several of its channels are connected; name one, "${single.key}"`,
  };
}
