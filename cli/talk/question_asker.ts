import type { Question, QuestionAnswer, QuestionAsker } from "../../core/tools/user_question.ts";
import { previewText } from "../../core/text/bound_text.ts";
import { type DialoguePorts, printHeading, printText, readAnswer } from "./dialogue.ts";

/** Own words for an answer; more belongs into a prompt. */
const MAX_WORDS_CHARS = 4_000;

/**
 * Creates what puts questions of the model, of plugins and of MCP servers to the person at a
 * terminal: one after the other, the options by number.
 *
 * @param ports What it asks with.
 */
export function createQuestionAsker(ports: DialoguePorts): QuestionAsker {
  return async (questions, { signal, plugin, server, plan, agentPath = ["the model"] }) =>
    await ports.screen.alone(async () => {
      if (plan !== undefined) {
        const { reviewPlan } = await import("./plan_dialogue.ts");
        return [await reviewPlan(ports, plan, signal)];
      }
      const answers: QuestionAnswer[] = [];
      for (const [index, question] of questions.entries()) {
        const from = plugin !== undefined
          ? `plugin ${plugin}`
          : server !== undefined
          ? `MCP server ${server}`
          : agentPath.join(" › ");
        printHeading(ports, `Question ${index + 1} of ${questions.length} from ${from}`);
        answers.push(await askOne(ports, question, { signal, takesWords: server === undefined }));
        signal.throwIfAborted();
      }
      return answers;
    });
}

async function askOne(
  ports: DialoguePorts,
  question: Question,
  { signal, takesWords }: { readonly signal: AbortSignal; readonly takesWords: boolean },
): Promise<QuestionAnswer> {
  const { header, multiSelect, options } = question;
  const textOption = options.find(({ takesText }) => takesText === true);
  const canWrite = takesWords || textOption !== undefined;
  printText(ports, formatQuestion(question), "│ ");
  const own = canWrite ? ", or an answer of your own" : "";
  printText(ports, `${multiSelect ? "Numbers, such as 1 2" : "A number"}${own}; Enter skips`);
  while (true) {
    const answer = await readAnswer(ports, "answer: ", signal);
    if (answer.kind !== "line") return { header, skipped: true, selected: [] };
    const chosen = readChoice(answer.text, question);
    if (typeof chosen === "string") {
      printText(ports, chosen);
    } else if (!canWrite && chosen.some((each) => options.every(({ label }) => label !== each))) {
      printText(ports, `Numbers go from 1 to ${options.length}`);
    } else if (textOption !== undefined && chosen.includes(textOption.label)) {
      // Where the words are a number themselves, they cannot be told from the number of an option.
      const words = await readAnswer(ports, "in your own words: ", signal);
      const text = words.kind === "line" ? previewText(words.text.trim(), MAX_WORDS_CHARS) : "";
      return { header, skipped: text === "", selected: text === "" ? [] : [text] };
    } else {
      return { header, skipped: chosen.length === 0, selected: chosen };
    }
  }
}

function formatQuestion({ header, question, options }: Question): string {
  return [
    `${header}: ${question}`,
    ...options.map(({ label, description, recommended }, index) =>
      `${index + 1}. ${label}${recommended === true ? " (recommended)" : ""}` +
      (description === undefined ? "" : ` - ${description}`)
    ),
  ].join("\n");
}

/**
 * What an answer chooses.
 *
 * @param text What was typed.
 * @param question What was asked.
 * @returns Labels or words of the person's own, none to skip, or what is wrong with the answer.
 */
export function readChoice(
  text: string,
  { options, multiSelect }: Pick<Question, "options" | "multiSelect">,
): readonly string[] | string {
  const words = text.trim();
  if (words === "") return [];
  if (!/^\d+(?:[\s,]+\d+)*$/.test(words)) return [previewText(words, MAX_WORDS_CHARS)];
  const numbers = [...new Set(words.split(/[\s,]+/).map(Number))];
  const labels = numbers.map((number) => options[number - 1]?.label);
  const known = labels.filter((label) => label !== undefined);
  if (known.length < labels.length) return `Numbers go from 1 to ${options.length}`;
  if (known.length > 1 && !multiSelect) return "Only one of them can be chosen";
  return known;
}
