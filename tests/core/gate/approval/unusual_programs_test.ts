import assert from "node:assert/strict";
import { unusualPrograms } from "../../../../core/gate/approval/unusual_programs.ts";
import { withTempDir } from "../../../support/temp.ts";

/** A workspace with an `ls` of its own, and a folder of programs that is not the workspace's. */
async function withPrograms(
  body: (scene: {
    readonly folder: string;
    find(tool: string, input: Readonly<Record<string, unknown>>): Promise<unknown>;
  }) => Promise<void>,
): Promise<void> {
  await withTempDir(async (folder) => {
    for (const path of ["ws", "bin", "home"]) await Deno.mkdir(`${folder}/${path}`);
    for (const path of ["ws/ls", "ws/real", "bin/make", "bin/ls", "home/tool"]) {
      await Deno.writeTextFile(`${folder}/${path}`, "#!/bin/sh\n", { mode: 0o755 });
    }
    await Deno.symlink("real", `${folder}/ws/link`);
    const options = {
      workspace: `${folder}/ws`,
      folders: [`${folder}/ws`],
      env: { PATH: `.:${folder}/ws:${folder}/bin:${Deno.env.get("PATH") ?? ""}` },
      home: `${folder}/home`,
    };
    await body({ folder, find: (tool, input) => unusualPrograms(tool, input, options) });
  });
}

Deno.test({
  name: "unusualPrograms() resolves shadowed names and paths (field case 103)",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withPrograms(async ({ folder, find }) => {
      const ls = { name: "ls", path: `${folder}/ws/ls` };
      const rows: readonly (readonly [string, unknown])[] = [
        ["ls -l", [ls]],
        ["make && ls; ls -a", [ls]],
        ["make", []],
        ["cd x && echo done", []],
        ["./link", [{ name: "./link", path: `${folder}/ws/real` }]],
        ["~/tool", [{ name: "~/tool", path: `${folder}/home/tool` }]],
        ["./missing", [{ name: "./missing", path: null }]],
        ["find . | xargs ls", [ls]],
        ["ls 'unclosed", []],
      ];
      for (const [command, expected] of rows) {
        assert.deepEqual(await find("shell", { command }), expected, command);
      }
      assert.deepEqual(await find("run_process", { command: "ls", args: ["-l"] }), [ls]);
      assert.deepEqual(await find("run_process", { command: "make", args: ["ls"] }), []);
      assert.deepEqual(await find("write_file", { command: "ls" }), []);
      assert.deepEqual(await find("shell", {}), []);
      const inFolder = { command: "./ls", cwd: "../bin" };
      const own = [{ name: "./ls", path: `${folder}/bin/ls` }];
      assert.deepEqual(await find("bg_run", inFolder), own, "a path means the folder of the task");
    }),
});

Deno.test({
  name: "unusualPrograms() lists no more than a person reads",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withPrograms(async ({ find }) => {
      const command = Array.from({ length: 100 }, (_, index) => `./p${index}`).join("; ");
      const found = await find("shell", { command });
      assert.equal(Array.isArray(found) && found.length, 20);
    }),
});
