/**
 * Runs `alisio run` or `alisio resume` the way a person at a terminal sees it: both outputs in
 * one, with progress lines.
 *
 * @module
 */
import { createOutput } from "../../cli/output.ts";
import { parseCommandLine } from "../../cli/parse_command_line.ts";
import { runResume } from "../../cli/resume.ts";
import { runRun } from "../../cli/run.ts";

const { out, drained, flush } = createOutput(() => {});
const { command, args, flags, commandFlags } = parseCommandLine(Deno.args);
const context = {
  args,
  flags,
  commandFlags,
  env: Deno.env.toObject(),
  cwd: Deno.cwd(),
  output: { out, err: out, drained, flush, outIsTerminal: true, errIsTerminal: true },
  signal: new AbortController().signal,
  out,
  err: out,
  lendTerminal: <T>(use: () => Promise<T>) => use(),
};
Deno.exitCode = await (command?.name === "resume" ? runResume(context) : runRun(context));
