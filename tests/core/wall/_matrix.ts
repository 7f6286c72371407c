/**
 * What a hostile plugin can do under each policy: run as a program, it prints the table.
 *
 * @module
 */
import { join } from "node:path";
import type { CeilingFacts } from "../../../core/wall/ceiling.ts";
import { entriesAround } from "../../../core/wall/entries_around.ts";
import { withTempDir } from "../../support/temp.ts";
import { createWorld, factsOf, type World } from "./_world.ts";
import type { EntryOptions } from "./fixtures/entry.ts";
import type { HostileWorld } from "./fixtures/hostile/_attempt.ts";
import { ATTEMPTS } from "./fixtures/hostile/plugin.ts";

/** Who stops an attempt: nobody, the runtime's flags, or the kernel alone. */
export type Outcome = "works" | "flags" | "kernel";

/** A policy of the table. */
export interface MatrixPolicy {
  readonly title: string;
  readonly change: (facts: CeilingFacts) => CeilingFacts;
}

const ALL = { write: true, process: true, external: true };

/** The policies, in the order of the columns. */
export const POLICIES: Readonly<Record<string, MatrixPolicy>> = {
  none: { title: "no flag", change: (facts) => facts },
  readOnly: {
    title: "`--read-only`",
    change: (facts) => ({ ...facts, readOnly: true, possible: ALL, canApproveDirectories: true }),
  },
  quiet: {
    title: "profile that only reads",
    change: (facts) => closeVault(facts),
  },
  write: {
    title: "`--allow-write`",
    change: (facts) => ({ ...facts, possible: { ...facts.possible, write: true } }),
  },
  profile: {
    title: "`--allow-write`, profile",
    change: (facts) => closeVault({ ...facts, possible: { ...facts.possible, write: true } }),
  },
  external: {
    title: "`--allow-external`",
    change: (facts) => ({ ...facts, possible: { ...facts.possible, external: true } }),
  },
  process: {
    title: "`--allow-process`",
    change: (facts) => ({ ...facts, possible: { ...facts.possible, process: true } }),
  },
  sandbox: {
    title: "the same, sandbox",
    change: (facts) => ({
      ...facts,
      possible: { ...facts.possible, process: true },
      sandboxesPrograms: true,
    }),
  },
  terminal: {
    title: "terminal",
    change: (facts) => ({ ...facts, possible: ALL, canApproveDirectories: true }),
  },
};

/** What a profile does that closes folders of the workspace, one by a link, and opens one in it. */
function closeVault(facts: CeilingFacts): CeilingFacts {
  const [vault, shelf] = [join(facts.workspace, "vault"), join(facts.workspace, "shelf")];
  const open = join(shelf, "open");
  return {
    ...facts,
    roots: [...facts.roots, open],
    closedPaths: [
      { path: join(facts.workspace, "named"), real: vault, identity: null },
      { path: shelf, real: shelf, identity: null, within: entriesAround(shelf, [open]) },
    ],
  };
}

/** `w` works, `f` is stopped by the flags, `k` by the kernel alone; one letter for each policy. */
const LETTERS: Readonly<Record<string, Outcome>> = { w: "works", f: "flags", k: "kernel" };

