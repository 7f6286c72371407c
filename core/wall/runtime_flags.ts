/** Flags that stand alone or carry their value after an equals sign. */
const CARRIED: ReadonlySet<string> = new Set([
  "--config",
  "--no-config",
  "--import-map",
  "--node-modules-dir",
  "--no-npm",
  "--no-remote",
  "--vendor",
  "--lock",
  "--no-lock",
  "--frozen",
  "--frozen-lockfile",
  "--cert",
  "--unsafely-ignore-certificate-errors",
  "--v8-flags",
  "--no-code-cache",
  "--conditions",
  "--seed",
  "--location",
  "--quiet",
]);

/** Flags whose value is the next word when there is no equals sign. */
const TAKES_NEXT: ReadonlySet<string> = new Set([
  "--config",
  "--import-map",
  "--cert",
  "--seed",
  "--location",
  "--conditions",
  "--ext",
  "--preload",
  "--require",
  "--log-level",
  "--min-dep-age",
  "--inspect-publish-uid",
  "--node-modules-linker",
]);

const SHORT: Readonly<Record<string, string>> = { "-c": "--config", "-q": "--quiet" };

/**
 * The flags that a program was started with and that it is to keep when it starts itself again:
 * where its modules and certificates come from, and how the engine runs. Permissions are not
 * among them.
 *
 * @param argv The command line of the runtime, from its own name on.
 */
export function carriedFlags(argv: readonly string[]): readonly string[] {
  const carried: string[] = [];
  const words = argv.slice(1);
  if (words[0] === "run") words.shift();
  for (let word = words.shift(); word?.startsWith("-"); word = words.shift()) {
    const equals = word.indexOf("=");
    const given = equals < 0 ? word : word.slice(0, equals);
    const name = SHORT[given] ?? given;
    const value = equals >= 0
      ? word.slice(equals + 1)
      : TAKES_NEXT.has(name)
      ? words.shift()
      : undefined;
    if (CARRIED.has(name)) carried.push(value === undefined ? name : `${name}=${value}`);
  }
  return carried;
}

/**
 * The command line of this process. Empty where the system does not tell, which is everywhere but
 * on Linux.
 */
export function readCommandLine(): readonly string[] {
  if (Deno.build.os !== "linux") return [];
  try {
    return Deno.readTextFileSync("/proc/self/cmdline").split("\0").slice(0, -1);
  } catch {
    return [];
  }
}

/**
 * The flags that say where the modules of a program come from, when it starts itself again.
 *
 * A program from a server must not take anything from the folder that it is run in: a
 * `package.json` there would make the runtime load packages from a `node_modules` beside it.
 *
 * @param main Address of the main module.
 * @param carried What {@linkcode carriedFlags} found.
 * @param config Configuration file of the runtime that belongs to the program, if there is one.
 */
export function moduleFlags(
  main: string,
  carried: readonly string[],
  config: string | undefined,
): readonly string[] {
  const has = (...names: readonly string[]): boolean =>
    carried.some((flag) => names.includes(flag.split("=", 1)[0] ?? ""));
  const own: string[] = [];
  let kept = carried;
  if (config !== undefined && !has("--config")) {
    // The program cannot be loaded without the file that belongs to it.
    kept = carried.filter((flag) => flag !== "--no-config");
    own.push(`--config=${config}`);
  }
  if (!main.startsWith("file:")) {
    if (config === undefined && !has("--config", "--no-config")) own.push("--no-config");
    if (!has("--lock", "--no-lock")) own.push("--no-lock");
    if (!has("--node-modules-dir")) own.push("--node-modules-dir=none");
  }
  return [...kept, ...own];
}
