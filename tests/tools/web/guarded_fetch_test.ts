import assert from "node:assert/strict";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import {
  guardedFetch,
  type GuardedPorts,
  type GuardedRequest,
  type GuardedResponse,
} from "../../../tools/web/guarded_fetch.ts";
import { WebError, type WebErrorCode } from "../../../tools/web/web_error.ts";
import { SITE_TEST, TEST_AUTHORITY } from "./_certificate.ts";
import { startNameServer } from "./_dns.ts";
import { type SiteHandler, startSite } from "./_site.ts";

const MIB = 1_048_576;

function fetchIt(
  url: string,
  options: Partial<GuardedRequest> = {},
  ports?: GuardedPorts,
): Promise<GuardedResponse> {
  return guardedFetch({
    url,
    maxBytes: MIB,
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    allowedHosts: ["127.0.0.1"],
    ...options,
  }, ports);
}

async function failsWith(promise: Promise<unknown>, code: WebErrorCode, message: RegExp) {
  await assert.rejects(promise, (error) => {
    assert.ok(error instanceof WebError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    return true;
  });
}

function textOf({ body }: GuardedResponse): string {
  return new TextDecoder().decode(body);
}

/** Sends a location for `/NUMBER` until it is 0. */
const COUNTDOWN: SiteHandler = (request, response) => {
  const left = Number(request.url?.slice(1));
  if (left > 0) response.writeHead(302, { location: `/${left - 1}` }).end();
  else response.end("arrived");
};

Deno.test("guardedFetch() connects to the address that was judged, whatever the name server says next", async () => {
  await using site = await startSite((_request, response) => response.end("secret"));
  // The first answer is of a range for documentation that the test has opened; nobody is there.
  await using dns = await startNameServer(["198.51.100.1", "127.0.0.1"]);
  const resolve = (name: string) =>
    Deno.resolveDns(name, "A", { nameServer: { ipAddr: "127.0.0.1", port: dns.port } });
  const url = `http://rebind.example.com:${site.port}/`;
  const first = fetchIt(url, { allowedHosts: ["198.51.100.1"], timeoutMs: 500 }, { resolve });
  await assert.rejects(first, WebError);
  assert.equal(dns.count(), 1, "one look-up for one request");
  // The second answer leads here, and is judged for itself.
  const second = fetchIt(url, { allowedHosts: ["198.51.100.1"] }, { resolve });
  await failsWith(second, "refused", /leads to 127\.0\.0\.1, a loopback address/);
  assert.deepEqual(site.requests, []);
  // Where the person has opened the name, the same answer is reached: the guard alone kept it away.
  const opened = await fetchIt(url, { allowedHosts: ["rebind.example.com"] }, { resolve });
  assert.equal(textOf(opened), "secret");
  assert.equal(site.headers[0]?.host, `rebind.example.com:${site.port}`);
});

Deno.test("guardedFetch() refuses a name of which one address is closed", async () => {
  const resolve = () => Promise.resolve(["93.184.216.34", "10.0.0.1"]);
  await failsWith(fetchIt("http://example.com/", {}, { resolve }), "refused", /10\.0\.0\.1/);
});

Deno.test("guardedFetch() reaches no private address by a redirect, of any kind and after any number (field case 134)", async () => {
  await using inside = await startSite((_request, response) => response.end("secret"));
  const targets = [
    `http://127.0.0.1:${inside.port}/`,
    `//2130706433:${inside.port}/`,
    `http://[::ffff:127.0.0.1]:${inside.port}/`,
    `http://localhost:${inside.port}/`,
    "http://169.254.169.254/latest/meta-data/",
    "file:///etc/passwd",
    "http://user:pass@example.com/",
  ];
  for (const status of [301, 302, 303, 307, 308]) {
    for (const location of targets) {
      await using site = await startSite((request, response) => {
        const hop = Number(request.url?.slice(1));
        response.writeHead(status, { location: hop > 0 ? `/${hop - 1}` : location }).end();
      });
      const failed = await fetchIt(`${site.origin}/4`, {
        allowedHosts: [`127.0.0.1:${site.port}`],
      }).catch((error) => error);
      assert.ok(failed instanceof WebError, location);
      assert.match(failed.code, /^(?:refused|bad_address)$/);
      assert.match(failed.message, /127\.0\.0\.1:\d+" redirects there\)$/);
      assert.equal(site.requests.length, 5);
    }
  }
  assert.deepEqual(inside.requests, []);
});

Deno.test("guardedFetch() follows 20 redirects and not one more", async () => {
  await using site = await startSite(COUNTDOWN);
  const arrived = await fetchIt(`${site.origin}/20`);
  assert.equal(textOf(arrived), "arrived");
  assert.equal(arrived.redirects.length, 20);
  assert.equal(arrived.url, `${site.origin}/0`);
  await failsWith(fetchIt(`${site.origin}/21`), "too_many_redirects", /more than 20/);
  await site.idle();
});

Deno.test("guardedFetch() sends another origin neither headers nor a body", async () => {
  await using other = await startSite((_request, response) => response.end("other"));
  await using site = await startSite((request, response) => {
    const status = Number(request.url?.slice(1));
    response.writeHead(status, { location: `${other.origin}/`, "set-cookie": "a=b" }).end();
  });
  const headers = { authorization: "Bearer key", "x-api-key": "key" };
  await fetchIt(`${site.origin}/302`, { headers });
  await fetchIt(`${site.origin}/303`, { headers, method: "POST", body: "q=1" });
  assert.deepEqual(site.headers.map((each) => each.authorization), ["Bearer key", "Bearer key"]);
  assert.deepEqual(other.requests, ["GET /", "GET /"]);
  for (const sent of other.headers) {
    assert.equal(sent.authorization ?? sent["x-api-key"] ?? sent.cookie, undefined);
    assert.match(sent["user-agent"] ?? "", /^Alisio\/\d/);
  }
  const moved = fetchIt(`${site.origin}/307`, { headers, method: "POST", body: "q=1" });
  await failsWith(moved, "refused", /would send the request/);
});

Deno.test("guardedFetch() takes a certificate of the name alone, and does not go from https to http", async () => {
  await using plain = await startSite((_request, response) => response.end("plain"));
  await using site = await startSite((request, response) => {
    if (request.url === "/down") response.writeHead(302, { location: plain.origin }).end();
    else response.end("hello");
  }, SITE_TEST);
  const ports = { resolve: () => Promise.resolve(["127.0.0.1"]), ca: TEST_AUTHORITY };
  const good = await fetchIt(`https://site.test:${site.port}/`, {}, ports);
  assert.equal(textOf(good), "hello");
  const wrong = fetchIt(`https://other.test:${site.port}/`, {}, ports);
  await failsWith(wrong, "unreachable", /certificate/);
  const { ca: _ca, ...untrusting } = ports;
  const unknown = fetchIt(`https://site.test:${site.port}/`, {}, untrusting);
  await failsWith(unknown, "unreachable", /certificate/);
  const down = fetchIt(`https://site.test:${site.port}/down`, {}, ports);
  await failsWith(down, "refused", /from https to/);
  assert.deepEqual(plain.requests, []);
});

Deno.test("guardedFetch() undoes compression", async () => {
  const text = "some text ".repeat(1_000);
  const rows: readonly (readonly [string, Uint8Array])[] = [
    ["gzip", gzipSync(text)],
    ["deflate", deflateSync(text)],
    ["br", brotliCompressSync(new TextEncoder().encode(text))],
    ["gzip, br", brotliCompressSync(gzipSync(text))],
    ["identity", new TextEncoder().encode(text)],
  ];
  for (const [encoding, body] of rows) {
    await using site = await startSite((_request, response) => {
      response.writeHead(200, { "content-encoding": encoding }).end(body);
    });
    assert.equal(textOf(await fetchIt(site.origin)), text, encoding);
  }
});

Deno.test("guardedFetch() stops a body that is too large, unpacks to too much, is broken or cut short", async () => {
  const bomb = gzipSync(new Uint8Array(64 * MIB));
  const rows: readonly (readonly [SiteHandler, WebErrorCode, RegExp])[] = [
    [(_request, response) => response.end(new Uint8Array(MIB + 1)), "too_large", /1 MiB/],
    [endless, "too_large", /1 MiB/],
    [sendEncoded("gzip", bomb), "too_large", /1 MiB/],
    [sendEncoded("gzip, gzip", gzipSync(bomb)), "too_large", /1 MiB/],
    [sendEncoded("gzip, gzip, gzip", new Uint8Array(9)), "bad_response", /encoding/],
    [sendEncoded("gzip", new Uint8Array(100)), "bad_response", /compression|header/],
    [sendEncoded("gzip", gzipSync("x".repeat(999)).subarray(0, 12)), "bad_response", /end/],
    [sendEncoded("zip", new Uint8Array(9)), "bad_response", /"zip"/],
    [
      (_request, response) => {
        response.writeHead(200, { "content-length": "1000" });
        response.write("abc", () => response.destroy());
      },
      "bad_response",
      /aborted/,
    ],
  ];
  for (const [handler, code, message] of rows) {
    await using site = await startSite(handler);
    await failsWith(fetchIt(site.origin), code, message);
    await site.idle();
  }
});

Deno.test("guardedFetch() accepts exactly the limit", async () => {
  await using site = await startSite((_request, response) => response.end(new Uint8Array(MIB)));
  assert.equal((await fetchIt(site.origin)).body.length, MIB);
});

Deno.test("guardedFetch() has one limit for silence, drops and slow look-ups, and leaves no connection", async () => {
  const rows: readonly SiteHandler[] = [
    () => {},
    (_request, response) => {
      const timer = setInterval(() => response.write("x"), 20);
      response.once("close", () => clearInterval(timer));
    },
    // Without chunks and without a length, only the end of the connection ends it.
    ({ socket }) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n");
      const timer = setInterval(() => socket.write("x"), 20);
      socket.once("close", () => clearInterval(timer));
    },
  ];
  for (const handler of rows) {
    await using site = await startSite(handler);
    await failsWith(fetchIt(site.origin, { timeoutMs: 200 }), "timeout", /within 0\.2 s/);
    await site.idle();
  }
  const resolve = () => new Promise<never>(() => {});
  const slow = fetchIt("http://example.com/", { timeoutMs: 50 }, { resolve });
  await failsWith(slow, "timeout", /within/);
});

Deno.test("guardedFetch() ends at once when it is aborted, with the reason", async () => {
  const controller = new AbortController();
  const reason = new Error("stop");
  await using site = await startSite((_request, response) => {
    response.write("beginning", () => controller.abort(reason));
  });
  const running = fetchIt(site.origin, { signal: controller.signal });
  await assert.rejects(running, (error) => error === reason);
  await site.idle();
  await assert.rejects(
    fetchIt(site.origin, { signal: controller.signal }),
    (error) => error === reason,
  );
  assert.equal(site.requests.length, 1);
});

Deno.test("guardedFetch() says why nobody answers", async () => {
  const { port } = await (async () => {
    await using closed = await startSite(() => {});
    return closed;
  })();
  await failsWith(fetchIt(`http://127.0.0.1:${port}/`), "unreachable", /ECONNREFUSED/);
  const resolve = () => Promise.reject(new Error("getaddrinfo ENOTFOUND"));
  await failsWith(fetchIt("http://no.example.com/", {}, { resolve }), "unreachable", /ENOTFOUND/);
  await using endlessHeaders = await startSite((_request, response) => {
    response.socket?.write(`HTTP/1.1 200 OK\r\n${`x: ${"y".repeat(5_000)}\r\n`.repeat(40)}`);
  });
  await failsWith(fetchIt(endlessHeaders.origin), "unreachable", /[Hh]eader/);
});

function sendEncoded(encoding: string, body: Uint8Array): SiteHandler {
  return (_request, response) => {
    response.writeHead(200, { "content-encoding": encoding }).end(body);
  };
}

const endless: SiteHandler = (_request, response) => {
  const chunk = new Uint8Array(65_536);
  const write = () => {
    while (!response.destroyed && response.write(chunk));
    response.once("drain", write);
  };
  write();
};
