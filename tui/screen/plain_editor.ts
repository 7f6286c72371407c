import type { TUI } from "@earendil-works/pi-tui";
import { Editor } from "@earendil-works/pi-tui/dist/components/editor.js";
import type { PromptEditor, PromptEditorPorts } from "../editor/prompt_editor.ts";

/** An editor for prompts without completion or history. */
export class PlainEditor extends Editor implements PromptEditor {
  /** @param ports What it works with. */
  constructor(ports: PromptEditorPorts) {
    const { stage, size, redraw, onSubmit } = ports;
    const window = {
      requestRender: redraw,
      terminal: {
        get rows() {
          return size().rows;
        },
      },
    };
    const paint = (text: string): string => stage.theme.paint("border", text);
    super(window as unknown as TUI, {
      borderColor: paint,
      selectList: {
        selectedPrefix: paint,
        selectedText: paint,
        description: paint,
        scrollInfo: paint,
        noMatch: paint,
      },
    });
    this.onSubmit = (prompt) => onSubmit({ prompt });
  }

  text(): string {
    return this.getExpandedText();
  }

  isCompleting(): boolean {
    return false;
  }

  attachments(): readonly string[] {
    return [];
  }
}
