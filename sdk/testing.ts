/**
 * For the tests of a plugin: a host that exists for a test alone, and runs of the real Alisio with a
 * scripted model. Import it from tests only; no plugin finds it when it is loaded.
 *
 * @module
 */
export type {
  TestCommand,
  TestCompaction,
  TestExtension,
  TestHost,
  TestHostOptions,
  TestResource,
} from "./testing/test_host.ts";
export { setUpPlugin, textOf } from "./testing/test_host.ts";
export type { AlisioResult, AlisioRun, ScriptedTurn } from "./testing/run_alisio.ts";
export { runAlisio, toolName } from "./testing/run_alisio.ts";
