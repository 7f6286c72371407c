import { matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import type { Theme } from "../theme/theme.ts";
import { fitText, oneLine, wrapText } from "./fit_text.ts";
import { LineField } from "./line_field.ts";
import { listWindow } from "./list_window.ts";
import type { Panel, PanelFrame } from "./panel.ts";
import { chromeRows, drawPanel } from "./panel_box.ts";
import { keyHelp, listKey } from "./panel_keys.ts";

/** One line of a form. */
export interface FormField {
  /** Its name in the answer. */
  readonly key: string;
  /** What the person reads before it. */
  readonly label: string;
  /** What stands in it at first. */
  readonly value?: string;
  /** Shown while it is empty. */
  readonly placeholder?: string;
  /** More about it, shown while it is being written. */
  readonly hint?: string;
  /** Whether it is drawn as stars. @default false */
  readonly isSecret?: boolean;
  /**
   * Checks what was typed when the person goes on.
   *
   * @param value What stands in it, without blanks around.
   * @param values What stands in all fields.
   * @returns What is wrong with it; undefined if nothing is.
   */
  readonly check?: (
    value: string,
    values: Readonly<Record<string, string>>,
  ) => string | undefined;
}

/** A form to fill in. */
export interface FormPanelOptions {
  readonly title: string;
  readonly fields: readonly FormField[];
  readonly theme: Theme;
  readonly frame: PanelFrame;
  /**
   * Called once every field is as it should be.
   *
   * @param values What stands in each field, by its key, without blanks around.
   */
  readonly onSubmit: (values: Readonly<Record<string, string>>) => void;
  /** Called when the person leaves. */
  readonly onCancel: () => void;
  /** What is said above the fields. */
  readonly intro?: string;
  /** What the last Enter does, for the help row. @default "submit" */
  readonly submitHelp?: string;
}

/** Longer forms can be submitted from every line. */
const FEW_LINES = 4;

interface Line {
  readonly field: FormField;
  readonly text: LineField;
}

/** A few lines to fill in, one below the other. Enter goes to the next one, and submits at the last. */
export class FormPanel implements Panel {
  focused = false;
  /** Keys that would scroll the conversation move between fields. */
  readonly capturesViewportInput = true;
  readonly #options: FormPanelOptions;
  readonly #lines: readonly Line[];
  #active = 0;
  #problem = "";
  #start = 0;

  /** @param options What is asked for; at least one field. */
  constructor(options: FormPanelOptions) {
    this.#options = options;
    this.#lines = options.fields.map((field) => ({ field, text: new LineField(field.value) }));
  }

  /** What stands in each field. */
  get values(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      this.#lines.map(({ field, text }) => [field.key, text.value.trim()]),
    );
  }

  /**
   * Shows that something is wrong with what was submitted.
   *
   * @param problem What is wrong; empty takes it away.
   * @param key The field that it is about.
   */
  setProblem(problem: string, key?: string): void {
    this.#problem = problem;
    const at = this.#lines.findIndex(({ field }) => field.key === key);
    if (at !== -1) this.#active = at;
    this.#options.frame.redraw();
  }

  invalidate(): void {}

  handleInput(data: string): void {
    if (matchesKey(data, "tab")) return this.#move(1);
    if (matchesKey(data, "shift+tab")) return this.#move(-1);
    if (matchesKey(data, "ctrl+s")) return this.#submit();
    const line = this.#lines[this.#active];
    const key = listKey(data);
    switch (key) {
      case "up":
        return this.#move(-1);
      case "down":
        return this.#move(1);
      case "confirm":
        return this.#confirm();
      case "cancel":
        return this.#options.onCancel();
      default:
        if (line?.text.handle(data) === true) this.#problem = "";
    }
  }

  render(width: number): string[] {
    const { title, theme, frame, submitHelp = "submit" } = this.#options;
    const rows = frame.rows();
    const isLast = this.#active === this.#lines.length - 1;
    return drawPanel({
      title,
      body: this.#body(width, Math.max(1, rows - chromeRows(rows))),
      help: [
        ...keyHelp("confirm", isLast ? submitHelp : "next"),
        ...(this.#lines.length > FEW_LINES && !isLast ? [`Ctrl+S ${submitHelp}`] : []),
        ...keyHelp("cancel", "cancel"),
        ...(this.#lines.length > 1 ? ["Tab moves"] : []),
      ],
    }, { width, rows, theme });
  }

  /** The active field is always in sight, then what is said about it, then the rest. */
  #body(width: number, height: number): string[] {
    const { theme, intro = "" } = this.#options;
    const hint = this.#lines[this.#active]?.field.hint ?? "";
    const notes = [
      ...this.#wrapped(this.#problem, width).map((row) => theme.paint("error", row)),
      ...(this.#problem === "" ? this.#wrapped(hint, width) : []).map((row) =>
        theme.paint("dim", row)
      ),
    ];
    const spare = Math.max(0, height - this.#lines.length);
    const shownNotes = notes.slice(0, Math.max(spare, Math.min(notes.length, height - 1, 2)));
    const introRows = this.#wrapped(intro, width).slice(0, Math.max(0, spare - shownNotes.length));
    const room = Math.max(1, height - shownNotes.length - introRows.length);
    const { from, to } = listWindow(this.#lines.length, this.#active, room, this.#start);
    this.#start = from;
    const fields = this.#lines.slice(from, to).map((line) => this.#drawLine(line, width));
    return [...introRows, ...fields, ...shownNotes];
  }

  #wrapped(text: string, width: number): readonly string[] {
    const { theme } = this.#options;
    return text === "" ? [] : wrapText(oneLine(text, theme), width);
  }

  #drawLine({ field, text }: Line, width: number): string {
    const { theme } = this.#options;
    const isActive = this.#lines[this.#active]?.field === field;
    const widest = Math.max(...this.#lines.map(({ field: { label } }) => label.length));
    const labelCells = Math.min(widest, Math.floor(width / 2) - 2);
    const mark = isActive ? theme.glyph("cursor") : " ";
    const label = fitText(field.label.padEnd(Math.max(0, labelCells)), labelCells, theme);
    const start = width < 12 ? "" : `${mark} ${label} `;
    const value = text.render({
      width: width - start.length,
      theme,
      hasCursor: isActive && this.focused,
      ...(field.isSecret === undefined ? {} : { isSecret: field.isSecret }),
      ...(field.placeholder === undefined ? {} : { placeholder: field.placeholder }),
    });
    return theme.paint(isActive ? "accent" : "dim", start) + value;
  }

  #move(by: number): void {
    const count = this.#lines.length;
    this.#active = (this.#active + by + count) % count;
    this.#problem = "";
  }

  #confirm(): void {
    const isLast = this.#active === this.#lines.length - 1;
    // Nobody has to look for what is wrong in fields that they have left.
    if (isLast) return this.#submit();
    const problem = this.#problemIn(this.#lines.slice(this.#active, this.#active + 1));
    if (!problem) this.#move(1);
  }

  #submit(): void {
    if (!this.#problemIn(this.#lines)) this.#options.onSubmit(this.values);
  }

  /** Whether something is wrong, which is shown then. */
  #problemIn(lines: readonly Line[]): boolean {
    const { values } = this;
    for (const { field } of lines) {
      const problem = field.check?.(values[field.key] ?? "", values);
      if (problem === undefined) continue;
      this.setProblem(problem, field.key);
      return true;
    }
    return false;
  }
}

/**
 * Makes a panel that asks for one line.
 *
 * @param field What is asked for.
 * @param options The same as for a form; the answer is the line alone.
 */
export function createInputPanel(
  field: Omit<FormField, "key">,
  options: Omit<FormPanelOptions, "fields" | "onSubmit"> & {
    readonly onSubmit: (value: string) => void;
  },
): FormPanel {
  return new FormPanel({
    ...options,
    fields: [{ ...field, key: "value" }],
    onSubmit: ({ value = "" }) => options.onSubmit(value),
  });
}
