import assert from "node:assert/strict";
import { join } from "node:path";
import { type Application, createApplication } from "../../core/application.ts";
import type { ApplicationOptions } from "../../core/application_options.ts";
import { createStandardTools, loadSchemaValidator } from "../../tools/standard_tools.ts";
import { withTempDir, writeTree } from "../support/temp.ts";

const ignore = Deno.build.os === "windows";

/** A workspace `ws` in a folder with `config` and `state`. */
interface Scene {
  readonly folder: string;
  open(options?: Partial<ApplicationOptions>): Promise<Application>;
  call(
    application: Application,
    name: string,
    input: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly text: string; readonly isError: boolean }>;
}

async function withScene(body: (scene: Scene) => Promise<void>): Promise<void> {
  await withTempDir(async (folder) => {
    await writeTree(folder, { "ws/file.txt": "text\n" });
    const opened: Application[] = [];
    try {
      await body({
        folder,
        async open(options = {}) {
          const application = await createApplication({
            cwd: join(folder, "ws"),
            env: {
              HOME: folder,
              PATH: Deno.env.get("PATH") ?? "",
              ALISIO_CONFIG_HOME: join(folder, "config"),
              ALISIO_STATE_HOME: join(folder, "state"),
            },
            allowWrite: true,
            tools: createStandardTools,
            plugins: [],
            loadValidator: loadSchemaValidator,
            ...options,
          });
          opened.push(application);
          return application;
        },
        async call(application, name, input) {
          const outcome = await application.gate.call(
            { id: crypto.randomUUID(), name, arguments: JSON.stringify(input) },
            {
              sessionId: "s1",
              signal: new AbortController().signal,
              emit: () => {},
              recordStart: () => {},
              recordDecision: () => {},
              pauseWhile: (wait) => wait(),
            },
          );
          const [first] = outcome.content;
          return { text: first?.type === "text" ? first.text : "", isError: outcome.isError };
        },
      });
    } finally {
      for (const application of opened) await application.close();
    }
  });
}

/** Tries to create or change a file, whose content the caller knows to be absent. */
function write(scene: Scene, application: Application, path: string) {
  return scene.call(application, "write_file", { path, content: "{}", expectedHash: null });
}

Deno.test(
  "createApplication() protects its own files wherever links and flags put them (field case 81)",
  { ignore },
  async () => {
    await withScene(async (scene) => {
      const { folder } = scene;
      await writeTree(folder, { "config/x": "", "ws/shared/config.json": "{}" });
      const at = (path: string) => join(folder, path);
      // Missing files at the end of the links: nothing but the protection is in the way.
      await Deno.symlink(at("ws/dotfiles.json"), at("config/config.json"));
      await Deno.symlink(at("ws/keys.json"), at("config/credentials.json"));
      await Deno.symlink(at("ws/shared"), at("ws/.alisio"));
      await writeTree(folder, { "ws/explicit.json": "{}", "ws/dotfiles.json": "{}" });
      const application = await scene.open({
        config: at("ws/explicit.json"),
        db: at("ws/data/my.sqlite"),
        addDir: [folder],
      });
      await Deno.remove(at("ws/explicit.json"));
      await Deno.remove(at("ws/dotfiles.json"));
      const refused = [
        "explicit.json",
        "dotfiles.json",
        "keys.json",
        "shared/new.json",
        ".alisio/new.json",
        "data/my.sqlite-journal",
        "data/locks/a.lock",
        at("config/new.json"),
        at("config/config.json.bak"),
        at("state/trust.json"),
        at("state/trust.json.bak"),
      ];
      for (const path of refused) {
        const { text, isError } = await write(scene, application, path);
        assert.ok(isError && text.startsWith("Refused: "), `${path}: ${text}`);
      }
      // What lies beside them is the person's.
      for (const path of ["data/mine.txt", "sharedness.json", at("configs/new.json")]) {
        const { text, isError } = await write(scene, application, path);
        assert.equal(isError, false, `${path}: ${text}`);
      }
    });
  },
);

