import { isInside } from "../paths/is_inside.ts";
import type { LandlockPlan } from "../wall/landlock_plan.ts";
import {
  DEVICES,
  FILE_RIGHTS,
  laterWriteRights,
  NET_RIGHT,
  RIGHT,
  SCOPE,
  WRITE_RIGHTS,
} from "../wall/landlock_rights.ts";
import type { SandboxEntry, SandboxPlan } from "./sandbox_plan.ts";

/** What the rules ask the system about. */
export interface LandlockRulePorts {
  /** What is at a path, links followed; null when nothing is. */
  readonly kindOf: (path: string) => "file" | "directory" | null;
  /**
   * Names in a folder that are no symbolic links, which need no rule: what counts is where they
   * lead. Empty where it cannot be looked into.
   */
  readonly namesIn: (folder: string) => readonly string[];
}

const READ = RIGHT.execute | RIGHT.readFile | RIGHT.readDir;

/** Devices by what they are for. */
const DEVICE_RIGHTS: Readonly<Record<string, number>> = {
  "/dev/null": RIGHT.readFile | RIGHT.writeFile,
  "/dev/zero": RIGHT.readFile | RIGHT.writeFile,
  "/dev/full": RIGHT.readFile | RIGHT.writeFile,
  "/dev/random": RIGHT.readFile,
  "/dev/urandom": RIGHT.readFile,
};

/**
 * Rules of Landlock that hold a program to a plan, as far as they can.
 *
 * A rule opens a folder with all that is in it, now and later, and none closes anything. What is
 * closed inside of a folder that nobody may change is therefore left out when that folder is opened
 * name by name; inside of a folder that may be changed it stays open.
 *
 * @param plan What is visible.
 * @param tempFolder The private folder for temporary files.
 * @param abi Version of Landlock, 1 or more.
 * @param ports Facts about the system.
 */
export function landlockRules(
  plan: SandboxPlan,
  tempFolder: string,
  abi: number,
  ports: LandlockRulePorts,
): LandlockPlan {
  const write = (WRITE_RIGHTS | laterWriteRights(abi)) & ~DEVICES;
  const paths: LandlockPlan["paths"][number][] = [];
  const grant = (path: string, rights: number): void => {
    const kind = ports.kindOf(path);
    if (kind === null) return;
    paths.push({ path, rights: kind === "file" ? rights & FILE_RIGHTS : rights });
  };
  for (const entry of plan.entries) {
    switch (entry.access) {
      case "read-only":
        for (const path of openParts(entry, plan.entries, ports)) grant(path, READ);
        break;
      case "read-write":
        grant(entry.path, READ | write);
        break;
      case "write-only":
        grant(entry.path, write);
        break;
      case "private":
      case "closed":
        break;
    }
  }
  // The system shows there what a program has to know of itself. The runtime looks at it for nobody.
  paths.push({ path: "/proc", rights: READ });
  for (const [path, rights] of Object.entries(DEVICE_RIGHTS)) grant(path, rights);
  grant(tempFolder, READ | write);
  const limitsTcp = plan.network === "closed" && abi >= 4;
  return {
    handledFs: READ | WRITE_RIGHTS | laterWriteRights(abi),
    handledNet: limitsTcp ? NET_RIGHT.connectTcp | NET_RIGHT.bindTcp : 0,
    scoped: abi >= 6 ? SCOPE.abstractUnixSocket | SCOPE.signal : 0,
    paths,
    ports: [],
    missing: [],
    unenforced: [],
  };
}

/** The folder itself, or what it holds without what is closed in it. */
function openParts(
  { path, kind }: SandboxEntry,
  entries: readonly SandboxEntry[],
  ports: LandlockRulePorts,
): readonly string[] {
  const closed = entries.filter((entry) => entry.access === "closed" && entry.path !== path)
    .map((entry) => entry.path);
  return kind === "folder" ? partsWithout(path, closed, ports) : [path];
}

function partsWithout(
  folder: string,
  closed: readonly string[],
  ports: LandlockRulePorts,
): readonly string[] {
  const inside = closed.filter((path) => isInside(path, folder));
  if (inside.length === 0) return [folder];
  if (inside.includes(folder)) return [];
  return ports.namesIn(folder).flatMap((name) =>
    partsWithout(folder === "/" ? `/${name}` : `${folder}/${name}`, inside, ports)
  );
}
