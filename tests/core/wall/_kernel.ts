import { previewLandlock } from "../../../core/wall/landlock.ts";

/** Version of Landlock that this kernel speaks; 0 for none. The table takes version 4. */
export function kernelVersion(): number {
  const kernel = { write: [], run: [], tcpPorts: [] };
  const result = previewLandlock({
    read: [],
    denyRead: [],
    write: [],
    denyWrite: [],
    run: [],
    net: [],
    sys: [],
    hiddenEnv: [],
    runtime: Deno.execPath(),
    kernel,
  });
  return result.status === "applied" ? result.abi : 0;
}
