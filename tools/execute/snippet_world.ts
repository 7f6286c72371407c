/** What of a snippet's bounds the world around it keeps itself. */
export interface WorldLimits {
  /** Characters of the returned value. */
  readonly maxValueChars: number;
  /** Characters of everything that it writes to the console. */
  readonly maxConsoleChars: number;
}

/** What the world of a snippet says to the program around it; everything in it is a primitive. */
export type WorldMessage =
  | { readonly type: "call"; readonly id: number; readonly name: string; readonly input: string }
  | { readonly type: "log"; readonly text: string }
  | {
    readonly type: "end";
    readonly ok: true;
    /** JSON text; absent where nothing was returned. */
    readonly value?: string;
    /** Whether the text is only the beginning of the value. */
    readonly cut?: boolean;
  }
  | { readonly type: "end"; readonly ok: false; readonly error: string };

/** What the program around a snippet does with its world. */
export interface SnippetWorld {
  readonly callTool: (name: unknown, input?: unknown) => Promise<unknown>;
  readonly console: Readonly<Record<string, (...values: unknown[]) => void>>;
  readonly run: (snippet: () => unknown) => void;
  readonly settle: (id: number, ok: boolean, text: string) => void;
  readonly log: (text: string) => void;
}

/**
 * Creates what a snippet sees beside the language itself.
 *
 * Its text is evaluated among the snippet's own globals, so it uses nothing from outside of itself,
 * and everything that it hands to the snippet belongs to the snippet's world. It takes what it needs
 * of the language before the snippet can change that.
 *
 * @param send Takes one message as JSON text. Of the outer world; the snippet never gets hold of it.
 * @param limits Bounds.
 */
