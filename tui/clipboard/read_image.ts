import { type Desktop, findDesktops } from "./desktop.ts";
import { runTool, type Tool, type ToolPlace } from "../process/run_tool.ts";

/** What a clipboard holds. */
export type ClipboardImage =
  | { readonly status: "image"; readonly bytes: Uint8Array<ArrayBuffer> }
  /** No image. */
  | { readonly status: "none" }
  /** Nothing that could tell. */
  | { readonly status: "unavailable" };

/** How the clipboard is read. */
export interface ReadImageOptions extends ToolPlace {
  /** A larger image is none. */
  readonly maxBytes: number;
  /** @default Deno.build.os */
  readonly os?: typeof Deno.build.os;
}

const TYPES_REGEXP = /^image\/(?:png|jpeg|gif|webp)$/;
const MAX_LIST_BYTES = 64 * 1024;
const WINDOWS_MS = 10_000;

const WINDOWS_SCRIPT = "Add-Type -AssemblyName System.Windows.Forms, System.Drawing; " +
  "$image = [Windows.Forms.Clipboard]::GetImage(); if ($image) { " +
  "$stream = New-Object IO.MemoryStream; " +
  "$image.Save($stream, [Drawing.Imaging.ImageFormat]::Png); " +
  "[Convert]::ToBase64String($stream.ToArray()) }";

/**
 * Reads the image on the clipboard.
 *
 * @param options How.
 */
export async function readClipboardImage(options: ReadImageOptions): Promise<ClipboardImage> {
  let isKnown = false;
  for (const desktop of findDesktops(options.env, options.os ?? Deno.build.os)) {
    const found = await READERS[desktop](options);
    if (found.status === "image") return found;
    isKnown ||= found.status === "none";
  }
  return { status: isKnown ? "none" : "unavailable" };
}

type Reader = (options: ReadImageOptions) => Promise<ClipboardImage>;

const READERS: Readonly<Record<Desktop, Reader>> = {
  wayland: (options) =>
    readTyped(options, "wl-paste", ["--list-types"], (type) => ["--type", type]),
  x11: (options) => {
    const args = ["-selection", "clipboard", "-o", "-t"];
    return readTyped(options, "xclip", [...args, "TARGETS"], (type) => [...args, type]);
  },
  macos: readMac,
  windows: readWindows,
  wsl: readWindows,
};

/** A program that lists the forms that the clipboard offers, and prints one of them. */
async function readTyped(
  options: ReadImageOptions,
  program: string,
  listArgs: readonly string[],
  readArgs: (type: string) => readonly string[],
): Promise<ClipboardImage> {
  const listed = await runTool(
    { program, args: listArgs, maxOutputBytes: MAX_LIST_BYTES },
    options,
  );
  if (listed.status === "missing") return { status: "unavailable" };
  // An empty clipboard counts as a failure for some.
  if (listed.status === "failed") return { status: "none" };
  const types = new TextDecoder().decode(listed.output).split("\n").map((line) => line.trim());
  const type = types.find((each) => TYPES_REGEXP.test(each));
  if (type === undefined) return { status: "none" };
  return await readBytes({ program, args: readArgs(type) }, options, (bytes) => bytes);
}

async function readMac(options: ReadImageOptions): Promise<ClipboardImage> {
  const first = await readBytes({ program: "pngpaste", args: ["-"] }, options, (bytes) => bytes);
  if (first.status !== "unavailable") return first;
  const args = ["-e", "get the clipboard as «class PNGf»"];
  return await readBytes({ program: "osascript", args }, options, (bytes) => {
    const [, hex] = /^«data PNGf([0-9A-F]+)»\s*$/.exec(new TextDecoder().decode(bytes)) ?? [];
    return hex === undefined ? null : Uint8Array.fromHex(hex);
  }, 2);
}

async function readWindows(options: ReadImageOptions): Promise<ClipboardImage> {
  const args = ["-NoProfile", "-NonInteractive", "-STA", "-Command", WINDOWS_SCRIPT];
  const tool = { program: "powershell.exe", args, timeoutMs: WINDOWS_MS };
  return await readBytes(tool, options, (bytes) => {
    const text = new TextDecoder().decode(bytes).trim();
    return /^[A-Za-z0-9+/=]+$/.test(text) ? Uint8Array.fromBase64(text) : null;
  }, 2);
}

async function readBytes(
  tool: Tool,
  options: ReadImageOptions,
  decode: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer> | null,
  growth = 1,
): Promise<ClipboardImage> {
  // One more byte than allowed tells that it is too large.
  const maxOutputBytes = (options.maxBytes + 1) * growth + 1_024;
  const result = await runTool({ timeoutMs: 5_000, ...tool, maxOutputBytes }, options);
  if (result.status === "missing") return { status: "unavailable" };
  if (result.status === "failed" || result.output.length === 0) return { status: "none" };
  try {
    const bytes = decode(result.output);
    return bytes === null ? { status: "none" } : { status: "image", bytes };
  } catch {
    return { status: "none" };
  }
}
