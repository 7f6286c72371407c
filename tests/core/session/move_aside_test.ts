import assert from "node:assert/strict";
import { join } from "node:path";
import { fileIdentity, moveAside } from "../../../core/session/move_aside.ts";
import { withTempDir } from "../../support/temp.ts";

Deno.test("moveAside() moves a file with its log and never over another", async () => {
  await withTempDir((dir) => {
    const path = join(dir, "a.sqlite");
    const targets = [1, 2].map((round) => {
      for (const ending of ["", "-wal"]) Deno.writeTextFileSync(path + ending, `${round}${ending}`);
      return moveAside(path, fileIdentity(path)) ?? "";
    });
    for (const [index, target] of targets.entries()) {
      assert.match(target, /a\.sqlite\.damaged-\d{8}T\d{6}Z(?:-2)?$/);
      assert.equal(Deno.readTextFileSync(target), `${index + 1}`);
      assert.equal(Deno.readTextFileSync(`${target}-wal`), `${index + 1}-wal`);
    }
    assert.notEqual(targets[0], targets[1]);
    assert.throws(() => Deno.statSync(path), Deno.errors.NotFound);
  });
});

Deno.test("moveAside() leaves a file alone that somebody else has put there", async () => {
  await withTempDir((dir) => {
    const path = join(dir, "a.sqlite");
    Deno.writeTextFileSync(path, "damaged");
    const identity = fileIdentity(path);
    // Kept, so that its number is not given to the new file.
    Deno.renameSync(path, join(dir, "moved"));
    assert.equal(moveAside(path, identity), undefined);
    Deno.writeTextFileSync(path, "new");
    assert.equal(moveAside(path, identity), undefined);
    assert.equal(Deno.readTextFileSync(path), "new");
  });
});
