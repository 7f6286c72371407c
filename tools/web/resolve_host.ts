import { lookup } from "node:dns/promises";
import { parseAddress } from "./allowed_hosts.ts";

/**
 * Finds the addresses of a host, as the system does for every program.
 *
 * @param host A name or an address.
 * @returns At least one address.
 * @throws If there is none.
 */
export async function resolveHost(host: string): Promise<readonly string[]> {
  const address = host.replace(/\.$/, "");
  if (parseAddress(address) !== null) return [address];
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/** Finds the addresses of a host. */
export type HostResolver = typeof resolveHost;
