import { createWriteStream, fstatSync } from "node:fs";

const STDOUT = 1;

/** Opens standard output for a command. If standard output is a file, `process.stdout` would lose the rest of a write that fills the disk. */
export function openStdout(): NodeJS.WritableStream {
  return fstatSync(STDOUT).isFile() ? createWriteStream("", { fd: STDOUT, autoClose: false }) : process.stdout;
}

/** Writes text, and waits until it is written: exiting earlier would truncate it on a pipe. Rejects with errors such as a full disk. */
export function writeStdout(text: string, out = openStdout()): Promise<void> {
  return new Promise((resolve, reject) => {
    out.once("error", reject);
    out.write(text, (error) => (error ? reject(error) : resolve()));
  });
}
