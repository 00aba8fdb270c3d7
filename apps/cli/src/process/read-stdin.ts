import { addAbortSignal } from "node:stream";
import { text } from "node:stream/consumers";
import type { Host } from "./host.js";

/** The streams of a host that reading standard input needs. */
export type StdinHost = Pick<Host, "stdin" | "interrupt">;

/** Reads all of standard input as UTF-8. Rejects if the command is interrupted. */
export async function readStdin(host: StdinHost): Promise<string> {
  return await text(openStdin(host));
}

/** Returns standard input, which an interrupt destroys: it could stay silent for ever. */
export function openStdin({ stdin, interrupt }: StdinHost): Host["stdin"] {
  return addAbortSignal(interrupt.stop, stdin);
}
