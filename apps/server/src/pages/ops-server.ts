import { pathOf } from "@calltrack/transcoding";
import { Code } from "@connectrpc/connect";
import { OPS_VARIABLES, type OpsSettings } from "../config/ops-settings.js";
import { createHttpError, HTTP_ERRORS } from "../errors/http-errors.js";
import { NOSNIFF } from "../errors/nosniff.js";
import { createHttpServer } from "../http/http-server.js";
import { listen } from "../http/listen.js";
import type { RequestHandler } from "../http/request-handler.js";
import type { SitePages } from "../http/site-page.js";

const NOTHING_HERE = createHttpError(
  404,
  Code.NotFound,
  "ROUTE_NOT_FOUND",
  "this port serves only /metrics, /healthz and /readyz: use the server's main port for the API",
);

export interface OpsServer {
  readonly port: number;
  /** Closes the server after its in-flight requests. */
  close(): Promise<void>;
}

/** Serves metrics and health checks on a separate port, without authentication. Throws like `listen` if the address is unavailable. */
export async function startOpsServer(
  { host, port }: OpsSettings,
  pages: SitePages,
  fail: RequestHandler["fail"],
): Promise<OpsServer> {
  const server = createHttpServer({
    handle(request) {
      request.addHeader(...NOSNIFF);
      const page = pages.get(pathOf(request.target));
      return page === undefined ? NOTHING_HERE.answer(request) : page(request);
    },
    refuse(request, reason) {
      request.addHeader(...NOSNIFF);
      HTTP_ERRORS[reason].answer(request);
    },
    fail,
  });
  return { port: await listen(server, { host, port }, OPS_VARIABLES), close: () => server.close() };
}
