import type { ShownNumber } from "./number-display.js";
import { createNumberSwap } from "./number-swap.js";
import type { TrafficSource } from "./traffic-source.js";

const TIMEOUT_MS = 3000;

/**
 * Finds the numbers to show to visitors from a source. Rejects if no valid response arrives within the timeout.
 *
 * Pairs whose original is the replacement in another pair are left out; otherwise it would be replaced twice.
 *
 * @param property URL of a property, with a trailing slash.
 */
export async function findNumbers(property: string, { source, medium }: TrafficSource): Promise<ShownNumber[]> {
  const response = await fetch(`${property}numbers?${new URLSearchParams({ source, medium })}`, {
    // Old browsers without this method have no timeout and may show the numbers late.
    signal: AbortSignal.timeout?.(TIMEOUT_MS),
    // A browser that restores a tab or goes back would take a response from its cache, however old.
    cache: "no-store",
  });
  const pairs: ShownNumber[] = await response.json();
  createNumberSwap(pairs);
  return pairs.filter(({ original_number }) => !pairs.some(({ number }) => number === original_number));
}

/**
 * Reports a visit without waiting for the response. The request outlives the page. It has no content type, so that
 * browsers need no CORS preflight request.
 */
export function reportVisit(property: string, event_id: string, { source, medium }: TrafficSource): void {
  const body = new Blob([JSON.stringify({ event_id, source, medium })]);
  fetch(`${property}visits`, { method: "POST", body, keepalive: true }).catch(() => {});
}
