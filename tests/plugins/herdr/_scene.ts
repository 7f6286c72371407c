import type { HerdrPane } from "../../../plugins/herdr/pane.ts";
import { type FakeBehaviour, type FakeHerdr, startHerdr } from "../../support/fake_herdr.ts";
import { withTempDir } from "../../support/temp.ts";

/**
 * Calls `fn` inside a pane of Herdr.
 *
 * @param behaviour What its server does.
 * @param fn The test.
 */
export async function inPane(
  behaviour: FakeBehaviour,
  fn: (herdr: FakeHerdr, pane: HerdrPane) => Promise<void>,
): Promise<void> {
  await withTempDir(async (dir) => {
    await using herdr = await startHerdr(dir, behaviour);
    await fn(herdr, {
      id: herdr.env.HERDR_PANE_ID ?? "",
      program: herdr.env.HERDR_BIN_PATH ?? "",
      env: herdr.env,
    });
  });
}
