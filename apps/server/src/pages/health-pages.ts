import type { Exchange } from "@calltrack/http";
import type { Pages } from "../http/page.js";
import { createReadOnlyPage } from "./read-only-page.js";

/** Creates `/healthz`, which tells that the process is alive, and `/readyz`, which tells whether it can serve requests. */
export function createHealthPages(isReady: () => Promise<boolean>): Pages {
  return new Map([
    ["/healthz", createReadOnlyPage((exchange) => sendStatus(exchange, 200, "alive"))],
    [
      "/readyz",
      createReadOnlyPage(async (exchange) => {
        const ready = await isReady();
        sendStatus(exchange, ready ? 200 : 503, ready ? "ready" : "not ready");
      }),
    ],
  ]);
}

function sendStatus(exchange: Exchange, code: number, status: string): void {
  exchange.respond(
    code,
    { "content-type": "application/json", "cache-control": "no-store" },
    JSON.stringify({ status }),
  );
}
