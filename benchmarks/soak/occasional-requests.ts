import { setTimeout as pause } from "node:timers/promises";
import type { Seed } from "../database-seed.ts";
import type { SoakedServer } from "./soaked-server.ts";

const PAUSE_MS = 20;

/**
 * Sends occasional requests, each on its own connection: health checks, unknown paths, requests without a key, visits, and
 * requests that the client aborts.
 */
export async function sendOccasionalRequests(
  { port, authorization }: SoakedServer,
  seed: Seed,
  seconds: number,
): Promise<void> {
  const end = performance.now() + seconds * 1000;
  const visits = JSON.stringify({
    visits: [{ property_token: "prop_1f0e3dad", source: "soak", medium: "cpc", count: 3 }],
  });
  const guests: readonly ((accountToken: string) => readonly [path: string, init: RequestInit])[] = [
    () => ["/healthz", {}],
    () => ["/dni_manager/accounts/nobody/pools", {}],
    (account) => [`/dni_manager/accounts/${account}/pools?page_size=lots`, {}],
    (account) => [`/dni_manager/accounts/${account}/pools`, { headers: { authorization: "Bearer made-up" } }],
    (account) => [`/dni_manager/accounts/${account}/visits`, { method: "POST", body: visits }],
    (account) => [`/dni_manager/accounts/${account}/pools:export`, { signal: AbortSignal.timeout(1) }],
  ];
  for (let turn = 0; performance.now() < end; turn++) {
    const { accountToken } = seed.pools[turn % seed.pools.length] as Seed["pools"][number];
    const [path, init] = guests[turn % guests.length]?.(accountToken) ?? ["/", {}];
    const headers = { authorization, "content-type": "application/json", connection: "close", ...init.headers };
    // Tests check these responses; here the request only has to end.
    await fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers })
      .then((answer) => answer.text())
      .catch(() => {});
    await pause(PAUSE_MS);
  }
}