/** What is expected of each attempt under each policy. */
const EXPECTED: Readonly<Record<string, string>> = {
  stateWrite: "wwwwwwwww",
  workspaceRead: "wwwwwwwww",
  providerFetch: "wwwwwwwww",
  gitStatus: "wwwwwwwww",
  rgSearch: "wwwwwwwww",
  writeDeno: "fffwwfffw",
  writeNode: "fffwwfffw",
  writeSqlite: "fffwwfffw",
  writeRename: "fffwwfffw",
  writeGit: "kkkwwkwkw",
  writeProtected: "ffffffffw",
  renameProtected: "ffffffffw",
  writeHook: "ffffffffw",
  changeGitConfig: "ffffffffw",
  gitConfigByGit: "kkkwwkwkw",
  renameGit: "ffffffffw",
  writeHead: "ffffffffw",
  writeClosed: "fffwffffw",
  writeTrust: "ffffffffw",
  writeTrustByGit: "wwwwwwwww",
  outsideDeno: "ffffffffw",
  outsideNode: "ffffffffw",
  outsideSqlite: "ffffffffw",
  outsideAttach: "fffffffff",
  outsideVacuum: "fffffffff",
  outsideRename: "ffffffffw",
  outsideFolder: "ffffffffw",
  outsideLinkFile: "fffkkfffw",
  outsideLinkOver: "fffkkfffw",
  makeSymlink: "ffffffffw",
  makeHardLink: "ffffffffw",
  outsideGit: "kkkkkkwkw",
  outsideGitInit: "kkkkkkwkw",
  startShell: "ffffffwww",
  startNodeShell: "ffffffwww",
  startRuntime: "ffffffwww",
  gitAlias: "kkkkkkwww",
  gitConfig: "kkkkkkwww",
  gitExecPath: "kkkkkkwww",
  rgPre: "kkkkkkwww",
  rgUnpack: "kkkkkkwww",
  libraryPath: "ffffffwww",
  killOther: "ffffffwkw",
  connectFetch: "fffffwffw",
  connectDeno: "fffffwffw",
  connectNode: "fffffwffw",
  connectWebSocket: "fffffwffw",
  connectProxy: "fffffwffw",
  connectRedirect: "fffffwffw",
  connectGit: "kkkkkwwkw",
  connectImport: "fffffffff",
  connectPackage: "fffffffff",
  listen: "fffffwffw",
  openFfi: "fffffffff",
  openAddon: "fffffffff",
  readDeno: "ffffffffw",
  readNode: "ffffffffw",
  readImport: "ffffffffw",
  readRequire: "ffffffffw",
  readFetch: "ffffffffw",
  readList: "ffffffffw",
  readProcess: "fffffffff",
  readClosed: "wwfwfwwww",
  readClosedNamed: "wwfwfwwww",
  readClosedOpened: "wwwwwwwww",
  readClosedBeside: "wwfwfwwww",
  readClosedLink: "wwwwwwwww",
  readClosedRg: "wwwwwwwww",
  grantRequest: "ffffffffw",
  grantWorker: "ffffffffw",
  readLink: "wwwwwwwww",
  readRg: "wwwwwwwww",
  loaderGit: "wwwwwwwww",
  loaderOutside: "kkkkkkwkw",
};

/**
 * What is expected of an attempt under a policy.
 *
 * @param attempt Key of `ATTEMPTS`.
 * @param policy Key of {@linkcode POLICIES}.
 */
export function expectedOutcome(attempt: string, policy: string): Outcome {
  const letter = EXPECTED[attempt]?.[Object.keys(POLICIES).indexOf(policy)];
  const outcome = letter === undefined ? undefined : LETTERS[letter];
  if (outcome === undefined) throw new Error(`Nothing is expected of ${attempt} under ${policy}`);
  return outcome;
}

/** What became of every attempt of one run. */
export interface MatrixRun {
  /** Exit status of the agent. */
  readonly status: number;
  /** Whether the agent went on to its end. */
  readonly ended: boolean;
  readonly worked: ReadonlyMap<string, boolean>;
  readonly details: ReadonlyMap<string, string>;
  readonly stderr: string;
}

const FIXTURES = join(import.meta.dirname ?? "", "fixtures");
const HOSTILE = join(FIXTURES, "hostile");

/**
 * Runs the hostile plugin once under a policy, in a world of its own.
 *
 * @param policy The policy.
 * @param kernel Whether the kernel is told, too.
 */
