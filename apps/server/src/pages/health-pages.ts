import type { NodeRequest } from "@calltrack/transcoding/node";
import type { PageHandlersByPath } from "../http/page-handler.js";
import { createReadOnlyPage } from "./read-only-page.js";

export const HEALTH_PATHS: readonly string[] = ["/healthz", "/readyz"];

/** Creates `/healthz`, which responds while the process is alive, and `/readyz`, which tells whether the server can serve requests. */
export function createHealthPages(isReady: () => Promise<boolean>): PageHandlersByPath {
  return new Map([
    ["/healthz", createReadOnlyPage((request) => sendStatus(request, 200, "alive"))],
    [
      "/readyz",
      createReadOnlyPage(async (request) =>
        (await isReady()) ? sendStatus(request, 200, "ready") : sendStatus(request, 503, "not ready"),
      ),
    ],
  ]);
}

const HEADERS = { "content-type": "application/json", "cache-control": "no-store" };

function sendStatus(request: NodeRequest, code: number, status: string): void {
  request.respond(code, HEADERS, JSON.stringify({ status }));
}
