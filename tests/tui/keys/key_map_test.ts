import assert from "node:assert/strict";
import { type KeyAction, listActions } from "../../../tui/keys/bindings.ts";
import { createKeyMap, type KeySettings } from "../../../tui/keys/key_map.ts";
import { parseKey } from "../../../tui/keys/parse_key.ts";

Deno.test("ACTIONS names keys as they are spelled, and none twice where both would listen", () => {
  const shared: string[] = [];
  const seen = new Map<string, string>();
  for (const { name, scope, keys } of listActions()) {
    for (const key of keys) {
      assert.deepEqual(parseKey(key), { key }, `${name}: ${key}`);
      const other = seen.get(key);
      if (other !== undefined && scope !== "list") shared.push(`${key}: ${other}, ${name}`);
      if (scope !== "list") seen.set(key, name);
    }
  }
  assert.deepEqual(shared, [
    "ctrl+d: deleteForward, exit",
    "ctrl+b: cursorLeft, backgroundAgents",
    "ctrl+k: deleteToLineEnd, cancelAgent",
  ]);
});

const BYTES: readonly (readonly [bytes: string, action: KeyAction])[] = [
  ["\r", "send"],
  ["\x1b[13u", "send"],
  ["\n", "newLine"],
  ["\x1b\r", "newLine"],
  ["\x1b[13;2u", "newLine"],
  ["\x1b[27;2;13~", "newLine"],
  ["\x1b[106;5u", "newLine"],
  ["\x1b[Z", "nextAgent"],
  ["\x1b[9;2u", "nextAgent"],
  ["\x1f", "undo"],
  ["\x03", "clear"],
  ["\x1b[99;5u", "clear"],
  ["\x1b", "interrupt"],
  ["\x1b[27u", "interrupt"],
  ["\x07", "externalEditor"],
  ["\x16", "pasteImage"],
  ["\x1b[5~", "scrollUp"],
  ["\x1bOA", "cursorUp"],
  ["\x1b[1;5D", "wordLeft"],
  ["\x1bb", "wordLeft"],
  ["c", "copyAnswer"],
  ["\x1b[121u", "copyAnswer"],
];

Deno.test("KeyMap matches keys as old terminals and the Kitty protocol send them", () => {
  const { keys } = createKeyMap();
  for (const [bytes, action] of BYTES) {
    assert.equal(keys.matches(bytes, action), true, `${JSON.stringify(bytes)}: ${action}`);
  }
  assert.equal(keys.matches("\x1b[200~c\x1b[201~", "copyAnswer"), false);
  assert.equal(keys.matches("C", "copyAnswer"), false);
});

Deno.test("createKeyMap() binds what the person chose, and gives the key to nobody else", () => {
  const { keys, problems } = createKeyMap({
    externalEditor: ["Ctrl+O", "F4"],
    send: "ctrl+x",
    cursorUp: "ctrl+k",
  });
  assert.deepEqual(problems, [
    'No key is left for "deleteToLineEnd": Ctrl+K is bound to "cursorUp"',
    'No key is left for "focusAgents": Ctrl+X is bound to "send"',
    'No key is left for "cancelAgent": Ctrl+K is bound to "cursorUp"',
  ]);
  assert.equal(keys.label("externalEditor"), "Ctrl+O");
  assert.equal(keys.matches("\x07", "externalEditor"), false);
  assert.equal(keys.matches("\x18", "send"), true);
  assert.equal(keys.matches("\r", "send"), false);
  assert.deepEqual(keys.keys("deleteToLineEnd"), []);
  assert.equal(keys.label("deleteToLineEnd"), "");
});

const PROBLEMS: readonly (readonly [settings: KeySettings, problem: string])[] = [
  [
    { externalEditr: "ctrl+o" },
    'Cannot bind "externalEditr" of "tui.keys": there is no such action; did you mean "externalEditor"?',
  ],
  [{ "\x1b]0;x": "a" }, 'Cannot bind "\\u001b]0;x" of "tui.keys": there is no such action'],
  [{ send: "entr" }, 'Cannot bind "tui.keys.send": key "entr" is unknown; did you mean "enter"?'],
  [
    { undo: "ctrl+o", yank: "ctrl+o" },
    'Cannot bind Ctrl+O to "yank": "tui.keys" binds it to "undo" already',
  ],
  [
    { undo: "ctrl+t", nextAgent: "ctrl+t" },
    'Cannot bind Ctrl+T to "nextAgent": "tui.keys" binds it to "undo" already',
  ],
];

Deno.test("createKeyMap() tells what is wrong, and leaves every other key as it is", () => {
  for (const [settings, problem] of PROBLEMS) {
    const { keys, problems } = createKeyMap(settings);
    assert.deepEqual(problems, [problem]);
    assert.equal(keys.matches("\r", "send"), true);
  }
});

Deno.test("createKeyMap() accepts a key twice where only one of them listens at a time", () => {
  const settings = {
    listConfirm: "ctrl+o",
    undo: "ctrl+o",
    exit: "ctrl+d",
    deleteForward: "ctrl+d",
  };
  const { keys, problems } = createKeyMap(settings);
  assert.deepEqual(problems, []);
  assert.equal(keys.matches("\x0f", "undo"), true);
  assert.equal(keys.matches("\x0f", "listConfirm"), true);
  assert.equal(keys.matches("\x04", "deleteForward"), true);
});

Deno.test("createKeyMap() takes every key from an action that is given none", () => {
  const { keys, problems } = createKeyMap({ suspend: [] });
  assert.deepEqual(problems, []);
  assert.deepEqual(keys.keys("suspend"), []);
});
