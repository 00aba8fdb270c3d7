import { addAbortSignal } from "node:stream";
import { text } from "node:stream/consumers";
import type { CommandHost } from "./command-host.js";

/** The parts of a host that are needed to read standard input. */
export type StdinHost = Pick<CommandHost, "stdin" | "interrupt">;

/** Reads all of standard input as UTF-8. Rejects if the command is interrupted. */
export async function readStdin(host: StdinHost): Promise<string> {
  return await text(openStdin(host));
}

/** Returns standard input. An interrupt destroys it, because it could stay silent forever. */
export function openStdin({ stdin, interrupt }: StdinHost): CommandHost["stdin"] {
  return addAbortSignal(interrupt.stop, stdin);
}
