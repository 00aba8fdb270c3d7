import cluster, { type Worker } from "node:cluster";
import { on } from "node:events";
import type { Logger } from "pino";
import type { Config } from "../config/config.js";
import { ServerFailedError, type ServerFailure } from "../errors/server-failure.js";
import type { RunningServer } from "../running-server.js";
import { whenAborted } from "../stop-signal.js";
import {
  type PrimaryMessage,
  WORKER_NUMBER_VARIABLE,
  type WorkerMessage,
  type WorkerMetrics,
} from "./worker-message.js";

/**
 * The delay before a worker that exited is replaced. The delay doubles with each consecutive early exit, up to MAX_RESTART_DELAY_MS. An exit is early
 * if the worker has served for less than STEADY_MS.
 */
const MIN_RESTART_DELAY_MS = 100;
const MAX_RESTART_DELAY_MS = 10_000;
const STEADY_MS = 10_000;

/** How long a stopping worker may take after its last request. Longer than the sum of the worker's own time limits; see docs/deployment.md. */
const CLOSE_MS = 8000;

interface Member {
  readonly number: number;
  readonly worker: Worker;
  /** How many consecutive workers with the same worker number exited early before this worker. */
  readonly earlyExits: number;
  /** When the worker began to serve, in `performance.now()` time; undefined before. */
  servingSince?: number;
  /** Why the worker could not start; undefined if it could. */
  failure?: ServerFailure;
  /** Whether the worker listened on another port than the group's, and was killed. */
  hadOtherPort?: boolean;
}

type WorkerSettings = Pick<Config, "workers"> & { readonly limits: Pick<Config["limits"], "requestTimeoutMs"> };

/**
 * The worker processes that share one port. Each is a complete server on the same database. This process, the primary,
 * accepts connections and assigns them to workers round-robin.
 *
 * The kernel can distribute connections too (SO_REUSEPORT), but at random: workers stay idle if there are few
 * long-lived connections, as with gRPC. A second server could also bind the same port unnoticed.
 */
export class WorkerGroup implements RunningServer {
  readonly #count: number;
  readonly #maxStopMs: number;
  readonly #log: Logger;
  readonly #members = new Map<number, Member>();
  readonly #started = Promise.withResolvers<void>();
  readonly #failed = Promise.withResolvers<never>();
  readonly #stopped = Promise.withResolvers<void>();
  #state: "starting" | "started" | "stopping" = "starting";
  #port = 0;
  /** The environment variables for workers. If `PORT=0` would give a replacement another port, PORT is the port that was chosen at the start. */
  #environment: { readonly PORT?: number } = {};
  #stopFailure: ServerFailure | undefined;
  #gathering: Promise<readonly WorkerMetrics[]> | undefined;

  private constructor({ workers, limits }: WorkerSettings, log: Logger) {
    this.#count = workers;
    this.#maxStopMs = limits.requestTimeoutMs + CLOSE_MS;
    this.#log = log;
  }

