import assert from "node:assert/strict";
import { parseAllowedHosts } from "../../../tools/web/allowed_hosts.ts";
import { judgeAddress } from "../../../tools/web/judge_address.ts";
import { judgeUrl } from "../../../tools/web/judge_url.ts";
import { WebError } from "../../../tools/web/web_error.ts";

/** Spellings of hosts that are refused before anything is looked up. */
const CLOSED_HOSTS: readonly string[] = [
  "127.0.0.1",
  "127.1",
  "127.255.255.254",
  "2130706433",
  "0x7f000001",
  "0x7f.0.0.1",
  "0x7f.1",
  "017700000001",
  "0177.0.0.1",
  "127.0.0.1.",
  "①②⑦.⓪.⓪.①",
  "127。0。0。1",
  "%31%32%37.0.0.1",
  "0",
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "10.255.255.255",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "3232235777",
  "100.64.0.1",
  "100.127.255.255",
  "169.254.169.254",
  "0xa9fea9fe",
  "2852039166",
  "169.254.0.1",
  "192.0.0.1",
  "192.0.2.1",
  "192.88.99.1",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.7",
  "203.0.113.7",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  "[::]",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[::127.0.0.1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::ffff:10.0.0.1]",
  "[::ffff:169.254.169.254]",
  "[::ffff:0:127.0.0.1]",
  "[64:ff9b::127.0.0.1]",
  "[64:ff9b::a9fe:a9fe]",
  "[64:ff9b:1::1]",
  "[2002:7f00:1::]",
  "[2002:0808:0808::]",
  "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
  "[2001:db8::1]",
  "[3fff::1]",
  "[2001:2::1]",
  "[fc00::1]",
  "[fd00:ec2::254]",
  "[fe80::1]",
  "[febf::1]",
  "[fec0::1]",
  "[ff02::1]",
  "[100::1]",
  "[5f00::1]",
  "[4000::1]",
  "localhost",
  "LOCALHOST",
  "localhost.",
  "a.b.localhost",
  "localhost.localdomain",
  "printer.local",
  "metadata.google.internal",
  "metadata.google.internal.",
  "router.home.arpa",
  "metadata",
  "intranet",
];

const OPEN_HOSTS: readonly string[] = [
  "example.com",
  "example.com.",
  "localhost.example.com",
  "internal.example.com",
  "xn--mnchen-3ya.de",
  "münchen.de",
  "8.8.8.8",
  "134744072",
  "1.1.1.1",
  "11.0.0.1",
  "100.63.255.255",
  "100.128.0.1",
  "126.255.255.255",
  "128.0.0.1",
  "169.253.1.1",
  "172.15.255.255",
  "172.32.0.1",
  "192.167.1.1",
  "192.169.1.1",
  "198.17.1.1",
  "198.20.1.1",
  "223.255.255.255",
  "[2606:4700:4700::1111]",
  "[2a00:1450:4001:80b::200e]",
  "[::ffff:8.8.8.8]",
  "[64:ff9b::8.8.8.8]",
];

Deno.test("judgeUrl() refuses every spelling of an address that is not public (field case 136)", () => {
  for (const host of CLOSED_HOSTS) {
    for (const url of [`http://${host}/`, `https://${host}:8443/x?y#z`]) {
      assert.throws(
        () => judgeUrl(url, []),
        (error) => error instanceof WebError && error.code === "refused",
        url,
      );
    }
  }
});

Deno.test("judgeUrl() lets public hosts through", () => {
  for (const host of OPEN_HOSTS) assert.ok(judgeUrl(`https://${host}/`, []).url.href, host);
});

