/**
 * The terminal interface.
 *
 * @module
 */
import { App } from "./app.ts";
import type { InterfacePorts } from "./interface_ports.ts";

/**
 * Holds a conversation on the whole screen, until the person leaves.
 *
 * @param ports What it gets from the command line.
 * @throws {AlisioError} If the application or the session cannot be opened.
 * @throws The reason of the ports' signal, if that aborts.
 */
export async function openInterface(ports: InterfacePorts): Promise<void> {
  await new App(ports).run();
}
