import ipaddr from "ipaddr.js";
import { quoted } from "../_json_result.ts";
import { WebError } from "./web_error.ts";

/** An address of either version. */
export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** A place in the person's own network that the person has opened. */
export type AllowedHost =
  | { readonly kind: "name"; readonly name: string; readonly port: number | null }
  | {
    readonly kind: "range";
    readonly network: IpAddress;
    readonly bits: number;
    readonly port: number | null;
  };

const PORT_REGEXP = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/;

/**
 * Reads the entries of `webfetch.allowedHosts`: `host`, `host:port`, an address with or without a
 * port, or a range such as `10.0.0.0/8`.
 *
 * @param entries The entries.
 * @throws {WebError} `bad_address`, if one says nothing that can be compared.
 */
export function parseAllowedHosts(entries: readonly string[]): readonly AllowedHost[] {
  return entries.map(parseEntry);
}

function parseEntry(entry: string): AllowedHost {
  const [address = "", bits, ...rest] = entry.trim().split("/");
  if (bits !== undefined) {
    const network = parseAddress(address);
    const most = network?.kind() === "ipv4" ? 32 : 128;
    const isRange = network !== null && rest.length === 0 && /^\d{1,3}$/.test(bits) &&
      Number(bits) <= most;
    if (!isRange) throw unreadable(entry);
    return { kind: "range", network, bits: Number(bits), port: null };
  }
  const [, host = address, digits] = PORT_REGEXP.exec(address) ?? [];
  const port = digits === undefined ? null : Number(digits);
  const network = parseAddress(host.replace(/^\[(.*)\]$/, "$1"));
  if (port !== null && (port === 0 || port > 65_535)) throw unreadable(entry);
  if (network !== null) {
    return { kind: "range", network, bits: network.kind() === "ipv4" ? 32 : 128, port };
  }
  const name = plainName(host);
  if (!/^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(name)) throw unreadable(entry);
  return { kind: "name", name, port };
}

/**
 * The form in which names are compared: in lower case, without a dot at the end.
 *
 * @param host A host of an address.
 */
export function plainName(host: string): string {
  return host.toLowerCase().replace(/\.+$/, "");
}

/**
 * Reads an address in its full form. What stands for an IPv4 address inside IPv6 (`::ffff:…`) is
 * answered as IPv4.
 *
 * @param text The address; one of a link may name its link after `%`.
 * @returns The address, or `null` where it is none.
 */
export function parseAddress(text: string): IpAddress | null {
  const plain = text.replace(/%.*$/s, "");
  if (!plain.includes(":") && !ipaddr.IPv4.isValidFourPartDecimal(plain)) return null;
  if (!ipaddr.isValid(plain)) return null;
  return ipaddr.process(plain);
}

/**
 * Whether a name was opened by its name.
 *
 * @param host The host of an address.
 * @param port Its port.
 * @param allowed What was opened.
 */
export function isNameAllowed(
  host: string,
  port: number,
  allowed: readonly AllowedHost[],
): boolean {
  const name = plainName(host);
  return allowed.some((each) =>
    each.kind === "name" && each.name === name && (each.port === null || each.port === port)
  );
}

/**
 * Whether an address lies in something that was opened.
 *
 * @param address The address.
 * @param port The port.
 * @param allowed What was opened.
 */
export function isAddressAllowed(
  address: IpAddress,
  port: number,
  allowed: readonly AllowedHost[],
): boolean {
  return allowed.some((each) =>
    each.kind === "range" && (each.port === null || each.port === port) &&
    each.network.kind() === address.kind() && address.match(each.network, each.bits)
  );
}

function unreadable(entry: string): WebError {
  return new WebError(
    "bad_address",
    `Cannot read entry ${quoted(entry)} of webfetch.allowedHosts: it is no host, host:port, ` +
      "address or range such as 10.0.0.0/8; mend it in the global configuration file",
  );
}
