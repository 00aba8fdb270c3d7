/** A server that answers requests. */
export interface RunningServer {
  readonly port: number;
  /** Rejects when it cannot go on. */
  readonly failed: Promise<never>;
  /** Lets the requests that run finish, takes no new ones, and closes the database. Gives up on resources that hang. */
  stop(): Promise<void>;
}
