import { Worker } from "node:worker_threads";
import { findStatementContext } from "@calltrack/postgres";
import { Code } from "@connectrpc/connect";
import { exitWithFailure } from "../../errors/server-failure.js";
import { createDatabaseCrashError } from "./embedded-failure.js";
import { ENGINE_WORKER_PATH } from "./engine-files.js";
import { createEngineError, type EngineReply, type EngineRequest, type EngineTask } from "./engine-message.js";

/**
 * How long a statement may run past its request's deadline before the process exits. Nothing else ends the statement, and all other statements wait
 * for it.
 */
const MAX_OVERRUN_MS = 5000;

/**
 * Runs the embedded database of this process in a worker thread, because a running statement blocks its thread. A crash of PostgreSQL or of
 * the worker thread ends the process.
 */
export class EngineClient {
  readonly #directory: string;
  readonly #pending = new Map<number, PromiseWithResolvers<readonly unknown[]>>();
  /** The ids of statements whose requests have passed their deadlines. */
  readonly #expired = new Set<number>();
  #worker: Worker | undefined;
  #lastId = 0;
  /** The statement that has passed the deadline of its request, and the timer that ends the process. Undefined without such a statement. */
  #overrun: { readonly id: number; readonly timer: NodeJS.Timeout } | undefined;

  /** @param directory the data directory, locked by the caller, or `memory://`. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** @throws Error if the database cannot be opened. Its message says what to do. */
  async open(): Promise<void> {
    const worker = new Worker(ENGINE_WORKER_PATH, { workerData: this.#directory });
    worker.on("message", this.#onReply);
    worker.on("error", this.#onFailure);
    worker.on("exit", this.#onExit);
    this.#worker = worker;
    try {
      await this.#run({ action: "open" });
    } catch (error) {
      await this.#end();
      throw error;
    }
  }

  /** Executes a statement after all earlier statements, and resolves with its rows. Sends the statement to the worker thread synchronously. */
  query(sql: string, parameters: readonly unknown[]): Promise<readonly unknown[]> {
    return this.#run({ sql, parameters });
  }

  /** Waits for all statements, then closes the database. If PostgreSQL does not close its files properly, throws an Error that says what to do. */
  async close(): Promise<void> {
    if (this.#worker === undefined) return;
    await this.#run({ action: "close" }).finally(() => this.#end());
  }

  #run(task: EngineTask): Promise<readonly unknown[]> {
    const id = ++this.#lastId;
    const pending = Promise.withResolvers<readonly unknown[]>();
    this.#pending.set(id, pending);
    this.#worker?.postMessage({ id, ...task } satisfies EngineRequest);
    findStatementContext()?.deadline?.onAbandoned((reason) => {
      // Reacts only to deadlines, because a client that disconnects must not be able to end the process.
      if ((reason as { readonly code?: unknown } | undefined)?.code !== Code.DeadlineExceeded || !this.#pending.has(id))
        return;
      this.#expired.add(id);
      this.#watchRunning();
    });
    return pending.promise;
  }

  /**
   * If the request of the running statement has passed its deadline, starts the timer that ends the process. The running statement is the oldest
   * pending statement.
   */
  #watchRunning(): void {
    const [id] = this.#pending.keys();
    if (id === this.#overrun?.id) return;
    clearTimeout(this.#overrun?.timer);
    this.#overrun = undefined;
    if (id === undefined || !this.#expired.has(id)) return;
    const error = new Error("a statement ran 5 seconds past the deadline of its request");
    this.#overrun = { id, timer: setTimeout(this.#onFailure, MAX_OVERRUN_MS, error) };
  }

  async #end(): Promise<void> {
    this.#worker?.off("exit", this.#onExit);
    await this.#worker?.terminate();
    this.#worker = undefined;
  }

  readonly #onReply = (reply: EngineReply) => {
    if ("crash" in reply) return exitWithFailure(new Error(reply.crash));
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    this.#expired.delete(reply.id);
    this.#watchRunning();
    if ("error" in reply) pending?.reject(createEngineError(reply.error));
    else pending?.resolve(reply.rows);
  };

  readonly #onFailure = (error: unknown) =>
    exitWithFailure(createDatabaseCrashError(this.#directory, error, undefined));

  readonly #onExit = () => this.#onFailure(new Error("its worker thread ended unexpectedly"));
}