Deno.test("judgeUrl() refuses what is no web address, credentials and ports of other services", () => {
  const rows: readonly (readonly [string, string, RegExp])[] = [
    ["", "bad_address", /no address/],
    ["example.com", "bad_address", /https:\/\/ included/],
    ["file:///etc/passwd", "bad_address", /only http and https/],
    ["ftp://example.com/", "bad_address", /only http and https/],
    ["data:text/plain,x", "bad_address", /only http and https/],
    ["javascript:alert(1)", "bad_address", /only http and https/],
    ["gopher://example.com:70/", "bad_address", /only http and https/],
    ["http://[fe80::1%25eth0]/", "bad_address", /no address/],
    ["https://user@example.com/", "bad_address", /user name or a password/],
    ["https://u:hunter2@example.com/", "bad_address", /user name or a password/],
    ["http://example.com:22/", "refused", /port 22/],
    ["http://example.com:6379/", "refused", /port 6379/],
    [`https://example.com/${"x".repeat(9_000)}`, "bad_address", /no address/],
  ];
  for (const [url, code, message] of rows) {
    assert.throws(() => judgeUrl(url, []), (error) => {
      assert.ok(error instanceof WebError);
      assert.equal(error.code, code, url);
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /hunter2/);
      assert.ok(error.message.length < 600);
      return true;
    });
  }
});

Deno.test("judgeAddress() judges what a name leads to", () => {
  const facts = { host: "127.0.0.1.nip.io", port: 443, allowed: [] };
  for (
    const address of ["127.0.0.1", "::1", "fe80::1%eth0", "::ffff:10.0.0.1", "nonsense", "1.2"]
  ) {
    assert.equal(judgeAddress(address, facts).open, false, address);
  }
  assert.equal(judgeAddress("93.184.216.34", facts).open, true);
});

Deno.test("judgeAddress() opens what allowedHosts names, and its neighbours stay closed", () => {
  const rows: readonly (readonly [string, string, number, string, boolean])[] = [
    ["127.0.0.1", "127.0.0.1", 80, "127.0.0.1", true],
    ["127.0.0.1", "127.0.0.2", 80, "127.0.0.2", false],
    ["127.0.0.1:8080", "127.0.0.1", 8080, "127.0.0.1", true],
    ["127.0.0.1:8080", "127.0.0.1", 8081, "127.0.0.1", false],
    ["[::1]:8080", "::1", 8080, "::1", true],
    ["::1", "::1", 1234, "::1", true],
    ["10.0.0.0/8", "wiki.example.com", 443, "10.20.30.40", true],
    ["10.0.0.0/8", "wiki.example.com", 443, "11.0.0.1", true],
    ["10.0.0.0/8", "wiki.example.com", 443, "192.168.0.1", false],
    ["10.0.0.0/8", "wiki.example.com", 443, "::ffff:10.0.0.1", true],
    ["fd00::/8", "wiki.example.com", 443, "fd12::1", true],
    ["wiki.example.com", "WIKI.example.com.", 443, "192.168.0.1", true],
    ["wiki.example.com", "wiki.example.com", 443, "127.0.0.1", true],
    ["wiki.example.com", "other.example.com", 443, "192.168.0.1", false],
    ["wiki.example.com:8443", "wiki.example.com", 443, "192.168.0.1", false],
    ["wiki.example.com", "wiki.example.com", 443, "169.254.169.254", false],
    ["169.254.169.254", "wiki.example.com", 443, "169.254.169.254", true],
    ["localhost", "localhost", 3000, "127.0.0.1", true],
  ];
  for (const [entry, host, port, address, open] of rows) {
    const allowed = parseAllowedHosts([entry]);
    assert.equal(judgeAddress(address, { host, port, allowed }).open, open, `${entry} ${address}`);
  }
});

Deno.test("parseAllowedHosts() names an entry that says nothing", () => {
  for (
    const entry of ["10.0.0.0/33", "x/8", "127.0.0.1:0", "127.0.0.1:99999", "a b", "10.0.0.0/8/8"]
  ) {
    assert.throws(
      () => parseAllowedHosts([entry]),
      /Cannot read entry .* of webfetch\.allowedHosts/,
    );
  }
});
