import { constants, fstatSync, openSync, write, writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { isatty } from "node:tty";
import { promisify } from "node:util";

/** The maximum size of the lines that wait for their destination. */
const MAX_QUEUED_BYTES = 1024 * 1024;

/** Linux's PIPE_BUF. Larger writes to a pipe are not atomic, so lines of several processes could be mixed up. */
const MAX_WRITE_BYTES = 4096;

const RETRY_MS = 100;

/** The time that an exiting process gives a slow reader. */
const EXIT_MS = 250;

const writeInBackground = promisify(write);

/**
 * Writes lines to stdout or stderr without waiting for the reader of a pipe or terminal, or for the disk. Lines that cannot be written are
 * retried. Lines that exceed the queue are dropped.
 */
export class LineWriter {
  readonly #isFile: boolean;
  readonly #fd: number;
  readonly #queue: Buffer[] = [];
  #queuedBytes = 0;
  #dropped = 0;
  #isWriting = false;

  /** Called with the number of dropped lines when the queue has room again. */
  onRoom: (dropped: number) => void = () => {};

  constructor(fd: 1 | 2) {
    this.#isFile = fstatSync(fd).isFile();
    this.#fd = this.#isFile ? fd : openNonBlocking(fd);
    process.once("exit", () => this.#flush());
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.#queuedBytes + bytes.length > MAX_QUEUED_BYTES) {
      this.#dropped++;
      return;
    }
    this.#queue.push(bytes);
    this.#queuedBytes += bytes.length;
    if (!this.#isWriting) void this.#writeQueue();
  }

  /** Runs synchronously while a pipe or a terminal takes the lines. */
  async #writeQueue(): Promise<void> {
    this.#isWriting = true;
    while (this.#queue.length > 0) {
      const chunk = this.#take();
      // A disk may be slow even if it is not full.
      const written = this.#isFile
        ? await writeInBackground(this.#fd, chunk).then(
            ({ bytesWritten }) => bytesWritten,
            () => 0,
          )
        : this.#tryWrite(chunk);
      this.#putBack(chunk.subarray(written));
      if (written === 0) await pause(RETRY_MS, undefined, { ref: false });
      else if (this.#dropped > 0 && this.#queuedBytes < MAX_QUEUED_BYTES / 2) this.#reportDropped();
    }
    this.#isWriting = false;
  }

  /** Writes what is left before the process exits. */
  #flush(): void {
    const end = performance.now() + EXIT_MS;
    while (this.#queue.length > 0 && performance.now() < end) {
      const chunk = this.#take();
      const written = this.#tryWrite(chunk);
      this.#putBack(chunk.subarray(written));
      if (written > 0) continue;
      if (this.#isFile) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }

  #reportDropped(): void {
    const dropped = this.#dropped;
    this.#dropped = 0;
    this.onRoom(dropped);
  }

  /** Returns the number of written bytes: 0 if the destination takes none. */
  #tryWrite(chunk: Buffer): number {
    try {
      return writeSync(this.#fd, chunk);
    } catch {
      return 0;
    }
  }

  /** Takes the first lines, as many as one write may have, out of the queue. */
  #take(): Buffer {
    let bytes = 0;
    const end = this.#queue.findIndex((line, index) => {
      bytes += line.length;
      return bytes > MAX_WRITE_BYTES && index > 0;
    });
    const chunk = Buffer.concat(this.#queue.splice(0, end === -1 ? this.#queue.length : end));
    this.#queuedBytes -= chunk.length;
    return chunk;
  }

  #putBack(rest: Buffer): void {
    if (rest.length === 0) return;
    this.#queue.unshift(rest);
    this.#queuedBytes += rest.length;
  }
}

/**
 * Returns a descriptor of the same pipe or terminal whose writes fail instead of waiting. A thread that waits would also keep the process
 * from exiting.
 */
function openNonBlocking(fd: 1 | 2): number {
  if (!isatty(fd)) {
    // Node.js makes pipes and sockets non-blocking when it opens their stream.
    void (fd === 1 ? process.stdout : process.stderr);
    return fd;
  }
  try {
    return openSync(`/dev/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // The terminal belongs to another user.
    return fd;
  }
}

let stderr: LineWriter | undefined;

/** Returns the writer of the log and of the last message of this process. */
export function stderrWriter(): LineWriter {
  stderr ??= new LineWriter(2);
  return stderr;
}
