/** A way to a server on which one request at a time waits for its answer. */
export interface Lane {
  /** Sends the request whose turn it is, and calls back when its answer is there as a whole, or that it was refused. */
  send(turn: number, answered: Answered): void;
  close(): void;
}

/** Is told whether an answer is the expected one; others are told of only where requests may be refused. */
export type Answered = (isExpected: boolean) => void;

/** Is told why a load cannot go on. */
export type Fail = (reason: string) => void;
