import type { Theme } from "../theme/theme.ts";
import { ConfirmPanel, type ConfirmPanelOptions } from "./confirm_panel.ts";
import {
  createInputPanel,
  type FormField,
  FormPanel,
  type FormPanelOptions,
} from "./form_panel.ts";
import { ListPicker, type ListPickerOptions } from "./list_picker.ts";
import type { PanelHost } from "./panel.ts";
import { TextPanel, type TextPanelOptions } from "./text_panel.ts";

/** Where a panel is shown, and in what colours. */
export interface PanelPlace {
  readonly panels: PanelHost;
  readonly theme: Theme;
}

/** What takes a panel back. */
interface Withdrawal {
  readonly signal?: AbortSignal;
}

/**
 * Lets the person choose from a list.
 *
 * @param place Where.
 * @param options The list.
 * @returns What the chosen line means; undefined if they left.
 */
export async function pickFromList<T>(
  { panels, theme }: PanelPlace,
  { signal, ...options }:
    & Omit<ListPickerOptions<T>, "theme" | "frame" | "onChoose" | "onCancel">
    & Withdrawal,
): Promise<T | undefined> {
  return await panels.open<T>((done, frame) =>
    new ListPicker({
      ...options,
      theme,
      frame,
      onChoose: ({ value }) => done(value),
      onCancel: () => done(undefined),
    }), kindOf(signal));
}

/**
 * Lets the person read a text.
 *
 * @param place Where.
 * @param options The text.
 */
export async function showText(
  { panels, theme }: PanelPlace,
  { signal, ...options }: Omit<TextPanelOptions, "theme" | "frame" | "onClose"> & Withdrawal,
): Promise<void> {
  await panels.open<never>(
    (done, frame) => new TextPanel({ ...options, theme, frame, onClose: () => done(undefined) }),
    kindOf(signal),
  );
}

/**
 * Lets the person fill in a form.
 *
 * @param place Where.
 * @param options The form.
 * @returns What stands in each field by its key; undefined if they left.
 */
export async function fillInForm(
  { panels, theme }: PanelPlace,
  { signal, ...options }:
    & Omit<FormPanelOptions, "theme" | "frame" | "onSubmit" | "onCancel">
    & Withdrawal,
): Promise<Readonly<Record<string, string>> | undefined> {
  return await panels.open<Readonly<Record<string, string>>>(
    (done, frame) =>
      new FormPanel({ ...options, theme, frame, onSubmit: done, onCancel: () => done(undefined) }),
    kindOf(signal),
  );
}

/**
 * Asks the person for one line.
 *
 * @param place Where.
 * @param title What it is about.
 * @param field The line.
 * @returns The line without blanks around; undefined if they left.
 */
export async function askLine(
  { panels, theme }: PanelPlace,
  title: string,
  { signal, ...field }: Omit<FormField, "key"> & Withdrawal,
): Promise<string | undefined> {
  return await panels.open<string>((done, frame) =>
    createInputPanel(field, {
      title,
      theme,
      frame,
      onSubmit: done,
      onCancel: () => done(undefined),
    }), kindOf(signal));
}

/**
 * Asks the person to confirm something.
 *
 * @param place Where.
 * @param options What.
 * @returns Whether they did; leaving is a no.
 */
export async function askToConfirm(
  { panels, theme }: PanelPlace,
  { signal, ...options }: Omit<ConfirmPanelOptions, "theme" | "frame" | "onAnswer"> & Withdrawal,
): Promise<boolean> {
  const answer = await panels.open<boolean>(
    (done, frame) => new ConfirmPanel({ ...options, theme, frame, onAnswer: done }),
    kindOf(signal),
  );
  return answer === true;
}

function kindOf(signal: AbortSignal | undefined): {
  readonly kind: "person";
  readonly signal?: AbortSignal;
} {
  return signal === undefined ? { kind: "person" } : { kind: "person", signal };
}
