import { constants, openSync } from "node:fs";
import { Socket } from "node:net";
import { addAbortSignal, type Readable } from "node:stream";

/**
 * Opens a named pipe for reading, even if no program writes to the pipe yet. `signal` destroys the stream. Throws if the system cannot open the pipe.
 *
 * Node.js opens and reads files in threads, and cannot exit before the threads finish. A pipe can stay silent forever, so the pipe is read as a
 * socket, which needs no thread.
 */
export function openNamedPipe(file: string, signal: AbortSignal): Readable {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  return addAbortSignal(signal, new Socket({ fd, readable: true, writable: false }));
}
