import { constants, openSync } from "node:fs";
import { Socket } from "node:net";
import { addAbortSignal, type Readable } from "node:stream";

/**
 * Opens a named pipe for reading, whether or not a program writes to it yet. `signal` destroys the stream. Throws if the system does not open
 * the pipe.
 *
 * Node.js opens and reads files in threads, and does not end before they do. A pipe can stay silent for ever, so it is read as a socket, which needs
 * no thread.
 */
export function openPipe(file: string, signal: AbortSignal): Readable {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  return addAbortSignal(signal, new Socket({ fd, readable: true, writable: false }));
}
