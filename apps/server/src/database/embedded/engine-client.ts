import { Worker } from "node:worker_threads";
import { currentContext } from "@calltrack/postgres";
import { Code } from "@connectrpc/connect";
import { exitWithFailure } from "../../errors/server-failure.js";
import { createCrashError } from "./embedded-failure.js";
import { createEngineError, type EngineReply, type EngineRequest, type EngineTask } from "./engine-message.js";
import { ENGINE_WORKER } from "./engine-worker-file.js";

/** How long a statement may run after its request's deadline. Then the process exits: nothing else can interrupt a statement, and all others wait. */
const MAX_OVERRUN_MS = 5000;

/**
 * The embedded database of this process. It runs in a worker thread, because a statement occupies its thread until it ends. A crash of
 * PostgreSQL or of the thread ends the process.
 */
export class EngineClient {
  readonly #directory: string;
  readonly #pending = new Map<number, PromiseWithResolvers<readonly unknown[]>>();
  /** The statements whose requests have passed their deadlines. */
  readonly #expired = new Set<number>();
  #worker: Worker | undefined;
  #lastId = 0;
  /** Ends the process if the running statement continues after the deadline of its request. */
  #overrun: { readonly id: number; readonly timer: NodeJS.Timeout } | undefined;

  /** @param directory the data directory, locked by the caller, or `memory://`. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** @throws Error that says what to do if the database cannot be opened. */
  async open(): Promise<void> {
    const worker = new Worker(ENGINE_WORKER, { workerData: this.#directory });
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

  /** Sends a statement before it returns, and resolves with the rows. The statement runs after all earlier ones. */
  query(sql: string, parameters: readonly unknown[]): Promise<readonly unknown[]> {
    return this.#run({ sql, parameters });
  }

  /** Waits for all statements, then closes the database. Throws an Error that says what to do if PostgreSQL did not close its files properly. */
  async close(): Promise<void> {
    if (this.#worker === undefined) return;
    await this.#run({ action: "close" }).finally(() => this.#end());
  }

  #run(task: EngineTask): Promise<readonly unknown[]> {
    const id = ++this.#lastId;
    const pending = Promise.withResolvers<readonly unknown[]>();
    this.#pending.set(id, pending);
    this.#worker?.postMessage({ id, ...task } satisfies EngineRequest);
    currentContext()?.deadline?.onAbandoned((reason) => {
      // A caller that disconnects must not be able to end the process.
      if ((reason as { readonly code?: unknown } | undefined)?.code !== Code.DeadlineExceeded || !this.#pending.has(id))
        return;
      this.#expired.add(id);
      this.#watchRunning();
    });
    return pending.promise;
  }

  /** Limits the time of the running statement, which is the oldest one, if its request has passed its deadline. */
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

  readonly #onFailure = (error: unknown) => exitWithFailure(createCrashError(this.#directory, error, undefined));

  readonly #onExit = () => this.#onFailure(new Error("its thread ended"));
}
