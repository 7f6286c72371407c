import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";

const MAX_URL_CHARS = 2_048;

/** Ranges that no public server has, link-local ones aside. */
const PRIVATE_RANGES: readonly (readonly [string, number, "ipv4" | "ipv6"])[] = [
  ["0.0.0.0", 8, "ipv4"],
  ["10.0.0.0", 8, "ipv4"],
  ["100.64.0.0", 10, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.0.0.0", 24, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["198.18.0.0", 15, "ipv4"],
  ["224.0.0.0", 3, "ipv4"],
  ["::", 96, "ipv6"],
  ["::1", 128, "ipv6"],
  ["64:ff9b::", 96, "ipv6"],
  ["2002::", 16, "ipv6"],
  ["fc00::", 7, "ipv6"],
  ["ff00::", 8, "ipv6"],
];
/** Where clouds keep metadata and keys. */
const LINK_LOCAL_RANGES: typeof PRIVATE_RANGES = [
  ["169.254.0.0", 16, "ipv4"],
  ["fe80::", 10, "ipv6"],
];

const PRIVATE = blockListOf(PRIVATE_RANGES);
const LINK_LOCAL = blockListOf(LINK_LOCAL_RANGES);

/** How an address reaches out: to the internet, into a private network, or to a link's own. */
type Reach = "public" | "private" | "link_local";

/**
 * Judges an address that a server or a service names for a sign-in, before anything is sent there.
 * It must be `https:`, or `http:` of this machine where the server is on this machine too; and what
 * leads from a public server into a private network, or to a link-local address, is refused.
 *
 * @param value The address, of which nothing is known.
 * @param server The server that the person configured.
 * @throws {Error} That says which rule it breaks; the message quotes no more than its origin.
 */
export async function judgeDiscoveredUrl(value: unknown, server: URL): Promise<URL> {
  const url = typeof value === "string" && value.length <= MAX_URL_CHARS ? URL.parse(value) : null;
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new Error("an address of the sign-in is none that can be used");
  }
  if (url.username !== "" || url.password !== "") {
    throw new Error("an address of the sign-in holds a user name or a password");
  }
  if (url.protocol === "http:" && !(isLoopback(url) && isLoopback(server))) {
    throw new Error(`the sign-in leads to ${url.origin}, which is not encrypted`);
  }
  if (url.origin === server.origin) return url;
  const [reach, own] = await Promise.all([reachOf(url), reachOf(server)]);
  if (reach === "link_local" || (reach === "private" && own === "public")) {
    throw new Error(`the sign-in leads to ${url.origin}, an address of a private network`);
  }
  return url;
}

/**
 * Whether an address is one of this machine, by its text alone.
 *
 * @param url The address.
 */
export function isLoopback({ hostname }: URL): boolean {
  return ["localhost", "[::1]"].includes(hostname) || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** The closest of its addresses counts. A name that cannot be looked up is left to the connection. */
async function reachOf(url: URL): Promise<Reach> {
  if (isLoopback(url)) return "private";
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  const addresses = isIP(host) !== 0 ? [host] : await addressesOf(host);
  const reaches = addresses.map(reachOfAddress);
  return reaches.includes("link_local")
    ? "link_local"
    : reaches.includes("private")
    ? "private"
    : "public";
}

async function addressesOf(host: string): Promise<readonly string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    // Behind a proxy, only the proxy knows names; without one, nothing can be reached either.
    return [];
  }
}

function reachOfAddress(address: string): Reach {
  const plain = mappedAddress(address);
  const family = isIP(plain) === 6 ? "ipv6" : "ipv4";
  if (LINK_LOCAL.check(plain, family)) return "link_local";
  return PRIVATE.check(plain, family) ? "private" : "public";
}

/** The IPv4 address that an IPv6 one stands for, as URLs spell it. */
function mappedAddress(address: string): string {
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address) ?? [];
  if (high === undefined || low === undefined) return address.replace(/^::ffff:(?=\d+\.)/i, "");
  const [a, b] = [parseInt(high, 16), parseInt(low, 16)];
  return [a >> 8, a & 0xff, b >> 8, b & 0xff].join(".");
}

function blockListOf(ranges: typeof PRIVATE_RANGES): BlockList {
  const list = new BlockList();
  for (const [network, bits, family] of ranges) list.addSubnet(network, bits, family);
  return list;
}
