import type { ApprovalChannel, ApprovalChoice, ApprovalReply } from "../../core/gate/approval.ts";
import { type ApprovalView, approvalView } from "../../core/gate/approval/approval_view.ts";
import type { HiddenCharacter } from "../../core/gate/shell/visible_command.ts";
import { previewCall, type PreviewPlace } from "./call_preview.ts";
import { type DialoguePorts, printHeading, printText, readAnswer } from "./dialogue.ts";
import { readLines } from "./read_line.ts";
import { layOut, type ShownText } from "./rows.ts";

/** What a terminal asks for approvals with. */
export interface TerminalChannelPorts extends DialoguePorts {
  /** Where calls run; known once the application is open. */
  readonly place: () => PreviewPlace;
}

/** Lines of the window that the question itself takes, beside what would run. */
const FRAME_ROWS = 8;
const MIN_ROWS = 4;
/** Rows that are added at a time: what a terminal usually lets one scroll back to. */
const MORE_ROWS = 500;
/** The gate cuts a longer replacement. */
const MAX_REPLACEMENT_CHARS = 64 * 1024;

/**
 * Creates the channel to the person at the terminal. It shows what would run, all of it before it can be allowed,
 * and takes `y` and `a` for a yes; every other answer, the end of the input included, is a no.
 *
 * @param ports What it asks with.
 */
export function createTerminalChannel(ports: TerminalChannelPorts): ApprovalChannel {
  return {
    key: "terminal",
    async ask(question, { signal }) {
      const view = approvalView(question, await previewCall(question, ports.place()));
      return await ports.screen.alone(() => new ApprovalDialogue(ports, view, signal).ask());
    },
  };
}

class ApprovalDialogue {
  readonly #ports: TerminalChannelPorts;
  readonly #view: ApprovalView;
  readonly #signal: AbortSignal;
  readonly #content: ShownText;
  #shown = 0;

  constructor(ports: TerminalChannelPorts, view: ApprovalView, signal: AbortSignal) {
    const { terminal } = ports;
    this.#ports = ports;
    this.#view = view;
    this.#signal = signal;
    const style = { columns: terminal.size().columns, hasColour: terminal.hasColour };
    const facts = view.facts.map(([label, value]) =>
      layOut(`${label}: ${value}`, {
        ...style,
        prefix: "  ",
        continuation: "    ",
        isOneLine: true,
      })
    );
    const body = layOut(view.body, { ...style, prefix: "│ ", continuation: "┊ " });
    this.#content = {
      rows: [...facts, body].flatMap(({ rows }) => rows),
      hidden: [...facts, body].flatMap(({ hidden }) => hidden),
    };
  }

  async ask(): Promise<ApprovalReply> {
    if (this.#signal.aborted) return "deny";
    printHeading(this.#ports, this.#view.title);
    this.#showMore(Math.max(MIN_ROWS, this.#ports.terminal.size().rows - FRAME_ROWS));
    while (true) {
      const answer = await this.#readChoice();
      if (answer === "deny" || this.#signal.aborted) break;
      if (answer === "view") this.#showMore(MORE_ROWS);
      else if (answer !== "edit") return answer;
      else {
        const replacement = await this.#readReplacement();
        if (replacement !== null) return { replacement };
      }
    }
    if (this.#signal.aborted) printHeading(this.#ports, "Taken back: no answer is needed any more");
    return this.#ports.keyboard.isClosed ? { undecided: "unavailable" } : "deny";
  }

  get #isCut(): boolean {
    return this.#shown < this.#content.rows.length;
  }

  /** Shows the next rows; all that are left, where little is. */
  #showMore(count: number): void {
    const { rows, hidden } = this.#content;
    for (const row of rows.slice(this.#shown, this.#shown + count)) {
      this.#ports.screen.print(`${row}\n`);
    }
    this.#shown = Math.min(rows.length, this.#shown + count);
    if (this.#isCut) {
      printHeading(
        this.#ports,
        `Cut: ${rows.length - this.#shown} of ${rows.length} rows are not shown yet`,
      );
    }
    if (hidden.length > 0) printHeading(this.#ports, warningOf(hidden));
  }

  async #readChoice(): Promise<ApprovalChoice | "view"> {
    const { choices, sessionScope } = this.#view;
    const isCut = this.#isCut;
    const offered: readonly (readonly [key: string, words: string])[] = [
      ...(isCut ? [["v", "show the rest, before you can allow it"] as const] : []),
      ...(!isCut && choices.includes("once") ? [["y", "allow once"] as const] : []),
      ...(!isCut && choices.includes("session")
        ? [["a", `always allow ${sessionScope} in this session`] as const]
        : []),
      ...(choices.includes("edit") ? [["e", "deny, and answer in its place"] as const] : []),
      ["n", "deny (so does Enter)"],
    ];
    printText(this.#ports, offered.map(([key, words]) => `${key} ${words}`).join("\n"));
    const prompt = `${offered.map(([key]) => key).join("/")}: `;
    const answer = await readAnswer(this.#ports, prompt, this.#signal);
    if (answer.kind !== "line") return "deny";
    const [choice] =
      Object.entries(WORDS).find(([, words]) =>
        words.includes(answer.typed.trim().toLowerCase())
      ) ??
        [];
    switch (choice) {
      case "once":
      case "session":
        if (!choices.includes(choice)) return "deny";
        // Nobody allows what they could not see.
        return isCut ? "view" : choice;
      case "view":
        return isCut ? "view" : "deny";
      case "edit":
        return choices.includes("edit") ? "edit" : "deny";
      default:
        return "deny";
    }
  }

  /** What the model gets in place of a result; null when the person thinks better of it. */
  async #readReplacement(): Promise<string | null> {
    printHeading(this.#ports, "Type the answer for the model; a line with only a dot ends it");
    const replacement = await readLines(
      this.#ports,
      { prompt: "> ", signal: this.#signal },
      MAX_REPLACEMENT_CHARS,
    ) ?? "";
    return replacement.trim() === "" ? null : replacement;
  }
}

const WORDS: Readonly<Record<Exclude<ApprovalChoice, "deny"> | "view", readonly string[]>> = {
  once: ["y", "yes"],
  session: ["a", "always"],
  edit: ["e", "edit"],
  view: ["v", "view"],
};

function warningOf(hidden: readonly HiddenCharacter[]): string {
  const kinds = [...new Set(hidden.map(({ kind }) => kind))].join(", ");
  const what = hidden.length === 1 ? "1 hidden place is" : `${hidden.length} hidden places are`;
  return `Warning: ${what} marked: ${kinds}`;
}
