import { equal, throws } from "node:assert/strict";
import type { ProviderRegistration } from "@alisio/sdk";
import { checkedProvider } from "../../../core/plugins/plugin_provider.ts";

const METHOD = {
  id: "device",
  label: "Account",
  kind: "oauth",
  start: () => Promise.reject(new Error("nobody is here")),
};

function registration(more: object): ProviderRegistration {
  const given = { id: "acme", name: "Acme", fields: [], create: () => {}, ...more };
  // Plugins need not be written in TypeScript.
  return given as unknown as ProviderRegistration;
}

Deno.test("checkedProvider() takes ways to sign in and hosts", () => {
  const given = registration({
    auth: [METHOD, { ...METHOD, id: "browser_2", refresh: METHOD.start }],
    hosts: ["https://auth.example.com", "http://127.0.0.1:81/"],
  });
  equal(checkedProvider(given, []), given);
});

const REFUSED: readonly (readonly [object, RegExp])[] = [
  [{ auth: METHOD }, /auth, are no list/],
  [{ auth: [null] }, /is no object/],
  [{ auth: [{ ...METHOD, id: "Device" }] }, /has no id of 1 to 40/],
  [{ auth: [{ ...METHOD, id: "a".repeat(41) }] }, /has no id of 1 to 40/],
  [{ auth: [METHOD, METHOD] }, /two ways to sign in have the id "device"/],
  [{ auth: [{ ...METHOD, label: 1 }] }, /label of sign-in "device"/],
  [{ auth: [{ ...METHOD, kind: "api_key" }] }, /kind of sign-in "device"/],
  [{ auth: [{ ...METHOD, start: undefined }] }, /no function start/],
  [{ auth: [{ ...METHOD, refresh: true }] }, /refresh of sign-in "device"/],
  [{ fields: [null] }, /a field of it has no name or no label/],
  [{ fields: [{ name: "x" }] }, /a field of it has no name or no label/],
  [{ fields: [{ key: "x", label: "X" }] }, /a field of it has no name or no label/],
  [{ hosts: "https://auth.example.com" }, /hosts are no list/],
  [{ hosts: ["auth.example.com"] }, /hosts are no list/],
  [{ hosts: ["https://auth.example.com/path"] }, /hosts are no list/],
  [{ hosts: ["https://user@auth.example.com"] }, /hosts are no list/],
  [{ hosts: [1] }, /hosts are no list/],
];

for (const [more, text] of REFUSED) {
  Deno.test(`checkedProvider() refuses ${JSON.stringify(more).slice(0, 70)}: ${text.source}`, () => {
    throws(() => checkedProvider(registration(more), []), text);
  });
}
