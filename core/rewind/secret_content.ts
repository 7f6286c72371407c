import { basename } from "../paths/path.ts";
import { redactSecrets } from "../redact.ts";

/** Names of files that hold keys by custom; examples of them do not. */
const SECRET_NAME_REGEXP =
  /^(?:\.env(?!\.(?:example|sample|template|dist)$)(?:\..*)?|\.netrc|_netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|credentials(?:\.json)?|id_(?:rsa|dsa|ecdsa|ed25519)|.*\.(?:pem|key|p12|pfx|jks|keystore))$/;

/**
 * Whether a file may hold a secret, so that no copy of it is kept: by its name, or because something
 * in it looks like a key.
 *
 * @param path Its path.
 * @param bytes What it holds.
 * @param holdsSecret Whether a text holds one of the configured secrets.
 */
export function mayHoldSecret(
  path: string,
  bytes: Uint8Array,
  holdsSecret: (text: string) => boolean,
): boolean {
  if (SECRET_NAME_REGEXP.test(basename(path).toLowerCase())) return true;
  const text = new TextDecoder().decode(bytes);
  return holdsSecret(text) || redactSecrets(text, []) !== text;
}
