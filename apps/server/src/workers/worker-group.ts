import cluster, { type Worker } from "node:cluster";
import { on } from "node:events";
import type { Logger } from "pino";
import { ServerFailedError, type ServerFailure } from "../errors/server-failure.js";
import type { RunningServer } from "./running-server.js";
import { type PrimaryMessage, WORKER_NUMBER, type WorkerMessage, type WorkerMetrics } from "./worker-message.js";

/** How long the place of a worker that ended stays empty; twice as long for each before it that ended before it was steady. */
const VACANCY_MS = 100;
const LONGEST_VACANCY_MS = 10_000;
const STEADY_MS = 10_000;

/** A worker in its place. */
interface Member {
  readonly number: number;
  readonly worker: Worker;
  /** How many in this place ended one after the other before they were steady. */
  readonly earlyEnds: number;
  /** Since when it serves, in the time of `performance.now()`; undefined before. */
  servingSince?: number;
  /** Why it could not start. */
  failure?: ServerFailure;
}

/**
 * The processes that serve on one port, each a whole server on the same database. This process, the primary, hands out the
 * connections, to each worker as many. The kernel can do that too (SO_REUSEPORT), but goes by chance, which leaves workers
 * idle where there are few connections that last, as with gRPC; and it would let a second server take the same port unnoticed.
 */
export class WorkerGroup implements RunningServer {
  readonly #count: number;
  readonly #log: Logger;
  readonly #members = new Map<number, Member>();
  readonly #started = Promise.withResolvers<void>();
  readonly #failed = Promise.withResolvers<never>();
  readonly #stopped = Promise.withResolvers<void>();
  #state: "starting" | "started" | "stopping" = "starting";
  #port = 0;
  /** More variables for new workers. */
  #environment: { readonly PORT?: number } = {};
  #stopFailure: ServerFailure | undefined;
  #gathering: Promise<readonly WorkerMetrics[]> | undefined;

  private constructor(count: number, log: Logger) {
    this.#count = count;
    this.#log = log;
  }

  /** @throws ServerFailedError if one of the workers cannot serve. */
  static async start(count: number, log: Logger): Promise<WorkerGroup> {
    const group = new WorkerGroup(count, log);
    await group.#start();
    return group;
  }

  get port(): number {
    return this.#port;
  }

  /** Rejects with a ServerFailedError if no worker is left that serves, and none can be started. */
  get failed(): Promise<never> {
    return this.#failed.promise;
  }

