/** Longer delays overflow Node's timers, which then fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const UNIT_MS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };

/**
 * Removes timeouts from the headers of a request that are too long for Connect, which starts a timer for each. The server's own limit
 * for a request is always shorter.
 */
export function dropLongTimeouts(headers: Headers): void {
  const [, amount, unit = ""] = /^(\d{1,8})([HMSmun])$/.exec(headers.get("grpc-timeout") ?? "") ?? [];
  if (Number(amount) * (UNIT_MS[unit] ?? 0) > LONGEST_TIMER_MS) headers.delete("grpc-timeout");
  if (Number(/^\d{1,10}$/.exec(headers.get("connect-timeout-ms") ?? "")?.[0]) > LONGEST_TIMER_MS) {
    headers.delete("connect-timeout-ms");
  }
}
