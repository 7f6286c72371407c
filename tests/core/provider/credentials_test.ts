import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { join } from "node:path";
import type { StoredSession } from "../../../core/provider/auth/stored_session.ts";
import {
  readCredentials,
  writeCredential,
  writeSession,
} from "../../../core/provider/credentials.ts";
import { withTempDir, writeTree } from "../../support/temp.ts";

const SECRET = "sk-sentinel-000000000000";
const posix = Deno.build.os !== "windows";

Deno.test("readCredentials() finds no secrets where there is no file", async () => {
  await withTempDir(async (dir) => {
    deepEqual(await readCredentials(dir), { credentials: {}, sessions: {}, notices: [] });
  });
});

Deno.test("writeCredential() keeps the file and its folder private (field case 117)", async () => {
  await withTempDir(async (dir) => {
    const home = join(dir, "config");
    await Deno.mkdir(home, { mode: 0o755 });
    await writeCredential(home, "work", { apiKey: SECRET });
    if (posix) {
      equal(modeOf(join(home, "credentials.json")), 0o600);
      equal(modeOf(home), 0o700);
    }
    deepEqual((await Array.fromAsync(Deno.readDir(home))).map(({ name }) => name), [
      "credentials.json",
    ]);
  });
});

Deno.test("writeCredential() keeps the secrets of other profiles and forgets on demand", async () => {
  await withTempDir(async (dir) => {
    await writeCredential(dir, "work", { apiKey: SECRET });
    await writeCredential(dir, "home", { apiKey: "other", token: "t" });
    await writeCredential(dir, "work", { apiKey: "new" });
    deepEqual((await readCredentials(dir)).credentials, {
      work: { apiKey: "new" },
      home: { apiKey: "other", token: "t" },
    });
    await writeCredential(dir, "home", {});
    deepEqual((await readCredentials(dir)).credentials, { work: { apiKey: "new" } });
  });
});

Deno.test("writeSession() and writeCredential() keep each other's and what they do not know", async () => {
  await withTempDir(async (dir) => {
    const session: StoredSession = {
      id: "1",
      provider: "acme",
      method: "device",
      signedInAt: 1_700_000_000_000,
      credential: { type: "oauth", access: SECRET },
    };
    const path = join(dir, "credentials.json");
    await writeCredential(dir, "work", { apiKey: "k" });
    const later = { ...JSON.parse(await Deno.readTextFile(path)), later: [1] };
    await Deno.writeTextFile(path, JSON.stringify(later));
    await writeSession(dir, "account", session);
    await writeCredential(dir, "home", { apiKey: "h" });
    deepEqual(JSON.parse(await Deno.readTextFile(path)), {
      later: [1],
      schemaVersion: 1,
      credentials: { work: { apiKey: "k" }, home: { apiKey: "h" } },
      sessions: { account: session },
    });
    deepEqual((await readCredentials(dir)).sessions, { account: session });
    await writeSession(dir, "account", null);
    deepEqual((await readCredentials(dir)).sessions, {});
  });
});

Deno.test("writeCredential() loses nothing when several write at once", async () => {
  await withTempDir(async (dir) => {
    const profiles = Array.from({ length: 8 }, (_, index) => `p${index}`);
    await Promise.all(
      profiles.map((profile) => writeCredential(dir, profile, { apiKey: profile })),
    );
    const { credentials } = await readCredentials(dir);
    deepEqual(Object.keys(credentials).sort(), profiles);
  });
});

Deno.test({
  name: "readCredentials() tightens a file that others may read, and says so once",
  ignore: !posix,
  fn: async () => {
    await withTempDir(async (dir) => {
      await writeCredential(dir, "work", { apiKey: SECRET });
      const path = join(dir, "credentials.json");
      for (const mode of [0o644, 0o640, 0o604, 0o660]) {
        await Deno.chmod(path, mode);
        const { credentials, notices } = await readCredentials(dir);
        equal(modeOf(path), 0o600);
        equal(notices.length, 1);
        match(notices[0] ?? "", /credentials\.json"; its mode is now 0600$/);
        deepEqual(credentials, { work: { apiKey: SECRET } });
      }
      deepEqual((await readCredentials(dir)).notices, []);
    });
  },
});

const DAMAGED: readonly string[] = [
  `{"schemaVersion": 1, "credentials": {}, "sessions": {"work": {"access": "${SECRET}"}}}`,
  `{"schemaVersion": 1, "credentials": {"work": {"apiKey": "${SECRET}"`,
  `{"schemaVersion": 1, "credentials": {"work": "${SECRET}"}}`,
  `{"schemaVersion": 1, "credentials": {"work": {"apiKey": ["${SECRET}"]}}}`,
  `{"schemaVersion": 2, "credentials": {"work": {"apiKey": "${SECRET}"}}}`,
  `{"work": "${SECRET}"}`,
  "",
];

for (const content of DAMAGED) {
  Deno.test(`readCredentials() refuses ${JSON.stringify(content.slice(0, 40))} without quoting it (field case 117)`, async () => {
    await withTempDir(async (dir) => {
      await writeTree(dir, { "credentials.json": content });
      const refusal = (error: Error): boolean => {
        match(error.message, /^Cannot read credentials ".*credentials\.json": it is damaged/);
        equal(error.message.includes("sk-"), false);
        equal(error.cause, undefined);
        return true;
      };
      await rejects(readCredentials(dir), refusal);
      await rejects(writeCredential(dir, "home", { apiKey: "x" }), refusal);
      equal(await Deno.readTextFile(join(dir, "credentials.json")), content);
    });
  });
}

function modeOf(path: string): number {
  return (Deno.statSync(path).mode ?? 0) & 0o777;
}
