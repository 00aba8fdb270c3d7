/** A connection, or a stream of one, with at most one request in flight. */
export interface Lane {
  /** Sends the next request, and calls back when the response is complete or the request was rejected. */
  send(turn: number, answered: OnAnswer): void;
  close(): void;
}

/** Called with whether the response is the expected one; called with false only if requests may be rejected. */
export type OnAnswer = (isExpected: boolean) => void;

/** Called with the reason why a load cannot continue. */
export type OnFailure = (reason: string) => void;
