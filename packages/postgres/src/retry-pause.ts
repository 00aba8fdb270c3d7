/** The maximum number of attempts to run a statement or a transaction, including the first. */
export const MAX_STATEMENT_ATTEMPTS = 4;

const RETRY_PAUSE_MS = 10;
const RECONNECT_PAUSE_MS = 100;

/** Returns the pause after a failed attempt, in milliseconds: 10 ms times the number of attempts, plus up to as much random jitter. */
export function computeRetryPauseMs(attempts: number): number {
  return RETRY_PAUSE_MS * attempts * (1 + Math.random());
}

/** Returns the pause after a failed attempt to connect, in milliseconds: 100 ms, plus up to as much random jitter. */
export function computeReconnectPauseMs(): number {
  return RECONNECT_PAUSE_MS * (1 + Math.random());
}
