import { quoted } from "../../config/quoted.ts";
import { join } from "../../paths/path.ts";
import { findInstalledPackage } from "../installed_package.ts";
import type { InstalledPackage } from "./package_closure.ts";
import { isInRange } from "./version_range.ts";

/**
 * The packages that expect another version of what lies beside them, one sentence each. npm refuses
 * to install such packages; the runtime installs them.
 *
 * @param packages The installed plugins and what they stand on.
 */
export function findPeerConflicts(packages: readonly InstalledPackage[]): readonly string[] {
  return packages.flatMap(({ name, version, folder, peers }) =>
    Object.entries(peers).flatMap(([peer, range]) => {
      const place = findInstalledPackage(peer, join(folder, "package.json"));
      const found = place === null ? undefined : packageAt(packages, place);
      if (found === undefined || isInRange(found.version, range)) return [];
      return [
        `Package ${quoted(name)} ${version} is made for ${quoted(peer)} ${quoted(range)}, and ` +
        `${found.version} is installed; it may not work`,
      ];
    })
  );
}

/** What the host answers for itself is not among them. */
function packageAt(
  packages: readonly InstalledPackage[],
  place: string,
): InstalledPackage | undefined {
  const real = Deno.realPathSync(place);
  return packages.find(({ folder }) => folder === real);
}
