import { once } from "node:events";
import fs from "node:fs";
import { pino } from "pino";
import { Journal, type JournalEntry, type JournalLimits } from "../telephony/outage/journal.js";

/** The options of this journal test program, as JSON in its first argument. */
export interface JournalProcessOptions {
  readonly folder: string;
  readonly entries: number;
  /**
   * A file that replaces the database. The simulated database is available while the file exists. Each applied entry adds the line `PID CALL_ID` to
   * the file.
   */
  readonly sink: string;
  readonly limits?: JournalLimits;
}

export interface TestEntry extends JournalEntry {
  readonly text: string;
}

const MAX_TEXT = 2000;
const MAX_CONCURRENT = 16;

/**
 * This program appends random entries to a journal, and applies entries to the file `sink`. It writes the call id of each synced entry to stdout, and
 * then `done`. When stdin ends, it closes the journal and exits. It logs to stderr.
 */
const { folder, entries, sink, limits }: JournalProcessOptions = JSON.parse(process.argv[2] ?? "");
const journal = new Journal<TestEntry>(folder, pino(pino.destination({ fd: 2, sync: true })), limits);
journal.start(async ({ callId }) => {
  const file = fs.openSync(sink, fs.constants.O_WRONLY | fs.constants.O_APPEND);
  fs.writeSync(file, `${process.pid} ${callId}\n`);
  fs.closeSync(file);
  return "applied";
});
for (let appended = 0; appended < entries; ) {
  const count = Math.min(entries - appended, Math.ceil(Math.random() * MAX_CONCURRENT));
  await Promise.all(Array.from({ length: count }, () => append(`${process.pid}-${appended++}`)));
}
process.stdout.write("done\n");
process.stdin.resume();
await once(process.stdin, "end");
await journal.close();

async function append(callId: string): Promise<void> {
  await journal.append({ callId, isEnd: false, text: "é".repeat(Math.random() * MAX_TEXT) });
  process.stdout.write(`${callId}\n`);
}
