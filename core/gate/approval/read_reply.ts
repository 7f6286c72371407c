import { isObject } from "../../config/is_object.ts";
import { previewText } from "../../text/bound_text.ts";
import type { ApprovalChoice, ApprovalQuestion, NoDecision } from "../approval.ts";
import { replacementText } from "./replacement_text.ts";

/** What a reply means. Only `answered` permits anything, and not when it is `deny`. */
export type ReadReply =
  | {
    readonly kind: "answered";
    readonly answer: Exclude<ApprovalChoice, "edit">;
    readonly user?: string;
  }
  | { readonly kind: "replaced"; readonly text: string; readonly user?: string }
  | { readonly kind: "undecided"; readonly source: NoDecision["undecided"] };

/** Longest name of a person in a record. */
const MAX_USER_CHARS = 200;

const UNDECIDED: ReadonlySet<unknown> = new Set(["unavailable", "unreachable", "timed_out"]);

/**
 * Reads what came back from a channel, which may be anything. What was not on offer is no decision
 * of a person: the channel failed.
 *
 * @param reply What came back.
 * @param choices What was on offer.
 */
export function readReply(
  reply: unknown,
  { choices }: Pick<ApprovalQuestion, "choices">,
): ReadReply {
  if (isObject(reply) && "answer" in reply) {
    const read = readAnswer(reply["answer"], choices);
    const user = reply["user"];
    if (read.kind === "undecided" || typeof user !== "string") return read;
    return { ...read, user: previewText(user, MAX_USER_CHARS) };
  }
  if (isObject(reply) && isSource(reply["undecided"])) {
    return { kind: "undecided", source: reply["undecided"] };
  }
  return readAnswer(reply, choices);
}

function readAnswer(answer: unknown, choices: readonly ApprovalChoice[]): ReadReply {
  if (answer === "once" || answer === "session" || answer === "deny") {
    if (choices.includes(answer)) return { kind: "answered", answer };
  }
  if (isObject(answer) && typeof answer["replacement"] === "string" && choices.includes("edit")) {
    const text = replacementText(answer["replacement"]);
    // Nothing was written in its place: what is left is the no.
    return text.trim() === "" ? { kind: "answered", answer: "deny" } : { kind: "replaced", text };
  }
  return { kind: "undecided", source: "unreachable" };
}

function isSource(value: unknown): value is NoDecision["undecided"] {
  return UNDECIDED.has(value);
}
