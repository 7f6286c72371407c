import assert from "node:assert/strict";
import { ROOT } from "./support/paths.ts";

const MENTION_REGEXP = /\bdeno@([\w.-]*\d)/g;

Deno.test("findDenoMentions() finds versions in commands", () => {
  assert.deepEqual(findDenoMentions("Run `npx -y deno@2.9.5 task test`, or deno@latest."), [
    "2.9.5",
  ]);
});

Deno.test("Every command that names a version of Deno names the one in .deno-version", async () => {
  const version = (await Deno.readTextFile(`${ROOT}/.deno-version`)).trim();
  assert.match(version, /^\d+\.\d+\.\d+$/);
  for (const file of await listDocuments()) {
    for (const mention of findDenoMentions(await Deno.readTextFile(`${ROOT}/${file}`))) {
      assert.equal(mention, version, file);
    }
  }
});

function findDenoMentions(text: string): readonly string[] {
  return [...text.matchAll(MENTION_REGEXP)].flatMap(([, version]) => version ?? []);
}

async function listDocuments(): Promise<readonly string[]> {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md", ".ci"];
  const { stdout, success } = await new Deno.Command("git", { args, cwd: ROOT }).output();
  assert.ok(success);
  return new TextDecoder().decode(stdout).split("\0").filter((name) => name !== "");
}
