import assert from "node:assert/strict";
import { saveBlob } from "../../../core/mcp/save_blob.ts";
import { withTempDir } from "../../support/temp.ts";

Deno.test("saveBlob() stores bytes once, under a name that says what they are", async () => {
  await withTempDir(async (workspace) => {
    const bytes = new Uint8Array([1, 2, 3]);
    const path = await saveBlob(workspace, bytes, "audio/x-wav");
    assert.match(path, /^\.alisio\/cache\/mcp\/[0-9a-f]{16}\.wav$/);
    assert.deepEqual(await Deno.readFile(`${workspace}/${path}`), bytes);
    assert.equal(await saveBlob(workspace, bytes, "audio/x-wav"), path);
  });
});

Deno.test("saveBlob() takes no name from what a server says", async () => {
  await withTempDir(async (workspace) => {
    for (const mimeType of ["../../../etc", "application/../../x", "", "a/b.c/d", "x/y z"]) {
      assert.match(
        await saveBlob(workspace, new TextEncoder().encode(mimeType), mimeType),
        /^\.alisio\/cache\/mcp\/[0-9a-f]{16}\.[a-z0-9]+$/,
      );
    }
  });
});

Deno.test("saveBlob() lets the oldest make room", async () => {
  await withTempDir(async (workspace) => {
    for (let count = 0; count < 120; count++) {
      await saveBlob(workspace, new TextEncoder().encode(String(count)), "text/plain");
    }
    assert.equal(
      (await Array.fromAsync(Deno.readDir(`${workspace}/.alisio/cache/mcp`))).length,
      100,
    );
  });
});

Deno.test("saveBlob() follows no link out of the workspace", async () => {
  await withTempDir(async (folder) => {
    await Deno.mkdir(`${folder}/ws/.alisio/cache`, { recursive: true });
    await Deno.mkdir(`${folder}/outside`);
    await Deno.symlink(`${folder}/outside`, `${folder}/ws/.alisio/cache/mcp`);
    await assert.rejects(() => saveBlob(`${folder}/ws`, new Uint8Array([1]), "text/plain"));
    assert.deepEqual(await Array.fromAsync(Deno.readDir(`${folder}/outside`)), []);
  });
});

Deno.test("saveBlob() stores no configured secret, and every other byte (field case 117)", async () => {
  await withTempDir(async (workspace) => {
    const secret = "sk-sentinel-0000000000";
    const text = (value: string) => new TextEncoder().encode(value);
    const bytes = new Uint8Array([0, 255, ...text(`key=${secret};`), 254, 0]);
    const path = await saveBlob(workspace, bytes, "application/pdf", [secret]);
    const stored = await Deno.readFile(`${workspace}/${path}`);
    assert.deepEqual(stored, new Uint8Array([0, 255, ...text("key=[redacted];"), 254, 0]));
    const clean = new Uint8Array([0, 255, 128, 10, 13]);
    const other = await saveBlob(workspace, clean, "audio/wav", [secret]);
    assert.deepEqual(await Deno.readFile(`${workspace}/${other}`), clean);
  });
});
