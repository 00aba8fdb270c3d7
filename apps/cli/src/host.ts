import type { Interrupt } from "./interrupt.js";

/** The streams and signals of the process that runs a command. */
export interface Host {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly interrupt: Interrupt;
}
