import { isObject } from "../../config/is_object.ts";
import { writePrivateFile } from "../../config/private_file.ts";
import { readSmallFile } from "../../config/small_file.ts";
import { VERSION } from "../../version.ts";
import { join } from "../../paths/path.ts";
import type { InstallFolder } from "./install_folder.ts";
import type { PackageManager, PackageOutcome } from "./package_manager.ts";

/** The contract's package, which the host answers for itself whatever is installed. */
export const CONTRACT_PACKAGE = "@alisio/sdk";

const FILE = `alisio-sdk-${VERSION}.tgz`;
const MAX_BYTES = 4 * 1024 * 1024;
const BLOCK_BYTES = 512;

/**
 * Whether npm failed because the registry does not have the contract's package, which a plugin
 * names as a peer.
 *
 * @param manager The package manager.
 * @param outcome What it came to.
 */
export function lacksContract({ kind }: PackageManager, { output }: PackageOutcome): boolean {
  return kind === "npm" && /\bcode E404\b/.test(output) &&
    output.includes(`requested resource '${CONTRACT_PACKAGE}@`);
}

/**
 * Puts an empty package in the place of the contract's, so that npm finds one for every plugin that
 * names it. It is never loaded: plugins get the host's own.
 *
 * @param folder The folder of plugins.
 * @returns False if it stands there already.
 */
export async function standInForContract(folder: InstallFolder): Promise<boolean> {
  const content = await readPackage(folder);
  const asked = `file:local-packages/${FILE}`;
  const own = isObject(content["devDependencies"]) ? content["devDependencies"] : {};
  if (own[CONTRACT_PACKAGE] === asked) return false;
  await Deno.mkdir(folder.localPackages, { recursive: true, mode: 0o700 });
  await Deno.writeFile(join(folder.localPackages, FILE), await packStandIn());
  const overrides = isObject(content["overrides"]) ? content["overrides"] : {};
  const next = {
    ...content,
    // npm takes a file only where the folder itself asks for it.
    devDependencies: { ...own, [CONTRACT_PACKAGE]: asked },
    overrides: { ...overrides, [CONTRACT_PACKAGE]: `$${CONTRACT_PACKAGE}` },
  };
  await writePrivateFile(folder.packageJson, `${JSON.stringify(next, null, 2)}\n`);
  return true;
}

async function readPackage(folder: InstallFolder): Promise<Readonly<Record<string, unknown>>> {
  const file = await readSmallFile(folder.packageJson, MAX_BYTES);
  if (file.status !== "read") return {};
  const content: unknown = JSON.parse(new TextDecoder().decode(file.bytes));
  return isObject(content) ? content : {};
}

/** An archive with nothing but a `package.json`. */
async function packStandIn(): Promise<Uint8Array> {
  const body = new TextEncoder().encode(
    JSON.stringify({ name: CONTRACT_PACKAGE, version: VERSION, description: "Comes with Alisio" }),
  );
  const tar = new Uint8Array(
    BLOCK_BYTES * (1 + Math.ceil(body.length / BLOCK_BYTES) + 2),
  );
  tar.set(headerOf("package/package.json", body.length));
  tar.set(body, BLOCK_BYTES);
  const zipped = new Blob([tar]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(zipped).arrayBuffer());
}

/** A header of ustar. The checksum counts its own field as blanks. */
function headerOf(path: string, size: number): Uint8Array {
  const header = new Uint8Array(BLOCK_BYTES);
  const put = (at: number, text: string) => header.set(new TextEncoder().encode(text), at);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");
  put(0, path);
  put(100, `${octal(0o644, 7)}\0`);
  put(108, `${octal(0, 7)}\0`);
  put(116, `${octal(0, 7)}\0`);
  put(124, `${octal(size, 11)}\0`);
  put(136, `${octal(0, 11)}\0`);
  put(148, "        ");
  put(156, "0");
  put(257, "ustar\x0000");
  put(148, `${octal(header.reduce((sum, byte) => sum + byte, 0), 6)}\0 `);
  return header;
}