  /**
   * Resolves when all workers serve or the process is stopped.
   *
   * @throws ServerFailedError if a worker cannot start.
   */
  static async start(settings: WorkerSettings, log: Logger, stop: AbortSignal): Promise<WorkerGroup> {
    const group = new WorkerGroup(settings, log);
    cluster.schedulingPolicy = cluster.SCHED_RR;
    // The value of a metric can be NaN, which JSON does not preserve.
    cluster.setupPrimary({ serialization: "advanced" });
    // Workers exit by themselves when the primary is gone, unless they hang. SIGKILL also ends workers that hang.
    process.once("exit", () => {
      for (const { worker } of group.#members.values()) worker.process.kill("SIGKILL");
    });
    for (let number = 1; number <= settings.workers; number++) group.#fork(number, 0);
    await Promise.race([group.#started.promise, group.failed, whenAborted(stop)]);
    return group;
  }

  get port(): number {
    return this.#port;
  }

  /** Rejects with a ServerFailedError if no worker serves and none can be started. */
  get failed(): Promise<never> {
    return this.#failed.promise;
  }

  /** Stops the workers after their in-flight requests. Kills workers that do not stop in time. */
  stop(): Promise<void> {
    this.#log.info("stopping");
    this.#state = "stopping";
    for (const { worker, servingSince } of this.#members.values()) {
      if (servingSince === undefined) worker.process.kill("SIGKILL");
      else worker.send({ kind: "stop" } satisfies PrimaryMessage);
    }
    if (this.#members.size === 0) this.#stopped.resolve();
    const timer = setTimeout(() => this.#killAll(), this.#maxStopMs);
    return this.#stopped.promise.finally(() => clearTimeout(timer));
  }

  #killAll(): void {
    for (const { number, worker } of this.#members.values()) {
      this.#log.error({ worker: number, pid: worker.process.pid }, "a worker does not stop in time: killing it");
      worker.process.kill("SIGKILL");
    }
  }

  #fork(number: number, earlyExits: number): void {
    const worker = cluster.fork({ ...this.#environment, [WORKER_NUMBER_VARIABLE]: number });
    const member: Member = { number, worker, earlyExits };
    this.#members.set(number, member);
    worker.on("message", (message: WorkerMessage) => this.#onMessage(member, message));
    worker.once("exit", (exitCode: number | null, signal: string | null) => this.#onEnd(member, signal ?? exitCode));
    worker.on("error", (error) => {
      this.#log.warn({ err: error, worker: number }, "a worker cannot be reached");
      // Without a pid, the process did not start, so it emits no `exit` event.
      if (worker.process.pid === undefined) this.#onEnd(member, null);
    });
  }

  #onMessage(member: Member, message: WorkerMessage): void {
    if (message.kind === "failed") member.failure = message.failure;
    if (message.kind === "gather") void this.#tellMetrics(member.worker);
    if (message.kind !== "ready") return;
    if (this.#state === "starting") this.#port = message.port;
    if (message.port !== this.#port) {
      this.#moveToPort(member);
      return;
    }
    member.servingSince = performance.now();
    this.#log.info({ worker: member.number, pid: member.worker.process.pid }, "a worker is serving");
    if (this.#state !== "starting" || this.#serving().length < this.#count) return;
    this.#state = "started";
    this.#started.resolve();
  }

  /**
   * Ends a worker, which is then started again on the group's port. With `PORT=0`, the port closes when the last worker that listens on it exits, and
   * later replacements get another port.
   */
  #moveToPort(member: Member): void {
    this.#environment = { PORT: this.#port };
    member.hadOtherPort = true;
    member.worker.process.kill("SIGKILL");
  }

  #onEnd(member: Member, reason: string | number | null): void {
    this.#members.delete(member.number);
    const { failure = { message: `a worker exited with ${reason}`, exitCode: 1 }, servingSince } = member;
    const hasServed = servingSince !== undefined;
    if (this.#state === "stopping") this.#onStopped(hasServed && reason !== 0 ? failure : undefined);
    else if (member.hadOtherPort) this.#fork(member.number, member.earlyExits);
    else if (this.#state === "starting" || (!hasServed && this.#serving().length === 0))
      this.#failed.reject(new ServerFailedError(failure));
    else this.#replace(member, hasServed ? reason : failure.message);
  }

  /** @param failure why the worker did not stop as requested; undefined if it did. */
  #onStopped(failure: ServerFailure | undefined): void {
    this.#stopFailure ??= failure;
    if (this.#members.size > 0) return;
    if (this.#stopFailure === undefined) this.#stopped.resolve();
    else this.#stopped.reject(new ServerFailedError(this.#stopFailure));
  }

  #replace({ number, worker, servingSince = Number.POSITIVE_INFINITY, earlyExits }: Member, reason: unknown): void {
    const exits = performance.now() - servingSince >= STEADY_MS ? 0 : earlyExits + 1;
    const delayMs = Math.min(MAX_RESTART_DELAY_MS, MIN_RESTART_DELAY_MS * 2 ** Math.max(0, exits - 1));
    this.#log.error({ worker: number, pid: worker.process.pid, reason, restartDelayMs: delayMs }, "a worker exited");
    setTimeout(() => {
      if (this.#state !== "stopping") this.#fork(number, exits);
    }, delayMs);
  }

  async #tellMetrics(worker: Worker): Promise<void> {
    this.#gathering ??= gatherMetrics(this.#serving()).finally(() => {
      this.#gathering = undefined;
    });
    worker.send({ kind: "gathered", metrics: await this.#gathering } satisfies PrimaryMessage);
  }

  #serving(): Worker[] {
    return [...this.#members.values()].filter((each) => each.servingSince !== undefined).map(({ worker }) => worker);
  }
}

/** A worker that does not send its metrics in time is omitted, so that the metrics of the others can be read. */
const METRICS_TIMEOUT_MS = 2000;

/** Collects the metrics of workers. Omits workers that exit or do not respond in time. */
async function gatherMetrics(workers: readonly Worker[]): Promise<WorkerMetrics[]> {
  const collected = await Promise.all(workers.map(collect));
  return collected.filter((metrics) => metrics !== undefined);
}

async function collect(worker: Worker): Promise<WorkerMetrics | undefined> {
  const messages = on(worker, "message", { signal: AbortSignal.timeout(METRICS_TIMEOUT_MS), close: ["exit"] });
  worker.send({ kind: "collect" } satisfies PrimaryMessage);
  try {
    for await (const [message] of messages as AsyncIterable<[WorkerMessage]>) {
      if (message.kind === "metrics") return message.metrics;
    }
  } catch {
    // The worker did not respond in time, or could not be reached. The worker's `error` listener logs the second case.
  }
  return undefined;
}
