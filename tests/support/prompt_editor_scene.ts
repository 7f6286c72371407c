import assert from "node:assert/strict";
import { StdinBuffer } from "@earendil-works/pi-tui/dist/stdin-buffer.js";
import { visibleWidth } from "@earendil-works/pi-tui/dist/utils.js";
import type { CommandTable, SlashCommand } from "../../tui/commands/slash_command.ts";
import { createPromptEditor } from "../../tui/editor/create_prompt_editor.ts";
import type { PromptEditor, Submission } from "../../tui/editor/prompt_editor.ts";
import { createKeyMap, type KeySettings } from "../../tui/keys/key_map.ts";
import { PasteGuard } from "../../tui/keys/paste_guard.ts";
import type { Stage } from "../../tui/stage.ts";
import { createTheme } from "../../tui/theme/create_theme.ts";
import { withTempDir } from "./temp.ts";

/** How an editor is made for a test. */
export interface PromptEditorSceneOptions {
  /** The folder of everything that the editor reads and writes. */
  readonly dir: string;
  /** `tui.keys` of the configuration. */
  readonly keys?: KeySettings;
  /** What can be typed in place of a prompt. */
  readonly commands?: readonly SlashCommand[];
  /** Environment variables beside the folders. */
  readonly env?: Readonly<Record<string, string>>;
  /** Rows of the window. */
  readonly rows?: number;
}

/** An editor, and the keyboard and the screen around it. */
export interface PromptEditorScene {
  readonly editor: PromptEditor;
  /** What was sent. */
  readonly sent: readonly Submission[];
  /** What the person was told. */
  readonly notices: readonly string[];
  /**
   * Types, and waits until it was taken.
   *
   * @param bytes What the terminal sends, at once.
   */
  type(bytes: string): Promise<void>;
  /**
   * Draws, checks that no row is too wide or holds a stray sequence, and marks the cursor by `⟦⟧`.
   *
   * @param width Columns.
   */
  draw(width: number): string;
  /**
   * Waits until something is so.
   *
   * @param isSo Looks.
   */
  until(isSo: () => boolean): Promise<void>;
}

// deno-lint-ignore no-control-regex -- the marks of the cursor
const CURSOR_REGEXP = /\x1b_pi:c\x07\x1b_pi:fc\x07(.*?)\x1b_pi:\/fc\x07/g;

/**
 * Makes a prompt editor in an empty folder, and removes both afterwards.
 *
 * @param fn Receives the editor and the folder.
 * @param options How it is made.
 */
export async function withPromptEditor(
  fn: (scene: PromptEditorScene, dir: string) => Promise<void>,
  options: Omit<PromptEditorSceneOptions, "dir"> = {},
): Promise<void> {
  await withTempDir(async (dir) => {
    const scene = createPromptEditorScene({ dir, ...options });
    try {
      await fn(scene, dir);
    } finally {
      await scene.editor.close();
    }
  });
}

/**
 * Makes a prompt editor with real parts, fed through what cuts the bytes of a real terminal.
 *
 * @param options How.
 */
function createPromptEditorScene(options: PromptEditorSceneOptions): PromptEditorScene {
  const sent: Submission[] = [];
  const notices: string[] = [];
  const waiting = new Set<() => void>();
  const notify = () => [...waiting].forEach((look) => look());
  const theme = createTheme({ depth: "none", unicode: true, background: "dark" });
  const { keys } = createKeyMap(options.keys);
  const list = options.commands ?? [];
  const table: CommandTable = {
    list: () => list,
    find: (name) => list.find((each) => each.name === name || each.aliases?.includes(name)),
  };
  const stage: Pick<Stage, "application" | "env" | "theme" | "say"> = {
    application: { workspace: options.dir } as Stage["application"],
    env: { HOME: options.dir, ALISIO_STATE_HOME: `${options.dir}/.state`, ...options.env },
    theme,
    say: (text) => {
      notices.push(text);
      notify();
    },
  };
  const editor = createPromptEditor({
    stage: stage as Stage,
    workspace: options.dir,
    keys,
    commands: () => table,
    size: () => ({ columns: 80, rows: options.rows ?? 24 }),
    redraw: notify,
    onSubmit: (submission) => {
      sent.push(submission);
      notify();
    },
  });
  editor.focused = true;
  let taken = 0;
  const guard = new PasteGuard((data) => {
    taken++;
    editor.handleInput(data);
    notify();
  });
  const buffer = new StdinBuffer();
  buffer.on("data", (data) => guard.take(data));
  buffer.on("paste", (text) => guard.take(`\x1b[200~${text}\x1b[201~`));
  const until = async (isSo: () => boolean) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => isSo() ? resolve() : undefined;
    waiting.add(look);
    look();
    const timer = setTimeout(resolve, 5_000);
    await promise;
    clearTimeout(timer);
    waiting.delete(look);
    assert.ok(isSo(), `${isSo}\n${draw(editor, 80)}`);
  };
  return {
    editor,
    sent,
    notices,
    async type(bytes) {
      const before = taken;
      buffer.process(bytes);
      await until(() => taken > before);
      guard.close();
      // What completes at once has answered by then.
      await new Promise((resolve) => setTimeout(resolve, 0));
    },
    draw: (width) => draw(editor, width),
    until,
  };
}

function draw(editor: PromptEditor, width: number): string {
  return editor.render(width).map((row) => {
    const shown = row.replace(CURSOR_REGEXP, "⟦$1⟧");
    // deno-lint-ignore no-control-regex -- nothing of it may reach the terminal
    assert.doesNotMatch(shown, /[\x00-\x1f\x7f-\x9f]/);
    assert.ok(visibleWidth(row.replaceAll(CURSOR_REGEXP, "$1")) <= width, row);
    return shown.trimEnd();
  }).join("\n");
}
