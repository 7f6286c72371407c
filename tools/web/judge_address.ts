import ipaddr from "ipaddr.js";
import {
  type AllowedHost,
  type IpAddress,
  isAddressAllowed,
  isNameAllowed,
  parseAddress,
  plainName,
} from "./allowed_hosts.ts";

/** Whether a connection may be made, and the rule that says no. */
export type Verdict = { readonly open: true } | { readonly open: false; readonly rule: string };

/** What an address is judged by. */
export interface AddressFacts {
  /** The host that the page was asked for by. */
  readonly host: string;
  /** The port. */
  readonly port: number;
  /** What the person has opened. */
  readonly allowed: readonly AllowedHost[];
}

const OPEN: Verdict = { open: true };

/** Ranges by the library's names, in the words of a message. */
const RANGE_RULES: Readonly<Record<string, string>> = {
  unspecified: "an unspecified address",
  broadcast: "a broadcast address",
  multicast: "a multicast address",
  linkLocal: "a link-local address, which is also where clouds keep metadata and keys",
  loopback: "a loopback address, this machine itself",
  carrierGradeNat: "an address of a carrier's own network (100.64.0.0/10)",
  private: "an address of a private network",
  uniqueLocal: "an address of a private network",
  "6to4": "an address that stands for another one (6to4)",
  teredo: "an address that stands for another one (Teredo)",
  rfc6145: "an address that stands for another one",
  rfc6052: "an address that stands for another one",
};

/** Names that belong to a machine or its own network, whatever they resolve to. */
const CLOSED_SUFFIXES = ["localhost", "localdomain", "local", "internal", "home.arpa"] as const;

/** Translates IPv4 for networks that have IPv6 alone. */
const NAT64 = ipaddr.IPv6.parse("64:ff9b::");
const GLOBAL_UNICAST = ipaddr.IPv6.parse("2000::");
/** Ranges that the library counts as public, and that no public server has. */
const RESERVED = [
  ["192.88.99.0", 24],
  ["198.18.0.0", 15],
  ["2001:db8::", 32],
  ["3fff::", 20],
  ["fec0::", 10],
] as const;

/**
 * Judges an address that a connection is about to be made to. Only addresses that the public
 * internet routes are open, and those that the person has opened. A name that was opened may lead
 * into a private network and to this machine, but never to a link-local address: that has to be
 * opened by the address.
 *
 * @param address The address.
 * @param facts What it is judged by.
 */
export function judgeAddress(address: string, facts: AddressFacts): Verdict {
  const parsed = parseAddress(address);
  if (parsed === null) return { open: false, rule: "not an address that can be judged" };
  if (isAddressAllowed(parsed, facts.port, facts.allowed)) return OPEN;
  const rule = closedRule(parsed);
  if (rule === null) return OPEN;
  const mayFollowName = rule.range !== "linkLocal" &&
    isNameAllowed(facts.host, facts.port, facts.allowed);
  return mayFollowName ? OPEN : { open: false, rule: rule.text };
}

/**
 * Judges the name of a host before it is looked up.
 *
 * @param facts The host, its port, and what the person has opened.
 */
export function judgeName({ host, port, allowed }: AddressFacts): Verdict {
  const name = plainName(host);
  if (isNameAllowed(host, port, allowed)) return OPEN;
  const suffix = CLOSED_SUFFIXES.find((each) => name === each || name.endsWith(`.${each}`));
  if (suffix !== undefined) {
    return { open: false, rule: `a name of this machine or its own network (${suffix})` };
  }
  if (!name.includes(".")) {
    return { open: false, rule: "a name of the local network, without a dot" };
  }
  return OPEN;
}

function closedRule(address: IpAddress): { readonly range: string; readonly text: string } | null {
  if (address instanceof ipaddr.IPv6 && address.match(NAT64, 96)) {
    return closedRule(ipaddr.fromByteArray(address.toByteArray().slice(12)));
  }
  const range = address.range();
  const text = RANGE_RULES[range];
  if (text !== undefined) return { range, text };
  const isPublic = range === "unicast" && !RESERVED.some(([network, bits]) => {
    const reserved = ipaddr.parse(network);
    return reserved.kind() === address.kind() && address.match(reserved, bits);
  }) && (address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST, 3));
  return isPublic ? null : { range, text: "an address that no public server has (reserved)" };
}
