import type { Writable } from "node:stream";
import type { InterruptSignals } from "./interrupt.js";

/** The file descriptor of a stream; absent in tests. */
interface Descriptor {
  readonly fd?: number | undefined;
}

/** The streams and signals of the process that runs a command. */
export interface CommandHost {
  readonly stdin: NodeJS.ReadStream & Descriptor;
  /** `isTTY` and `columns` are set only if standard output is a terminal. */
  readonly stdout: Writable & Partial<Pick<NodeJS.WriteStream, "isTTY" | "columns">> & Descriptor;
  readonly stderr: NodeJS.WriteStream & Descriptor;
  readonly interrupt: InterruptSignals;
}
