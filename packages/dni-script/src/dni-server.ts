import type { NumberPair } from "./number-swap.js";
import type { TrafficSource } from "./traffic-source.js";

const TIMEOUT_MS = 3000;

/**
 * The numbers to replace for visitors from a source; `property` is the URL of a property, with a slash at the end. One that another pool shows as its replacement is left out with those
 * that are their own: once replaced, it would be replaced again. Rejects if no good answer comes in time.
 */
export async function findNumbers(property: string, { source, medium }: TrafficSource): Promise<NumberPair[]> {
  const response = await fetch(`${property}numbers?${new URLSearchParams({ source, medium })}`, {
    // Where the browser is too old for a timeout, late numbers are shown late.
    signal: AbortSignal.timeout?.(TIMEOUT_MS),
  });
  const pairs: NumberPair[] = await response.json();
  return pairs.filter(({ original_number }) => !pairs.some(({ number }) => number === original_number));
}

/**
 * Sends a visit and waits for nothing. It outlives the page, and has no content type, about which the browser would have to
 * ask the server first.
 */
export function reportVisit(property: string, event_id: string, { source, medium }: TrafficSource): void {
  const body = new Blob([JSON.stringify({ event_id, source, medium })]);
  fetch(`${property}visits`, { method: "POST", body, keepalive: true }).catch(() => {});
}
