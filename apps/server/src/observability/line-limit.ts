import type { Logger } from "pino";

const PERIOD_MS = 60_000;

/** The lines with one key since the first of them. */
interface Period {
  readonly startedAt: number;
  lines: number;
}

/** Limits how many lines with the same key a log gets in a minute, so that strangers cannot fill it. */
export class LineLimit {
  readonly #linesPerMinute: number;
  readonly #periods = new WeakMap<Logger, Map<string, Period>>();

  constructor(linesPerMinute: number) {
    this.#linesPerMinute = linesPerMinute;
  }

  /**
   * Counts a line. Returns false if the log has had enough lines with this key in this minute.
   *
   * @param key must be one of a bounded set, because the limit keeps all of them.
   */
  allows(log: Logger, key: string): boolean {
    const periods = this.#periodsOf(log);
    const now = performance.now();
    const known = periods.get(key);
    const period = known !== undefined && now - known.startedAt < PERIOD_MS ? known : { startedAt: now, lines: 0 };
    periods.set(key, period);
    period.lines++;
    return period.lines <= this.#linesPerMinute;
  }

  #periodsOf(log: Logger): Map<string, Period> {
    const known = this.#periods.get(log);
    if (known !== undefined) return known;
    const periods = new Map<string, Period>();
    this.#periods.set(log, periods);
    return periods;
  }
}
