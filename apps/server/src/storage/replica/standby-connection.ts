import { setTimeout as pause } from "node:timers/promises";
import type { QueryResult } from "kysely";
import { Outage } from "../outage.js";
import { type OpenConnection, Pipeline, type PipelineSize } from "../pipeline.js";
import type { PreparedQuery } from "../prepared-query.js";
import { shareAnswers } from "./share-answers.js";
import { withTimeLimit } from "./time-limit.js";
import { readStandbyPosition, type WalPosition } from "./wal-position.js";

/** How long a read waits for the standby to come as far as it must be. */
const MOST_LAG_MS = 50;

const ASK_AGAIN_AFTER_MS = 1;

/** How long an answer may take: after that it is not known whether the standby still does anything. */
const MOST_ANSWER_MS = 1000;

/** The standby cannot be read from for now. The message says why. */
export class StandbyUnusableError extends Error {
  override readonly name = "StandbyUnusableError";
}

/** A read takes too long for anyone to wait for it, and holds those up behind it. It is no sign that the standby does nothing. */
export class SlowReadError extends Error {
  override readonly name = "SlowReadError";
}

/**
 * A connection to a standby. How far the standby has come is asked over the connection that is then read over: it might be
 * another server, or one that was restarted and is not yet as far as it was, that the next connection leads to.
 */
export class StandbyConnection {
  readonly #pipeline: Pipeline;
  readonly #ask: () => Promise<WalPosition>;
  /** Counts the sessions on the server that this has been. */
  #session = 0;
  /** How far the server of this session has come at least. */
  #reached: WalPosition | undefined;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #inFlight = 0;
  /** The reads under way that nobody waits for any more. */
  #slow = 0;

  constructor(size: Omit<PipelineSize, "connections">, open: OpenConnection, onIdleError: (error: Error) => void) {
    this.#pipeline = new Pipeline(
      { ...size, connections: 1 },
      (listener) => {
        this.#session++;
        this.#reached = undefined;
        return open(listener);
      },
      { onIdleError, onReadOnly() {} },
      // The primary answers meanwhile.
      new Outage(0),
    );
    this.#ask = shareAnswers(() => withTimeLimit(this.#readPosition(), MOST_ANSWER_MS, () => this.#silence()));
  }

  /** The number of reads under way. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Whether what is asked of it would wait for a read that takes long. */
  get isBlocked(): boolean {
    return this.#slow > 0;
  }

  /**
   * Runs a read when the standby has come as far as `wanted`.
   *
   * @throws StandbyUnusableError if it does not in time, or does not follow that primary; SlowReadError; else the database's error.
   */
  async run(query: PreparedQuery<unknown>, wanted: WalPosition): Promise<QueryResult<unknown>> {
    this.#inFlight++;
    try {
      const session = await this.reach(wanted);
      const result = await this.#runInTime(query);
      if (session !== this.#session) throw new StandbyUnusableError("its connection was replaced");
      return result;
    } finally {
      this.#inFlight--;
    }
  }

  #runInTime(query: PreparedQuery<unknown>): Promise<QueryResult<unknown>> {
    const running = this.#pipeline.run(query);
    return withTimeLimit(running, MOST_ANSWER_MS, () => {
      this.#slow++;
      const onEnd = () => this.#slow--;
      running.then(onEnd, onEnd);
      return new SlowReadError(`it took more than ${MOST_ANSWER_MS} ms`);
    });
  }

  /** Has the next read ask first whether there is an answer. */
  doubt(): void {
    this.#reached = undefined;
  }

  /** Closes the connection. A standby that does not answer any more is not waited for. */
  async close(): Promise<void> {
    await withTimeLimit(this.#pipeline.close(), MOST_ANSWER_MS, () => this.#silence()).catch(() => {});
  }

  /**
   * Waits until the standby has come as far as `wanted`.
   *
   * @returns the session in which it has.
   * @throws as `run`.
   */
  async reach(wanted: WalPosition): Promise<number> {
    // Not before the first answer, which a connection may have to be opened for.
    let end = Number.POSITIVE_INFINITY;
    while (!this.#hasReached(wanted)) {
      if (performance.now() >= end)
        throw new StandbyUnusableError(`it is more than ${MOST_LAG_MS} ms behind the primary`);
      const { history } = await this.#ask();
      if (history !== wanted.history) throw new StandbyUnusableError("it does not follow this primary");
      end = Math.min(end, performance.now() + MOST_LAG_MS);
    }
    return this.#session;
  }

  #hasReached({ history, position }: WalPosition): boolean {
    return this.#reached !== undefined && this.#reached.history === history && this.#reached.position >= position;
  }

  #silence(): StandbyUnusableError {
    this.doubt();
    return new StandbyUnusableError("it does not answer");
  }

  async #readPosition(): Promise<WalPosition> {
    if (performance.now() < this.#answeredAt + ASK_AGAIN_AFTER_MS) await pause(ASK_AGAIN_AFTER_MS);
    const session = this.#session;
    const answer = await readStandbyPosition(this.#pipeline);
    if (answer === undefined) throw new StandbyUnusableError("it is no standby");
    this.#answeredAt = performance.now();
    // Else it is not known which of the sessions has answered.
    if (session === this.#session) this.#reached = answer;
    return answer;
  }
}
