/** The maximum number of attempts to run a statement or a transaction, including the first. */
export const MAX_ATTEMPTS = 4;

const RETRY_PAUSE_MS = 10;
const RECONNECT_PAUSE_MS = 100;

/** The pause after a failed attempt, in milliseconds. It grows with the number of attempts; jitter up to doubles it. */
export function retryPauseMs(attempts: number): number {
  return RETRY_PAUSE_MS * attempts * (1 + Math.random());
}

/** The pause after a failed attempt to connect, in milliseconds; jitter up to doubles it. */
export function reconnectPauseMs(): number {
  return RECONNECT_PAUSE_MS * (1 + Math.random());
}
