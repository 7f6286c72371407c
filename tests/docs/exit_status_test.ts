import assert from "node:assert/strict";
import { EXIT_STATUS, EXIT_STATUS_MEANINGS, exitStatusOf } from "../../cli/exit_status.ts";
import { AlisioError, type AlisioErrorCode } from "../../core/errors.ts";
import { documentedUnion } from "../support/documented_types.ts";
import { plain, tableUnder } from "../support/markdown.ts";
import { readPage } from "./_pages.ts";

Deno.test("The README lists every exit status with its meaning", async () => {
  const { rows } = tableUnder(await readPage("README.md"), "Scripts");
  assert.deepEqual(rows, EXIT_STATUS_MEANINGS.map(([status, meaning]) => [`${status}`, meaning]));
  const listed = EXIT_STATUS_MEANINGS.map(([status]) => status);
  assert.deepEqual(listed, Object.values(EXIT_STATUS));
});

Deno.test("docs/events.md lists every code of an error line with its exit status", async () => {
  const { rows } = tableUnder(await readPage("docs/events.md"), "The error line");
  const codes = await documentedUnion("core/errors.ts", "AlisioErrorCode");
  assert.equal(rows.length, codes.length);
  assert.deepEqual(
    Object.fromEntries(rows.map(([code = "", status]) => [plain(code), Number(status)])),
    Object.fromEntries(
      codes.map((code) => [code, exitStatusOf(new AlisioError(code as AlisioErrorCode, ""))]),
    ),
  );
});
