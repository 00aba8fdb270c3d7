import type { ImportTally } from "./import-tally.js";

/** How an import shows that it goes on. */
export interface ImportProgress {
  /** Shows how far the import is. */
  update(endByte: number, tally: ImportTally): void;
  /** Writes a line that stays. */
  log(line: string): void;
  /** Shows the last state and leaves the terminal as it was. */
  stop(): void;
}

/** The least time between two states that are shown, in milliseconds. */
const INTERVAL_MS = 100;

const BAR_WIDTH = 20;

/** ECMA-48: the rest of the line is erased. */
const ERASE_REST = "\u001b[K";

/** Shows progress on a terminal, in one line: a bar where the size of the file is known, else counts alone. */
export function createProgressBar(stream: NodeJS.WriteStream, totalBytes: number | undefined): ImportProgress {
  const startedAt = performance.now();
  let shownAt = Number.NEGATIVE_INFINITY;
  let state = "";
  // A line that fills the terminal, or more, would be wrapped and could not be written over.
  const show = () => stream.write(`\r${state.slice(0, stream.columns - 1)}${ERASE_REST}`);
  return {
    update: (endByte, tally) => {
      const elapsedMs = performance.now() - startedAt;
      state = fitParts(
        partsOf(tally, totalBytes === undefined ? undefined : endByte / totalBytes, elapsedMs),
        stream.columns,
      );
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

/** The parts of a state, of which the last ones can be left out. */
function partsOf(tally: ImportTally, share: number | undefined, elapsedMs: number): string[] {
  const { rows, created, already_there, refused } = tally;
  const counts = [`${created} created, ${already_there} already there, ${refused} refused`, `${rows} rows`];
  if (share === undefined) return ["Importing", ...counts];
  const done = Math.round(share * BAR_WIDTH);
  const bar = `${"█".repeat(done)}${"░".repeat(BAR_WIDTH - done)} ${Math.floor(share * 100)}%`;
  return [bar, ...counts, `${Math.ceil((elapsedMs * (1 - share)) / share / 1000)} s left`];
}

function fitParts(parts: readonly string[], columns: number): string {
  const text = parts.join(" | ");
  return text.length < columns || parts.length <= 2 ? text : fitParts(parts.slice(0, -1), columns);
}

/** Shows nothing but the lines that stay: for a stream that is no terminal, or one that something else is written to. */
export function createPlainProgress(stream: NodeJS.WriteStream): ImportProgress {
  return { update: () => {}, log: (line) => void stream.write(line), stop: () => {} };
}
