import { MultiBar, Presets } from "cli-progress";
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

const COUNTS = "{rows} rows | {created} created, {already_there} already there, {refused} refused";

/** Shows progress on a terminal: a bar where the size of the file is known, else counts alone. */
export function createProgressBar(stream: NodeJS.WriteStream, totalBytes: number | undefined): ImportProgress {
  const format =
    totalBytes === undefined ? `Importing | ${COUNTS}` : `{bar} {percentage}% | ${COUNTS} | {eta_formatted} left`;
  // The command ends itself at an interrupt, after it has stopped the bar.
  const bars = new MultiBar(
    { stream, format, hideCursor: true, gracefulExit: false, barsize: 20 },
    Presets.shades_classic,
  );
  const bar = bars.create(totalBytes ?? 0, 0, { rows: 0, created: 0, already_there: 0, refused: 0 });
  return {
    update: (endByte, tally) => bar.update(endByte, { ...tally }),
    log: (line) => bars.log(line),
    stop: () => {
      bars.update();
      bars.stop();
    },
  };
}

/** Shows nothing but the lines that stay: for a stream that is no terminal, or one that something else is written to. */
export function createPlainProgress(stream: NodeJS.WriteStream): ImportProgress {
  return { update: () => {}, log: (line) => void stream.write(line), stop: () => {} };
}
