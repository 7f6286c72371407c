import assert from "node:assert/strict";
import { FrameGuard } from "../../../tui/screen/frame_guard.ts";

function createGuard() {
  const seen: string[] = [];
  const guard = new FrameGuard({
    again: () => seen.push("again"),
    giveUp: (error) => seen.push(String(error)),
  });
  const good = () => guard.run(() => {});
  const bad = (message: string) =>
    guard.run(() => {
      throw new Error(message);
    });
  return { seen, good, bad };
}

Deno.test("FrameGuard draws again, and gives up once at the third failure in a row", () => {
  const { seen, bad } = createGuard();
  for (const message of ["1", "2", "3", "4"]) bad(message);
  assert.deepEqual(seen, ["again", "again", "Error: 3"]);
});

Deno.test("FrameGuard counts anew after a frame that was drawn", () => {
  const { seen, good, bad } = createGuard();
  for (let count = 0; count < 5; count++) {
    bad("1");
    bad("2");
    good();
  }
  assert.deepEqual(new Set(seen), new Set(["again"]));
});
