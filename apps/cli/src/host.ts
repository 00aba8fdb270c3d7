import type { Interrupt } from "./interrupt.js";

/** The process that a command runs in, as a value. */
export interface Host {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly interrupt: Interrupt;
}
