import type { Writable } from "node:stream";
import type { Interrupt } from "./interrupt.js";

/** The streams and signals of the process that runs a command. */
export interface Host {
  readonly stdin: NodeJS.ReadStream;
  /** Has the properties of a terminal if it is one. */
  readonly stdout: Writable & Partial<Pick<NodeJS.WriteStream, "isTTY" | "columns">>;
  readonly stderr: NodeJS.WriteStream;
  readonly interrupt: Interrupt;
}
