import { constants, fstatSync, openSync, write, writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { isatty } from "node:tty";
import { promisify } from "node:util";

const MAX_QUEUED_BYTES = 1024 * 1024;

/** Linux's PIPE_BUF. Larger writes to a pipe are not atomic, so lines from several processes could be mixed up. */
const MAX_WRITE_BYTES = 4096;

const RETRY_MS = 100;

/** How long an exiting process waits for a slow reader. */
const EXIT_MS = 250;

const writeInBackground = promisify(write);

/**
 * Writes lines to stdout or stderr without waiting for the reader of a pipe or terminal, or for the disk. It retries lines that cannot be
 * written, and drops new lines while the queue is full.
 */
export class LineWriter {
  readonly #isFile: boolean;
  readonly #fd: number;
  readonly #queue: Buffer[] = [];
  #queuedBytes = 0;
  #dropped = 0;
  #isWriting = false;

  /** Called with the number of dropped lines when the queue has room again. */
  onLinesDropped: (dropped: number) => void = () => {};

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

  /** Runs synchronously as long as a pipe or a terminal accepts the lines. */
  async #writeQueue(): Promise<void> {
    this.#isWriting = true;
    while (this.#queue.length > 0) {
      const chunk = this.#take();
      // Files are written in the background, because even a disk with free space may be slow.
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

  /** Writes the queued lines before the process exits. */
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
    this.onLinesDropped(dropped);
  }

  /** Returns the number of written bytes: 0 if the destination accepts none. */
  #tryWrite(chunk: Buffer): number {
    try {
      return writeSync(this.#fd, chunk);
    } catch {
      return 0;
    }
  }

  /** Removes the first lines from the queue: at least one, and otherwise as many as fit in one write. */
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
 * Returns a descriptor for the same pipe or terminal whose writes fail instead of blocking. A blocked thread would also keep the process from
 * exiting.
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

/** Returns the writer that the log and the last message of this process share. */
export function stderrWriter(): LineWriter {
  stderr ??= new LineWriter(2);
  return stderr;
}
