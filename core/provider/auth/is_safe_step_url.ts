/** Longer addresses are cut by browsers and terminals. */
const MAX_URL_CHARS = 8_192;

/**
 * Whether an address of a sign-in may be shown to be opened: `https:`, or `http:` on `localhost` or
 * `127.0.0.1`, without a user name or password.
 *
 * @param url The address.
 */
export function isSafeStepUrl(url: unknown): url is string {
  // What the parser would drop in silence could be read as something else by a terminal.
  if (typeof url !== "string" || url.length > MAX_URL_CHARS || !/^[!-~]+$/.test(url)) return false;
  const parsed = URL.parse(url);
  if (parsed === null || parsed.username !== "" || parsed.password !== "") return false;
  if (/^[a-z]+:\/\/[^/?#]*@/i.test(url)) return false;
  return parsed.protocol === "https:" ||
    (parsed.protocol === "http:" && ["localhost", "127.0.0.1"].includes(parsed.hostname));
}
