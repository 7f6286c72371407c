import type { ModelToolCall } from "@alisio/sdk";
import { JsonObjectScanner } from "./json_object_scanner.ts";
import { TextBuffer } from "./text_buffer.ts";
import { toRecord } from "./wire_values.ts";

/** Options of {@linkcode ToolCallAssembler}. */
export interface ToolCallAssemblerOptions {
  /** Whether a tool of that name was offered. */
  readonly isKnownTool: (name: string) => boolean;
  /** Told how many more characters the calls hold; throws when it is too much. */
  readonly onChars: (chars: number) => void;
  /** Told about every new call, counting from 1; throws when it is too many. */
  readonly onCall: (count: number) => void;
}

/**
 * Puts tool calls together from the deltas of Chat Completions.
 *
 * The protocol says that `index` names the call that a delta belongs to. Servers leave it out, send
 * null, send 0 for every call, number the ids instead or repeat name and id in each delta, so a
 * delta belongs to the call that fits it best: first by index, then by id, then the newest; and it
 * opens a new call where id, name or a whole set of arguments say that it cannot belong there.
 */
export class ToolCallAssembler {
  readonly #options: ToolCallAssemblerOptions;
  readonly #calls: PartialCall[] = [];

  /**
   * Starts without calls.
   *
   * @param options What names and sizes are held against.
   */
  constructor(options: ToolCallAssemblerOptions) {
    this.#options = options;
  }

  /**
   * Takes one entry of `tool_calls`, or a legacy `function_call` in its place.
   *
   * @param value The entry.
   * @param fallbackIndex The index where the protocol has none.
   */
  add(value: unknown, fallbackIndex?: number): void {
    const delta = parseDelta(value, fallbackIndex);
    if (delta === undefined) return;
    const call = this.#find(delta);
    if (call === undefined) return this.#open(delta);
    if (isRepetition(call, delta)) return;
    if (this.#startsNewCall(call, delta)) return this.#open(delta);
    this.#extend(call, delta);
  }

  /** The calls so far, in the order in which they began. */
  get calls(): readonly ModelToolCall[] {
    return this.#calls
      .filter((call) => call.id !== "" || call.name !== "" || call.arguments.length > 0)
      .map((call) => ({ id: call.id, name: call.name, arguments: call.arguments.toString() }));
  }

  #find(delta: CallDelta): PartialCall | undefined {
    const newest = this.#calls.at(-1);
    if (delta.index !== undefined) {
      const same = this.#calls.filter((call) => call.index === delta.index);
      const byId = delta.id === "" ? undefined : same.findLast((call) => call.id === delta.id);
      const found = byId ?? same.at(-1);
      if (found !== undefined) return found;
      // A fragment under an index that no call began with belongs to the newest one.
      const isFragment = delta.name === "" && (delta.id === "" || delta.id === newest?.id);
      return isFragment ? newest : undefined;
    }
    if (delta.id === "") return newest;
    const byId = this.#calls.findLast((call) => call.id === delta.id);
    return byId ?? (newest?.id === "" && delta.name === "" ? newest : undefined);
  }

  #startsNewCall(call: PartialCall, delta: CallDelta): boolean {
    if (delta.id !== "" && call.id !== "" && delta.id !== call.id) return true;
    if (delta.name === "") return false;
    const isOtherTool = delta.name !== call.name && this.#isKnown(delta.name);
    if (call.scanner.isWhole) return delta.arguments !== "" || isOtherTool;
    return isOtherTool && this.#isKnown(call.name) && !this.#isKnown(call.name + delta.name);
  }

  #open(delta: CallDelta): void {
    const call: PartialCall = {
      index: delta.index,
      id: "",
      name: "",
      arguments: new TextBuffer(),
      scanner: new JsonObjectScanner(),
    };
    this.#calls.push(call);
    this.#options.onCall(this.#calls.length);
    this.#extend(call, delta);
  }

  #extend(call: PartialCall, delta: CallDelta): void {
    call.index ??= delta.index;
    const idChars = call.id === "" ? delta.id.length : 0;
    // A name that is repeated with every piece adds nothing.
    const nameChars = delta.name === call.name ? 0 : delta.name.length;
    this.#options.onChars(idChars + nameChars + delta.arguments.length);
    if (call.id === "") call.id = delta.id;
    call.name = this.#joinName(call.name, delta.name).slice(0, MAX_NAME_CHARS);
    if (delta.arguments === "") return;
    // Some gateways open a call with an empty object and then stream the real one, and an object
    // that is sent again replaces what it repeats.
    if (delta.isObject || (delta.arguments.startsWith("{") && isEmptyObject(call.arguments))) {
      call.arguments.clear();
      call.scanner = new JsonObjectScanner();
    }
    call.arguments.push(delta.arguments);
    call.scanner.push(delta.arguments);
  }

  /** A name comes whole, whole again with every delta, growing, or in fragments. */
  #joinName(name: string, part: string): string {
    if (part === "" || name === "") return name + part;
    if (this.#isKnown(name + part)) return name + part;
    if (part === name) return name;
    return this.#isKnown(part) && part.startsWith(name) ? part : name + part;
  }

  #isKnown(name: string): boolean {
    return this.#options.isKnownTool(name);
  }
}

interface PartialCall {
  index: number | undefined;
  id: string;
  name: string;
  readonly arguments: TextBuffer;
  scanner: JsonObjectScanner;
}

interface CallDelta {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** The arguments came as an object and are whole. */
  readonly isObject: boolean;
}

function parseDelta(value: unknown, fallbackIndex: number | undefined): CallDelta | undefined {
  const delta = toRecord(value);
  if (delta === undefined) return undefined;
  const call = toRecord(delta.function) ?? delta;
  const index = typeof delta.index === "string" ? Number(delta.index) : delta.index;
  return {
    index: Number.isInteger(index) ? Number(index) : fallbackIndex,
    id: typeof delta.id === "number" ? String(delta.id) : toTrimmed(delta.id),
    name: typeof call.name === "string" ? call.name : "",
    arguments: formatRawArguments(call.arguments),
    isObject: typeof call.arguments === "object" && call.arguments !== null,
  };
}

/** Arguments that are no string are passed on as their JSON text; the host judges them. */
function formatRawArguments(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

function toTrimmed(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

/** The same whole call once more, which some gateways send as their last delta. */
function isRepetition(call: PartialCall, delta: CallDelta): boolean {
  return call.scanner.isWhole && delta.name === call.name && delta.id === call.id &&
    delta.arguments.length === call.arguments.length &&
    delta.arguments === call.arguments.toString();
}

function isEmptyObject(text: TextBuffer): boolean {
  // Looked into only while it is short: it is asked for each piece of what may be megabytes.
  return text.length <= MAX_PLACEHOLDER_CHARS && text.toString().trim() === "{}";
}

const MAX_PLACEHOLDER_CHARS = 16;

/** No tool has a name as long as this, and what goes on is no name. */
const MAX_NAME_CHARS = 1_024;
