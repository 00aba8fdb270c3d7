import type { Exchange } from "@calltrack/http";
import type { RecordHandler } from "./observe-exchanges.js";
import { type Pages, pathOf } from "./page.js";

/** The targets of requests, in order of precedence. */
export interface Routes {
  readonly pages: Pages;
  /** Answers CORS preflights; false for other requests. */
  readonly preflight: (exchange: Exchange) => boolean;
  /** Answers browsers at `/`; false for other requests. */
  readonly startPage: (exchange: Exchange) => boolean;
  /** Handles all other requests: calls of the API, and 404. */
  readonly api: RecordHandler;
}

/** Routes requests by their paths. */
export function routeExchanges({ pages, preflight, startPage, api }: Routes): RecordHandler {
  return (record) => {
    const { exchange } = record;
    const page = pages.get(pathOf(exchange.target));
    if (page !== undefined) page(exchange);
    else if (!preflight(exchange) && !startPage(exchange)) api(record);
  };
}
