import type { RequestHandler } from "../../http/request-handler.js";

/** Serves `/healthz`, that the process is alive, and `/readyz`, that it can do its work, in front of another handler. */
export function withHealth(isReady: () => Promise<boolean>, next: RequestHandler): RequestHandler {
  return (request, response) => {
    const path = request.url?.split("?", 1)[0];
    const asked = request.method === "GET" || request.method === "HEAD";
    if (asked && path === "/healthz") return sendStatus(response, 200, "alive");
    if (!asked || path !== "/readyz") return next(request, response);
    isReady().then((ready) => sendStatus(response, ready ? 200 : 503, ready ? "ready" : "not ready"));
  };
}

function sendStatus(response: Parameters<RequestHandler>[1], code: number, status: string): void {
  // The deadline may have passed, and been answered.
  if (response.headersSent) return;
  response.writeHead(code, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify({ status }));
}
