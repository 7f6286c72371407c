export type { KeyAction } from "../keys/bindings.ts";
export type { KeyMap } from "../keys/key_map.ts";
