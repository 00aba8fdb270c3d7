import type { Level, Logger } from "pino";

const PERIOD_MS = 60_000;

interface Period {
  readonly startedAt: number;
  lines: number;
}

/** Limits the number of log lines with the same key per minute, so that strangers cannot fill the log. */
export class LogLineLimit {
  readonly #linesPerMinute: number;
  readonly #periods = new WeakMap<Logger, Map<string, Period>>();

  constructor(linesPerMinute: number) {
    this.#linesPerMinute = linesPerMinute;
  }

  /**
   * Counts a log line and returns the level at which to log it: `debug` if the limit for its key is exceeded, and `level` otherwise.
   *
   * @param key identifies lines about the same problem. There must be few keys, because all of them stay in memory.
   */
  levelOf<L extends Level>(log: Logger, key: string, level: L): L | "debug" {
    const periods = this.#periodsOf(log);
    const now = performance.now();
    const known = periods.get(key);
    const period = known !== undefined && now - known.startedAt < PERIOD_MS ? known : { startedAt: now, lines: 0 };
    periods.set(key, period);
    period.lines++;
    return period.lines <= this.#linesPerMinute ? level : "debug";
  }

  #periodsOf(log: Logger): Map<string, Period> {
    const known = this.#periods.get(log);
    if (known !== undefined) return known;
    const periods = new Map<string, Period>();
    this.#periods.set(log, periods);
    return periods;
  }
}
