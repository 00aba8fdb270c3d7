/** A server that was started: a single process, or a group of workers. */
export interface RunningServer {
  readonly port: number;
  /** Rejects if the server cannot continue. */
  readonly failed: Promise<never>;
  /** Stops gracefully: rejects new requests, waits for in-flight requests, and closes the database. Does not wait for resources that hang. */
  stop(): Promise<void>;
}
