import assert from "node:assert/strict";
import { createKeyMap } from "../../../tui/keys/key_map.ts";
import { LetterKeys } from "../../../tui/keys/letter_keys.ts";

function createScene() {
  const ran = Promise.withResolvers<string>();
  const scene = { text: "", ran: ran.promise };
  const letters = new LetterKeys({
    keys: createKeyMap({ toggleLast: ["x", "f5"] }).keys,
    text: () => scene.text,
    erase: () => scene.text = "",
  });
  const press = (data: string): boolean => {
    const isTaken = letters.press(data, {
      copyAnswer: () => ran.resolve("copied"),
      toggleLast: () => ran.resolve("toggled"),
    });
    if (!isTaken) scene.text += data.startsWith("\x1b") ? "c" : data;
    return isTaken;
  };
  return { scene, press, letters };
}

Deno.test("LetterKeys runs an action when nothing follows its letter", async () => {
  for (const letter of ["c", "\x1b[99u", "\x1b[99;1u"]) {
    const { scene, press } = createScene();
    assert.equal(press(letter), false);
    assert.equal(scene.text, "c");
    assert.equal(await scene.ran, "copied");
    assert.equal(scene.text, "");
  }
});

Deno.test("LetterKeys leaves a word alone that begins with a letter", async () => {
  const { scene, press, letters } = createScene();
  for (const letter of "can") press(letter);
  const timer = Promise.withResolvers<string>();
  const id = setTimeout(() => timer.resolve("nothing"), 500);
  assert.equal(await Promise.race([scene.ran, timer.promise]), "nothing");
  clearTimeout(id);
  assert.equal(scene.text, "can");
  letters.cancel();
});

Deno.test("LetterKeys leaves a letter alone that had nothing to do", async () => {
  const ran = Promise.withResolvers<void>();
  let text = "";
  const letters = new LetterKeys({
    keys: createKeyMap().keys,
    text: () => text,
    erase: () => assert.fail("the letter is taken away"),
  });
  letters.press("x", {
    toggleLast: () => {
      ran.resolve();
      return false;
    },
  });
  text = "x";
  await ran.promise;
  assert.equal(text, "x");
});

Deno.test("LetterKeys runs an action at once on a key that is no letter", async () => {
  const { scene, press } = createScene();
  assert.equal(press("\x1b[15~"), true);
  assert.equal(await scene.ran, "toggled");
  assert.equal(scene.text, "");
});
