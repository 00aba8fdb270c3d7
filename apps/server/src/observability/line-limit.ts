import type { Level, Logger } from "pino";

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
   * Counts a line and returns the level to log it at: `debug` if the log has had enough lines with this key in this minute.
   *
   * @param key must be one of a bounded set, because the limit keeps all of them.
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
