import assert from "node:assert/strict";
import { AlisioError } from "../../../core/errors.ts";
import { nativeSearch } from "../../../core/run/native_search.ts";

const SEARCH = nativeSearch({ tool: "websearch", type: "web_search_preview" });

Deno.test("nativeSearch() lets the server search where its tool would run unasked", () => {
  const asked: unknown[] = [];
  const gate = (permits: boolean) => ({
    permitsUnseen(tool: unknown) {
      asked.push(tool);
      return permits;
    },
  });
  assert.deepEqual(SEARCH.serverTools(gate(true)), [{ type: "web_search_preview" }]);
  assert.equal(SEARCH.serverTools(gate(false)), undefined);
  assert.deepEqual(asked[0], { name: "websearch", effect: "external" });
});

Deno.test("nativeSearch() refuses a provider whose server is not asked for such tools", () => {
  SEARCH.assertAccepted({ acceptsServerTools: true });
  for (const provider of [{}, { acceptsServerTools: false }]) {
    assert.throws(() => SEARCH.assertAccepted(provider), (error) => {
      assert.ok(error instanceof AlisioError);
      assert.equal(error.code, "config_invalid");
      assert.match(error.message, /set "provider\.apiMode" to "responses"/);
      return true;
    });
  }
});

Deno.test("nativeSearch() says that nothing searches where nothing may", () => {
  assert.equal(SEARCH.notice({ permitsUnseen: () => true }), null);
  assert.match(
    SEARCH.notice({ permitsUnseen: () => false }) ?? "",
    /^The web is not searched in this run: .*--allow-external/,
  );
});
