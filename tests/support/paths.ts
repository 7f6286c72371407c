import { fileURLToPath } from "node:url";

/** Absolute path of the repository root, without a trailing slash. */
export const ROOT: string = fileURLToPath(new URL("../..", import.meta.url)).replace(/[/\\]$/, "");

/** The runtime that runs the tests. Children are started with it, so `PATH` need not hold it. */
export const DENO: string = Deno.execPath();
