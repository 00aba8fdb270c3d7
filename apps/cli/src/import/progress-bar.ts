import { pluralize } from "@calltrack/domain/pluralize";
import type { ImportTally } from "./row-outcome.js";

export interface ImportProgress {
  update(endByte: number, tally: ImportTally): void;
  /** Writes a line that the progress bar does not overwrite. */
  log(line: string): void;
  /** Shows the final state and ends the line. */
  stop(): void;
}

/** Minimum time between updates of the terminal. */
const INTERVAL_MS = 100;

const BAR_WIDTH = 20;

/** ECMA-48: erases the rest of the line. */
const ERASE_REST = "\u001b[K";

/** Shows progress in one line of a terminal: a bar if the file size is known, otherwise counts only. */
export function createProgressBar(stream: NodeJS.WriteStream, totalBytes: number | undefined): ImportProgress {
  const startedAt = performance.now();
  let shownAt = Number.NEGATIVE_INFINITY;
  let state = "";
  // The terminal would wrap a longer line, which could not be overwritten.
  const show = () => stream.write(`\r${state.slice(0, stream.columns - 1)}${ERASE_REST}`);
  return {
    update: (endByte, tally) => {
      // A file can grow while it is read.
      const share = totalBytes === undefined ? undefined : Math.min(1, endByte / totalBytes);
      state = fitParts(partsOf(tally, share, performance.now() - startedAt), stream.columns);
      if (performance.now() - shownAt < INTERVAL_MS) return;
      shownAt = performance.now();
      show();
    },
    log: (line) => {
      stream.write(`\r${ERASE_REST}${line}`);
      show();
    },
    stop: () => {
      if (state === "") return;
      show();
      stream.write("\n");
    },
  };
}

/** Returns the parts of the line, the least important last. */
function partsOf(tally: ImportTally, share: number | undefined, elapsedMs: number): string[] {
  const { rows, created, already_there, refused } = tally;
  const counts = [`${created} created, ${already_there} already there, ${refused} refused`, pluralize(rows, "row")];
  if (share === undefined) return ["Importing", ...counts];
  const done = Math.round(share * BAR_WIDTH);
  const bar = `${"█".repeat(done)}${"░".repeat(BAR_WIDTH - done)} ${Math.floor(share * 100)}%`;
  return [bar, ...counts, `${Math.ceil((elapsedMs * (1 - share)) / share / 1000)} s left`];
}

function fitParts(parts: readonly string[], columns: number): string {
  const text = parts.join(" | ");
  return text.length < columns || parts.length <= 2 ? text : fitParts(parts.slice(0, -1), columns);
}

/** Creates a progress display that writes only log lines, for streams that are not terminals or that contain other output. */
export function createProgressWithoutBar(stream: NodeJS.WriteStream): ImportProgress {
  return { update: () => {}, log: (line) => void stream.write(line), stop: () => {} };
}