export async function runHostile(
  policy: MatrixPolicy,
  kernel: "with kernel" | "without kernel",
): Promise<MatrixRun> {
  return await withTempDir(async (root) => {
    const world = await createWorld(root);
    for await (const { name } of Deno.readDir(HOSTILE)) {
      await Deno.copyFile(join(HOSTILE, name), join(world.plugins, name));
    }
    const strangers: string[] = [];
    await using stranger = serve((request) => {
      strangers.push(new URL(request.url).pathname);
      if (request.headers.get("upgrade") === "websocket") {
        return Deno.upgradeWebSocket(request).response;
      }
      const headers = { "content-type": "text/javascript" };
      return new Response("stranger: 1", { headers });
    });
    const strangerPort = stranger.addr.port;
    await using provider = serve((request) =>
      request.url.endsWith("/redirect")
        ? Response.redirect(`http://127.0.0.1:${strangerPort}/redirected`)
        : new Response("provider")
    );
    let hungUp = 0;
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const hangingUp = (async () => {
      for await (const connection of listener) {
        hungUp++;
        connection.close();
      }
    })();
    const own: HostileWorld = {
      workspace: world.workspace,
      outside: world.outside,
      state: world.state,
      git: world.git,
      rg: world.rg,
      runtime: Deno.execPath(),
      provider: `127.0.0.1:${provider.addr.port}`,
      strangerPort,
      hangUpPort: listener.addr.port,
      strangerPid: Deno.pid,
    };
    const options: EntryOptions = {
      facts: policy.change({ ...factsOf(world), providers: [own.provider] }),
      kernel: kernel === "with kernel",
    };
    const output = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--no-config",
        join(FIXTURES, "entry.ts"),
        JSON.stringify(options),
        join(world.plugins, "plugin.ts"),
        JSON.stringify(own),
      ],
      cwd: world.workspace,
      // Where packages would come from if any were fetched.
      env: { NPM_CONFIG_REGISTRY: `http://127.0.0.1:${strangerPort}/registry` },
      stdin: "null",
      signal: AbortSignal.timeout(60_000),
    }).output();
    const run = await readRun(world, output);
    listener.close();
    await hangingUp;
    const reached = (part: string): boolean => strangers.some((path) => path.includes(part));
    run.worked.set("connectGit", hungUp > 0);
    run.worked.set("connectRedirect", reached("redirected"));
    run.worked.set("connectImport", reached("module.js"));
    run.worked.set("connectPackage", reached("registry"));
    return run;
  });
}

/** The table in Markdown, one row for each attempt. */
export function formatMatrix(): string {
  const words: Readonly<Record<Outcome, string>> = {
    works: "works",
    flags: "flags",
    kernel: "kernel",
  };
  const policies = Object.entries(POLICIES);
  const rows = [
    ["Attempt", ...policies.map(([, { title }]) => title)],
    ["---", ...policies.map(() => "---")],
    ...Object.entries(ATTEMPTS).map(([name, { title }]) => [
      title,
      ...policies.map(([policy]) => words[expectedOutcome(name, policy)]),
    ]),
  ];
  return rows.map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

async function readRun(
  world: World,
  output: Deno.CommandOutput,
): Promise<MatrixRun & { readonly worked: Map<string, boolean> }> {
  const text = new TextDecoder().decode(output.stdout);
  return {
    status: output.code,
    ...await readOutcomes(world, text),
    stderr: new TextDecoder().decode(output.stderr),
  };
}

/**
 * What became of every attempt: what is there counts, not what the plugin says.
 *
 * @param world Where they were made.
 * @param report The lines of the plugin.
 */
export async function readOutcomes(
  world: World,
  report: string,
): Promise<Pick<MatrixRun, "ended" | "details"> & { readonly worked: Map<string, boolean> }> {
  const worked = new Map<string, boolean>();
  const details = new Map<string, string>();
  for (const line of report.split("\n")) {
    if (!line.startsWith("{")) continue;
    const { name, worked: claimed, detail } = JSON.parse(line);
    worked.set(name, claimed);
    details.set(name, detail);
  }
  for (const [name, { evidence }] of Object.entries(ATTEMPTS)) {
    if (evidence === undefined) continue;
    const found = await isThere(join(world.root, evidence));
    if (found !== worked.get(name)) details.set(name, `${details.get(name)} (found: ${found})`);
    worked.set(name, found);
  }
  const victim = await Deno.readTextFile(join(world.outside, "victim"));
  worked.set("outsideLinkOver", victim !== "whole");
  const ended = worked.get("end") === true;
  worked.delete("end");
  return { ended, worked, details };
}

function serve(handler: (request: Request) => Response): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, handler);
}

async function isThere(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch {
    return false;
  }
}

if (import.meta.main) await Deno.stdout.write(new TextEncoder().encode(formatMatrix()));
