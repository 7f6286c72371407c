import type { SnippetWorld, WorldLimits } from "./snippet_world.ts";

/** What a snippet may be. */
export interface SnippetForm {
  /** A program whose value is a function. */
  readonly program: string;
  /**
   * The same between other brackets: a snippet that ends its own function, to have something run
   * beside it, fits into one of them alone.
   */
  readonly check: string;
}

/** What the program that runs a snippet is told first. */
export interface SnippetOrder {
  /** What the snippet may be; the first that fits is run. */
  readonly forms: readonly SnippetForm[];
  /** The module that is as wrong as the snippet, for where the mistake is. */
  readonly probe: string;
  readonly limits: WorldLimits;
}

/** The part of `node:vm` that is used. */
export interface ScriptMachine {
  readonly createContext: (globals: object, options: object) => object;
  readonly Script: new (
    code: string,
    options: object,
  ) => { readonly runInContext: (context: object) => unknown };
}

/**
 * The whole program of the process that runs a snippet. It has no permission at all; what it says on
 * its standard output is all that it can do, and is taken there as the word of the snippet.
 *
 * Its text is handed to the process, so it uses nothing from outside of itself.
 *
 * Three walls lie around the snippet: the process without permissions is the one that counts. Within
 * it the snippet has a world of its own, into which no object of this one is handed; and this one is
 * emptied before the snippet starts, so that whoever breaks through finds nothing.
 *
 * @param vm Makes the world of the snippet.
 * @param worldText Text of the function that fills it.
 */
export async function runSnippetChild(vm: ScriptMachine, worldText: string): Promise<void> {
  const { stdin, stdout, exit } = Deno;
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const { stringify, parse } = JSON;

  const write = (line: string): void => {
    const bytes = encoder.encode(`${line}\n`);
    for (let at = 0; at < bytes.length;) at += stdout.writeSync(bytes.subarray(at));
  };

  const lines = async function* (): AsyncGenerator<string> {
    let rest = "";
    for await (const bytes of stdin.readable) {
      rest += decoder.decode(bytes, { stream: true });
      for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
        yield rest.slice(0, end);
        rest = rest.slice(end + 1);
      }
    }
  };

  const placeOf = async (order: SnippetOrder): Promise<string> => {
    try {
      await import(`data:text/javascript,${encodeURIComponent(order.probe)}`);
    } catch (error) {
      const found = /:(\d+):(\d+)\s*$/.exec(error instanceof Error ? error.message : "");
      const line = Number(found?.[1]) - 1;
      // One line is before the snippet, and one after it.
      if (line > order.probe.split("\n").length - 2) return " (at the end of the snippet)";
      if (found !== null && line > 0) return ` (line ${line}, column ${found[2]})`;
    }
    return "";
  };

  const compile = (
    forms: readonly SnippetForm[],
  ): { readonly run: (context: object) => unknown } | { readonly error: string } => {
    let problem = "";
    for (const { program, check } of forms) {
      try {
        const script = new vm.Script(program, { filename: "snippet.js", lineOffset: -1 });
        new vm.Script(check, {});
        return { run: (context) => script.runInContext(context) };
      } catch (error) {
        problem = String(error);
      }
    }
    return { error: problem };
  };

  const empty = (): void => {
    for (const name of Object.getOwnPropertyNames(globalThis)) {
      try {
        Reflect.deleteProperty(globalThis, name);
      } catch {
        // What cannot be deleted belongs to the language.
      }
    }
  };

  const input = lines();
  const first = await input.next();
  if (first.done === true) return exit(0);
  const order: SnippetOrder = parse(first.value);
  const script = compile(order.forms);
  if ("error" in script) {
    write(stringify({ type: "end", ok: false, error: script.error + await placeOf(order) }));
    return exit(0);
  }
  const globals = Object.create(null);
  const context = vm.createContext(globals, {
    codeGeneration: { strings: false, wasm: false },
  });
  const create = new vm.Script(`"use strict";(${worldText})`, { filename: "world.js" })
    .runInContext(context) as (send: (text: string) => void, limits: WorldLimits) => SnippetWorld;
  const send = (text: unknown): void => {
    // With its last word it is killed; without anybody to do that, its input ends, and so does it.
    if (typeof text === "string") write(text);
  };
  const world = create(send, order.limits);
  const { run, settle, log } = world;
  globals.console = world.console;
  globals.callTool = world.callTool;
  // What nobody waited for is no reason to end.
  globalThis.addEventListener("unhandledrejection", (event) => event.preventDefault());
  globalThis.addEventListener("error", (event) => {
    event.preventDefault();
    log(`Uncaught ${event.message}`);
  });
  const snippet = script.run(context) as () => unknown;
  empty();
  run(snippet);
  for (;;) {
    const line = await input.next();
    if (line.done === true) return exit(0);
    const { id, ok, text } = parse(line.value);
    settle(id, ok, text);
  }
}
