import assert from "node:assert/strict";
import { findImagePaths } from "../../../tui/editor/pasted_images.ts";
import { type PromptEditorScene, withPromptEditor } from "../../support/prompt_editor_scene.ts";
import { SAMPLE_IMAGES } from "../../support/sample_images.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

const PLACE = { root: "/work", home: "/home/me" };

const PATHS: readonly (readonly [pasted: string, paths: readonly string[]])[] = [
  ["/a/b.png", ["/a/b.png"]],
  ["/a/with space.PNG \n", ["/a/with space.PNG"]],
  ["/a/with\\ space.png", ["/a/with space.png"]],
  ["'/a/one two.jpg' \"/b.gif\"", ["/a/one two.jpg", "/b.gif"]],
  ["/a.webp\n/b.jpeg", ["/a.webp", "/b.jpeg"]],
  ["file:///a/with%20space.png", ["/a/with space.png"]],
  ["~/shot.png", ["/home/me/shot.png"]],
  ["shots/a.png", ["/work/shots/a.png"]],
  ["https://example.com/a.png", []],
  ["see /a/b.png", ["/work/see /a/b.png"]],
  ["look at /a.png and /b.png", []],
  ["/a/b.txt", []],
  ["", []],
  ["'/a.png", []],
];

Deno.test("findImagePaths() finds what names nothing but images", () => {
  for (const [pasted, paths] of PATHS) {
    assert.deepEqual(findImagePaths(pasted, PLACE), paths, pasted);
  }
});

async function paste({ type }: PromptEditorScene, text: string): Promise<void> {
  await type(`\x1b[200~${text}\x1b[201~`);
}

Deno.test("PromptEditor attaches pasted files of images, and removes the last one", () =>
  withPromptEditor(async (scene, dir) => {
    await writeTree(dir, { "a.png": SAMPLE_IMAGES.png, "b c.txt.jpg": SAMPLE_IMAGES.gif });
    await scene.type("what is this?");
    await paste(scene, `${dir}/a.png`);
    await paste(scene, "'b c.txt.jpg'");
    await scene.until(() => scene.editor.attachments().length === 2);
    assert.deepEqual(scene.editor.attachments(), [
      "[1] image/png 3x2, 0.0 KB",
      "[2] image/gif 3x2, 0.0 KB",
    ]);
    await scene.type("\x12");
    assert.deepEqual(scene.editor.attachments(), ["[1] image/png 3x2, 0.0 KB"]);
    await scene.type("\r");
    await scene.until(() => scene.sent.length === 1);
    assert.deepEqual(scene.sent, [{ prompt: "what is this?" }]);
    const [image, ...others] = scene.editor.takeImages();
    assert.deepEqual(image, {
      type: "image",
      mimeType: "image/png",
      data: SAMPLE_IMAGES.png.toBase64(),
    });
    assert.deepEqual([others, scene.editor.takeImages(), scene.editor.attachments()], [[], [], []]);
  }));

Deno.test("PromptEditor takes the name of a missing file for text", () =>
  withPromptEditor(async (scene) => {
    await paste(scene, "missing.png");
    await scene.until(() => scene.editor.text() === "missing.png");
    assert.deepEqual(scene.notices, []);
  }));

Deno.test("PromptEditor refuses one image, and keeps the others and the text", () =>
  withPromptEditor(async (scene, dir) => {
    const large = new Uint8Array(5 * 1024 * 1024 + 1);
    large.set(SAMPLE_IMAGES.png);
    const whole = large.slice(1);
    whole.set(SAMPLE_IMAGES.png);
    await writeTree(dir, { "large.png": large, "whole.png": whole, "text.png": "hello" });
    await scene.type("draft");
    await paste(scene, "whole.png");
    await paste(scene, "large.png");
    await paste(scene, "text.png");
    await scene.until(() => scene.notices.length === 2);
    for (let count = 0; count < 4; count++) await paste(scene, "whole.png");
    await scene.until(() => scene.notices.length === 3);
    assert.deepEqual(scene.notices, [
      "Cannot attach the image: it is larger than 5 MB",
      "Cannot attach the image: it is no PNG, JPEG, GIF or WebP image",
      "Cannot attach the image: a prompt takes 4 of them; send it, or remove one first",
    ]);
    assert.equal(scene.editor.text(), "draft");
    assert.equal(scene.editor.attachments()[3], "[4] image/png 3x2, 5.0 MB");
  }));

Deno.test({
  name: "PromptEditor attaches the image on the clipboard, or says why there is none",
  ignore: Deno.build.os === "windows",
}, () =>
  withTempDir(async (dir) => {
    const env = { WAYLAND_DISPLAY: "w", PATH: `${dir}/bin` };
    await withPromptEditor(async (scene) => {
      await scene.type("draft\x16");
      await scene.until(() => scene.notices.length === 1);
      assert.match(
        scene.notices[0] ?? "",
        /^Cannot look at the clipboard: no program for it can be started/,
      );
      await Deno.mkdir(`${dir}/bin`, { mode: 0o755 });
      await Deno.writeFile(`${dir}/image`, SAMPLE_IMAGES.webpLossy);
      const script = "#!/bin/sh\nPATH=/bin:/usr/bin\n" +
        `[ "$1" = --list-types ] && echo image/webp || cat ${dir}/image\n`;
      await Deno.writeTextFile(`${dir}/bin/wl-paste`, script, { mode: 0o755 });
      await scene.type("\x16");
      await scene.until(() => scene.editor.attachments().length === 1);
      assert.deepEqual(scene.editor.attachments(), ["[1] image/webp 3x2, 0.0 KB"]);
      await Deno.writeTextFile(`${dir}/bin/wl-paste`, "#!/bin/sh\necho text/plain\n");
      await scene.type("\x16");
      await scene.until(() => scene.notices.length === 2);
      assert.equal(scene.notices[1], "There is no image on the clipboard");
      assert.equal(scene.editor.text(), "draft");
    }, { env });
  }));

Deno.test("PromptEditor puts images back that could not be sent", () =>
  withPromptEditor(async (scene, dir) => {
    await writeTree(dir, { "a.png": SAMPLE_IMAGES.png });
    await paste(scene, "a.png");
    await scene.until(() => scene.editor.attachments().length === 1);
    scene.editor.putImagesBack(scene.editor.takeImages());
    assert.equal(scene.editor.attachments().length, 1);
  }));
