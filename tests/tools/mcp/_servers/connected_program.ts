/**
 * A program that is connected to a server, for tests that end it. Prints the process ids of the
 * server and of what that started, and then waits, or closes the connection where it is told to.
 *
 * @module
 */
import { callText, connect, hostileServer } from "../_connect.ts";

const [mode = "good", then = "wait"] = Deno.args;
const connection = await connect(hostileServer(mode), Deno.cwd());
const pids = [await callText(connection, "pid"), await callText(connection, "child")];
Deno.stdout.writeSync(new TextEncoder().encode(`${pids.join(" ")}\n`));
if (then === "close") {
  await connection.close();
  Deno.exit();
}
if (then === "exit") Deno.exit();
await new Promise(() => setInterval(() => {}, 1_000));
