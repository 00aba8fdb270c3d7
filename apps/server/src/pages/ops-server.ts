import { createHttpServer } from "@calltrack/http";
import { Code } from "@connectrpc/connect";
import { OPS_VARIABLES, type OpsSettings } from "../config/ops-settings.js";
import { createHttpError, HTTP_ERRORS } from "../errors/http-errors.js";
import { NOSNIFF } from "../errors/nosniff.js";
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
  /** Lets the requests in progress finish. */
  close(): Promise<void>;
}

/**
 * Serves pages for operators on a port of their own, without authentication.
 *
 * @throws AddressUnavailableError
 */
export async function startOpsServer({ host, port }: OpsSettings, pages: Pages): Promise<OpsServer> {
  const server = createHttpServer({
    handle(exchange) {
      exchange.addHeader(...NOSNIFF);
      const page = pages.get(pathOf(exchange.target));
      if (page === undefined) NOTHING_HERE.answer(exchange);
      else page(exchange);
    },
    refuse: (exchange, reason) => HTTP_ERRORS[reason].answer(exchange),
  });
  return { port: await listen(server, { host, port }, OPS_VARIABLES), close: () => server.close() };
}
