import { createWriteStream, fstatSync } from "node:fs";

/** The file descriptor of standard output. */
const STDOUT = 1;

/**
 * Opens standard output for a command. If it is a file, the stream of Node.js itself would lose the rest of a write that fills
 * the disk.
 */
export function openStdout(): NodeJS.WritableStream {
  return fstatSync(STDOUT).isFile() ? createWriteStream("", { fd: STDOUT, autoClose: false }) : process.stdout;
}

/**
 * Writes text to standard output, and waits until it is written: exiting earlier would truncate it on a pipe.
 *
 * @throws Error of the operating system, for example if the disk is full.
 */
export function writeStdout(text: string, out = openStdout()): Promise<void> {
  return new Promise((resolve, reject) => {
    out.once("error", reject);
    out.write(text, (error) => (error ? reject(error) : resolve()));
  });
}
