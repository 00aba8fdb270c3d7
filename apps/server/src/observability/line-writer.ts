import { constants, fstatSync, openSync, write, writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { isatty } from "node:tty";
import { promisify } from "node:util";

const MAX_QUEUED_BYTES = 1024 * 1024;

/** PIPE_BUF on Linux. Larger writes to a pipe are not atomic, so lines from several processes could be mixed up. */
const MAX_WRITE_BYTES = 4096;

const RETRY_MS = 100;

/** How long an exiting process waits for a slow reader of its stdout or stderr. */
const EXIT_MS = 250;

const writeInBackground = promisify(write);

/**
 * Writes lines to stdout or stderr without blocking, even if the reader of a pipe or terminal, or the disk, is slow. Retries lines that
 * cannot be written. Drops new lines while its queue is full.
 */
export class LineWriter {
  readonly #isFile: boolean;
  readonly #fd: number;
  readonly #queue: Buffer[] = [];
  #queuedBytes = 0;
  #dropped = 0;
  #isWriting = false;

  /** Called with the number of dropped lines when the queue is no longer full. */
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

  /** Writes the queued lines. Runs synchronously as long as a pipe or terminal accepts the lines immediately. */
  async #writeQueue(): Promise<void> {
    this.#isWriting = true;
    while (this.#queue.length > 0) {
      const chunk = this.#take();
      // Writes to files in the background, because a disk may be slow.
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

  /** Returns the number of written bytes: 0 if the pipe, terminal or file accepts none. */
  #tryWrite(chunk: Buffer): number {
    try {
      return writeSync(this.#fd, chunk);
    } catch {
      return 0;
    }
  }

  /** Removes and returns the first lines of the queue: as many as fit in one write, and at least one. */
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
 * Returns a file descriptor for the same pipe or terminal, to which writes fail instead of blocking. A blocked thread would keep the process
 * from exiting.
 */
function openNonBlocking(fd: 1 | 2): number {
  if (!isatty(fd)) {
    // Reading this property makes Node.js open the stream, which makes its pipe or socket non-blocking.
    void (fd === 1 ? process.stdout : process.stderr);
    return fd;
  }
  try {
    return openSync(`/dev/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // The terminal cannot be opened, for example because it belongs to another user.
    return fd;
  }
}

let stderr: LineWriter | undefined;

/** Returns the only writer to stderr in this process, so that log lines and the final error message keep their order. */
export function getStderrWriter(): LineWriter {
  stderr ??= new LineWriter(2);
  return stderr;
}
