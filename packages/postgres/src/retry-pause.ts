/** The maximum number of attempts of a statement or a transaction. */
export const MAX_ATTEMPTS = 4;

const RETRY_PAUSE_MS = 10;
const RECONNECT_PAUSE_MS = 100;

/** The pause after a failed attempt, in milliseconds. It grows with the number of attempts, with jitter up to twice as long. */
export function retryPauseMs(attempts: number): number {
  return RETRY_PAUSE_MS * attempts * (1 + Math.random());
}

/** The pause after a failed attempt to connect, in milliseconds, with jitter up to twice as long. */
export function reconnectPauseMs(): number {
  return RECONNECT_PAUSE_MS * (1 + Math.random());
}
