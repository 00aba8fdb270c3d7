import { createServer } from "node:http";
import { OPS_VARIABLES, type OpsSettings } from "../../config/ops-settings.js";
import { createRefusal } from "../../errors/http-refusal.js";
import { withNosniff } from "../../errors/nosniff.js";
import type { RequestHandler } from "../../http/request-handler.js";
import { listen } from "../../http/server/listen.js";
import { withHealth } from "./with-health.js";
import { withMetrics } from "./with-metrics.js";

const NOTHING_HERE = createRefusal(
  404,
  "NOT_FOUND",
  "ROUTE_NOT_FOUND",
  "this port has /metrics, /healthz and /readyz only: the API is on the other",
);

/** The server of metrics and health. */
export interface OpsServer {
  readonly port: number;
  /** Lets the requests that run finish. */
  close(): Promise<void>;
}

/**
 * Serves `/metrics`, `/healthz` and `/readyz` over HTTP/1.1, and asks nobody who they are: who reaches the port may read them.
 *
 * @throws AddressUnavailableError
 */
export async function startOpsServer(
  { host, port }: OpsSettings,
  isReady: () => Promise<boolean>,
  readMetrics: () => Promise<string>,
): Promise<OpsServer> {
  const server = createServer(withNosniff(withHealth(isReady, withMetrics({ read: readMetrics }, refuse))));
  return {
    port: await listen(server, { host, port }, OPS_VARIABLES),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

const refuse: RequestHandler = (_, response) => {
  response.writeHead(NOTHING_HERE.statusCode, { "content-type": "application/json" });
  response.end(NOTHING_HERE.body);
};
