/** Lists that a server may change. */
export type ChangingList = "tools" | "resources" | "prompts";

/** How long further changes of one list are gathered before anybody is told of them. */
const GATHER_MS = 100;
const CHANGES: Readonly<Record<string, ChangingList>> = {
  "notifications/tools/list_changed": "tools",
  "notifications/resources/list_changed": "resources",
  "notifications/prompts/list_changed": "prompts",
};
/** Levels of log messages that are passed on; the others are the server's own business. */
const TOLD_LEVELS: ReadonlySet<unknown> = new Set([
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
]);
const MAX_LOG_CHARS = 500;

/** Whom notifications of a server are for. */
export interface NotificationDeskPorts {
  /** Is told that a list has changed: at once, and once for many further changes in a row. */
  readonly onChanged: (list: ChangingList) => void;
  /** Is told what the server logs as a warning or worse. */
  readonly onDiagnostic: (text: string) => void;
}

/** Receives the notifications of one server. A flood of them costs no memory. */
export class NotificationDesk {
  readonly #ports: NotificationDeskPorts;
  readonly #timers = new Map<ChangingList, ReturnType<typeof setTimeout>>();
  /** Lists that changed since somebody was told of them. */
  readonly #untold = new Set<ChangingList>();

  /** @param ports Whom it tells. */
  constructor(ports: NotificationDeskPorts) {
    this.#ports = ports;
  }

  /**
   * Takes a notification.
   *
   * @param method What it is of.
   * @param params What it says, of which nothing is known.
   */
  receive(method: string, params: Readonly<Record<string, unknown>>): void {
    const list = Object.hasOwn(CHANGES, method) ? CHANGES[method] : undefined;
    if (list !== undefined) return this.changed(list);
    if (method !== "notifications/message" || !TOLD_LEVELS.has(params["level"])) return;
    this.#ports.onDiagnostic(`${params["level"]}: ${logText(params["data"])}`);
  }

  /**
   * A list has changed, or may have.
   *
   * @param list Which one.
   */
  changed(list: ChangingList): void {
    if (this.#timers.has(list)) {
      this.#untold.add(list);
      return;
    }
    this.#tell(list);
  }

  /** A call that comes next must not run as if nothing had changed. */
  #tell(list: ChangingList): void {
    this.#untold.delete(list);
    this.#ports.onChanged(list);
    const gathered = (): void => {
      this.#timers.delete(list);
      if (this.#untold.has(list)) this.#tell(list);
    };
    this.#timers.set(list, setTimeout(gathered, GATHER_MS));
  }

  /** Nobody is told of anything any more. */
  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }
}

function logText(data: unknown): string {
  if (typeof data === "string") return data.slice(0, MAX_LOG_CHARS);
  try {
    return JSON.stringify(data, keepShort).slice(0, MAX_LOG_CHARS);
  } catch {
    return "a value that cannot be shown";
  }
}

function keepShort(_key: string, value: unknown): unknown {
  if (typeof value === "string") return value.slice(0, MAX_LOG_CHARS);
  return Array.isArray(value) ? value.slice(0, 20) : value;
}
