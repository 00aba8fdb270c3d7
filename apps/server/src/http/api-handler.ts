import type { ContentCoding, HttpHandler, HttpResponse } from "@calltrack/transcoding";
import type { Logger } from "pino";
import { INTERNAL } from "../errors/http-errors.js";
import { requestFields } from "../observability/requests/request-log.js";
import type { RequestRecord } from "../observability/requests/request-record.js";
import { ExchangeRequest } from "./exchange-request.js";
import type { RecordHandler } from "./observe-exchanges.js";
import { sendResponse } from "./send-response.js";

/**
 * Creates the handler of the API over all protocols.
 *
 * @param rpc serves the paths of RPCs.
 * @param json serves all other paths; unknown ones with 404.
 */
export function createApiHandler(
  rpc: HttpHandler,
  json: HttpHandler,
  codings: readonly ContentCoding[],
  log: Logger,
): RecordHandler {
  const fail = (record: RequestRecord, error: unknown) => {
    const { exchange } = record;
    if (exchange.isOver) return;
    log.error({ ...requestFields(record), err: error }, "the response could not be sent");
    if (exchange.hasResponded) exchange.abort();
    else INTERNAL.answer(exchange);
  };
  return (record) => {
    const request = new ExchangeRequest(record, codings);
    const response = rpc.handle(request) ?? (json.handle(request) as Promise<HttpResponse>);
    response.then((given) => sendResponse(record, given)).catch((error) => fail(record, error));
  };
}
