import { type Desktop, findDesktops } from "./desktop.ts";
import { runTool, type Tool, type ToolPlace } from "../process/run_tool.ts";

/** Terminals take no longer sequence for the clipboard, and most of them less. */
const MAX_SEQUENCE_BYTES = 1_000_000;

/** What a text is copied with. */
export interface CopyPorts extends ToolPlace {
  /**
   * Sends a sequence to the terminal.
   *
   * @param sequence The sequence.
   */
  readonly write: (sequence: string) => void;
  /** @default Deno.build.os */
  readonly os?: typeof Deno.build.os;
}

/**
 * Puts a text on the clipboard of the person: through the programs of the desktop, through tmux, or
 * else through the terminal, which tells nobody whether it did.
 *
 * @param text The text.
 * @param ports What with.
 * @returns What it was done with, for the person.
 * @throws {RangeError} If nothing can take that much. Its message is for the person.
 */
export async function copyText(text: string, ports: CopyPorts): Promise<string> {
  const desktops = findDesktops(ports.env, ports.os ?? Deno.build.os);
  for (
    const tool of [...desktops.flatMap((desktop) => TOOLS[desktop](text)), ...tmux(text, ports)]
  ) {
    if ((await runTool(tool, ports)).status === "done") return `Copied (${tool.program})`;
  }
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > MAX_SEQUENCE_BYTES) {
    throw new RangeError(
      "Cannot copy: no program for the clipboard was found, and the text is too long for the " +
        "terminal; install wl-copy, xclip or xsel",
    );
  }
  ports.write(`\x1b]52;c;${bytes.toBase64()}\x07`);
  return "Copied (OSC 52, unverified)";
}

const TOOLS: Readonly<Record<Desktop, (text: string) => readonly Tool[]>> = {
  wayland: (text) => [{ program: "wl-copy", args: [], input: utf8(text) }],
  x11: (text) => [
    { program: "xclip", args: ["-selection", "clipboard"], input: utf8(text) },
    { program: "xsel", args: ["-b", "-i"], input: utf8(text) },
  ],
  macos: (text) => [{ program: "pbcopy", args: [], input: utf8(text) }],
  windows: windowsTools,
  wsl: windowsTools,
};

function windowsTools(text: string): readonly Tool[] {
  return [
    { program: "clip.exe", args: [], input: utf16(text) },
    {
      program: "powershell.exe",
      args: [
        ...["-NoProfile", "-NonInteractive", "-Command"],
        "[Console]::InputEncoding = [Text.Encoding]::UTF8; " +
        "Set-Clipboard -Value ([Console]::In.ReadToEnd())",
      ],
      input: utf8(text),
      timeoutMs: 10_000,
    },
  ];
}

/** It hands the text on to its terminal. */
function tmux(text: string, { env }: CopyPorts): readonly Tool[] {
  if ((env.TMUX ?? "") === "") return [];
  return [{ program: "tmux", args: ["load-buffer", "-w", "-"], input: utf8(text) }];
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** With the mark by which Windows knows it. */
function utf16(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(2 + text.length * 2);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, 0xfeff, true);
  for (let index = 0; index < text.length; index++) {
    view.setUint16(2 + index * 2, text.charCodeAt(index), true);
  }
  return bytes;
}