export function createWorld(send: (text: string) => void, limits: WorldLimits): SnippetWorld {
  const { stringify, parse } = JSON;
  const { apply, ownKeys } = Reflect;
  const { isArray } = Array;
  const { create } = Object;
  const { toISOString } = Date.prototype;
  const OwnPromise = Promise;
  const OwnError = Error;
  const OwnMap = Map;
  const OwnSet = Set;
  const OwnDate = Date;
  const text = String;
  const frame = /snippet\.js:(\d+):(\d+)/;
  const exec = RegExp.prototype.exec;
  // Whoever waits with these cannot even notice that there is nobody left to wait for.
  for (const name of ["SharedArrayBuffer", "Atomics", "WebAssembly"]) {
    Reflect.deleteProperty(globalThis, name);
  }
  // The runtime would hand it objects of the outer world to make the text of a stack from.
  Object.defineProperty(Error, "prepareStackTrace", { value: undefined });
  Object.defineProperty(globalThis, "Error", {
    value: Error,
    writable: false,
    configurable: false,
  });
  const pending = create(null) as Record<
    number,
    { resolve: (value: unknown) => void; reject: (error: unknown) => void; error: Error }
  >;
  let calls = 0;
  let consoleChars = 0;

  // An error of the outer world, such as that its stack is full, must not come in here.
  const post = (message: WorldMessage): void => {
    let isSent = false;
    try {
      // It inherits nothing that the snippet may have added to all objects.
      const bare = create(null) as Record<string, unknown>;
      const keys = ownKeys(message);
      for (let at = 0; at < keys.length; at++) {
        const key = keys[at] as keyof WorldMessage;
        bare[key] = message[key];
      }
      send(stringify(bare));
      isSent = true;
    } catch {
      isSent = false;
    }
    if (!isSent) {
      throw new OwnError("Cannot pass a message on: it is too large, or the stack is full");
    }
  };

  const numberForm = (value: number): unknown => value - value === 0 ? value : text(value);

  /** A copy of any value that JSON can hold: whatever it cannot hold is said in words. */
  const plain = (value: unknown): unknown => {
    let left = 100_000;
    const open: unknown[] = [];
    const copy = (each: unknown, depth: number): unknown => {
      switch (typeof each) {
        case "number":
          return numberForm(each);
        case "bigint":
          return text(each);
        case "symbol":
          return text(each);
        case "function":
          return `[function ${text(each.name)}]`;
        case "object":
          return each === null ? null : copyObject(each, depth);
        default:
          return each;
      }
    };
    const copyObject = (each: object, depth: number): unknown => {
      for (let at = 0; at < open.length; at++) if (open[at] === each) return "[circular]";
      if (depth > 40) return "[too deep]";
      open[open.length] = each;
      const result = copyOpen(each, depth);
      open.length -= 1;
      return result;
    };
    const copyOpen = (each: object, depth: number): unknown => {
      if (each instanceof OwnError) return describe(each);
      if (each instanceof OwnDate) {
        try {
          return apply(toISOString, each, []);
        } catch {
          return "Invalid Date";
        }
      }
      if (each instanceof OwnSet) return copyList([...each], depth);
      if (each instanceof OwnMap) return copyList([...each], depth);
      if (isArray(each)) return copyList(each, depth);
      const toJson = (each as { toJSON?: unknown }).toJSON;
      if (typeof toJson === "function") return copy(apply(toJson, each, []), depth + 1);
      const result = create(null) as Record<string, unknown>;
      const keys = ownKeys(each);
      for (let at = 0; at < keys.length; at++) {
        const key = keys[at];
        if (typeof key !== "string") continue;
        if (left-- <= 0) {
          result["…"] = "[more left out]";
          break;
        }
        result[key] = copy((each as Record<string, unknown>)[key], depth + 1);
      }
      return result;
    };
    const copyList = (list: readonly unknown[], depth: number): unknown => {
      const result: unknown[] = [];
      for (let at = 0; at < list.length; at++) {
        if (left-- <= 0) {
          result[at] = "[more left out]";
          break;
        }
        result[at] = copy(list[at], depth + 1) ?? null;
      }
      return result;
    };
    return copy(value, 0);
  };

  const describe = (error: unknown): string => {
    try {
      if (!(error instanceof OwnError)) {
        return typeof error === "string" ? error : `${stringify(plain(error))} was thrown`;
      }
      const heading = `${text(error.name)}: ${text(error.message)}`;
      const lines: string[] = [];
      const stack = typeof error.stack === "string" ? error.stack : "";
      let rest = stack;
      while (lines.length < 5) {
        const found = apply(exec, frame, [rest]) as RegExpExecArray | null;
        if (found === null) break;
        lines[lines.length] = `line ${found[1]}, column ${found[2]}`;
        let from = found.index + 1;
        while (from < rest.length && rest[from] !== "\n") from++;
        let next = "";
        for (let at = from; at < rest.length && at < from + 4_000; at++) next += rest[at];
        rest = next;
      }
      let places = "";
      for (let at = 0; at < lines.length; at++) {
        places += `${at === 0 ? "" : ", from "}${lines[at]}`;
      }
      return places === "" ? heading : `${heading} (${places})`;
    } catch {
      return "The snippet threw something that cannot be shown";
    }
  };

  const log = (line: string): void => {
    if (consoleChars > limits.maxConsoleChars) return;
    let shown = line;
    if (consoleChars + shown.length > limits.maxConsoleChars) {
      let cut = "";
      const room = limits.maxConsoleChars - consoleChars;
      for (let at = 0; at < room; at++) cut += shown[at];
      shown = `${cut}… [more left out]`;
    }
    consoleChars += line.length + 1;
    post({ type: "log", text: shown });
  };

  const write = (...values: unknown[]): void => {
    let line = "";
    for (let at = 0; at < values.length; at++) {
      const value = values[at];
      line += at === 0 ? "" : " ";
      if (typeof value === "string") line += value;
      else if (value === undefined) line += "undefined";
      else if (value instanceof OwnError) line += describe(value);
      else line += stringify(plain(value));
    }
    log(line);
  };

  const callTool = (name: unknown, input?: unknown): Promise<unknown> => {
    // Made here, so that it names the line of the call.
    const error = new OwnError("");
    return new OwnPromise((resolve, reject) => {
      if (typeof name !== "string") {
        throw new TypeError(
          'Cannot call a tool: its name is missing; use callTool("read_file", { … })',
        );
      }
      const json = input === undefined ? "{}" : stringify(input);
      if (typeof json !== "string") {
        throw new TypeError(`Cannot call "${name}": its input cannot be written as JSON`);
      }
      calls += 1;
      pending[calls] = { resolve, reject, error };
      post({ type: "call", id: calls, name, input: json });
    });
  };

  const valueOf = (result: string): unknown => {
    if (result[0] !== "{" && result[0] !== "[") return result;
    try {
      return parse(result);
    } catch {
      return result;
    }
  };

  const settle = (id: number, ok: boolean, result: string): void => {
    const call = pending[id];
    if (call === undefined) return;
    delete pending[id];
    if (ok) return call.resolve(valueOf(result));
    call.error.message = result;
    call.reject(call.error);
  };

  const finish = (value: unknown): void => {
    if (value === undefined) return post({ type: "end", ok: true });
    const json = stringify(plain(value));
    if (json.length <= limits.maxValueChars) return post({ type: "end", ok: true, value: json });
    let cut = "";
    for (let at = 0; at < limits.maxValueChars; at++) cut += json[at];
    post({ type: "end", ok: true, value: cut, cut: true });
  };

  const run = async (snippet: () => unknown): Promise<void> => {
    try {
      let value = await snippet();
      // A whole function is a common way to write one.
      if (typeof value === "function") value = await value();
      finish(value);
    } catch (error) {
      post({ type: "end", ok: false, error: describe(error) });
    }
  };

  const methods = create(null) as Record<string, typeof write>;
  for (const name of ["log", "info", "debug", "warn", "error"]) methods[name] = write;
  return { callTool, console: methods, run: (snippet) => void run(snippet), settle, log };
}
