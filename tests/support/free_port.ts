/** A port of this machine that was free a moment ago, for programs that take no 0. */
export function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
