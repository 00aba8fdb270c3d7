import { once } from "node:events";
import type { CommandHost } from "../process/command-host.js";
import { ignoreSigintUntil } from "../process/interrupt.js";
import { writeText } from "./write-text.js";

/** The exit codes of a shell whose command is not executable or not found. */
const NOT_STARTED = [126, 127];

/** More than the system buffers: a pager that has received a longer text has read some of it, so the text need not be kept. */
const MAX_UNREAD_LENGTH = 4 * 1024 * 1024;

/**
 * Writes a list to stdout, or on a terminal through the program in PAGER if it is set. If the pager cannot be started, writes the list to stdout.
 *
 * Waits for the pager even if the rest of the list cannot be read, because the pager uses the terminal until it ends.
 */
export async function writeWithPager(
  host: CommandHost,
  chunks: AsyncIterable<string>,
  isWanted: boolean,
): Promise<void> {
  const { PAGER = "" } = process.env;
  if (!isWanted || !host.stdout.isTTY || PAGER === "" || PAGER === "cat") return await writeText(host.stdout, chunks);
  const source = chunks[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<string>> | undefined = source.next();
  // If the command fails before its first output, the user sees the error and no empty pager.
  await next;
  const { spawn } = await import("node:child_process");
  // With these options, `less` keeps colors, and quits if the list fits on the screen.
  const env = { LESS: "FRX", LV: "-c", ...process.env };
  const pager = spawn(PAGER, { shell: true, stdio: ["pipe", "inherit", "inherit"], env });
  const ended = once(pager, "close");
  const closed = new Promise<undefined>((resolve) => {
    const close = () => resolve(undefined);
    pager.stdin.once("error", close);
    ended.then(close, close);
  });
  let sent: string[] = [];
  let length = 0;
  const finished = send().finally(() => {
    pager.stdin.end();
    return ended;
  });
  await ignoreSigintUntil(finished);
  const [exitCode] = await ended;
  if (NOT_STARTED.includes(exitCode) && length <= MAX_UNREAD_LENGTH) await writeText(host.stdout, readAgain());

  /** Sends chunks to the pager until it closes its input. */
  async function send(): Promise<void> {
    for (;;) {
      next ??= source.next();
      const chunk = await Promise.race([closed, next]);
      if (chunk === undefined || chunk.done) return;
      next = undefined;
      sent.push(chunk.value);
      length += chunk.value.length;
      const isFull = !pager.stdin.write(chunk.value);
      if (isFull) await Promise.race([closed, new Promise((resolve) => pager.stdin.once("drain", resolve))]);
      if (length > MAX_UNREAD_LENGTH) sent = [];
    }
  }

  async function* readAgain(): AsyncGenerator<string> {
    yield* sent;
    for (;;) {
      const chunk = await (next ?? source.next());
      if (chunk.done) return;
      next = undefined;
      yield chunk.value;
    }
  }
}
