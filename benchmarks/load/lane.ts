/** A way to a server on which one request at a time waits for its answer. */
export interface Lane {
  /** Sends the request whose turn it is, and calls back when its answer is there as a whole. */
  send(turn: number, answered: () => void): void;
  close(): void;
}

/** Is told why a load cannot go on. */
export type Fail = (reason: string) => void;