Deno.test("createApplication() opens no copy of stored keys for a tool", { ignore }, async () => {
  await withScene(async (scene) => {
    const temporary = ".alisio-1-0123456789abcdef.tmp";
    await writeTree(scene.folder, {
      "config/credentials.json": "{}",
      "config/credentials.json.bak": "key",
      [`config/${temporary}`]: "key",
      "config/notes.txt": "notes",
    });
    const application = await scene.open({ addDir: [join(scene.folder, "config")] });
    for (const name of ["credentials.json", "credentials.json.bak", temporary]) {
      const path = join(scene.folder, "config", name);
      const { text, isError } = await scene.call(application, "read_file", { path });
      assert.ok(isError && /holds stored keys/.test(text), text);
    }
    const found = await scene.call(application, "search_text", {
      pattern: "key|notes",
      path: join(scene.folder, "config"),
    });
    assert.deepEqual(JSON.parse(found.text).matches.map(({ text }: { text: string }) => text), [
      "notes",
    ]);
    const path = join(scene.folder, "config/notes.txt");
    assert.equal((await scene.call(application, "read_file", { path })).isError, false);
  });
});

Deno.test("createApplication() opens no renewed session for a tool", { ignore }, async () => {
  await withScene(async (scene) => {
    const folder = join(scene.folder, "state", "sign-in");
    await writeTree(scene.folder, {
      "state/sign-in/renewed.json": "token",
      "state/sign-in/renewed.json.bak": "token",
      "state/sign-in/notes.txt": "notes",
    });
    const application = await scene.open({ addDir: [folder] });
    for (const name of ["renewed.json", "renewed.json.bak"]) {
      const path = join(folder, name);
      const { text, isError } = await scene.call(application, "read_file", { path });
      assert.ok(isError && /holds stored keys/.test(text), text);
    }
    const found = await scene.call(application, "search_text", {
      pattern: "token|notes",
      path: folder,
    });
    assert.deepEqual(JSON.parse(found.text).matches.map(({ text }: { text: string }) => text), [
      "notes",
    ]);
  });
});

Deno.test(
  "createApplication() is not widened by what a program writes meanwhile (field case 81)",
  { ignore },
  async () => {
    await withScene(async (scene) => {
      const { folder } = scene;
      await writeTree(folder, {
        "config/config.json": "{}",
        "ws/sub/AGENTS.md": "follow me\n",
        "ws/sub/file.txt": "text\n",
        "elsewhere/file.txt": "secret\n",
      });
      const application = await scene.open({ allowWrite: false, allowProcess: true });
      const wide = {
        additionalDirectories: [join(folder, "elsewhere")],
        riskProfiles: { p: { level: "full", workspaceOnly: false, forbiddenPaths: [] } },
        agents: { default: { riskProfile: "p" } },
      };
      const trust = {
        schemaVersion: 1,
        projects: {
          [join(folder, "ws")]: {
            decision: "trusted",
            decidedAt: 1,
            digests: {},
            referenced: [],
            declared: [],
          },
        },
      };
      const script = `printf '%s' '${JSON.stringify(wide)}' > "$CONFIG/config.json" && ` +
        `printf '%s' '${JSON.stringify(trust)}' > "$STATE/trust.json" && ` +
        `mkdir -p .alisio && printf '%s' '${JSON.stringify(wide)}' > .alisio/config.json`;
      const command = script.replaceAll("$CONFIG", join(folder, "config"))
        .replaceAll("$STATE", join(folder, "state"));
      const ran = await scene.call(application, "shell", { command });
      assert.equal(JSON.parse(ran.text).exitCode, 0, ran.text);
      // It happened, and changes nothing in the run that goes on.
      assert.match(await Deno.readTextFile(join(folder, "config/config.json")), /elsewhere/);
      const attempts = [
        ["write_file", { path: "new.txt", content: "", expectedHash: null }],
        ["read_file", { path: join(folder, "elsewhere/file.txt") }],
      ] as const;
      for (const [name, input] of attempts) {
        const { text, isError } = await scene.call(application, name, input);
        assert.ok(isError && text.startsWith("Refused: "), text);
      }
      const read = await scene.call(application, "read_file", { path: "sub/file.txt" });
      assert.doesNotMatch(read.text, /follow me/);
    });
  },
);
