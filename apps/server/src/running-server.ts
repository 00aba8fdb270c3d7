/** A server that serves requests. */
export interface RunningServer {
  readonly port: number;
  /** Rejects if the server cannot continue. */
  readonly failed: Promise<never>;
  /**
   * Stops gracefully: rejects new requests, waits for requests in progress, and closes the database. Does not wait for
   * resources that hang.
   */
  stop(): Promise<void>;
}