  #start(): Promise<void> {
    cluster.schedulingPolicy = cluster.SCHED_RR;
    // Unlike JSON it knows NaN, which a metric may be.
    cluster.setupPrimary({ serialization: "advanced" });
    // They end with this process by themselves, but for one that is stuck.
    process.once("exit", () => {
      for (const { worker } of this.#members.values()) worker.process.kill("SIGKILL");
    });
    for (let number = 1; number <= this.#count; number++) this.#fork(number, 0);
    return Promise.race([this.#started.promise, this.failed]);
  }

  /** Stops the workers, and lets their requests finish. */
  stop(): Promise<void> {
    this.#log.info("stopping");
    this.#state = "stopping";
    for (const { worker, servingSince } of this.#members.values()) {
      if (servingSince === undefined) worker.process.kill("SIGKILL");
      else tell(worker, { kind: "stop" });
    }
    if (this.#members.size === 0) this.#stopped.resolve();
    return this.#stopped.promise;
  }

  #fork(number: number, earlyEnds: number): void {
    const worker = cluster.fork({ ...this.#environment, [WORKER_NUMBER]: number });
    const member: Member = { number, worker, earlyEnds };
    this.#members.set(number, member);
    worker.on("message", (message: WorkerMessage) => this.#onMessage(member, message));
    worker.once("exit", (exitCode: number | null, signal: string | null) => this.#onEnd(member, signal ?? exitCode));
    worker.on("error", (error) => {
      this.#log.warn({ err: error, worker: number }, "a worker cannot be reached");
      // It could not even be started.
      if (worker.process.pid === undefined) this.#onEnd(member, null);
    });
  }

  #onMessage(member: Member, message: WorkerMessage): void {
    if (message.kind === "failed") member.failure = message.failure;
    if (message.kind === "gather") void this.#tellMetrics(member.worker);
    if (message.kind !== "ready") return;
    member.servingSince = performance.now();
    this.#log.info({ worker: member.number, pid: member.worker.process.pid }, "a worker is serving");
    this.#port = message.port;
    if (this.#state !== "starting" || this.#serving().length < this.#count) return;
    this.#state = "started";
    this.#started.resolve();
  }

  #onEnd(member: Member, reason: string | number | null): void {
    this.#members.delete(member.number);
    const { failure = { message: `a worker exited with ${reason}`, exitCode: 1 }, servingSince } = member;
    const hasServed = servingSince !== undefined;
    if (this.#state === "stopping") this.#onStopped(hasServed && reason !== 0 ? failure : undefined);
    else if (this.#state === "starting" || (!hasServed && this.#serving().length === 0))
      this.#failed.reject(new ServerFailedError(failure));
    else this.#replace(member, hasServed ? reason : failure.message);
  }

  /** @param failure why the worker did not end as it was told to. */
  #onStopped(failure: ServerFailure | undefined): void {
    this.#stopFailure ??= failure;
    if (this.#members.size > 0) return;
    if (this.#stopFailure === undefined) this.#stopped.resolve();
    else this.#stopped.reject(new ServerFailedError(this.#stopFailure));
  }

  #replace({ number, worker, servingSince = Number.POSITIVE_INFINITY, earlyEnds }: Member, reason: unknown): void {
    const ends = performance.now() - servingSince >= STEADY_MS ? 0 : earlyEnds + 1;
    const vacancyMs = Math.min(LONGEST_VACANCY_MS, VACANCY_MS * 2 ** Math.max(0, ends - 1));
    this.#log.error({ worker: number, pid: worker.process.pid, reason, vacancyMs }, "a worker exited");
    // The port is closed when nobody is left that listens; where any port was asked for, the next might be another.
    if (this.#members.size === 0) this.#environment = { PORT: this.#port };
    setTimeout(() => {
      if (this.#state !== "stopping") this.#fork(number, ends);
    }, vacancyMs);
  }

  async #tellMetrics(worker: Worker): Promise<void> {
    this.#gathering ??= gatherMetrics(this.#serving()).finally(() => {
      this.#gathering = undefined;
    });
    tell(worker, { kind: "gathered", metrics: await this.#gathering });
  }

  #serving(): Worker[] {
    return [...this.#members.values()].filter((each) => each.servingSince !== undefined).map(({ worker }) => worker);
  }
}

function tell(worker: Worker, message: PrimaryMessage): void {
  worker.send(message);
}

/** A worker that has not told its metrics by then is left out: it is stuck, and the others are to be seen all the same. */
const TIMEOUT_MS = 2000;

/** Asks workers for what they count. Those that end meanwhile are left out. */
async function gatherMetrics(workers: readonly Worker[]): Promise<WorkerMetrics[]> {
  const collected = await Promise.all(workers.map(collect));
  return collected.filter((metrics) => metrics !== undefined);
}

async function collect(worker: Worker): Promise<WorkerMetrics | undefined> {
  const messages = on(worker, "message", { signal: AbortSignal.timeout(TIMEOUT_MS), close: ["exit"] });
  worker.send({ kind: "collect" } satisfies PrimaryMessage);
  try {
    for await (const [message] of messages as AsyncIterable<[WorkerMessage]>) {
      if (message.kind === "metrics") return message.metrics;
    }
  } catch {
    // It did not answer in time, or cannot be reached, which the log says.
  }
  return undefined;
}
