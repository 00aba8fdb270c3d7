import type { Writable } from "node:stream";
import type { Interrupt } from "./interrupt.js";

/** A stream of the process. Test hosts have no file descriptors. */
interface Descriptor {
  readonly fd?: number | undefined;
}

/** The streams and signals of the process that runs a command. */
export interface Host {
  readonly stdin: NodeJS.ReadStream & Descriptor;
  /** `isTTY` and `columns` are set only if it is a terminal. */
  readonly stdout: Writable & Partial<Pick<NodeJS.WriteStream, "isTTY" | "columns">> & Descriptor;
  readonly stderr: NodeJS.WriteStream & Descriptor;
  readonly interrupt: Interrupt;
}
