import type { ShownNumber } from "./number-display.js";
import type { Visit } from "./visit.js";

const TIMEOUT_MS = 3000;

const E164 = /^\+\d+$/;

/**
 * Requests the numbers to show in a visit. The first request sends the evidence, and stores the source that the server decided in `visit`.
 * Later requests ask for the numbers of this source. Rejects if no valid response arrives within 3 seconds. If the server responds with an
 * error, rejects with the value of `Retry-After`, or with null if the response has none.
 *
 * Omits a pair whose original number is the replacement in another pair. The page would replace that number twice.
 *
 * @param property the URL of the property in the API, with a trailing slash.
 */
export async function fetchNumbers(property: string, visit: Visit): Promise<ShownNumber[]> {
  const { evidence, origin } = visit;
  const path = origin ? `numbers?${new URLSearchParams({ ...origin })}` : "visits:resolve";
  const response = await fetch(property + path, {
    ...(origin ? {} : post({ evidence })),
    // In old browsers without `AbortSignal.timeout`, requests have no timeout, so that numbers may be shown late.
    signal: AbortSignal.timeout?.(TIMEOUT_MS),
    // Without this option, a browser that restores a tab or goes back would use a cached response of any age.
    cache: "no-store",
  });
  // Read even for errors, because an unread body would keep the connection busy.
  const body = await response.text();
  if (!response.ok) throw response.headers.get("retry-after");
  const answer = JSON.parse(body);
  const pairs: ShownNumber[] = answer.numbers ?? answer;
  if (!pairs.every((pair) => E164.test(pair.original_number) && E164.test(pair.number))) throw new TypeError();
  const { source, medium, site } = answer;
  if (source) Object.assign(visit, { origin: { source, medium }, site });
  return pairs.filter(({ original_number }) => !pairs.some(({ number }) => number === original_number));
}

/** Reports a visit without waiting for the response. The request continues after the page is closed. The server decides whether the visit counts. */
export function reportVisit(property: string, { event, evidence }: Visit): void {
  fetch(`${property}visits`, { ...post({ event_id: event, evidence }), keepalive: true }).catch(() => {});
}

/** Creates the options for a POST. The request has no content type, so that browsers send no CORS preflight request. */
function post(message: object): RequestInit {
  return { method: "POST", body: new Blob([JSON.stringify(message)]) };
}
