import { getTargetPath } from "@calltrack/transcoding";
import { Code } from "@connectrpc/connect";
import { OPS_ADDRESS_VARIABLES, type OpsAddress } from "../config/ops-address.js";
import { createHttpError, HTTP_ERRORS_BY_REASON } from "../errors/http-errors.js";
import { NOSNIFF_HEADER } from "../errors/nosniff-header.js";
import { createHttpServer } from "../http/http-server.js";
import { listenOnAddress } from "../http/listen-on-address.js";
import type { PageHandlersByPath } from "../http/page-handler.js";
import type { RequestHandler } from "../http/request-handler.js";

const NOTHING_HERE = createHttpError(
  404,
  Code.NotFound,
  "ROUTE_NOT_FOUND",
  "this port serves only /metrics, /healthz and /readyz: use the server's main port for the API",
);

export interface OpsServer {
  readonly port: number;
  /** Stops accepting connections, and waits for in-flight requests. */
  close(): Promise<void>;
}

/** Serves metrics and health checks on a separate port without authentication. Throws like `listenOnAddress` if the address is unavailable. */
export async function startOpsServer(
  { host, port }: OpsAddress,
  pages: PageHandlersByPath,
  fail: RequestHandler["fail"],
): Promise<OpsServer> {
  const server = createHttpServer({
    handle(request) {
      request.addHeader(...NOSNIFF_HEADER);
      const page = pages.get(getTargetPath(request.target));
      return page === undefined ? NOTHING_HERE.answer(request) : page(request);
    },
    refuse(request, reason) {
      request.addHeader(...NOSNIFF_HEADER);
      HTTP_ERRORS_BY_REASON[reason].answer(request);
    },
    fail,
  });
  return { port: await listenOnAddress(server, { host, port }, OPS_ADDRESS_VARIABLES), close: () => server.close() };
}
