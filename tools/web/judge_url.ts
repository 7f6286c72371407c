import { quoted } from "../_json_result.ts";
import { type AllowedHost, parseAddress } from "./allowed_hosts.ts";
import { judgeAddress, judgeName } from "./judge_address.ts";
import { WebError } from "./web_error.ts";

const MAX_URL_CHARS = 8_192;

/** Ports of services that would take a request for something else; browsers refuse them too. */
const CLOSED_PORTS: ReadonlySet<number> = new Set([
  ...[1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95],
  ...[101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179],
  ...[389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601],
  ...[636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6379],
  ...[6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, 11211],
]);

/** An address of the web that may be looked up. */
export interface JudgedUrl {
  /** The address, without a fragment. */
  readonly url: URL;
  /** Its host, without brackets. */
  readonly host: string;
  /** Its port, the usual one of the scheme where it names none. */
  readonly port: number;
}

/**
 * Judges an address by its text alone: scheme, credentials, port, and a host that is a closed name
 * or a closed address in whatever spelling.
 *
 * @param text The address.
 * @param allowed What the person has opened.
 * @param base What a relative address is relative to.
 * @throws {WebError} `bad_address` or `refused`.
 */
export function judgeUrl(
  text: string,
  allowed: readonly AllowedHost[],
  base?: URL,
): JudgedUrl {
  const url = text.length <= MAX_URL_CHARS ? URL.parse(text, base) : null;
  const failed = `Cannot fetch ${quoted(text)}`;
  if (url === null) {
    throw new WebError(
      "bad_address",
      `${failed}: it is no address; give all of it, https:// included`,
    );
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new WebError(
      "bad_address",
      `${failed}: only http and https are fetched, not ${quoted(url.protocol)}`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new WebError(
      "bad_address",
      `Cannot fetch a page of ${quoted(url.host)}: the address holds a user name or a password, ` +
        "which are never sent; leave them out",
    );
  }
  url.hash = "";
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  const facts = { host, port, allowed };
  const verdict = parseAddress(host.replace(/\.$/, "")) === null
    ? judgeName(facts)
    : judgeAddress(host.replace(/\.$/, ""), facts);
  if (!verdict.open) throw refusal(url, verdict.rule);
  if (CLOSED_PORTS.has(port)) {
    throw new WebError("refused", `${failed}: port ${port} belongs to another kind of service`);
  }
  return { url, host, port };
}

/**
 * The refusal of an address, which names the rule and what a person can do.
 *
 * @param url The address.
 * @param rule Why it is closed.
 * @param address The address that its name leads to, if the name is not the reason.
 */
export function refusal(url: URL, rule: string, address?: string): WebError {
  const leads = address === undefined ? "it is" : `it leads to ${address},`;
  return new WebError(
    "refused",
    `Cannot fetch ${quoted(url.origin)}: ${leads} ${rule}; if the person wants it fetched, they ` +
      "can add the host to webfetch.allowedHosts in the global configuration file",
  );
}
