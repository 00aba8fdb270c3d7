import { setTimeout as pause } from "node:timers/promises";
import type { ConnectionSettings } from "../connection-settings.js";
import { Pipeline, type PipelineShape } from "../pipeline.js";
import { PipelineConnection } from "../pipeline-connection.js";
import type { StatementRunner } from "../pipelined-executor.js";
import { DatabaseUnavailableError } from "../postgres-error.js";
import { Reachability } from "../reachability.js";
import { coalesce } from "./coalesce.js";
import { readStandbyPosition, type WalPosition } from "./wal-position.js";

/** The maximum time that a read waits for the standby to catch up with the primary. */
const MAX_LAG_MS = 50;

const POLL_INTERVAL_MS = 1;

/** The maximum time to wait for a response, after which the standby may be lost. */
const ANSWER_TIMEOUT_MS = 1000;

/** A read takes too long and delays later reads, although the standby may be fine. */
export class SlowReadError extends Error {
  override readonly name = "SlowReadError";
}

/**
 * A connection to a standby. It reads positions and rows over the same session, because another session may be on a different
 * server, or on a restarted one that lags behind its earlier position.
 */
export class StandbyConnection {
  readonly #pipeline: Pipeline;
  readonly #ask: () => Promise<WalPosition>;
  /** The number of sessions so far. */
  #session = 0;
  /** A position that the server of the current session has reached. */
  #reached: WalPosition | undefined;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #inFlight = 0;
  /** The number of timed-out reads in flight. */
  #slow = 0;

  constructor(shape: PipelineShape, settings: ConnectionSettings, onIdleError: (error: Error) => void) {
    this.#pipeline = new Pipeline(
      { ...shape, connections: 1 },
      settings,
      { onIdleError, onReadOnly() {} },
      // Reads do not wait for the standby in an outage, because the primary can answer them.
      new Reachability(0),
      (...given) => {
        this.#session++;
        this.#reached = undefined;
        return PipelineConnection.open(...given);
      },
    );
    this.#ask = coalesce(() => withTimeout(this.#readPosition(), () => this.#silence()));
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Whether a slow read delays the next one. */
  get isBlocked(): boolean {
    return this.#slow > 0;
  }

  /**
   * Runs a read once the standby has reached a position.
   *
   * @throws DatabaseUnavailableError if the standby does not reach it in time, or follows another primary; SlowReadError if the read
   * takes too long; otherwise the error of the database.
   */
  async run<R>(wanted: WalPosition, ...given: Parameters<StatementRunner["run"]>): Promise<R[]> {
    this.#inFlight++;
    try {
      const session = await this.reach(wanted);
      const rows = await this.#runInTime(this.#pipeline.run<R>(...given));
      if (session !== this.#session) throw new DatabaseUnavailableError("its connection was replaced");
      return rows;
    } finally {
      this.#inFlight--;
    }
  }

  #runInTime<T>(running: Promise<T>): Promise<T> {
    return withTimeout(running, () => {
      this.#slow++;
      const onEnd = () => this.#slow--;
      running.then(onEnd, onEnd);
      return new SlowReadError(`it took more than ${ANSWER_TIMEOUT_MS} ms`);
    });
  }

  /** Makes the next read check whether the standby answers. */
  doubt(): void {
    this.#reached = undefined;
  }

  /** Closes the connection without waiting for an unresponsive standby. */
  async close(): Promise<void> {
    await withTimeout(this.#pipeline.close(), () => this.#silence()).catch(() => {});
  }

  /**
   * Waits until the standby has reached a position.
   *
   * @returns the number of the session that reached it.
   * @throws as `run`.
   */
  async reach(wanted: WalPosition): Promise<number> {
    // The time limit starts at the first response, which may have to wait for a connection.
    let end = Number.POSITIVE_INFINITY;
    while (!this.#hasReached(wanted)) {
      if (performance.now() >= end)
        throw new DatabaseUnavailableError(`it is more than ${MAX_LAG_MS} ms behind the primary`);
      const { history } = await this.#ask();
      if (history !== wanted.history) throw new DatabaseUnavailableError("it does not follow this primary");
      end = Math.min(end, performance.now() + MAX_LAG_MS);
    }
    return this.#session;
  }

  #hasReached({ history, position }: WalPosition): boolean {
    return this.#reached !== undefined && this.#reached.history === history && this.#reached.position >= position;
  }

  #silence(): DatabaseUnavailableError {
    this.doubt();
    return new DatabaseUnavailableError("it does not answer");
  }

  async #readPosition(): Promise<WalPosition> {
    if (performance.now() < this.#answeredAt + POLL_INTERVAL_MS) await pause(POLL_INTERVAL_MS);
    const session = this.#session;
    const [answer] = await readStandbyPosition(this.#pipeline, {});
    if (answer === undefined) throw new DatabaseUnavailableError("it is not a standby");
    this.#answeredAt = performance.now();
    // If the session changed, it is unknown which session answered.
    if (session === this.#session) this.#reached = answer;
    return answer;
  }
}

/** Rejects with the error of `onTimeout` if the promise does not settle in time. */
function withTimeout<T>(promise: Promise<T>, onTimeout: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(onTimeout()), ANSWER_TIMEOUT_MS);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
