import { createHttpServer, type Exchange } from "@calltrack/http";
import { Code } from "@connectrpc/connect";
import { OPS_VARIABLES, type OpsSettings } from "../config/ops-settings.js";
import { createHttpError, HTTP_ERRORS } from "../errors/http-errors.js";
import { NOSNIFF } from "../errors/nosniff.js";
import { type FailureHandler, runContained } from "../http/failure-handler.js";
import { listen } from "../http/listen.js";
import { type Pages, pathOf } from "../http/page.js";

const NOTHING_HERE = createHttpError(
  404,
  Code.NotFound,
  "ROUTE_NOT_FOUND",
  "this port serves only /metrics, /healthz and /readyz: use the server's main port for the API",
);

/** The server of metrics and health. */
export interface OpsServer {
  readonly port: number;
  /** Closes the server after the in-flight requests. */
  close(): Promise<void>;
}

/**
 * Serves pages for operators on a port of their own, without authentication.
 *
 * @throws the error of `listen` if the address is unavailable.
 */
export async function startOpsServer(
  { host, port }: OpsSettings,
  pages: Pages,
  fail: FailureHandler,
): Promise<OpsServer> {
  // The HTTP server may refuse the rest of a request that is being handled.
  const known = new WeakSet<Exchange>();
  const addNosniff = (exchange: Exchange) => {
    if (!known.has(exchange)) exchange.addHeader(...NOSNIFF);
    known.add(exchange);
  };
  const server = createHttpServer({
    handle(exchange) {
      addNosniff(exchange);
      const page = pages.get(pathOf(exchange.target));
      if (page === undefined) NOTHING_HERE.answer(exchange);
      else runContained(exchange, fail, () => page(exchange));
    },
    refuse(exchange, reason) {
      addNosniff(exchange);
      HTTP_ERRORS[reason].answer(exchange);
    },
  });
  return { port: await listen(server, { host, port }, OPS_VARIABLES), close: () => server.close() };
}
